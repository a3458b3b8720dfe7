"""Classification of pictures."""

from __future__ import annotations

from functools import partial

from .. import makers
from ..recipe import SHARED_DROPOUT, Edit, Project, Stage

CPU = "--device_target CPU"
CIFAR = partial(makers.cifar10, train=25, test=10)

PROJECTS = (
    Project(
        "lenet",
        "research/cv/lenet",
        "classification",
        partial(makers.mnist),
        (
            Stage(
                "train",
                "train.py --data_path {data} --ckpt_path {out} --epoch_size 2 --batch_size 64 "
                f"--save_checkpoint_steps 1 {CPU}",
            ),
            Stage(
                "eval",
                f"eval.py --data_path {{data}} --ckpt_path {{newest:**/checkpoint_lenet*.ckpt}} {CPU} --batch_size 16",
                says="Accuracy",
            ),
            Stage("export", f"export.py --ckpt_file {{newest:**/checkpoint_lenet*.ckpt}} --file_name lenet {CPU}"),
        ),
    ),
    Project(
        "resnet18",
        "official/cv/ResNet",
        "classification",
        partial(CIFAR, train_folder="train", test_folder="test"),
        (
            Stage(
                "train",
                "train.py --config_path config/resnet18_cifar10_config.yaml --data_path {data}/train --output_dir "
                "{out} --epoch_size 2 --batch_size 5 --device_target CPU "
                "--train_image_size 64 --eval_image_size 64 --save_checkpoint_epochs 1 --warmup_epochs 0",
            ),
            Stage(
                "eval",
                "eval.py --config_path config/resnet18_cifar10_config.yaml --data_path {data}/test "
                "--checkpoint_file_path {newest:**/*.ckpt} --batch_size 5 --device_target CPU --eval_image_size 64",
                says="top_1",
            ),
            Stage(
                "export",
                "export.py --config_path config/resnet18_cifar10_config.yaml --checkpoint_file_path {newest:**/*.ckpt} "
                "--batch_size 1 --width 64 --height 64 --device_target CPU",
            ),
        ),
    ),
    Project(
        "squeezenet",
        "research/cv/squeezenet",
        "classification",
        CIFAR,
        (
            Stage(
                "train",
                "train.py --config_path squeezenet_cifar10_config.yaml --data_path {data}/cifar-10-batches-bin "
                f"--output_path {{out}} --epoch_size 2 --batch_size 5 --warmup_epochs 1 {CPU}",
            ),
            Stage(
                "eval",
                "eval.py --config_path squeezenet_cifar10_config.yaml --net_name squeezenet --data_path "
                f"{{data}}/cifar-10-batches-bin --checkpoint_file_path {{newest:**/*.ckpt}} --batch_size 5 {CPU}",
                says="result",
            ),
            Stage(
                "export",
                "export.py --config_path squeezenet_cifar10_config.yaml --checkpoint_file_path {newest:**/*.ckpt} "
                f"--batch_size 1 {CPU}",
            ),
        ),
        chance=SHARED_DROPOUT,
    ),
    Project(
        "alexnet",
        "research/cv/Alexnet",
        "classification",
        CIFAR,
        (
            Stage(
                "train",
                "train.py --data_path {data}/cifar-10-batches-bin --ckpt_path {out} --epoch_size 1 --batch_size 5 "
                "--save_checkpoint_steps 5 --device_target GPU",
            ),
            Stage(
                "eval",
                "eval.py --data_path {data}/cifar-10-batches-bin --ckpt_path {newest:**/*.ckpt} --batch_size 5 "
                "--device_target GPU",
                says="result",
            ),
            Stage("export", "export.py --ckpt_file {newest:**/*.ckpt} --batch_size 1 --device_target GPU"),
        ),
        chance=SHARED_DROPOUT,
    ),
    Project(
        "googlenet",
        "research/cv/googlenet",
        "classification",
        partial(CIFAR, test_folder="cifar-10-verify-bin"),
        (
            Stage(
                "train",
                "train.py --config_path cifar10_config_cpu.yaml --train_data_path {data} --ckpt_save_dir {out} "
                "--epoch_size 5 --batch_size 5 --image_width 64 --image_height 64",
                says="train success",
            ),
            Stage(
                "eval",
                "eval.py --config_path cifar10_config_cpu.yaml --val_data_path {data} --checkpoint_path "
                "{newest:**/*.ckpt} --batch_size 5 --image_width 64 --image_height 64",
                says="accuracy",
            ),
            Stage(
                "export",
                "export.py --config_path cifar10_config_cpu.yaml --ckpt_file {newest:**/*.ckpt} --batch_size 1 "
                "--image_width 64 --image_height 64",
            ),
        ),
        chance="nothing: float16; in float32 the first losses differ by 2e-6, and rows not at all",
    ),
    Project(
        "mobilenetv2",
        "official/cv/MobileNet/mobilenetv2",
        "classification",
        partial(makers.image_folder, splits=("train", "validation_preprocess"), each=4),
        (
            Stage(
                "train",
                "train.py --config_path default_config_cpu.yaml --dataset_path {data} --num_classes 2 --epoch_size 2 "
                "--batch_size 4 --image_height 64 --image_width 64 --save_checkpoint_path {out}/",
            ),
            Stage(
                "eval",
                "eval.py --config_path default_config_cpu.yaml --dataset_path {data} --num_classes 2 --batch_size 4 "
                "--pretrain_ckpt {newest:**/*.ckpt}",
                says="result",
            ),
            Stage(
                "export",
                "export.py --config_path default_config_cpu.yaml --num_classes 2 --ckpt_file {newest:**/*.ckpt}",
            ),
        ),
    ),
    Project(
        "vgg16",
        "official/cv/VGG/vgg16",
        "classification",
        partial(CIFAR, test_folder="cifar-10-verify-bin"),
        (
            Stage(
                "train",
                "train.py --config_path cifar10_config.yaml --data_dir {data} --ckpt_path {out} --max_epoch 2 "
                "--batch_size 5 --warmup_epochs 0 --ckpt_interval 1 --log_interval 1 --device_target GPU",
            ),
            Stage(
                "eval",
                "eval.py --config_path cifar10_config.yaml --data_dir {data} --pre_trained {newest:**/*.ckpt} "
                "--batch_size 5 --device_target GPU",
                says="top1_correct|acc",
            ),
            Stage(
                "export",
                "export.py --config_path cifar10_config.yaml --ckpt_file {newest:**/*.ckpt} --batch_size 1 "
                "--device_target GPU",
            ),
        ),
        edits=(Edit("cifar10_config.yaml", r"^image_size: .*", "image_size: [32, 32]"),),
    ),
    Project(
        "ghostnet",
        "research/cv/ghostnet",
        "classification",
        partial(makers.image_folder, classes=5, each=26, size=(40, 40)),
        (
            Stage("train", "train.py --data_url {data}/train"),
            Stage(
                "eval",
                "eval.py --num_classes 5 --data_url {data}/val --checkpoint_path {newest:**/ghostnet*.ckpt}",
                says="result",
            ),
            Stage(
                "export",
                "export.py --device_target CPU --file_format MINDIR --checkpoint_path {newest:**/ghostnet*.ckpt}",
            ),
        ),
        edits=(
            Edit("src/config.py", r'"save_checkpoint_path": "./"', '"save_checkpoint_path": "./ghostnet_1x/"'),
            Edit("src/config.py", r'"num_classes": 1000', '"num_classes": 5'),
            Edit("src/config.py", r'"batch_size": 128', '"batch_size": 4'),
            Edit("src/config.py", r'"epoch_size": 500', '"epoch_size": 2'),
            Edit("src/config.py", r'"warmup_epochs": 20', '"warmup_epochs": 1'),
            Edit("src/config.py", r'"save_checkpoint_epochs": 20', '"save_checkpoint_epochs": 1'),
        ),
    ),
    Project(
        "resnetv2",
        "research/cv/resnetv2",
        "classification",
        CIFAR,
        (
            Stage("train", "train.py --device_target GPU --dataset_path {data}/cifar-10-batches-bin"),
            Stage(
                "eval",
                "eval.py --device_target GPU --dataset_path {data}/cifar-10-batches-bin --checkpoint_path "
                "{newest:**/*.ckpt}",
                says="result",
            ),
            Stage("export", "export.py --device_target GPU --ckpt_file {newest:**/*.ckpt} --batch_size 1"),
        ),
        edits=(
            Edit("src/config.py", r'"(lr_init|lr_max)": 0.1', r'"\1": 0.001'),
            Edit("src/config.py", r'"batch_size": 32', '"batch_size": 5'),
            Edit("src/config.py", r'"epoch_size": \d+', '"epoch_size": 2'),
            Edit("src/config.py", r'"warmup_epochs": 5', '"warmup_epochs": 1'),
            Edit("src/config.py", r'"save_checkpoint_epochs": 5', '"save_checkpoint_epochs": 1'),
        ),
    ),
    Project(
        "shufflenetv1",
        "official/cv/ShuffleNet/shufflenetv1",
        "classification",
        partial(makers.image_folder, classes=5, each=2),
        (
            Stage(
                "train",
                "train.py --train_dataset_path {data}/train --save_ckpt_path {out} --num_classes 5 --model_size 0.5x "
                "--epoch_size 2 --batch_size 4 --warmup_epochs 1 --lr_max 0.005 --device_target GPU",
            ),
            Stage(
                "eval",
                "eval.py --eval_dataset_path {data}/val --ckpt_path {newest:**/*.ckpt} --num_classes 5 --model_size "
                "0.5x --batch_size 4 --device_target GPU",
                says="result",
            ),
            Stage(
                "export",
                "export.py --ckpt_path {newest:**/*.ckpt} --output_path {out} --num_classes 5 --model_size 0.5x "
                "--batch_size 1 --device_target GPU",
            ),
        ),
    ),
    Project(
        "mobilenetv1",
        "official/cv/MobileNet/mobilenetv1",
        "classification",
        partial(CIFAR, train_folder="train", test_folder="eval"),
        (
            Stage(
                "train",
                "train.py --dataset_path {data}/train --save_checkpoint_path {out}/ --epoch_size 2 --batch_size 5 "
                "--warmup_epochs 1 --save_checkpoint_epochs 1 --device_target CPU",
            ),
            Stage(
                "eval",
                "eval.py --dataset_path {data}/eval --checkpoint_path {newest:**/*.ckpt} --batch_size 5 "
                "--device_target CPU",
                says="result",
            ),
            Stage("export", "export.py --ckpt_file {newest:**/*.ckpt} --batch_size 1 --device_target CPU"),
        ),
    ),
    Project(
        "densenet100",
        "research/cv/densenet",
        "classification",
        CIFAR,
        (
            Stage(
                "train",
                "train.py --config_path densenet100_config.yaml --train_data_dir {data}/cifar-10-batches-bin "
                "--save_ckpt_path {out} --max_epoch 1 --per_batch_size 5 --ckpt_interval 1 --log_interval 1 "
                "--device_target CPU",
            ),
            Stage(
                "eval",
                "eval.py --config_path densenet100_config.yaml --eval_data_dir {data}/cifar-10-batches-bin "
                "--ckpt_files {newest:**/*.ckpt} --per_batch_size 5 --device_target CPU",
                says="top1",
            ),
            Stage(
                "export",
                "export.py --config_path densenet100_config.yaml --ckpt_files {newest:**/*.ckpt} --batch_size 1 "
                "--device_target CPU",
            ),
        ),
        chance="nothing: its one line comes after 7 steps; rows, weights and the first outputs are equal",
    ),
    Project(
        "tinydarknet",
        "research/cv/tinydarknet",
        "classification",
        CIFAR,
        (
            Stage(
                "train",
                "train.py --config_path config/cifar10_config.yaml --data_path {data}/cifar-10-batches-bin "
                "--train_data_dir {data}/cifar-10-batches-bin --ckpt_save_dir {out} --epoch_size 2 --batch_size 5 "
                "--device_target CPU",
            ),
            Stage(
                "eval",
                "eval.py --config_path config/cifar10_config.yaml --val_data_dir {data}/cifar-10-batches-bin "
                "--checkpoint_path {newest:**/*.ckpt} --batch_size 5 --device_target CPU",
                says="accuracy",
            ),
            Stage(
                "export",
                "export.py --config_path config/imagenet_config.yaml --num_classes 10 --file_name tinydarknet "
                "--checkpoint_path {newest:**/*.ckpt} --batch_size 1 --device_target CPU",
            ),
        ),
        chance="CutOut",
    ),
    Project(
        "simclr",
        "research/cv/simclr",
        "self-supervision",
        partial(CIFAR, train_folder="train", test_folder="eval"),
        (
            Stage(
                "train",
                "train.py --device_target GPU --run_cloudbrain False --run_distribute False --train_dataset_path "
                "{data}/train --train_output_path {out} --batch_size 5 --epoch_size 1 --warmup_epochs 0",
            ),
            Stage(
                "eval",
                "linear_eval.py --device_target GPU --run_cloudbrain False --run_distribute False --train_dataset_path "
                "{data}/train --eval_dataset_path {data}/eval --train_output_path {out} --encoder_checkpoint_path "
                "{newest:**/checkpoint_simclr*.ckpt} --batch_size 5 --epoch_size 1 --save_checkpoint_epochs 1",
                makes="**/*.ckpt",
            ),
            Stage(
                "export",
                "export.py --device_target Ascend --ckpt_simclr_encoder {newest:**/checkpoint_simclr*.ckpt} "
                "--ckpt_linear_classifier {newest:**/*linear*.ckpt}",
            ),
        ),
        real=(
            Edit(
                "src/nt_xent.py",
                r"P\.range\(self\.zero, Tensor\(self\.batch_size, mstype\.int32\), self\.one\)",
                "P.range(Tensor(0, mstype.int32), Tensor(self.batch_size, mstype.int32), Tensor(1, mstype.int32))",
            ),
        ),
        real_why="as published, `range` gets Tensors of two dtypes, which no release takes; here it runs as published",
        chance="crops in RandomApply",
    ),
    Project(
        "sknet",
        "research/cv/sknet",
        "classification",
        partial(CIFAR, test_folder="cifar-10-verify-bin"),
        (
            Stage("train", "train.py --data_url {data} --device_target GPU"),
            Stage(
                "eval",
                "eval.py --data_url {data} --checkpoint_path {newest:**/*.ckpt} --device_target GPU",
                says="result",
            ),
            Stage(
                "export",
                "export.py --ckpt_file {newest:**/*.ckpt} --batch_size 1 --width 64 --height 64 --device_target GPU",
            ),
        ),
        edits=(
            Edit("src/config.py", r"""(['"]batch_size['"]: *)[^,\n]+""", r"\g<1>5"),
            Edit("src/config.py", r"""(['"]epoch_size['"]: *)[^,\n]+""", r"\g<1>1"),
            Edit("src/config.py", r"""(['"]warmup_epochs['"]: *)[^,\n]+""", r"\g<1>0"),
            Edit("src/config.py", r"""(['"]lr_max['"]: *)[^,\n]+""", r"\g<1>0.001"),
        ),
    ),
    Project(
        "mnasnet",
        "research/cv/mnasnet",
        "classification",
        partial(makers.image_folder, classes=5, each=2),
        (
            Stage("train", "train.py --device_target GPU --dataset_path {data}/train"),
            Stage(
                "eval",
                "eval.py --device_target GPU --dataset_path {data}/val --checkpoint_path {newest:**/*.ckpt}",
                says="result",
            ),
            Stage("export", "export.py --device_target GPU --checkpoint_path {newest:**/*.ckpt}"),
        ),
        edits=(
            Edit("src/config.py", r"""(['"]class_num['"]: *)[^,\n]+""", r"\g<1>5"),
            Edit("src/config.py", r"""(['"]batch_size['"]: *)[^,\n]+""", r"\g<1>5"),
            Edit("src/config.py", r"""(['"]epoch_size['"]: *)[^,\n]+""", r"\g<1>2"),
            Edit("src/config.py", r"""(['"]warmup_epochs['"]: *)[^,\n]+""", r"\g<1>1"),
            Edit("src/config.py", r"""(['"]lr_max['"]: *)[^,\n]+""", r"\g<1>0.001"),
        ),
    ),
    Project(
        "hardnet",
        "research/cv/hardnet",
        "classification",
        partial(makers.image_folder, classes=5, each=2),
        (
            Stage(
                "train",
                "train.py --device_target GPU --dataset_path {data}/train --pre_trained '' --isModelArts False "
                "--distribute False",
            ),
            Stage(
                "eval",
                "eval.py --device_target GPU --dataset_path {data}/val --ckpt_path {newest:**/*.ckpt}",
                says="(?i)result|acc",
            ),
            Stage("export", "export.py --device_target GPU --ckpt_file {newest:**/*.ckpt} --batch_size 1"),
        ),
        edits=(
            Edit("src/config.py", r"""(['"]class_num['"]: *)[^,\n]+""", r"\g<1>5"),
            Edit("src/config.py", r"""(['"]batch_size['"]: *)[^,\n]+""", r"\g<1>5"),
            Edit("src/config.py", r"""(['"]epoch_size['"]: *)[^,\n]+""", r"\g<1>2"),
            Edit("src/config.py", r"""(['"]warmup_epochs['"]: *)[^,\n]+""", r"\g<1>1"),
            Edit("src/config.py", r"""(['"]lr_max['"]: *)[^,\n]+""", r"\g<1>0.001"),
            Edit("src/config.py", r"""(['"]save_checkpoint_epochs['"]: *)[^,\n]+""", r"\g<1>1"),
            Edit("src/config.py", "/home/hardnet/result/", "{out}/"),
        ),
    ),
    Project(
        "wideresnet",
        "research/cv/wideresnet",
        "classification",
        partial(CIFAR, train_folder="train", test_folder="eval"),
        (
            Stage(
                "train",
                "train.py --config_path config/wideresnet_cifar10_config.yaml --device_target GPU --data_path {data} "
                "--output_path {out} --save_checkpoint_path {out}/ckpt --summary_dir {out}/summary "
                "--batch_size 5 --epoch_size 2 --widen_factor 1 --depth 10 --save_checkpoint_epochs 1 --warmup_epochs "
                "0 --lr_init 0.01",
            ),
            Stage(
                "eval",
                "eval.py --config_path config/wideresnet_cifar10_config.yaml --device_target GPU --data_path {data} "
                "--checkpoint_file_path {newest:**/*.ckpt} --batch_size 5 --widen_factor 1 --depth 10",
                says="(?i)result|acc",
            ),
            Stage("export", "export.py --device_target GPU --ckpt_file {newest:**/*.ckpt} --batch_size 1"),
        ),
        edits=(
            Edit("src/config.py", "widen_factor = 10", "widen_factor = 1"),
            Edit("src/config.py", "depth = 40", "depth = 10"),
        ),
        chance=SHARED_DROPOUT,
    ),
    Project(
        "resnext50",
        "research/cv/ResNeXt",
        "classification",
        partial(makers.image_folder, classes=5, each=2),
        (
            Stage(
                "train",
                "train.py --config_path cpu_default_config.yaml --data_path {data}/train --output_path {out} "
                "--outputs_dir {out} --max_epoch 1 --per_batch_size 5 --ckpt_interval 1 --warmup_epochs 0",
            ),
            Stage(
                "eval",
                "eval.py --config_path cpu_default_config.yaml --data_path {data}/val --checkpoint_file_path "
                "{newest:**/*.ckpt} --log_path {out} --per_batch_size 5",
                says="top1|acc",
            ),
            Stage(
                "export",
                "export.py --config_path cpu_default_config.yaml --checkpoint_file_path {newest:**/*.ckpt} "
                "--output_path {out} --batch_size 1",
            ),
        ),
        edits=(Edit("cpu_default_config.yaml", r"^image_size: .*", "image_size: [64, 64]"),),
    ),
)
