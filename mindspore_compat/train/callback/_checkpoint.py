"""When to save checkpoints, and under which names. Upstream: ``mindspore.train.CheckpointConfig``,
``mindspore.train.ModelCheckpoint``.
"""

from __future__ import annotations

import logging
import os
import stat
import time
from typing import Any

import torch

from mindspore_compat import context
from mindspore_compat._api.validate import check_bool, check_isinstance, check_non_negative_int, check_str_in
from mindspore_compat._runtime.files import remove_stale, write_atomically
from mindspore_compat._runtime.writer import background_writer
from mindspore_compat.train._checkpoint.keys import check_key
from mindspore_compat.train._checkpoint.redundancy import own_share
from mindspore_compat.train._checkpoint.save import check_async_save, checked_plan, save_checkpoint
from mindspore_compat.train.callback._callback import Callback, RunContext

__all__ = ["CheckpointConfig", "ModelCheckpoint", "CheckpointManager"]

_log = logging.getLogger("mindspore_compat")
_INFO = ("epoch_num", "step_num")


class CheckpointConfig:
    """What `ModelCheckpoint` saves, how often, and how many files it keeps.

    Args:
        save_checkpoint_steps: every so many steps; goes before ``save_checkpoint_seconds``.
        save_checkpoint_seconds: every so many seconds.
        keep_checkpoint_max: at most so many files, the oldest go; goes before ``keep_checkpoint_per_n_minutes``.
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
        for name, value in policies.items():
            if value is not None:
                check_non_negative_int(value, name, owner, named=False)
        if saved_network is not None and not isinstance(saved_network, torch.nn.Module):
            raise TypeError(
                f"For '{owner}', the type of 'saved_network' must be None or Cell, but got {type(saved_network)}."
            )
        if not any(policies.values()):
            raise ValueError(
                f"For '{owner}', the input arguments 'save_checkpoint_steps', 'save_checkpoint_seconds', "
                "'keep_checkpoint_max' "
                "and 'keep_checkpoint_per_n_minutes' can't be all None or 0."
            )
        unknown = set(kwargs) - {"incremental", "enable_redundance"}
        if unknown:
            raise TypeError(f"For '{owner}', unexpected keyword arguments {sorted(unknown)}.")
        self.exception_save = check_bool(exception_save, "exception_save", owner, named=False)
        self._save_checkpoint_steps = save_checkpoint_steps
        self._save_checkpoint_seconds = None if save_checkpoint_steps else save_checkpoint_seconds
        self._keep_checkpoint_max = keep_checkpoint_max
        self._keep_checkpoint_per_n_minutes = None if keep_checkpoint_max else keep_checkpoint_per_n_minutes
        if not keep_checkpoint_max and not keep_checkpoint_per_n_minutes:
            self._keep_checkpoint_max = 1
        self._integrated_save = check_bool(integrated_save, "integrated_save", owner, named=False)
        self._async_save = check_async_save(async_save, owner)
        self._saved_network = saved_network
        self._append_dict = self._handle_append_info(append_info)
        self._format = check_str_in(
            check_isinstance(format, "format", str, owner), "format", ("ckpt", "safetensors"), owner
        )
        check_key(owner, "enc", enc_key, enc_mode, format)
        self._enc_key, self._enc_mode = enc_key, enc_mode
        self._crc_check = check_isinstance(crc_check, "crc_check", bool, owner)
        self.remove_redundancy = check_isinstance(remove_redundancy, "remove_redundancy", bool, owner)
        self._map_param_inc = kwargs.get("incremental", False)
        self.enable_redundance = kwargs.get("enable_redundance", False)
        if crc_check and enc_key is not None:
            raise ValueError(
                f"For '{owner}', 'crc_check' can not be used together with 'enc_key': no reader opens such a file."
            )
        if format == "safetensors" and (crc_check or exception_save or self._map_param_inc):
            raise ValueError(
                f"For '{owner}', with format 'safetensors' the arguments 'crc_check', 'exception_save' and "
                "'incremental' "
                "must be left out."
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
        """The policies as a dict."""
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

    @staticmethod
    def _handle_append_info(append_info: Any) -> dict[str, Any] | None:
        if append_info is None or append_info == []:
            return None
        if not isinstance(append_info, list):
            raise TypeError(
                f"For 'CheckpointConfig', the type of 'append_info' must be list,but got {type(append_info)}."
            )
        result: dict[str, Any] = {
            name: 0 for name in _INFO if name in [item for item in append_info if isinstance(item, str)]
        }
        dicts = [item for item in append_info if isinstance(item, dict)]
        for item in append_info:
            if not isinstance(item, (str, dict)):
                raise TypeError(
                    "For 'CheckpointConfig', the type of 'append_info' element must be str or dict,but got "
                    f"{type(item)}."
                )
            if isinstance(item, str) and item not in _INFO:
                raise ValueError(
                    "For 'CheckpointConfig', the value of element in the argument 'append_info' must be in "
                    f"{list(_INFO)}, "
                    f"but got {item}."
                )
        if len(dicts) > 1:
            raise TypeError(
                f"For 'CheckpointConfig', the element of 'append_info' must has only one dict, but got {len(dicts)}"
            )
        for key, value in (dicts[0] if dicts else {}).items():
            if not isinstance(key, str) or not isinstance(
                value, (int, float, bool, str, torch.Tensor, torch.Generator)
            ):
                raise TypeError(
                    "For 'CheckpointConfig', the key type of the dict 'append_info' must be string, the value type "
                    "must be int or "
                    f"float or bool, but got key type {type(key)}, value type {type(value)}"
                )
            result[key] = value
        return result


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
        """Look for ``PREFIX-*`` without letters in the rest."""
        found = [os.path.join(directory, name) for name in os.listdir(directory) if self.is_of(name, prefix)]
        self._ckpoint_filelist = [
            path for path in found if os.path.isfile(path)
        ]  # no folders, FIFOs or links to nowhere

    def is_of(self, name: str, prefix: str) -> bool:
        """Whether a file name is ``PREFIX-NUMBERS`` and of this format."""
        end = "." + self._format
        return (
            name.startswith(prefix + "-")
            and name.endswith(end)
            and not any(c.isalpha() for c in name[len(prefix) : -len(end)])
        )

    def remove_ckpoint_file(self, file_name: str) -> None:
        """Delete one; a failure is logged and does not end the training."""
        try:
            os.chmod(file_name, stat.S_IWRITE)
            os.remove(file_name)
            self._ckpoint_filelist.remove(file_name)
        except (OSError, ValueError) as error:
            _log.warning("failed to remove the older ckpt file %s: %s", file_name, error)

    def remove_oldest_ckpoint_file(self) -> None:
        """Delete the file that was changed first."""
        self.remove_ckpoint_file(min(self._ckpoint_filelist, key=os.path.getmtime))

    def keep_one_ckpoint_per_minutes(self, minutes: int, cur_time: float) -> None:
        """Of the files of the last ``minutes``, keep the oldest."""
        for name in self.surplus_of_minutes(minutes, cur_time):
            self.remove_ckpoint_file(name)

    def surplus_of_minutes(self, minutes: int, cur_time: float) -> list[str]:
        """The files of the last ``minutes`` but the oldest."""
        recent = sorted(
            (name for name in self._ckpoint_filelist if cur_time - os.path.getmtime(name) < 60 * minutes),
            key=os.path.getmtime,
        )
        return recent[1:]


def _next_free_prefix(directory: str, prefix: str, breakpoint_files: bool = False) -> str:
    """``prefix``, or ``prefix_N`` if the folder has checkpoints of that prefix from another run."""
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


class ModelCheckpoint(Callback):
    """Saves ``PREFIX-EPOCH_STEP.ckpt`` (both from 1, the step within its epoch) as `CheckpointConfig` says, and once at
    the end.

    In GRAPH_MODE the first step also leaves ``PREFIX-graph.meta``, the operators (else the layers) as MindSpore's graph
    message.

    Args:
        prefix: of the file names, without "/"; or a function of the callback parameters that returns the whole name.
        directory: the folder, made if missing; or such a function. None is the current one.
        config: a `CheckpointConfig`.

    Raises:
        ValueError: for a wrong prefix or directory. TypeError: if ``config`` is no CheckpointConfig.
    """

    _trains_only = True

    def __init__(self, prefix: Any = "CKP", directory: Any = None, config: CheckpointConfig | None = None) -> None:
        self._latest_ckpt_file_name = ""
        self._place: tuple[str, str] | None = None  # what the functions for folder and prefix returned last
        self._leaving: set[str] = set()  # files that go when the next is complete
        self._last_time = self._last_time_for_keep = time.time()
        self._last_triggered_step = 0
        self._graph_saved = False  # or not asked for at the first step
        if not callable(prefix) and (not isinstance(prefix, str) or "/" in prefix):
            raise ValueError(
                "For 'ModelCheckpoint', the argument 'prefix' for checkpoint file name is invalid, it must be callable "
                "or "
                f"string that does not contain '/', but got {prefix}."
            )
        if config is not None and not isinstance(config, CheckpointConfig):
            raise TypeError(
                "For 'ModelCheckpoint', the type of argument 'config' should be 'CheckpointConfig', but got "
                f"{type(config)}."
            )
        self._prefix, self._exception_prefix = prefix, prefix
        self._directory: Any = directory if callable(directory) else _made_folder(directory)
        self._config = config or CheckpointConfig()
        self._manager = CheckpointManager(self._config.format)
        if not callable(directory):
            remove_stale(self._directory)
        if not callable(directory) and not callable(prefix):
            self._prefix = _next_free_prefix(self._directory, prefix)
        self._append_dict = dict(self._config.append_dict or {})

    def step_end(self, run_context: RunContext) -> None:
        """Save if it is time."""
        cb_params = run_context.original_args()
        if callable(self._prefix) or callable(self._directory):
            self._place = self._called_place(cb_params)  # at every step, as upstream
        if not self._graph_saved and context.get_context("mode") == context.GRAPH_MODE:
            directory, prefix = self._place or (self._directory, self._prefix)
            _write_graph(cb_params, os.path.join(directory, f"{prefix}-graph.meta"))
        self._graph_saved = True
        self._save_ckpt(cb_params)

    def _called_place(self, cb_params: Any) -> tuple[str, str]:
        """(folder, prefix) where either is a function.

        Raises:
            ValueError: if a function returns what is none.
        """
        prefix = self._prefix
        if callable(prefix):
            prefix = prefix(cb_params)
            if not isinstance(prefix, str) or "/" in prefix:
                raise ValueError(
                    "For 'ModelCheckpoint', the argument 'prefix' for checkpoint file name is callable, it must return "
                    "a string "
                    f"that does not contain '/', but got {prefix}."
                )
        return _made_folder(self._directory(cb_params)) if callable(self._directory) else self._directory, prefix

    def end(self, run_context: RunContext) -> None:
        """Save the last step, if that was not done, and wait for what is saved in the background."""
        self._save_ckpt(run_context.original_args(), force_to_save=True)
        if self._config.async_save:
            background_writer().flush()

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Evaluation saves nothing."""

    def on_eval_end(self, run_context: RunContext) -> None:
        """Evaluation saves nothing."""

    @property
    def latest_ckpt_file_name(self) -> str:
        """Path of the file saved last; empty before."""
        return self._latest_ckpt_file_name

    def _is_due(self, step: int, force: bool) -> bool:
        config = self._config
        if config.save_checkpoint_steps:
            return force or step >= self._last_triggered_step + config.save_checkpoint_steps
        now = time.time()
        if config.save_checkpoint_seconds and (force or now - self._last_time > config.save_checkpoint_seconds):
            self._last_time = now
            return True
        return False

    def _save_ckpt(self, cb_params: Any, force_to_save: bool = False) -> None:
        step = cb_params.cur_step_num
        if step == self._last_triggered_step or not self._is_due(step, force_to_save):
            return
        directory, prefix = self._place or self._called_place(cb_params)
        place = "" if callable(self._prefix) else f"-{cb_params.cur_epoch_num}_{_step_in_epoch(cb_params)}"
        name = f"{prefix}{place}.{self._config.format}"
        self._last_triggered_step = step
        self._count(cb_params.cur_epoch_num, step)
        path = os.path.join(directory, name)
        self._write(path, cb_params, self._make_room(directory, prefix))
        self._latest_ckpt_file_name = path
        cb_params.last_save_ckpt_step, cb_params.latest_ckpt_file = step, path

    def _count(self, epoch: int, step: int) -> None:
        """Bring what ``append_info`` asked for up to date; numbers in its dict are where counting starts."""
        for key, value in (("epoch_num", epoch), ("step_num", step)):
            if key in self._append_dict:
                self._append_dict[key] = (self._config.append_dict or {}).get(key, 0) + value

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
        """Delete what the policy does not keep; returns those that must stay until the next file is complete.

        Upstream deletes all of them first. Here one complete checkpoint is there at any moment.
        """
        config, manager = self._config, self._manager
        coming = background_writer().pending()  # asked first: what is complete in the meantime is in the folder
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
            complete.sort(key=os.path.getmtime)
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
        """On an exception in training, wait for the background, and save a breakpoint file if ``exception_save`` asks
        for it.
        """
        if error_type is not None and self._config.async_save:
            try:
                background_writer().flush()
            except (OSError, RuntimeError) as error:  # the exception of the training goes on
                _log.error("ModelCheckpoint: %s", error)
        if error_type is not None and self._config.exception_save and self._last_params is not None:
            self._save_breakpoint(self._last_params)

    def _save_breakpoint(self, cb_params: Any) -> None:
        epoch, step = (
            cb_params.get("cur_epoch_num", 0),
            _step_in_epoch(cb_params),
        )  # here upstream counts in the epoch for step_num too
        directory, prefix = self._place or self._called_place(cb_params)
        if not callable(self._prefix):
            prefix = _next_free_prefix(directory, self._exception_prefix, breakpoint_files=True)
        self._count(epoch, step)
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


