"""Graphs of roads, people and facts."""

from __future__ import annotations

from .. import relations
from ..recipe import Edit, Project, Stage

PROJECTS = (
    Project(
        "tgcn",
        "research/cv/tgcn",
        "graph",
        relations.roads,
        (Stage("train", "train.py"),),
        edits=(
            Edit("src/config.py", r"data_path = .*", "data_path = '{data}'"),
            Edit("src/config.py", r"epochs = 3000", "epochs = 6"),
            Edit("src/config.py", r"batch_size = 64", "batch_size = 8"),
            Edit("src/config.py", r"hidden_dim = 100", "hidden_dim = 16"),
        ),
    ),
    Project(
        "sdne",
        "research/gnn/sdne",
        "graph",
        relations.edge_list,
        (
            Stage(
                "train",
                "train.py --dataset WIKI --data_path {data}/edges.txt --ckpt_url {out} --train_url {out} --epochs 6 "
                "--device_target CPU",
                loss=r"loss is (\d+\.\d+)",
            ),
        ),
        edits=(
            Edit("src/config.py", r"'ckpt_step': 32,", "'ckpt_step': 1,"),
            Edit("src/config.py", r"'k_query': \[1, 10, 20, .*\]", "'k_query': [1, 10]"),
        ),
    ),
    Project(
        "rotate",
        "research/nlp/rotate",
        "graph",
        relations.triples,
        (
            Stage(
                "train",
                "train.py --data_path {data} --output_path {out}/ --max_steps 8 --batch_size 16 --hidden_dim 16 "
                "--negative_sample_size 8 --device_target CPU",
            ),
        ),
        edits=(Edit("default_config.yaml", "use_dynamic_loss_scale: True", "use_dynamic_loss_scale: False"),),
    ),
)
