"""Examples of the most used operators in class form that have no function of their own."""

from __future__ import annotations

#: class -> the lines under ``Examples:`` of its docstring; ``tests/test_examples.py`` runs them
EXAMPLES = {
    "Add": """\
>>> print(ops.Add()(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
[4. 6.]
""",
    "Cast": """\
>>> print(ops.Cast()(Tensor([1.7, -1.7]), ms.int32))
[ 1 -1]
""",
    "DType": """\
>>> print(ops.DType()(Tensor([1.0])) == ms.float32)
True
""",
    "ExpandDims": """\
>>> print(ops.ExpandDims()(ops.ones((2, 3)), 0).shape)
(1, 2, 3)
""",
    "Fill": """\
>>> print(ops.Fill()(ms.float32, (2, 2), 3))
[[3. 3.]
 [3. 3.]]
""",
    "Mul": """\
>>> print(ops.Mul()(Tensor([1.0, 2.0]), 3.0))
[3. 6.]
""",
    "ReLU": """\
>>> print(ops.ReLU()(Tensor([-1.0, 2.0])))
[0. 2.]
""",
    "ReduceMean": """\
>>> print(ops.ReduceMean(keep_dims=True)(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
[[1.5]
 [3.5]]
""",
    "ReduceSum": """\
>>> print(ops.ReduceSum()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
[4. 6.]
""",
    "Reshape": """\
>>> print(ops.Reshape()(Tensor([1, 2, 3, 4]), (2, -1)))
[[1 2]
 [3 4]]
""",
    "Shape": """\
>>> print(ops.Shape()(ops.ones((2, 3))))
(2, 3)
""",
    "Sigmoid": """\
>>> print(ops.Sigmoid()(Tensor([0.0])))
[0.5]
""",
    "Tile": """\
>>> print(ops.Tile()(Tensor([[1, 2]]), (2, 2)))
[[1 2 1 2]
 [1 2 1 2]]
""",
    "Transpose": """\
>>> print(ops.Transpose()(Tensor([[1, 2], [3, 4]]), (1, 0)))
[[1 3]
 [2 4]]
""",
}
