"""All callbacks but those of summaries, which need protobuf: loaded by ``import mindspore``."""

from mindspore_compat.train.callback._backup_and_restore import BackupAndRestore
from mindspore_compat.train.callback._callback import Callback, CallbackManager, InternalCallbackParam, RunContext
from mindspore_compat.train.callback._callback import CallbackManager as _CallbackManager
from mindspore_compat.train.callback._callback import InternalCallbackParam as _InternalCallbackParam
from mindspore_compat.train.callback._callback import set_cur_net as _set_cur_net
from mindspore_compat.train.callback._checkpoint import CheckpointConfig, CheckpointManager, ModelCheckpoint
from mindspore_compat.train.callback._checkpoint import CheckpointManager as _CheckpointManager
from mindspore_compat.train.callback._early_stop import EarlyStopping
from mindspore_compat.train.callback._flops_collector import FlopsUtilizationCollector
from mindspore_compat.train.callback._history import History
from mindspore_compat.train.callback._lambda_callback import LambdaCallback
from mindspore_compat.train.callback._loss_monitor import LossMonitor
from mindspore_compat.train.callback._loss_plot import LossPlot
from mindspore_compat.train.callback._lr_scheduler_callback import LearningRateScheduler
from mindspore_compat.train.callback._on_request_exit import OnRequestExit
from mindspore_compat.train.callback._progress_bar import ProgressBar
from mindspore_compat.train.callback._reduce_lr_on_plateau import ReduceLROnPlateau
from mindspore_compat.train.callback._time_monitor import TimeMonitor
from mindspore_compat.train.callback._train_fault_tolerance import TrainFaultTolerance

__all__ = [
    "Callback",
    "RunContext",
    "CallbackManager",
    "InternalCallbackParam",
    "LossMonitor",
    "TimeMonitor",
    "ModelCheckpoint",
    "CheckpointConfig",
    "CheckpointManager",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "EarlyStopping",
    "ReduceLROnPlateau",
    "OnRequestExit",
    "BackupAndRestore",
    "FlopsUtilizationCollector",
    "ProgressBar",
    "LossPlot",
    "TrainFaultTolerance",
    "_CallbackManager",
    "_InternalCallbackParam",
    "_CheckpointManager",
    "_set_cur_net",
]
