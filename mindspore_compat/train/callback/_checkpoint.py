"""Saving of checkpoints, its times and names, and the files to delete. MindSpore: ``mindspore.train.ModelCheckpoint``,
``CheckpointConfig``.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from typing import Any

from mindspore_compat import context
from mindspore_compat._api.errors import warn_once
from mindspore_compat._api.validate import check_non_negative_int, check_one_of, check_str_in
from mindspore_compat._runtime.files import remove_stale
from mindspore_compat._runtime.writer import background_writer
from mindspore_compat.log import logger
from mindspore_compat.train._checkpoint.entries import FORMATS, check_key
from mindspore_compat.train._checkpoint.redundancy import own_share
from mindspore_compat.train._checkpoint.writing import checked_plan
from mindspore_compat.train.callback._callback import Callback, RunContext
from mindspore_compat.train.serialization import save_checkpoint

__all__ = ["CheckpointConfig", "ModelCheckpoint", "CheckpointManager"]

_INFO = ("epoch_num", "step_num")


class CheckpointConfig:
    """Content, frequency and number of `ModelCheckpoint`'s files.

    Args:
        save_checkpoint_steps: steps from one checkpoint to the next; goes before ``save_checkpoint_seconds``.
        save_checkpoint_seconds: seconds from one checkpoint to the next.
        keep_checkpoint_max: the number of files to keep, the oldest go; goes before ``keep_checkpoint_per_n_minutes``.
        keep_checkpoint_per_n_minutes: one file for each such span.
        saved_network: a network to save instead of the trained one (Cell or torch module).
        append_info: of "epoch_num", "step_num" and at most one dict of numbers, strings or Tensors.
        integrated_save: without effect in one process.
        async_save, enc_key, enc_mode, crc_check, format: as for `save_checkpoint`; the format "safetensors" takes none
            of the others.
        remove_redundancy: in data parallel training each process saves its share of the parameters only.
        exception_save: also save when training ends by an exception.

    Raises:
        TypeError, ValueError: for wrong types or values, or if all four policies are None or 0.

    Examples:
        >>> config = ms.train.CheckpointConfig(save_checkpoint_steps=100, keep_checkpoint_max=3)
        >>> print(config.save_checkpoint_steps, config.keep_checkpoint_max)
        100 3
    """

    def __init__(
        self,
        save_checkpoint_steps: int | None = 1,
        save_checkpoint_seconds: int | None = 0,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_per_n_minutes: int | None = 0,
        integrated_save: bool = True,
        async_save: Any = False,
        saved_network: Any = None,
        append_info: list | None = None,
        enc_key: bytes | None = None,
        enc_mode: str = "AES-GCM",
        exception_save: bool = False,
        crc_check: bool = False,
        remove_redundancy: bool = False,
        format: str = "ckpt",
        **kwargs: Any,
    ) -> None:
        owner = "CheckpointConfig"
        policies = {
            "save_checkpoint_steps": save_checkpoint_steps,
            "save_checkpoint_seconds": save_checkpoint_seconds,
            "keep_checkpoint_max": keep_checkpoint_max,
            "keep_checkpoint_per_n_minutes": keep_checkpoint_per_n_minutes,
        }
        _check_policies(owner, policies, kwargs)
        self.exception_save = exception_save
        self._save_checkpoint_steps = save_checkpoint_steps
        self._save_checkpoint_seconds = None if save_checkpoint_steps else save_checkpoint_seconds
        self._keep_checkpoint_max = keep_checkpoint_max
        self._keep_checkpoint_per_n_minutes = None if keep_checkpoint_max else keep_checkpoint_per_n_minutes
        if not keep_checkpoint_max and not keep_checkpoint_per_n_minutes:
            self._keep_checkpoint_max = 1
        self._integrated_save = integrated_save
        self._async_save = async_save
        self._saved_network = saved_network
        self._append_dict = _append_dict(append_info or [])
        self._format = check_str_in(format, "format", FORMATS, owner)
        check_key(owner, "enc", enc_key, enc_mode, format)
        self._enc_key, self._enc_mode = enc_key, enc_mode
        self._crc_check = crc_check
        self.remove_redundancy = remove_redundancy
        self._map_param_inc = kwargs.get("incremental", False)
        self.enable_redundance = kwargs.get("enable_redundance", False)
        if crc_check and enc_key is not None:
            raise ValueError(f"For '{owner}', no reader opens a file with 'crc_check' and 'enc_key': leave one out.")
        if format == "safetensors" and (crc_check or exception_save or self._map_param_inc):
            raise ValueError(
                f"For '{owner}', the format 'safetensors' takes no 'crc_check', 'exception_save', 'incremental'."
            )

    save_checkpoint_steps = property(lambda self: self._save_checkpoint_steps, doc="Steps between checkpoints.")
    save_checkpoint_seconds = property(lambda self: self._save_checkpoint_seconds, doc="Seconds between checkpoints.")
    keep_checkpoint_max = property(lambda self: self._keep_checkpoint_max, doc="How many files to keep.")
    keep_checkpoint_per_n_minutes = property(
        lambda self: self._keep_checkpoint_per_n_minutes, doc="One file for each such span."
    )
    integrated_save = property(lambda self: self._integrated_save, doc="Whether slices are merged.")
    async_save = property(lambda self: self._async_save, doc="Whether, or how, saving is asynchronous.")
    saved_network = property(lambda self: self._saved_network, doc="The network to save.")
    enc_key = property(lambda self: self._enc_key, doc="The key of encryption.")
    enc_mode = property(lambda self: self._enc_mode, doc="The mode of encryption.")
    crc_check = property(lambda self: self._crc_check, doc="Whether a CRC is appended.")
    format = property(lambda self: self._format, doc='"ckpt" or "safetensors".')
    append_dict = property(lambda self: self._append_dict, doc="What is saved beside the parameters.")
    map_param_inc = property(lambda self: self._map_param_inc, doc="Whether map parameters are saved incrementally.")

    def get_checkpoint_policy(self) -> dict[str, Any]:
        """Return the policies as a dict."""
        return {
            name: getattr(self, name)
            for name in (
                "save_checkpoint_steps",
                "save_checkpoint_seconds",
                "keep_checkpoint_max",
                "keep_checkpoint_per_n_minutes",
                "saved_network",
            )
        }


def _append_dict(append_info: list[Any]) -> dict[str, Any] | None:
    """Return {name: value} of ``append_info``: MindSpore's names first, then the entries of the dict."""
    result: dict[str, Any] = {name: 0 for name in _INFO if name in append_info}
    for item in append_info:
        if isinstance(item, dict):
            result.update(item)
        else:
            check_one_of(item, "append_info", _INFO, "CheckpointConfig")
    return result or None


