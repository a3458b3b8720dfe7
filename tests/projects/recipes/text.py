"""Language."""

from __future__ import annotations

from .. import relations, tables
from ..recipe import SHARED_DROPOUT, Edit, Project, Stage

CPU = "--device_target CPU"
LSTM = f"--preprocess false --preprocess_path {{data}} --embed_size 20 --num_hiddens 16 --batch_size 8 {CPU}"
FASTTEXT = (
    "--config_path ag_config.yaml --vocab_size 200 --batch_size 8 --device_target GPU --distribute_batch_size_gpu 8"
)
SMALL_BERT = (
    ("seq_length", 128, 32),
    ("vocab_size", 21128, 200),
    ("hidden_size", 768, 48),
    ("num_hidden_layers", 12, 2),
    ("intermediate_size", 3072, 64),
)

PROJECTS = (
    Project(
        "textcnn",
        "research/nlp/textcnn",
        "text classification",
        tables.two_files_of_sentences,
        (
            Stage(
                "train",
                "train.py --config_path mr_config_cpu.yaml --data_path {data} --output_path {out} --epoch_size 5 "
                f"--batch_size 16 {CPU}",
            ),
            Stage(
                "eval",
                "eval.py --config_path mr_config_cpu.yaml --data_path {data} --checkpoint_file_path "
                f"{{newest:**/*.ckpt}} --batch_size 4 {CPU}",
                says="acc",
            ),
            Stage(
                "export",
                "export.py --config_path mr_config_cpu.yaml --data_path {data} --checkpoint_file_path "
                f"{{newest:**/*.ckpt}} {CPU}",
            ),
        ),
        chance=SHARED_DROPOUT,
    ),
    Project(
        "lstm",
        "official/nlp/LSTM",
        "text classification",
        tables.reviews_in_records,
        (
            Stage("train", f"train.py {LSTM} --ckpt_path {{out}} --num_epochs 2 --save_checkpoint_steps 4"),
            Stage("eval", f"eval.py {LSTM} --ckpt_file {{newest:**/*.ckpt}}", says="acc"),
            Stage("export", f"export.py {LSTM} --ckpt_file {{newest:**/*.ckpt}}"),
        ),
        chance="the LSTM's weights: one Parameter there, one for each layer and direction here",
    ),
    Project(
        "bert",
        "official/nlp/Bert",
        "language model",
        tables.masked_sentences,
        (
            Stage(
                "train",
                "run_pretrain.py --data_dir {data} --epoch_size 1 --enable_lossscale true --batch_size 4 "
                "--save_checkpoint_path {out} --save_checkpoint_steps 2 --device_target GPU",
                loss=r"outputs are[^\n]*?(\d+\.\d+)",
            ),
            Stage(
                "export",
                "export.py --config_path ../../task_classifier_config.yaml --description run_classifier "
                "--export_ckpt_file {newest:**/*.ckpt} --export_batch_size 1 --device_target GPU",
            ),
        ),
        edits=(
            *(Edit("task_classifier_config.yaml", f"{name}: {old}", f"{name}: {new}") for name, old, new in SMALL_BERT),
            *(Edit("pretrain_config.yaml", f"{name}: {old}", f"{name}: {new}") for name, old, new in SMALL_BERT),
            Edit("pretrain_config.yaml", "warmup_steps: 10000", "warmup_steps: 1"),
            Edit("pretrain_config.yaml", "base_batch_size: 256", "base_batch_size: 4"),
        ),
    ),
    Project(
        "fasttext",
        "research/nlp/fasttext",
        "text classification",
        tables.bags_of_words,
        (
            Stage(
                "train",
                f"train.py {FASTTEXT} --dataset_path {{data}} --save_ckpt_dir {{out}} --epoch 2 --save_ckpt_steps 4",
                loss=r"outputs are (\d+\.\d+)",
            ),
            Stage(
                "eval",
                f"eval.py {FASTTEXT} --dataset_path {{data}} --model_ckpt {{newest:**/*.ckpt}}",
                says="(?i)accuracy",
            ),
            Stage("export", f"export.py {FASTTEXT} --ckpt_file {{newest:**/*.ckpt}}"),
        ),
        edits=(
            Edit("ag_config.yaml", r"^buckets: .*", "buckets: [64]"),
            Edit("ag_config.yaml", r"^test_buckets: .*", "test_buckets: [64]"),
            Edit("ag_config.yaml", r"^warmup_steps: .*", "warmup_steps: 2"),
        ),
    ),
    Project(
        "skipgram",
        "research/nlp/skipgram",
        "word vectors",
        relations.corpus,
        (
            Stage("data", "preprocess.py --train_data_dir {data}"),
            Stage("train", "train.py --device_target GPU --train_data_dir {data}", makes="temp/w2v_emb/*"),
        ),
        edits=(
            Edit("src/config.py", r"batch_size = 128 ", "batch_size = 1024 "),
            Edit("src/config.py", r"print_interval = 1000", "print_interval = 1"),
            Edit("src/config.py", r"data_epoch = 10 ", "data_epoch = 1 "),
            Edit("src/config.py", r"emb_size = 288 ", "emb_size = 16 "),
        ),
    ),
    Project(
        "hypertext",
        "research/nlp/hypertext",
        "classification of texts",
        relations.labelled_lines,
        (
            Stage(
                "train",
                "train.py --datasetdir {data} --outputdir {out} --batch_size 4 --num_epochs 1 --datasetType tnews "
                "--device CPU",
                makes="",
            ),
        ),
        edits=(Edit("src/config.py", r"self.bucket = 1500000", "self.bucket = 2000"),),
        environment={"PYTHONHASHSEED": "0"},  # labels are numbered in a set's order
        chance="the embeddings, by a numpy that others draw from, too; from equal weights (zoo-hypertext, libraries.md) alike",
    ),
)
