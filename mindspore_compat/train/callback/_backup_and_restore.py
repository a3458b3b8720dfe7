"""The callback `BackupAndRestore`. MindSpore: ``mindspore.train.BackupAndRestore``."""

from __future__ import annotations

import os
from typing import Any

from mindspore_compat._api.validate import check_positive_int
from mindspore_compat.train.callback._callback import Callback, RunContext
from mindspore_compat.train.callback._checkpoint import made_folder
from mindspore_compat.train.serialization import load_checkpoint, save_checkpoint

__all__ = ["BackupAndRestore"]


class BackupAndRestore(Callback):
    """Backup of the training network in ``backup_dir``, and start from an existing one.

    Args:
        save_freq: "epoch", or n: every n-th epoch.
        delete_checkpoint: remove the backup when the training has ended.

    Raises:
        TypeError, ValueError: for wrong arguments.
    """

    _trains_only = True

    def __init__(self, backup_dir: str, save_freq: Any = "epoch", delete_checkpoint: bool = True) -> None:
        owner = "BackupAndRestore"
        self.backup_file = os.path.join(made_folder(backup_dir), "backup.ckpt")
        self.save_freq = 1 if save_freq == "epoch" else check_positive_int(save_freq, "save_freq", owner)
        self.delete_checkpoint = delete_checkpoint

    def on_train_begin(self, run_context: RunContext) -> None:
        """Load the backup, if there is one."""
        if os.path.exists(self.backup_file):
            load_checkpoint(self.backup_file, net=run_context.original_args().train_network)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Save every ``save_freq`` epochs."""
        cb_params = run_context.original_args()
        if cb_params.cur_epoch_num % self.save_freq == 0:
            save_checkpoint(cb_params.train_network, self.backup_file)

    def on_train_end(self, run_context: RunContext) -> None:
        """Remove the backup; none was made if the training was shorter than ``save_freq``."""
        if self.delete_checkpoint and os.path.exists(self.backup_file):
            os.remove(self.backup_file)
