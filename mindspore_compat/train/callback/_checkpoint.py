"""Saving of checkpoints, its times and names. MindSpore: ``mindspore.train.ModelCheckpoint``."""

from __future__ import annotations

import logging
import os
import time
from typing import Any

from mindspore_compat import context
from mindspore_compat._runtime.files import remove_stale
from mindspore_compat._runtime.writer import background_writer
from mindspore_compat.train._checkpoint.redundancy import own_share
from mindspore_compat.train._checkpoint.writing import checked_plan
from mindspore_compat.train.callback._callback import Callback, RunContext
from mindspore_compat.train.callback._checkpoint_config import CheckpointConfig
from mindspore_compat.train.callback._checkpoint_files import (
    CheckpointManager,
    changed_at,
    made_folder,
    next_free_prefix,
)
from mindspore_compat.train.serialization import save_checkpoint

__all__ = ["CheckpointConfig", "ModelCheckpoint", "CheckpointManager"]

_log = logging.getLogger("mindspore_compat")


class ModelCheckpoint(Callback):
    """Callback that saves ``PREFIX-EPOCH_STEP.ckpt`` (both from 1, the step within its epoch) by `CheckpointConfig`,
    and once at the end.

    In GRAPH_MODE the first step also writes ``PREFIX-graph.meta``, the operators (else the layers) as MindSpore's graph
    message.

    Args:
        prefix: of the file names, without "/"; or a function of the callback parameters that returns the whole name.
        directory: the folder, made if missing; or such a function. None is the current one.
        config: a `CheckpointConfig`.

    Raises:
        ValueError: for a wrong prefix.

    Examples:
        >>> x, net = np.ones((2, 1), np.float32), nn.Dense(1, 1)
        >>> callback = ms.train.ModelCheckpoint(prefix="net", directory="ckpt")
        >>> model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        >>> model.train(2, ds.NumpySlicesDataset((x, x)).batch(2), callbacks=callback)
        >>> print(callback.latest_ckpt_file_name)
        /...net-2_1.ckpt
    """

    _trains_only = True

    def __init__(self, prefix: Any = "CKP", directory: Any = None, config: CheckpointConfig | None = None) -> None:
        self._latest_ckpt_file_name = ""
        self._place: tuple[str, str] | None = None  # last results of the functions for folder and prefix
        self._leaving: set[str] = set()  # files to delete when the next is complete
        self._last_time = self._last_time_for_keep = time.time()
        self._last_triggered_step = 0
        self._graph_saved = False  # or not requested at the first step
        self._prefix = self._exception_prefix = prefix if callable(prefix) else _checked_prefix(prefix)
        self._directory: Any = directory if callable(directory) else made_folder(directory)
        self._config = config or CheckpointConfig()
        self._manager = CheckpointManager(self._config.format)
        if not callable(directory):
            remove_stale(self._directory)
        if not callable(directory) and not callable(prefix):
            self._prefix = next_free_prefix(self._directory, prefix)
        self._append_dict = dict(self._config.append_dict or {})
        self._append_epoch_num = self._append_dict.get("epoch_num", 0)  # where counting starts
        self._append_step_num = self._append_dict.get("step_num", 0)
        self._need_flush_from_cache = False  # Parameters are never cached here

    def step_end(self, run_context: RunContext) -> None:
        """Save at a step that is due."""
        cb_params = run_context.original_args()
        if callable(self._prefix) or callable(self._directory):
            self._place = self._called_place(cb_params)  # at every step, as in MindSpore
        if not self._graph_saved and context.get_context("mode") == context.GRAPH_MODE:
            directory, prefix = self._place or (self._directory, self._prefix)
            from mindspore_compat.train.summary._graph import write_graph  # summaries need protobuf

            write_graph(cb_params, os.path.join(directory, f"{prefix}-graph.meta"))
        self._graph_saved = True
        self._save_ckpt(cb_params)

    def _called_place(self, cb_params: Any) -> tuple[str, str]:
        """Return (folder, prefix) if either is a function.

        Raises:
            ValueError: if a function returns what is none.
        """
        prefix = self._prefix
        if callable(prefix):
            prefix = _checked_prefix(prefix(cb_params))
        return made_folder(self._directory(cb_params)) if callable(self._directory) else self._directory, prefix

    def end(self, run_context: RunContext) -> None:
        """Save the last step, if that was not done, and wait for background saves."""
        self._save_ckpt(run_context.original_args(), force_to_save=True)
        if self._config.async_save:
            background_writer().flush()

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Do nothing: evaluation saves no checkpoint."""

    def on_eval_end(self, run_context: RunContext) -> None:
        """Do nothing: evaluation saves no checkpoint."""

    @property
    def latest_ckpt_file_name(self) -> str:
        """Path of the file saved last; empty before."""
        return self._latest_ckpt_file_name

    def _check_save_ckpt(self, cb_params: Any, force_to_save: bool) -> bool:
        config = self._config
        if config.save_checkpoint_steps:
            next_step = self._last_triggered_step + config.save_checkpoint_steps
            return force_to_save or cb_params.cur_step_num >= next_step
        now = time.time()
        if config.save_checkpoint_seconds and (force_to_save or now - self._last_time > config.save_checkpoint_seconds):
            self._last_time = now
            return True
        return False

    def _save_ckpt(self, cb_params: Any, force_to_save: bool = False) -> None:
        step = cb_params.cur_step_num
        if step == self._last_triggered_step or not self._check_save_ckpt(cb_params, force_to_save):
            return
        directory, prefix = self._place or self._called_place(cb_params)
        place = "" if callable(self._prefix) else f"-{cb_params.cur_epoch_num}_{_step_in_epoch(cb_params)}"
        name = f"{prefix}{place}.{self._config.format}"
        self._last_triggered_step = step
        self._append_dict_content(cb_params.cur_epoch_num, step)
        path = os.path.join(directory, name)
        self._write(path, cb_params, self._make_room(directory, prefix))
        self._latest_ckpt_file_name = path
        cb_params.last_save_ckpt_step, cb_params.latest_ckpt_file = step, path

    def _append_dict_content(self, epoch_num: int, step_num: int) -> None:
        """Update the values of ``append_info``; numbers in its dict are start values."""
        if "epoch_num" in self._append_dict:
            self._append_dict["epoch_num"] = self._append_epoch_num + epoch_num
        if "step_num" in self._append_dict:
            self._append_dict["step_num"] = self._append_step_num + step_num

    def _flush_from_cache(self, cb_params: Any) -> None:
        """Do nothing: Parameters are never cached here."""

    def _write(self, path: str, cb_params: Any, obsolete: list[str]) -> None:
        config = self._config
        network = config.saved_network if config.saved_network is not None else cb_params.train_network
        choice_func = own_share(network) if config.remove_redundancy else None
        plan = checked_plan(
            network,
            path,
            config.integrated_save,
            config.async_save,
            self._append_dict,
            config.enc_key,
            config.enc_mode,
            choice_func,
            config.crc_check,
            config.format,
            remove_redundancy=config.remove_redundancy,
        )
        if config.async_save:
            plan.submit(obsolete)
        else:
            plan.write()
            for name in obsolete:
                self._manager.remove_ckpoint_file(name)

    def _make_room(self, directory: str, prefix: str) -> list[str]:
        """Delete files beyond the policy; return those that must stay until the next file is complete.

        MindSpore deletes all of them first. Here one complete checkpoint always exists.
        """
        config, manager = self._config, self._manager
        coming = background_writer().pending()  # read first: files completed in the meantime are in the folder
        manager.update_ckpoint_filelist(directory, prefix)
        self._leaving &= {*manager.ckpoint_filelist, *coming}
        complete = [path for path in manager.ckpoint_filelist if path not in self._leaving]
        coming = [
            path
            for path in coming
            if path not in manager.ckpoint_filelist
            and os.path.dirname(path) == directory
            and path not in self._leaving
            and manager.is_of(os.path.basename(path), prefix)
        ]
        doomed: list[str] = []
        now = time.time()
        if config.keep_checkpoint_max:
            complete.sort(key=changed_at)
            doomed = (complete + coming)[:1] if len(complete + coming) >= config.keep_checkpoint_max else []
        elif (
            config.keep_checkpoint_per_n_minutes
            and now - self._last_time_for_keep < config.keep_checkpoint_per_n_minutes * 60
        ):
            manager.ckpoint_filelist[:] = complete
            doomed = manager.surplus_of_minutes(config.keep_checkpoint_per_n_minutes, now)
        self._last_time_for_keep = now
        if set(complete) <= set(doomed):
            self._leaving |= set(doomed)
            return doomed
        for name in doomed:
            manager.remove_ckpoint_file(name)
        return []

    def __exit__(self, error_type: Any = None, *err: Any) -> None:
        """Wait for background saves after an exception in training, and save a breakpoint file if ``exception_save`` is
        set.
        """
        if error_type is not None and self._config.async_save:
            try:
                background_writer().flush()
            except (OSError, RuntimeError) as error:  # the exception of the training propagates
                _log.error("ModelCheckpoint: %s", error)
        if error_type is not None and self._config.exception_save and self._last_params is not None:
            self._save_breakpoint(self._last_params)

    def _save_breakpoint(self, cb_params: Any) -> None:
        epoch, step = cb_params.get("cur_epoch_num", 0), _step_in_epoch(cb_params)  # step_num counts in the epoch, too
        directory, prefix = self._place or self._called_place(cb_params)
        if not callable(self._prefix):
            prefix = next_free_prefix(directory, self._exception_prefix, breakpoint_files=True)
        self._append_dict_content(epoch, step)
        save_checkpoint(
            cb_params.train_network,
            os.path.join(directory, f"{prefix}-{epoch}_{step}_breakpoint.ckpt"),
            self._config.integrated_save,
            append_dict=self._append_dict,
            enc_key=self._config.enc_key,
            enc_mode=self._config.enc_mode,
        )

    _last_params: Any = None

    def begin(self, run_context: RunContext) -> None:
        """Remember the run's parameters for `__exit__`."""
        self._last_params = run_context.original_args()


def _checked_prefix(prefix: Any) -> str:
    if not isinstance(prefix, str) or "/" in prefix:
        raise ValueError(f"For 'ModelCheckpoint', the 'prefix' must be a str without '/', but got {prefix!r}.")
    return prefix


def _step_in_epoch(cb_params: Any) -> int:
    """Return the step in its epoch, from 1; 0 before the first."""
    return (cb_params.cur_step_num - 1) % cb_params.batch_num + 1 if cb_params.cur_step_num else 0
