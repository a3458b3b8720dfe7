"""Operators on arrays of tensors behind a handle, which `nn.TensorArray` wraps. MindSpore:
``mindspore.ops.operations._tensor_array`` (1.7 to 2.6). No gradient flows through an array.
"""

from mindspore_compat._ops import buffers

globals().update(buffers.PRIMITIVES)
