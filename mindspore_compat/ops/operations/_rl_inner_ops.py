"""Operators that upstream keeps in ``mindspore.ops.operations._rl_inner_ops``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.ops.operations._recurrent_ops import CudnnGRU

__all__ = ["CudnnGRU"]

__getattr__ = module_getattr(
    __name__,
    unsupported={
        "GRUV2": "upstream has no kernel of it but for CPU's nn.GRU with lengths. Use nn.GRU with seq_length.",
        "LSTMV2": "upstream has no kernel of it but for CPU's nn.LSTM with lengths. Use nn.LSTM with seq_length.",
    },
)