def _step_in_epoch(cb_params: Any) -> int:
    """From 1; 0 before the first."""
    return (cb_params.cur_step_num - 1) % cb_params.batch_num + 1 if cb_params.cur_step_num else 0


def _write_graph(cb_params: Any, path: str) -> None:
    """Write the training network as upstream's graph message: its operators, or its layers in the order of
    registration.
    """
    from mindspore_compat._format.proto.anf_ir import ModelProto  # brings protobuf
    from mindspore_compat.train.summary._graph import graph_of

    network = cb_params.train_network
    ours = type(network).__module__.startswith(
        "mindspore_compat."
    )  # the user's own step may give its network other inputs
    inputs = tuple(cb_params.get("train_dataset_element") or ()) if ours else None
    model = ModelProto(ir_version=1, graph=graph_of(network, inputs=inputs))
    write_atomically(path, [model.SerializeToString(deterministic=True)], stat.S_IRUSR | stat.S_IWUSR)


def _made_folder(directory: Any) -> str:
    """The real path of a folder, made if missing.

    Raises:
        TypeError: if it is no str. ValueError: if it is blank.
    """
    if directory is None:
        return os.getcwd()
    if not isinstance(directory, str):
        raise TypeError(
            f"The path is invalid, the type should be string. It is the 'directory' of ModelCheckpoint, {directory!r}; "
            "it may also be "
            "callable."
        )
    if not directory.strip():
        raise ValueError("The path is invalid, it should be non-blank. It is the 'directory' of ModelCheckpoint.")
    path = os.path.realpath(directory)
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path
