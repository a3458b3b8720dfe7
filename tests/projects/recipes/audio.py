"""Sound."""

from __future__ import annotations

from functools import partial

from .. import makers
from ..recipe import SHARED_DROPOUT, Edit, Project, Stage

PROJECTS = (
    Project(
        "dscnn",
        "research/audio/dscnn",
        "keyword spotting",
        partial(makers.spoken_words, words=("yes", "no", "up")),
        (
            Stage(
                "data",
                "src/download_process_data.py --download_data_url '' --data_dir {data} --wanted_words yes,no "
                "--download_feat_dir {out}/features",
                makes="features/testing_label.npy",
            ),
            Stage(
                "train",
                "train.py --train_feat_dir {out}/features --wanted_words yes,no --save_ckpt_path {out} "
                "--per_batch_size 4 --max_epoch 2 --ckpt_interval 1 --log_interval 1 --lr 0.01 --device_target GPU",
            ),
            Stage(
                "eval",
                "eval.py --eval_feat_dir {out}/features --wanted_words yes,no --model_dir {newest:**/*.ckpt} "
                "--log_path {out} --per_batch_size 2 --device_target GPU",
                says="acc@1",
            ),
            Stage(
                "export", "export.py --export_ckpt_path {newest:**/*.ckpt} --wanted_words yes,no --device_target GPU"
            ),
        ),
        edits=(
            Edit(
                "default_config.yaml",
                r"model_size_info: \[[^]]*\]",
                "model_size_info: [3, 32, 10, 4, 2, 1, 32, 3, 3, 2, 2, 32, 3, 3, 1, 1]",
            ),
        ),
        environment={"PYTHONPATH": "."},
        chance=SHARED_DROPOUT,
    ),
)
