"""Cuts the summary samples of MindSpore's documentation (../shared/seeds) out into seed_samples/summary/, as printed."""

from pathlib import Path

HERE = Path(__file__).resolve().parent
SEEDS = HERE.parents[2] / "shared" / "seeds"
#: name: (seed, first line, last line), counted from 1
RANGES = {
    "record": ("000", 52, 62),
    "add_value": ("000", 116, 120),
    "close": ("000", 126, 131),
    "flush": ("000", 139, 142),
    "log_dir": ("000", 152, 155),
    "record_step": ("000", 177, 181),
    "set_mode": ("000", 201, 204),
    "collector": ("000", 461, 486),
    "landscape": ("000", 716, 763),
    "collector_2": ("001", 76, 101),
    "record_1": ("004", 223, 230),
    "add_value_1": ("004", 263, 264),
    "close_1": ("004", 269, 272),
    "flush_1": ("004", 279, 280),
    "log_dir_1": ("004", 289, 290),
    "record_step_1": ("004", 305, 306),
    "set_mode_1": ("004", 317, 318),
    "collector_1": ("004", 551, 566),
}

folder = HERE / "seed_samples" / "summary"
folder.mkdir(exist_ok=True)
for name, (seed, first, last) in RANGES.items():
    lines = next(SEEDS.glob(f"{seed}_*.txt")).read_text().splitlines()[first - 1 : last]
    if lines[0].startswith(">>>"):
        lines = [line[4:] for line in lines]
    (folder / f"{name}.py").write_text("\n".join(line.rstrip() for line in lines).strip("\n") + "\n")
