"""Writes mindocr's own configurations with short runs over the pictures of make_ocr.py: ``python mindocr_configs.py OUT
LIBRARIES/mindocr DATA``. What is changed is data, sizes and lengths, never the network, its loss or its optimizer.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import yaml

CHOSEN = (
    "det/dbnet/db_r50_icdar15",
    "det/dbnet/db_mobilenetv3_icdar15",
    "det/dbnet/dbpp_r50_icdar15",
    "det/psenet/pse_r152_icdar15",
    "det/east/east_r50_icdar15",
    "rec/crnn/crnn_resnet34",
    "rec/crnn/crnn_vgg7",
    "rec/svtr/svtr_tiny",
    "rec/rare/rare_resnet34",
    "rec/visionlan/visionlan_resnet45_LF_1",
    "rec/master/master_resnet31",
    "rec/abinet/abinet_resnet45_en",
    "rec/robustscanner/robustscanner_resnet31",
    "cls/mobilenetv3/cls_mv3",
)
#: those that ask for float16, once more in float32: what then parts two sides is not its rounding
IN_FLOAT32 = ("svtr_tiny", "crnn_resnet34", "master_resnet31")

#: whose gradients overflow in float16 at their configuration's loss scale or do not, as rounding has it: those of its
#: first layers pass the inverse of a matrix, and are 38 to 101 where weights move by half a unit of float16
LOSS_SCALES = {"svtr_tiny": 32}

#: steps that draw at random; what they draw is not compared
CHANCE = {
    "RandomColorAdjust",
    "RandomHorizontalFlip",
    "RandomRotate",
    "RandomScale",
    "RandomCropWithBBox",
    "RandomCropWithMask",
    "IaaAugment",
    "SVTRRecAug",
    "CVRescaleRecAug",
    "Rotate90IfVertical",
    "RandomCropImg",
}


def shortened(config: dict[str, Any], task: str, data: Path, out: str) -> dict[str, Any]:
    batch = 2 if task == "det" else 4
    config["system"].update(distribute=False, val_while_train=True, log_interval=1, drop_overflow_update=False)
    config["scheduler"].update(num_epochs=2, warmup_epochs=0, decay_epochs=2)
    config["scheduler"].pop("milestones", None)
    # rounding, which differs between libraries, grows with the rate: batches are small
    config["scheduler"]["lr"] = 0.01 * float(config["scheduler"]["lr"])
    config["scheduler"]["min_lr"] = 0.01 * float(config["scheduler"].get("min_lr", 0.0))
    config["train"].update(dataset_sink_mode=False, ckpt_save_dir=out)
    config["model"].pop("pretrained", None)
    config["model"].get("backbone", {}).update({"pretrained": False})
    for part, split in (("train", "train"), ("eval", "val")):
        dataset = config[part]["dataset"]
        dataset.update(
            type=dataset["type"].replace("LMDBDataset", "RecDataset"),
            dataset_root=str(data),
            data_dir=f"{split}/{task}",
            label_file=str(data / split / f"{task}_gt.txt"),
            sample_ratio=1.0,
            shuffle=False,
        )
        dataset["transform_pipeline"] = [step for step in dataset["transform_pipeline"] if not CHANCE & set(step)]
        for step in dataset["transform_pipeline"]:
            for name, options in step.items():
                small(name, options)
        config[part]["loader"].update(
            shuffle=False, batch_size=batch if part == "train" else 1, num_workers=1, max_rowsize=16, prefetch_size=2
        )
    config["eval"]["ckpt_load_path"] = f"{out}/best.ckpt"
    config["eval"].pop("ckpt_load_path_old", None)
    for holder in (
        config.get("common", {}),
        config["loss"],
        config["model"].get("backbone", {}),
        config["model"].get("head", {}),
    ):
        for key in ("batch_size", "batchsize"):
            if key in holder:
                holder[key] = batch
    return config


def small(name: str, options: Any) -> None:
    """Detection over crops of 256 instead of 640 pixels."""
    if name == "PSEGtDecode" and options:
        options["min_shortest_edge"] = 256
    if name == "EASTProcessTrain" and options:
        options["length"] = 256
    if name == "DetResize" and options:
        options["target_size"] = [256, 256]
        options.pop("limit_side_len", None)
        options.pop("limit_type", None)


def main(out: str, library: str, data: str) -> None:
    for name in CHOSEN:
        task, _, short = name.split("/")
        config = yaml.safe_load((Path(library) / "configs" / f"{name}.yaml").read_text(encoding="utf-8"))
        Path(out).mkdir(parents=True, exist_ok=True)
        config = shortened(config, task, Path(data).resolve(), f"tmp_{short}")
        if short in LOSS_SCALES:
            config["loss_scaler"]["loss_scale"] = LOSS_SCALES[short]
        (Path(out) / f"{short}.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
        if short in IN_FLOAT32:
            config["system"].update(amp_level="O0", amp_level_infer="O0")
            (Path(out) / f"{short}-o0.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
