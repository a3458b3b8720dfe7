"""A class that MindNLP's `src/mindtorch/nn/parameter.py` and `mindnlp/patch.py` import: the result of an operator that
still runs. There is none here.

MindSpore: ``mindspore.common._stub_tensor`` of releases before 2.8.
"""

__all__ = ["StubTensor"]


class StubTensor:
    """No Tensor is one."""
