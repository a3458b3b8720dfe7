"""Recommendation."""

from __future__ import annotations

from functools import partial

from .. import tables
from ..recipe import Edit, Project, Stage

CPU = "--device_target CPU"
WIDE = f"--data_path {{data}} --batch_size 1000 --eval_batch_size 1000 --vocab_size 2000 --emb_dim 8 {CPU}"
DEEP = f"--batch_size 1000 --data_vocab_size 2000 --data_emb_dim 8 {CPU}"
DLRM = "--batch_size 16 --test_batch_size 16 --device_target GPU"

PROJECTS = (
    Project(
        "wide_and_deep",
        "official/recommend/Wide_and_Deep",
        "recommendation",
        tables.clicks,
        (
            Stage("train", f"train.py {WIDE} --epochs 2 --ckpt_path {{out}}"),
            Stage("eval", f"eval.py {WIDE} --ckpt_path {{newest:**/*.ckpt}}", says="(?i)auc"),
            Stage("export", f"export.py {WIDE} --ckpt_file {{newest:**/*.ckpt}}"),
        ),
        real=(Edit("src/wide_and_deep.py", r",?\s*vocab_cache_size=config\.vocab_cache_size", ""),),
        real_why="2.10 dropped EmbeddingLookup's vocab_cache_size",
    ),
    Project(
        "deepfm",
        "official/recommend/DeepFM",
        "recommendation",
        tables.clicks,
        (
            Stage(
                "train", f"train.py {DEEP} --dataset_path {{data}} --ckpt_path {{out}} --train_epochs 2 --do_eval True"
            ),
            Stage(
                "eval", f"eval.py {DEEP} --dataset_path {{data}} --checkpoint_path {{newest:**/*.ckpt}}", says="(?i)auc"
            ),
            Stage("export", f"export.py {DEEP} --ckpt_file {{newest:**/*.ckpt}}"),
        ),
    ),
    Project(
        "deep_and_cross",
        "research/recommend/deep_and_cross",
        "recommendation",
        tables.clicks,
        (
            Stage(
                "train",
                "train.py --data_path {data} --batch_size 1000 --vocab_size 2000 --emb_dim 8 --epochs 2 --ckpt_path "
                "{out}/",
            ),
            Stage(
                "eval",
                "eval.py --data_path {data} --batch_size 1000 --eval_batch_size 1000 --vocab_size 2000 --emb_dim 8 "
                "--ckpt_path {newest:**/*.ckpt}",
                says="(?i)auc",
            ),
        ),
    ),
    Project(
        "fibinet",
        "research/recommend/fibinet",
        "recommendation",
        tables.clicks,
        (
            Stage("train", f"train.py --data_path {{data}} --vocab_size 2000 --epochs 2 --ckpt_path {{out}}/ {CPU}"),
            Stage(
                "eval",
                f"eval.py --data_path {{data}} --vocab_size 2000 --ckpt_file {{newest:**/*.ckpt}} {CPU}",
                says="(?i)auc",
            ),
            Stage("export", f"export.py --vocab_size 2000 --ckpt_file {{newest:**/*.ckpt}} {CPU}"),
        ),
        real=(Edit("src/fibinet.py", r",?\s*vocab_cache_size=config\.vocab_cache_size", ""),),
        real_why="2.10 dropped EmbeddingLookup's vocab_cache_size",
    ),
    Project(
        "autodis",
        "research/recommend/autodis",
        "recommendation",
        tables.clicks,
        (
            Stage("train", "train.py --data_path {data} --train_data_dir {data} --ckpt_path ckpts --device_target GPU"),
            Stage(
                "eval",
                "eval.py --data_path {data} --test_data_dir {data} --checkpoint_path {newest:**/*.ckpt} "
                "--device_target GPU",
                says="(?i)auc",
            ),
            Stage("export", "export.py --ckpt_file {newest:**/*.ckpt} --device_target GPU"),
        ),
        edits=(
            Edit("default_config.yaml", "batch_size: 16384", "batch_size: 1000"),
            Edit("default_config.yaml", "data_vocab_size: 184965", "data_vocab_size: 2000"),
            Edit("default_config.yaml", "data_emb_dim: 80", "data_emb_dim: 8"),
            Edit("default_config.yaml", "train_epochs: 15", "train_epochs: 2"),
        ),
    ),
    Project(
        "ncf",
        "research/recommend/ncf",
        "recommendation",
        partial(tables.ratings, users=6040, items=3706),
        (
            Stage(
                "train",
                f"train.py --data_path {{data}} --train_epochs 1 --batch_size 30000 --checkpoint_path {{out}} {CPU}",
                makes="",
            ),
        ),
    ),
    Project(
        "dlrm",
        "research/recommend/dlrm",
        "recommendation",
        partial(tables.clicks, lines=1, train=64, test=32, vocabulary=60, digits=3, ids=26, values=13),
        (
            Stage(
                "train",
                f"train.py --config_path gpu_config.yaml {DLRM} --dataset_path {{data}} --ckpt_path {{out}} "
                "--save_checkpoint_steps 1 --train_epochs 2",
            ),
            Stage(
                "eval",
                f"eval.py --config_path gpu_config.yaml {DLRM} --dataset_path {{data}} --checkpoint_path "
                "{newest:**/*.ckpt}",
                says="(?i)auc|acc",
            ),
            Stage("export", f"export.py --config_path gpu_config.yaml {DLRM} --checkpoint_path {{newest:**/*.ckpt}}"),
        ),
        edits=(Edit("gpu_config.yaml", r"^categorical_feature_sizes: .*", f"categorical_feature_sizes: {[60] * 26}"),),
    ),
    Project(
        "mmoe",
        "research/recommend/mmoe",
        "recommendation",
        tables.census,
        (
            Stage(
                "train",
                "train.py --config_path default_config_cpu.yaml --data_path {data}/ --ckpt_path {out}/ "
                f"--epoch_size 2 --batch_size 8 {CPU}",
            ),
            Stage(
                "eval",
                "eval.py --config_path default_config_cpu.yaml --data_path {data}/ --ckpt_file {newest:**/*.ckpt} "
                f"--batch_size 8 {CPU}",
                says="(?i)auc",
            ),
            Stage(
                "export",
                f"export.py --config_path default_config_cpu.yaml --ckpt_file_path {{newest:**/*.ckpt}} {CPU}",
                makes="**/*.MINDIR*",
            ),
        ),
    ),
    Project(
        "ldp_linucb",
        "research/rl/ldp_linucb",
        "bandit",
        lambda folder: tables.ratings_u_data(folder / "ua.base"),
        (
            Stage(
                "train",
                "train_eval.py --data_file {data}/ua.base --iter_num 30",
                makes="",
                loss=r"regret[^\d\n]*?(-?\d+\.\d+)",
                says="regret",
            ),
        ),
    ),
    Project(
        "edcn",
        "research/recommend/EDCN",
        "recommendation",
        tables.clicks,
        (
            Stage(
                "train",
                "train.py --train_data_dir {data} --ckpt_path {out} --epochs 6 --do_eval False --device_target Ascend",
            ),
        ),
        edits=(
            Edit("default_config.yaml", "data_vocab_size: 184965", "data_vocab_size: 2000"),
            Edit("default_config.yaml", "data_emb_dim: 80", "data_emb_dim: 8"),
            Edit("default_config.yaml", "keep_prob: 0.9", "keep_prob: 1.0"),
        ),
    ),
    Project(
        "final",
        "research/recommend/final",
        "recommendation",
        tables.clicks,
        (
            Stage(
                "train",
                "train.py --dataset_path {data} --ckpt_path {out} --train_epochs 6 --do_eval False --batch_size 1000 "
                f"{CPU}",
            ),
        ),
        edits=(
            Edit("default_config.yaml", "data_vocab_size: 184965", "data_vocab_size: 2000"),
            Edit("default_config.yaml", "data_emb_dim: 80", "data_emb_dim: 8"),
            Edit("default_config.yaml", "keep_prob: 0.9", "keep_prob: 1.0"),
        ),
    ),
)
