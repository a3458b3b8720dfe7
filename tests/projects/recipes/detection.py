"""Detection of objects and of key points."""

from __future__ import annotations

from functools import partial

from .. import makers
from ..recipe import UNSTEADY, Edit, Project, Stage


def _ssd(data):  # type: ignore[no-untyped-def]
    makers.coco(data / "coco_ori", train=8)


PROJECTS = (
    Project(
        "ssd300",
        "official/cv/SSD",
        "detection",
        _ssd,
        (
            Stage(
                "train",
                "train.py --config_path config/ssd300_config.yaml --data_path {data} --output_path {out} "
                "--device_target CPU --epoch_size 2 --batch_size 4 --save_checkpoint_epochs 1 "
                "--warmup_epochs 1 --lr 0.001",
            ),
            Stage(
                "eval",
                "eval.py --config_path config/ssd300_config.yaml --data_path {data} --output_path {out} "
                "--checkpoint_file_path {newest:**/*.ckpt} --device_target CPU --batch_size 1",
                says="mAP",
            ),
            Stage(
                "export",
                "export.py --config_path config/ssd300_config.yaml --checkpoint_file_path {newest:**/*.ckpt} "
                "--device_target CPU --batch_size 1",
            ),
        ),
        real=(Edit("src/ssd.py", r"self\.less\(0, gt_label\)", "(gt_label > 0)"),),
        real_why="`Less` takes no Python number in 2.10",
        chance=UNSTEADY,
    ),
    Project(
        "yolov3",
        "official/cv/YOLOv3",
        "detection",
        partial(
            makers.coco,
            train_folder="train2014",
            val_folder="val2014",
            train_json="annotations/instances_train2014.json",
            val_json="annotations/instances_val2014.json",
        ),
        (
            Stage(
                "train",
                "train.py --data_dir {data} --pretrained_backbone '' --ckpt_path {out} --max_epoch 1 --per_batch_size "
                "2 --is_distributed 0 --lr_epochs 1,2 --log_interval 1 "
                "--training_shape 96 --device_target CPU --lr 0.0001",
            ),
            Stage(
                "eval",
                "eval.py --data_dir {data} --pretrained {newest:**/*.ckpt} --log_path {out} --is_distributed 0 "
                "--per_batch_size 1 --testing_shape 96 --device_target CPU",
                says="(?i)average precision|no detection|eval",
            ),
            Stage(
                "export",
                "export.py --ckpt_file {newest:**/*.ckpt} --batch_size 1 --testing_shape 96 --device_target CPU",
            ),
        ),
    ),
    Project(
        "crnn",
        "official/cv/CRNN",
        "text recognition",
        makers.words,
        (
            Stage(
                "train",
                "train.py --train_dataset synth --train_dataset_path {data}/synth --output_dir {out} --model_version "
                "V2 --device_target GPU --epoch_size 2 --batch_size 4 "
                "--save_checkpoint_steps 1 --per_print_time 1 --learning_rate 0.001",
            ),
            Stage(
                "eval",
                "eval.py --eval_dataset svt --eval_dataset_path {data}/svt --checkpoint_path {newest:**/*.ckpt} "
                "--model_version V2 --device_target GPU --batch_size 4",
                says="(?i)result",
            ),
            Stage("export", "export.py --ckpt_file {newest:**/*.ckpt} --model_version V2 --device_target GPU"),
        ),
    ),
    Project(
        "mcnn",
        "research/cv/MCNN",
        "crowd counting",
        makers.crowds,
        (
            Stage(
                "train",
                "train.py --device_target GPU --run_offline True --ckpt_path {out} --train_path {data}/train "
                "--train_gt_path {data}/train_den --val_path {data}/val --val_gt_path {data}/val_den",
            ),
            Stage(
                "eval",
                "eval.py --device_target GPU --run_offline True --ckpt_path {out} --val_path {data}/val --val_gt_path "
                "{data}/val_den",
                says="(?i)mae",
            ),
            Stage("export", "export.py --device_target GPU --ckpt_file {newest:**/best.ckpt} --input_size 256"),
        ),
        edits=(Edit("src/config.py", "'epoch_size': 800", "'epoch_size': 2"),),
        real=(Edit("train.py", 'amp_level="O2"', 'amp_level="O0"'),),
        real_why="the dynamic loss scale of O2 is refused on a CPU",
    ),
    Project(
        "retinanet",
        "official/cv/RetinaNet",
        "detection",
        partial(makers.coco, size=(128, 128)),
        (
            Stage(
                "data",
                "create_data.py --coco_root {data} --mindrecord_dir {out}/records --prefix retinanet.mindrecord "
                "--is_training True",
                makes="records/retinanet.mindrecord0",
            ),
            Stage(
                "train",
                "train.py --mindrecord_dir {out}/records --save_checkpoint_path {out}/ckpt --device_target CPU "
                "--epoch_size 2 --batch_size 2 --workers 2 --lr 0.0001",
            ),
            Stage(
                "data of eval",
                "create_data.py --coco_root {data} --mindrecord_dir {out}/records --prefix retinanet_eval.mindrecord "
                "--is_training False",
                makes="records/retinanet_eval.mindrecord0",
            ),
            Stage(
                "eval",
                "eval.py --coco_root {data} --mindrecord_dir {out}/records --checkpoint_path {newest:**/*.ckpt} "
                "--device_target CPU --batch_size 1 --min_score 0.0",
                says="mAP",
            ),
            Stage("export", "export.py --checkpoint_path {newest:**/*.ckpt} --device_target CPU --output_path {out}"),
        ),
        edits=(
            Edit("config/default_config.yaml", r"^img_shape: .*", "img_shape: [128, 128]"),
            Edit("config/default_config.yaml", r"^num_retinanet_boxes: .*", "num_retinanet_boxes: 3069"),
            Edit("config/default_config.yaml", r"^feature_size: .*", "feature_size: [16, 8, 4, 2, 1]"),
        ),
        real=(Edit("src/retinanet.py", r"self\.less\(0, gt_label\)", "(gt_label > 0)"),),
        real_why="`Less` takes no Python number in 2.10",
        chance=UNSTEADY,
    ),
    Project(
        "protonet",
        "research/cv/ProtoNet",
        "few-shot classification",
        makers.omniglot,
        (
            Stage(
                "train",
                "train.py -root {data} -target GPU -exp {out} -nep 1 -its 10 -cTr 5 -cVa 5 -nsTr 3 -nqTr 3 -nsVa 3 "
                "-nqVa 3",
            ),
            Stage(
                "eval",
                "eval.py -root {data} -target GPU -exp {newest:**/*.ckpt} -its 2 -cVa 5 -nsVa 3 -nqVa 3",
                says="Test Acc",
            ),
            Stage("export", "export.py --ckpt_file {newest:**/*.ckpt} --device_target GPU --batch_size 2"),
        ),
        chance=UNSTEADY,
    ),
    Project(
        "pointnet",
        "official/cv/PointNet",
        "point clouds",
        makers.point_clouds,
        (
            Stage(
                "train",
                "train.py --data_url {data} --train_url {out} --device_target GPU --device_id 0 --batchSize 4 --nepoch "
                "2",
                loss=r"Loss : (-?[\d.]+|nan)",
            ),
            Stage(
                "eval",
                "eval.py --data_path {data} --model_path {newest:**/*.ckpt} --device_target GPU --batchSize 4",
                says="(?i)miou",
            ),
            Stage("export", "src/export.py --model {newest:**/*.ckpt} --device_target GPU"),
        ),
        environment={"PYTHONPATH": "."},
        chance=UNSTEADY,
    ),
)
