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
)
