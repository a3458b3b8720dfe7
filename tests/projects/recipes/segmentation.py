"""Segmentation."""

from __future__ import annotations

from .. import makers
from ..recipe import Project, Stage

PROJECTS = (
    Project(
        "unet_simple",
        "official/cv/Unet",
        "segmentation",
        makers.tiff_volumes,
        (
            Stage(
                "train",
                "train.py --config_path unet_simple_config.yaml --data_path {data} --output_path {out} --epochs 2 "
                "--repeat 1 --batch_size 2 --device_target GPU",
            ),
            Stage(
                "eval",
                "eval.py --config_path unet_simple_config.yaml --data_path {data} --checkpoint_file_path "
                "{newest:**/*.ckpt} --device_target GPU",
                says="dice coeff is",
            ),
            Stage(
                "export",
                "export.py --config_path unet_simple_config.yaml --checkpoint_file_path {newest:**/*.ckpt} "
                "--batch_size 1 --device_target GPU",
            ),
        ),
    ),
    Project(
        "unet_medical",
        "official/cv/Unet",
        "segmentation",
        makers.tiff_volumes,
        (
            Stage(
                "train",
                "train.py --config_path unet_medical_config.yaml --data_path {data} --output_path {out} --epochs 2 "
                "--repeat 2 --batch_size 1 --device_target GPU",
            ),
            Stage(
                "eval",
                "eval.py --config_path unet_medical_config.yaml --data_path {data} --checkpoint_file_path "
                "{newest:**/*.ckpt} --device_target GPU",
                says="dice coeff is",
            ),
            Stage(
                "export",
                "export.py --config_path unet_medical_config.yaml --checkpoint_file_path {newest:**/*.ckpt} "
                "--batch_size 1 --device_target GPU",
            ),
        ),
    ),
    Project(
        "deeplabv3",
        "official/cv/DeepLabv3",
        "segmentation",
        makers.voc_list,
        (
            Stage(
                "data",
                "src/data/build_seg_data.py --data_root {data} --data_lst {data}/train.txt --dst_path "
                "{out}/records/voc --num_shards 1",
                makes="records/voc",
            ),
            Stage(
                "train",
                "train.py --data_file {out}/records/voc --train_dir {out}/ckpt --train_epochs 2 --batch_size 2 "
                "--crop_size 65 --save_steps 1 --base_lr 0.001 --device_target CPU",
            ),
            Stage(
                "eval",
                "eval.py --data_root {data} --data_lst {data}/val.txt --ckpt_path {newest:**/*.ckpt} --batch_size 1 "
                "--crop_size 65 --model deeplab_v3_s16 --device_target CPU",
                says="mean IoU",
            ),
            Stage(
                "export",
                "export.py --ckpt_file {newest:**/*.ckpt} --export_model deeplab_v3_s16 --input_size 65 "
                "--device_target CPU",
            ),
        ),
    ),
)
