"""Communication in class form over ``torch.distributed``. MindSpore: ``mindspore.ops.operations.comm_ops``.

Without a process group (one process) each operator behaves as in a group of one member. Ranks of a root or a peer are
ranks in the group, as MindSpore's.
"""

from mindspore_compat._ops import communication
from mindspore_compat._ops.communication import ReduceOp, _MirrorOperator, _VirtualDataset  # noqa: F401

globals().update(communication.PRIMITIVES)
