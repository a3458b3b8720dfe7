"""Differential equations."""

from __future__ import annotations

from .. import makers
from ..recipe import Edit, Project, Stage

PROJECTS = (
    Project(
        "pinns",
        "research/hpc/pinns",
        "science",
        makers.schrodinger,
        (
            Stage("train", "train.py --scenario Schrodinger --datapath {data}/NLS.mat --epoch 20"),
            Stage(
                "eval",
                "eval.py --ckpoint_path {newest:**/*.ckpt} --scenario Schrodinger --datapath {data}/NLS.mat",
                says="(?i)error",
            ),
            Stage(
                "export",
                "export.py --ckpoint_path {newest:**/*.ckpt} --file_name pinns --scenario Schrodinger --datapath "
                "{data}/NLS.mat",
            ),
        ),
        edits=(Edit("src/config.py", "'Nf': 20000", "'Nf': 500"),),
    ),
    Project(
        "pfnn",
        "research/hpc/pfnn",
        "science",
        lambda folder: None,
        (
            Stage(
                "train",
                "train.py --g_epochs 600 --f_epochs 100 --tests_num 1 --device cpu --path {out}/",
                loss=r"NETG epoch : \d+, loss : (\d+\.\d+(?:e-?\d+)?)",
                timeout=400,
            ),
        ),
        chance="net F: real MindSpore's gradients by its weights, of a loss with a gradient within, are 0 in PyNative",
    ),
)
