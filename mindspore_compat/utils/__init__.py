"""``mindspore.utils``: exchange of memory with other frameworks, and a common end of processes."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.utils.dlpack import from_dlpack, to_dlpack
from mindspore_compat.utils.ms_dispatch import MsDispatchMode
from mindspore_compat.utils.utils import ExitByRequest, TFTCommValue

__all__ = ["ExitByRequest", "MsDispatchMode", "TFTCommValue", "from_dlpack", "to_dlpack"]
_CHIPS = "it looks for silent faults of Ascend chips."
_ORDER = "it compares files of MindSpore's executor."
_FAULTS = "it talks to MindX, which restarts processes on Ascend clusters; use the TrainFaultTolerance callback."
__getattr__ = module_getattr(
    __name__,
    unsupported={
        **dict.fromkeys(("stress_detect", "sdc_detect_start", "sdc_detect_stop", "get_sdc_detect_result"), _CHIPS),
        **dict.fromkeys(("runtime_execution_order_check", "comm_exec_order_check"), _ORDER),
        **dict.fromkeys(("RSCPluginHandle",), _FAULTS),
        "dryrun": "it simulates clusters of MindSpore's executor; use torch's fake tensors.",
    },
)
