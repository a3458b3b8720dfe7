"""Pictures made: super-resolution, denoising, GANs."""
from __future__ import annotations

from functools import partial

from .. import makers
from ..recipe import Edit, Project, Stage

PROJECTS = (
    Project(
        "srcnn", "research/cv/srcnn", "super-resolution", partial(makers.pictures, count=6, size=(99, 99), suffix="png"),
        (Stage("data", "src/create_dataset.py --src_folder {data} --output_folder {out}/train --stride 33", makes="train/srcnn.mindrecord00"),
         Stage("train", "train.py --data_path {out}/train --output_path {out} --epoch_size 2 --device_target GPU"),
         Stage("eval", "eval.py --data_path {data} --checkpoint_path {newest:**/*.ckpt} --device_target GPU", says="PSNR"),
         Stage("export", "export.py --checkpoint_path {newest:**/*.ckpt} --image_width 64 --image_height 64 --device_target GPU"))),
    Project(
        "dcgan", "research/cv/dcgan", "GAN", partial(makers.image_folder, splits=(), each=8),
        (Stage("train", "train.py --device_target GPU --data_url {data} --train_url {out}", loss=r"[DG]loss:\s+(\S+)", says="train time"),
         Stage("eval", "eval.py --device_target GPU --img_url {out} --ckpt_url {newest:**/*.ckpt}", makes="generate.png"),
         Stage("export", "export.py --device_target GPU --ckpt_file {newest:**/*.ckpt} --batch_size 2")),
        edits=(Edit("src/config.py", "'epoch_size': 20", "'epoch_size': 2"), Edit("src/config.py", "'batch_size': 128", "'batch_size': 8"))),
)
