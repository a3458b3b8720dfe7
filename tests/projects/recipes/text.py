"""Language."""
from __future__ import annotations

from functools import partial

from .. import makers_text
from ..recipe import Edit, Project, Stage

PROJECTS = (
    Project(
        "textcnn", "research/nlp/textcnn", "text classification", makers_text.reviews,
        (Stage("train", "train.py --config_path mr_config_cpu.yaml --data_path {data} --output_path {out} --device_target CPU --batch_size 16 --epoch_size 5"),
         Stage("eval", "eval.py --config_path mr_config_cpu.yaml --data_path {data} --checkpoint_file_path {newest:**/*.ckpt} --device_target CPU --batch_size 16", says="(?i)acc"),
         Stage("export", "export.py --config_path mr_config_cpu.yaml --data_path {data} --checkpoint_file_path {newest:**/*.ckpt} --device_target CPU --batch_size 1"))),
)
