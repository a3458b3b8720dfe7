"""Cuts the samples of MindSpore's documentation (../shared/seeds) that concern training out into seed_samples/, as printed."""

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEEDS = HERE.parents[2] / "shared" / "seeds"
#: name: (seed, first line, last line), counted from 1
RANGES = {
    "callback": ("000", 213, 229),
    "loss_monitor": ("000", 292, 301),
    "time_monitor": ("000", 322, 331),
    "model_checkpoint": ("000", 524, 557),
    "learning_rate_scheduler": ("000", 672, 693),
    "history": ("000", 807, 820),
    "lambda_callback": ("000", 864, 876),
    "callback_of_2": ("003", 13, 31),
    "model": ("004", 41, 61),
    "model_eval": ("004", 81, 85),
    "model_predict": ("004", 101, 103),
    "model_loss_scale": ("004", 124, 130),
    "dataset_helper": ("004", 153, 155),
    "connect_network": ("004", 186, 189),
    "print_info": ("004", 330, 340),
}

folder = HERE / "seed_samples"
folder.mkdir(exist_ok=True)
for name, (seed, first, last) in RANGES.items():
    lines = next(SEEDS.glob(f"{seed}_*.txt")).read_text().splitlines()[first - 1 : last]
    if lines[0].startswith(">>>"):
        lines = [line[4:] for line in lines if re.match(r">>>|\.\.\.", line)]
    (folder / f"{name}.py").write_text("\n".join(line.rstrip() for line in lines).rstrip() + "\n")
