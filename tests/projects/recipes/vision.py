"""Classification of pictures."""
from __future__ import annotations

from functools import partial

from .. import makers
from ..recipe import Project, Stage

CPU = "--device_target CPU"
CIFAR = partial(makers.cifar10, train=25, test=10)

PROJECTS = (
    Project(
        "lenet", "research/cv/lenet", "classification", partial(makers.mnist),
        (Stage("train", f"train.py --data_path {{data}} --ckpt_path {{out}} --epoch_size 2 --batch_size 64 --save_checkpoint_steps 1 {CPU}"),
         Stage("eval", f"eval.py --data_path {{data}} --ckpt_path {{newest:**/checkpoint_lenet*.ckpt}} {CPU} --batch_size 16", says="Accuracy"),
         Stage("export", f"export.py --ckpt_file {{newest:**/checkpoint_lenet*.ckpt}} --file_name lenet {CPU}"))),
    Project(
        "resnet18", "official/cv/ResNet", "classification", partial(CIFAR, train_folder="train", test_folder="test"),
        (Stage("train", "train.py --config_path config/resnet18_cifar10_config.yaml --data_path {data}/train --output_dir {out} --epoch_size 2 --batch_size 5 --device_target CPU "
               "--train_image_size 64 --eval_image_size 64 --save_checkpoint_epochs 1 --warmup_epochs 0"),
         Stage("eval", "eval.py --config_path config/resnet18_cifar10_config.yaml --data_path {data}/test --checkpoint_file_path {newest:**/*.ckpt} --batch_size 5 "
               "--device_target CPU --eval_image_size 64", says="top_1"),
         Stage("export", "export.py --config_path config/resnet18_cifar10_config.yaml --checkpoint_file_path {newest:**/*.ckpt} --batch_size 1 --width 64 --height 64 --device_target CPU"))),
    Project(
        "squeezenet", "research/cv/squeezenet", "classification", CIFAR,
        (Stage("train", f"train.py --config_path squeezenet_cifar10_config.yaml --data_path {{data}}/cifar-10-batches-bin --output_path {{out}} --epoch_size 2 --batch_size 5 "
               f"--warmup_epochs 1 {CPU}"),
         Stage("eval", f"eval.py --config_path squeezenet_cifar10_config.yaml --net_name squeezenet --data_path {{data}}/cifar-10-batches-bin --checkpoint_file_path {{newest:**/*.ckpt}} --batch_size 5 {CPU}", says="result"),
         Stage("export", f"export.py --config_path squeezenet_cifar10_config.yaml --checkpoint_file_path {{newest:**/*.ckpt}} --batch_size 1 {CPU}"))),
    Project(
        "alexnet", "research/cv/Alexnet", "classification", CIFAR,
        (Stage("train", "train.py --data_path {data}/cifar-10-batches-bin --ckpt_path {out} --epoch_size 1 --batch_size 5 --save_checkpoint_steps 5 --device_target GPU"),
         Stage("eval", "eval.py --data_path {data}/cifar-10-batches-bin --ckpt_path {newest:**/*.ckpt} --batch_size 5 --device_target GPU", says="result"),
         Stage("export", "export.py --ckpt_file {newest:**/*.ckpt} --batch_size 1 --device_target GPU"))),
    Project(
        "googlenet", "research/cv/googlenet", "classification", partial(CIFAR, test_folder="cifar-10-verify-bin"),
        (Stage("train", "train.py --config_path cifar10_config_cpu.yaml --train_data_path {data} --ckpt_save_dir {out} --epoch_size 5 --batch_size 5 --image_width 64 --image_height 64", says="train success"),
         Stage("eval", "eval.py --config_path cifar10_config_cpu.yaml --val_data_path {data} --checkpoint_path {newest:**/*.ckpt} --batch_size 5 --image_width 64 --image_height 64", says="accuracy"),
         Stage("export", "export.py --config_path cifar10_config_cpu.yaml --ckpt_file {newest:**/*.ckpt} --batch_size 1 --image_width 64 --image_height 64"))),
    Project(
        "mobilenetv2", "official/cv/MobileNet/mobilenetv2", "classification", partial(makers.image_folder, splits=("train", "validation_preprocess"), each=4),
        (Stage("train", "train.py --config_path default_config_cpu.yaml --dataset_path {data} --num_classes 2 --epoch_size 2 --batch_size 4 --image_height 64 --image_width 64 --save_checkpoint_path {out}/"),
         Stage("eval", "eval.py --config_path default_config_cpu.yaml --dataset_path {data} --num_classes 2 --batch_size 4 --pretrain_ckpt {newest:**/*.ckpt}", says="result"),
         Stage("export", "export.py --config_path default_config_cpu.yaml --num_classes 2 --ckpt_file {newest:**/*.ckpt}"))),
)
