"""Runs of ModelCheckpoint under any MindSpore, with a clock of their own: which files are left, and what is in them.

python policies_program.py PACKAGE OUT.json
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import stat
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SECONDS = 10  # a step


class Runs:
    def __init__(self, package: str) -> None:
        self.ms = ms = importlib.import_module(package)
        self.nn, self.train, self.np = (
            ms.nn,
            importlib.import_module(f"{package}.train"),
            importlib.import_module("numpy"),
        )
        self.dataset = importlib.import_module(f"{package}.dataset")
        ms.set_context(mode=ms.PYNATIVE_MODE)

    def run(
        self, stop_at: int = 0, prefix: Any = "c", directory: Any = None, network: bool = False, **config: Any
    ) -> dict[str, Any]:
        """3 epochs of 3 steps; what is there after each epoch's last step and at the end."""
        np, nn = self.np, self.nn
        folder = Path(tempfile.mkdtemp())
        if network:
            other = nn.Dense(2, 1, "ones", "zeros")
            config["saved_network"] = other
        saver = self.train.ModelCheckpoint(
            prefix,
            (lambda p: str(folder / f"e{p.cur_epoch_num}")) if directory else str(folder),
            self.train.CheckpointConfig(**config),
        )
        seen: list[Any] = []
        clock, real = [1_000_000_000.0], time.time

        class Clock(self.train.Callback):  # type: ignore[name-defined]
            def step_end(self, run_context: Any) -> None:
                for item in folder.rglob("*.ckpt"):
                    if os.path.getmtime(item) > clock[0] + 1e6 or os.path.getmtime(item) == clock[0]:
                        os.utime(item, (clock[0], clock[0]))
                seen.append(
                    [
                        os.path.relpath(saver.latest_ckpt_file_name, folder) if saver.latest_ckpt_file_name else "",
                        sorted(str(item.relative_to(folder)) for item in folder.rglob("*.ckpt")),
                    ]
                )
                clock[0] += SECONDS
                if run_context.original_args().cur_step_num == stop_at:
                    raise KeyError("stop")

        net = nn.Dense(4, 3)
        model = self.train.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
        data = self.dataset.NumpySlicesDataset(
            (np.ones((6, 4), np.float32), np.ones((6, 3), np.float32)), ["x", "y"], shuffle=False
        ).batch(2)
        time.time = lambda: clock[0]  # type: ignore[assignment]
        try:
            model.train(3, data, callbacks=[saver, Clock()], dataset_sink_mode=False)
        except KeyError:
            seen.append("stopped")
        finally:
            time.time = real  # type: ignore[assignment]
        return {
            "seen": seen,
            "files": {
                str(item.relative_to(folder)): self.content(item, config) for item in sorted(folder.rglob("*.ckpt"))
            },
        }

    def content(self, path: Path, config: dict) -> Any:
        options = (
            {"dec_key": config["enc_key"], "dec_mode": config.get("enc_mode", "AES-GCM")} if "enc_key" in config else {}
        )
        found = self.ms.load_checkpoint(str(path), **options)
        return {
            "mode": oct(stat.S_IMODE(os.stat(path).st_mode)),
            "encrypted": path.read_bytes()[:4] in (b"\xd8\x5e\x3a\x7f", b"\xd9\x5e\x3a\x7f"),
            "values": {
                name: value
                if isinstance(value, str)
                else value.asnumpy().tolist()
                if value.size == 1
                else list(value.shape)
                for name, value in found.items()
            },
        }

    def policies(self) -> list[Any]:
        """What CheckpointConfig makes of each combination."""
        result = []
        for values in itertools.product((None, 0, 3), (None, 0, 7), (None, 0, 2), (None, 0, 4)):
            try:
                policy = self.train.CheckpointConfig(*values).get_checkpoint_policy()
            except ValueError:
                policy = "ValueError"
            result.append([values, policy])
        return result

    def everything(self) -> dict[str, Any]:
        key = bytes(range(16))
        return {
            "policies": self.policies(),
            "steps": self.run(save_checkpoint_steps=2),
            "steps win over seconds": self.run(save_checkpoint_steps=4, save_checkpoint_seconds=1),
            "seconds": self.run(save_checkpoint_steps=0, save_checkpoint_seconds=25, keep_checkpoint_max=2),
            "minutes": self.run(save_checkpoint_steps=1, keep_checkpoint_max=0, keep_checkpoint_per_n_minutes=1),
            "max wins over minutes": self.run(
                save_checkpoint_steps=1, keep_checkpoint_max=2, keep_checkpoint_per_n_minutes=1
            ),
            "neither": self.run(save_checkpoint_steps=2, keep_checkpoint_max=None),
            "nothing to save": self.run(save_checkpoint_steps=0, save_checkpoint_seconds=0),
            "saved_network": self.run(save_checkpoint_steps=5, network=True),
            "append_info": self.run(
                save_checkpoint_steps=4, append_info=[{"lr": 0.5, "note": "x", "flag": True}, "step_num", "epoch_num"]
            ),
            "counted on": self.run(save_checkpoint_steps=4, append_info=[{"epoch_num": 10, "step_num": 100}]),
            "prefix function": self.run(prefix=lambda p: f"s{p.cur_step_num}", save_checkpoint_steps=4),
            "folder function": self.run(directory=True, save_checkpoint_steps=4),
            "both functions": self.run(prefix=lambda p: f"s{p.cur_step_num}", directory=True, save_checkpoint_steps=2),
            "breakpoint": self.run(
                5, save_checkpoint_steps=2, exception_save=True, append_info=["epoch_num", "step_num"]
            ),
            "breakpoint without numbers": self.run(5, save_checkpoint_steps=9, exception_save=True),
            "breakpoint of saved_network": self.run(4, network=True, save_checkpoint_steps=3, exception_save=True),
            "breakpoint, encrypted": self.run(
                4, save_checkpoint_steps=3, exception_save=True, enc_key=key, enc_mode="AES-CBC"
            ),
        }


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(Runs(sys.argv[1]).everything(), indent=0) + "\n")