def _check_policies(owner: str, policies: dict[str, Any], kwargs: dict[str, Any]) -> None:
    for name, value in policies.items():
        if value is not None:
            check_non_negative_int(value, name, owner)
    if not any(policies.values()):
        raise ValueError(f"For '{owner}', one of {', '.join(policies)} must be above 0.")
    unknown = set(kwargs) - {"incremental", "map_param_inc", "enable_redundance"}  # 2.x's names; no effect
    if unknown:
        names = ", ".join(sorted(unknown))
        warn_once(f"{owner} {names}", f"For '{owner}', there are no arguments {names}: they have no effect.")


def changed_at(path: str) -> float:
    """Return the time of the file's last change; 0 for one that another process of the run has removed."""
    try:
        return os.path.getmtime(path)
    except FileNotFoundError:
        return 0.0


class CheckpointManager:
    """The files of one prefix in a folder."""

    def __init__(self, format: str = "ckpt") -> None:
        self._ckpoint_filelist: list[str] = []
        self._format = format

    @property
    def ckpoint_filelist(self) -> list[str]:
        return self._ckpoint_filelist

    @property
    def ckpoint_num(self) -> int:
        return len(self._ckpoint_filelist)

    def update_ckpoint_filelist(self, directory: str, prefix: str) -> None:
        """Find ``PREFIX-*`` without letters in the rest."""
        found = [os.path.join(directory, name) for name in os.listdir(directory) if self.is_of(name, prefix)]
        self._ckpoint_filelist = [path for path in found if os.path.isfile(path)]  # no folders, FIFOs, lost links

    def is_of(self, name: str, prefix: str) -> bool:
        """Return whether a file name is ``PREFIX-NUMBERS`` and of this format."""
        end = "." + self._format
        return (
            name.startswith(prefix + "-")
            and name.endswith(end)
            and not any(c.isalpha() for c in name[len(prefix) : -len(end)])
        )

    def remove_ckpoint_file(self, file_name: str) -> None:
        """Delete one, if it still exists; a failure is logged and does not end the training."""
        try:
            with contextlib.suppress(FileNotFoundError):
                os.chmod(file_name, stat.S_IWRITE)
                os.remove(file_name)
            self._ckpoint_filelist.remove(file_name)
        except (OSError, ValueError) as error:
            logger.warning("failed to remove the older ckpt file %s: %s", file_name, error)

    def remove_oldest_ckpoint_file(self) -> None:
        """Delete the file that was changed first."""
        self.remove_ckpoint_file(min(self._ckpoint_filelist, key=changed_at))

    def keep_one_ckpoint_per_minutes(self, minutes: int, cur_time: float) -> None:
        """Keep the oldest of the files of the last ``minutes``."""
        for name in self.surplus_of_minutes(minutes, cur_time):
            self.remove_ckpoint_file(name)

    def surplus_of_minutes(self, minutes: int, cur_time: float) -> list[str]:
        """Return the files of the last ``minutes`` but the oldest."""
        recent = sorted(
            (name for name in self._ckpoint_filelist if cur_time - changed_at(name) < 60 * minutes), key=changed_at
        )
        return recent[1:]


def next_free_prefix(directory: str, prefix: str, breakpoint_files: bool = False) -> str:
    """Return ``prefix``, or ``prefix_N`` if the folder has checkpoints of that prefix from another run."""
    number = 0
    for name in os.listdir(directory):
        is_breakpoint = name.endswith("_breakpoint.ckpt")
        if (
            is_breakpoint != breakpoint_files
            or not name.endswith((".ckpt", ".safetensors"))
            or not name.startswith(prefix)
        ):
            continue
        rest = name[len(prefix) :]
        if rest[:1].isalpha():
            continue
        dash = rest.find("-")
        if dash == 0:
            number = max(number, 1)
        elif dash > 0 and rest[1:dash].isdecimal():
            number = max(number, int(rest[1:dash]) + 1)
    return f"{prefix}_{number}" if number else prefix


def made_folder(directory: Any) -> str:
    """Return the real path of a folder, made if missing."""
    if directory is None:
        return os.getcwd()
    path = os.path.realpath(directory)
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path


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
                logger.error("ModelCheckpoint: %s", error)
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
