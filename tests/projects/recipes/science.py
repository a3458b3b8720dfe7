"""Scientific computing, graphs, reinforcement."""
from __future__ import annotations

from .. import makers_text
from ..recipe import Edit, Project, Stage

PROJECTS = (
    Project(
        "pinns", "research/hpc/pinns", "scientific", makers_text.schrodinger,
        (Stage("train", "train.py --scenario Schrodinger --datapath {data}/NLS.mat --epoch 20"),
         Stage("eval", "eval.py --ckpoint_path {newest:**/*.ckpt} --scenario Schrodinger --datapath {data}/NLS.mat", says="(?i)error"),
         Stage("export", "export.py --ckpoint_path {newest:**/*.ckpt} --file_name pinns --scenario Schrodinger --datapath {data}/NLS.mat")),
        edits=(Edit("src/config.py", "'Nf': 20000", "'Nf': 500"),)),
    Project(
        "deepbsde", "research/hpc/deepbsde", "scientific", lambda folder: None,
        (Stage("train", "train.py --config_path config/HJBLQ_config.yaml --num_iterations 20 --logging_frequency 10 --log_dir {out}"),
         Stage("eval", "eval.py --config_path config/HJBLQ_config.yaml --log_dir {out}", says="(?i)loss"),
         Stage("export", "export.py --config_path config/HJBLQ_config.yaml --log_dir {out}")),
        edits=(Edit("config/HJBLQ_config.yaml", r"^lr_boundaries: .*", "lr_boundaries: [10]"), Edit("config/HJBLQ_config.yaml", r"^dim: 100", "dim: 10"),
               Edit("config/HJBLQ_config.yaml", r"^num_hiddens: .*", "num_hiddens: [20, 20]"))),
)
