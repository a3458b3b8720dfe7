"""Pictures made: super-resolution, denoising, GANs."""

from __future__ import annotations

from functools import partial

from .. import makers
from ..recipe import Edit, Project, Stage

PROJECTS = (
    Project(
        "srcnn",
        "research/cv/srcnn",
        "super-resolution",
        partial(makers.pictures, count=6, size=(99, 99), suffix="png"),
        (
            Stage(
                "data",
                "src/create_dataset.py --src_folder {data} --output_folder {out}/train --stride 33",
                makes="train/srcnn.mindrecord00",
            ),
            Stage("train", "train.py --data_path {out}/train --output_path {out} --epoch_size 2 --device_target GPU"),
            Stage(
                "eval",
                "eval.py --data_path {data} --checkpoint_path {newest:**/*.ckpt} --device_target GPU",
                says="PSNR",
            ),
            Stage(
                "export",
                "export.py --checkpoint_path {newest:**/*.ckpt} --image_width 64 --image_height 64 --device_target GPU",
            ),
        ),
        chance="real's MindRecord writer spreads the rows over its 32 shards in any order",
    ),
    Project(
        "dcgan",
        "research/cv/dcgan",
        "GAN",
        partial(makers.image_folder, splits=(), each=8),
        (
            Stage(
                "train",
                "train.py --device_target GPU --data_url {data} --train_url {out}",
                loss=r"[DG]loss:\s+(-?[\d.e-]+|nan)",
                says="train time",
            ),
            Stage(
                "eval",
                "eval.py --device_target GPU --img_url {out} --ckpt_url {newest:**/*.ckpt}",
                makes="generate.png",
            ),
            Stage("export", "export.py --device_target GPU --ckpt_file {newest:**/*.ckpt} --batch_size 2"),
        ),
        edits=(
            Edit("src/config.py", "'epoch_size': 20", "'epoch_size': 2"),
            Edit("src/config.py", "'batch_size': 128", "'batch_size': 8"),
        ),
        chance="the generator's input, drawn in worker threads",
    ),
    Project(
        "gan",
        "research/cv/gan",
        "GAN",
        partial(makers.mnist, train_folder=".", test_folder=".", dot="."),
        (
            Stage("train", "train.py --data_path {data}/ --n_epochs 2 --batch_size 16"),
            Stage(
                "eval", "eval.py --data_path {data}/ --ckpt_path checkpoints/1.ckpt --sigma 0.2", says="Log-Likelihood"
            ),
            Stage("export", "export.py --n_epochs 2"),
        ),
    ),
    Project(
        "wgan",
        "official/cv/WGAN",
        "GAN",
        partial(makers.cifar10, train=130, test=5),
        (
            Stage(
                "train",
                "train.py --device_target GPU --dataset cifar10 --dataroot {data}/cifar-10-batches-bin --niter 2 "
                "--experiment {out}/samples --ngf 16 --ndf 16",
                loss=r"Loss_[DG]: (-?[\d.]+|nan)",
                says="Train success",
            ),
            Stage(
                "eval",
                "eval.py --device_target GPU --config {out}/samples/generator_config.json --ckpt_file "
                "{newest:**/netG*.ckpt} --output_dir {out} --nimages 2",
                makes="generated_01.png",
            ),
            Stage(
                "export",
                "export.py --device_target GPU --config {out}/samples/generator_config.json --ckpt_file "
                "{newest:**/netG*.ckpt} --nimages 1",
            ),
        ),
    ),
    Project(
        "wgan_gp",
        "research/cv/WGAN_GP",
        "GAN",
        partial(makers.cifar10, train=130, test=5),
        (
            Stage(
                "train",
                "train.py --device_target GPU --dataroot {data}/cifar-10-batches-bin --niter 1 --experiment "
                "{out}/samples --save_iterations 1 --Diters 1",
                loss=r"Loss_[DG]: (-?[\d.]+|nan)",
            ),
            Stage(
                "eval",
                "eval.py --device_target GPU --ckpt_file {newest:**/*netG*.ckpt} --output_dir {out}",
                makes="generated_samples.png",
            ),
        ),
        chance="the points between pictures: two runs of real MindSpore draw other numbers by UniformReal()",
    ),
    Project(
        "cyclegan",
        "official/cv/CycleGAN",
        "GAN",
        makers.two_domains,
        (
            Stage(
                "train",
                "train.py --platform CPU --model ResNet --dataroot {data} --outputs_dir {out} --image_size 64 --ngf 8 "
                "--ndf 8 --gl_num 2 --max_epoch 2 --n_epochs 1 --save_checkpoint_epochs 1 --print_iter 1",
            ),
            Stage(
                "eval",
                "eval.py --platform CPU --model ResNet --dataroot {data} --outputs_dir {out} --image_size 64 --ngf 8 "
                "--gl_num 2 --G_A_ckpt {newest:**/G_A*.ckpt} --G_B_ckpt {newest:**/G_B*.ckpt}",
                makes="predict/fake_A/*.jpg",
            ),
            Stage(
                "export",
                "export.py --platform CPU --model ResNet --image_size 64 --ngf 8 --gl_num 2 --G_A_ckpt "
                "{newest:**/G_A*.ckpt} --G_B_ckpt {newest:**/G_B*.ckpt}",
            ),
        ),
    ),
    Project(
        "edsr",
        "official/cv/EDSR",
        "super-resolution",
        makers.div2k,
        (
            Stage(
                "train",
                "train.py --config_path DIV2K_config.yaml --data_path {data} --output_path {out} --ckpt_save_dir {out} "
                "--device_target GPU --amp_level O0 --epoch_size 2 --save_epoch_frq 1 "
                "--eval_epoch_frq 2 --patch_size 48 --scale 2 --n_feats 16 --n_resblocks 4",
                says="train success",
            ),
            Stage(
                "eval",
                "eval.py --config_path DIV2K_config.yaml --data_path {data} --output_path {out} --pre_trained "
                "{newest:**/*.ckpt} --device_target GPU --scale 2 --n_feats 16 --n_resblocks 4",
                says="eval success",
            ),
            Stage(
                "export",
                "export.py --config_path DIV2K_config.yaml --output_path {out} --pre_trained {newest:**/*.ckpt} "
                "--device_target GPU --scale 2 --n_feats 16 --n_resblocks 4",
                says="export success",
            ),
        ),
        chance="patches, drawn in worker threads",
    ),
    Project(
        "cgan",
        "research/cv/CGAN",
        "GAN",
        lambda folder: makers.mnist(folder, train_folder="one", test_folder="one"),
        (
            Stage(
                "train",
                "train.py --data_path {data}/one --ckpt_dir {out} --output_path {out} --batch_size 16 --epoch_size 6 "
                "--device_target CPU",
                makes="",
                loss=r"[DG]_loss: ?(-?\d+\.\d+)",
            ),
        ),
    ),
    Project(
        "wdsr",
        "research/cv/wdsr",
        "super-resolution",
        lambda folder: makers.div2k(folder / "DIV2K"),
        (
            Stage(
                "train",
                "train.py --dir_data {data} --data_range 1-4/5-6 --scale 2 --patch_size 48 --no_augment --test_every 1 "
                "--n_resblocks 2 --batch_size 4 --epochs 6 --ckpt_save_interval 1 --ckpt_save_path {out} "
                "--device_target GPU",
            ),
        ),
        real=(Edit("train.py", r", loss_scale_manager=loss_scale_manager", ""),),
        real_why="2.10 refuses a DynamicLossScaleManager on a CPU",
    ),
)
