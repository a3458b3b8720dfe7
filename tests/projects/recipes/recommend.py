"""Recommendation."""
from __future__ import annotations

from functools import partial

from .. import makers_text
from ..recipe import Edit, Project, Stage

CRITEO = partial(makers_text.criteo, lines=5000)
_PREPARE = "--data_path {data}/ --train_line_count 5000 --threshold 5"

PROJECTS = (
    Project(
        "deepfm", "official/recommend/DeepFM", "recommendation", CRITEO,
        (Stage("data", f"src/preprocess_data.py {_PREPARE}", makes="", says="size"),
         Stage("train", "train.py --dataset_path {data}/mindrecord --ckpt_path {out} --eval_file_name {out}/auc.log --loss_file_name {out}/loss.log --device_target CPU --batch_size 1000 "
               "--train_epochs 2 --data_vocab_size 2000 --data_emb_dim 8"),
         Stage("eval", "eval.py --dataset_path {data}/mindrecord --checkpoint_path {newest:**/*.ckpt} --eval_file_name {out}/auc.log --device_target CPU --batch_size 1000 --data_vocab_size 2000 "
               "--data_emb_dim 8", says="(?i)auc"),
         Stage("export", "export.py --ckpt_file {newest:**/*.ckpt} --device_target CPU --batch_size 10 --data_vocab_size 2000 --data_emb_dim 8"))),
    Project(
        "wide_and_deep", "official/recommend/Wide_and_Deep", "recommendation", CRITEO,
        (Stage("data", f"src/preprocess_data.py {_PREPARE}", makes="", says="size"),
         Stage("train", "train.py --data_path {data}/mindrecord --ckpt_path {out} --loss_file_name {out}/loss.log --device_target GPU --batch_size 1000 --epochs 2 --vocab_size 2000 --emb_dim 8"),
         Stage("eval", "eval.py --data_path {data}/mindrecord --ckpt_path {newest:**/*.ckpt} --eval_file_name {out}/eval.log --device_target GPU --batch_size 1000 --vocab_size 2000 --emb_dim 8",
               says="(?i)auc"),
         Stage("export", "export.py --ckpt_file {newest:**/*.ckpt} --device_target GPU --eval_batch_size 10 --vocab_size 2000 --emb_dim 8"))),
    Project(
        "deep_and_cross", "research/recommend/deep_and_cross", "recommendation", CRITEO,
        (Stage("data", f"src/preprocess_data.py {_PREPARE}", makes="", says="size"),
         Stage("train", "train.py --data_path {data}/mindrecord --ckpt_path {out} --loss_file_name {out}/loss.log --batch_size 1000 --epochs 2 --vocab_size 2000 --emb_dim 8"),
         Stage("eval", "eval.py --data_path {data}/mindrecord --ckpt_path {newest:**/*.ckpt} --eval_file_name {out}/eval.log --batch_size 1000 --vocab_size 2000 --emb_dim 8", says="(?i)auc"))),
    Project(
        "fibinet", "research/recommend/fibinet", "recommendation", CRITEO,
        (Stage("data", "src/preprocess_data.py --preprocess_data_path {data}/ --train_line_count 5000 --threshold 5", makes="", says="size"),
         Stage("train", "train.py --data_path {data}/mindrecord --ckpt_path {out} --loss_file_name {out}/loss.log --batch_size 1000 --epochs 2 --vocab_size 2000"),
         Stage("eval", "eval.py --data_path {data}/mindrecord --ckpt_path {newest:**/*.ckpt} --eval_file_name {out}/eval.log --batch_size 1000 --vocab_size 2000", says="(?i)auc"),
         Stage("export", "export.py --ckpt_file {newest:**/*.ckpt} --eval_batch_size 10 --vocab_size 2000"))),
    Project(
        "ncf", "research/recommend/ncf", "recommendation", makers_text.ratings,
        (Stage("train", "train.py --data_path {data} --checkpoint_path {out} --device_target GPU --train_epochs 1 --batch_size 15000"),
         Stage("eval", "eval.py --data_path {data} --checkpoint_file_path {newest:**/*.ckpt} --device_target GPU --eval_batch_size 160000", says="(?i)hr"),
         Stage("export", "export.py --ckpt_file {newest:**/*.ckpt} --device_target GPU --eval_batch_size 100"))),
)
