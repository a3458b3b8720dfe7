"""The callback `OnRequestExit`. MindSpore: ``mindspore.train.OnRequestExit``."""

from __future__ import annotations

import os
import signal
from typing import Any

from mindspore_compat._format.source import read_json
from mindspore_compat._runtime.device import current_device
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.communication.management import get_group_size
from mindspore_compat.log import logger
from mindspore_compat.train.callback._callback import Callback, RunContext
from mindspore_compat.train.callback._checkpoint import made_folder
from mindspore_compat.train.serialization import export, load_checkpoint, save_checkpoint

__all__ = ["OnRequestExit"]


class OnRequestExit(Callback):
    """End of training or evaluation after the current step on a signal or a file's request, with saved state.

    The same script loads that state when it runs again.

    Args:
        save_ckpt: save ``DIRECTORY/rank_N/FILE_NAME_train.ckpt`` (``_eval`` in evaluation).
        save_mindir: save ``.mindir`` beside it; a network that cannot be exported is reported in the log.
        directory: None is the current one.
        config_file: a JSON file; ``{"GracefulExit": 1}`` in it asks to exit.
        sig: the signal.

    Raises:
        ValueError: for SIGKILL, which no process can handle.
    """

    _trains_only = True

    def __init__(
        self,
        save_ckpt: bool = True,
        save_mindir: bool = True,
        file_name: str = "Net",
        directory: str | None = "./",
        config_file: str | None = None,
        sig: int = signal.SIGTERM,
    ) -> None:
        self.save_ckpt, self.save_mindir, self.sig = save_ckpt, save_mindir, sig
        if sig == getattr(signal, "SIGKILL", None):
            raise ValueError("For 'OnRequestExit', no process can handle the signal SIGKILL.")
        self.exit = self._is_asked_by_file = False
        self.use_graceful = os.environ.get("MS_ENABLE_GRACEFUL_EXIT") == "1"
        self.is_distributed = get_group_size() > 1
        self.save_path, self.remote_config_file = directory, config_file
        if save_ckpt or save_mindir:
            folder = made_folder(os.path.join(directory or os.getcwd(), f"rank_{current_device().index or 0}"))
            self.train_name, self.eval_name = (
                os.path.join(folder, f"{file_name}_{mode}") for mode in ("train", "eval")
            )

    def on_train_begin(self, run_context: RunContext) -> None:
        """Handle the signal; load the state of an earlier run."""
        signal.signal(self.sig, self._handle_signal)
        self._load(run_context.original_args().train_network, "train_name")

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Read the file."""
        if not self.exit and self._file_asks():
            self.exit = self._is_asked_by_file = True

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Stop if asked."""
        if self.exit:
            run_context.request_stop()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Stop if asked."""
        self.on_train_step_end(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """Save if asked to exit."""
        if self.exit:
            cb_params = run_context.original_args()
            self._say_so_in(cb_params.train_network)
            done = self._progress(cb_params) if self.use_graceful and self._is_asked_by_file else None
            self._save(cb_params.train_network, cb_params.get("train_dataset_element"), "train_name", done)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Handle the signal; load the state of an earlier run."""
        signal.signal(self.sig, self._handle_signal)
        self._load(run_context.original_args().eval_network, "eval_name", "train_name")

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Stop if asked."""
        if self.exit:
            run_context.request_stop()

    def on_eval_end(self, run_context: RunContext) -> None:
        """Save if asked to exit."""
        if self.exit:
            cb_params = run_context.original_args()
            self._save(cb_params.eval_network, cb_params.get("eval_dataset_element"), "eval_name")

    def _handle_signal(self, signum: int, frame: Any) -> None:
        self.exit = True

    def _file_asks(self) -> bool:
        if self.remote_config_file is None or not os.path.exists(self.remote_config_file):
            return False
        try:
            return bool(read_json(self.remote_config_file).get("GracefulExit") == 1)
        except (OSError, ValueError) as error:
            logger.warning("Parse json file failed: %s, please check json file: %s", error, self.remote_config_file)
            return False

    def _load(self, network: Any, *names: str) -> None:
        for name in names if self.save_ckpt else ():
            path = getattr(self, name) + ".ckpt"
            if os.path.isfile(path):
                load_checkpoint(path, net=network)
                return

    def _say_so_in(self, network: Any) -> None:
        """Set the flag of a training step that has one, as with MS_ENABLE_GRACEFUL_EXIT."""
        for parameter in network.get_parameters() if self.use_graceful else ():
            if parameter.name == "graceful_exit":
                parameter.set_data(Tensor(True))

    def _progress(self, cb_params: Any) -> dict[str, Any]:
        """Return the progress of training, which MindSpore saves too after a file's request, not after a signal."""
        done = {"epoch_num": cb_params.cur_epoch_num, "step_num": cb_params.cur_step_num}
        done["batch_num"] = cb_params.batch_num
        manager = cb_params.get("loss_scale_mananger")  # MindSpore's spelling
        return done if manager is None else {**done, "loss_scale": manager.get_loss_scale()}

    def _save(self, network: Any, inputs: Any, name: str, done: dict[str, Any] | None = None) -> None:
        if self.save_ckpt:
            save_checkpoint(network, getattr(self, name) + ".ckpt", append_dict=done)
        if self.save_mindir:
            try:
                export(network, *inputs, file_name=getattr(self, name), file_format="MINDIR")
            except Exception as error:  # a run resumes from the checkpoint alone; the process is about to end
                logger.warning("'OnRequestExit' could not save %s.mindir: %s", getattr(self, name), error)
