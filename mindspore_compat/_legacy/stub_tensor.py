"""Class for results of running operators, imported by MindNLP's `src/mindtorch/nn/parameter.py` and `mindnlp/patch.py`.
There are none here.

MindSpore: ``mindspore.common._stub_tensor`` of releases before 2.8.
"""

from mindspore_compat.common.tensor import Tensor


class StubTensor(Tensor):
    """Class without instances, with the methods of Tensor."""
