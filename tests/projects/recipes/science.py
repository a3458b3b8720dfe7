"""Graphs and numerical science."""

from __future__ import annotations

from .. import tables
from ..recipe import Edit, Project, Stage

PROJECTS = (
    Project(
        "gcn",
        "official/gnn/GCN",
        "graph",
        lambda folder: tables.citations(folder / "cora_mr"),
        (
            Stage(
                "train",
                "train.py --data_dir {data}/cora_mr --train_nodes_num 20 --eval_nodes_num 20 --test_nodes_num 20 "
                "--device_target GPU",
            ),
            Stage("export", "export.py --ckpt_file {newest:**/*.ckpt} --device_target GPU"),
        ),
        edits=(Edit("src/config.py", r"epochs = 200", "epochs = 5"),),
    ),
    Project(
        "gat",
        "research/gnn/gat",
        "graph",
        lambda folder: tables.citations(folder / "cora_mr"),
        (
            Stage(
                "train",
                "train.py --data_dir {data}/cora_mr --train_nodes_num 20 --eval_nodes_num 20 --test_nodes_num 20 "
                "--num_epochs 4 --device_target CPU",
            ),
            Stage("export", "export.py --ckpt_file {newest:**/*.ckpt} --device_target CPU"),
        ),
    ),
    Project(
        "deepbsde",
        "research/hpc/deepbsde",
        "science",
        lambda folder: None,
        (
            Stage(
                "train",
                "train.py --config_path config/HJBLQ_config.yaml --num_iterations 20 --logging_frequency 10 "
                "--valid_size 64 --device_target CPU",
            ),
            Stage("eval", "eval.py --config_path config/HJBLQ_config.yaml --valid_size 64 --device_target CPU"),
            Stage("export", "export.py --config_path config/HJBLQ_config.yaml --device_target CPU"),
        ),
        edits=(Edit("config/HJBLQ_config.yaml", r"lr_boundaries: \[1000\]", "lr_boundaries: [10]"),),
    ),
)
