"""MindSpore's types of values: `ops.typeof`, `get_py_obj_dtype`, and `isinstance` by them. The names are what real
MindSpore 2.10 prints.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.common import dtype as mstype
from mindspore_compat.ops import functional as F
from mindspore_compat.ops import operations as P

VALUES = [
    (lambda: Tensor([1.0]), "Tensor[Float32]", mstype.TensorType),
    (lambda: Tensor([1.0], ms.bfloat16), "Tensor[BFloat16]", mstype.TensorType),
    (lambda: Parameter(Tensor([1.0]), name="p"), "Ref[Tensor[Float32]]", mstype.TensorType),
    (lambda: (Tensor([1.0]), 2), "Tuple[Tensor[Float32],Int64]", mstype.Tuple),
    (lambda: (1, 1, 2.0, 2.0, 3), "Tuple[Int64*2,Float32*2,Int64]", mstype.Tuple),
    (lambda: ((1, 2), (1, 2)), "Tuple[Tuple[Int64*2]*2]", mstype.Tuple),
    (lambda: [1, 2.0], "List[Int64,Float32]", mstype.List),
    (lambda: {"a": 1, "b": Tensor([1.0])}, "Dictionary[[a,b,],[Int64,Tensor[Float32]]]", None),
    (lambda: 3, "Int64", mstype.Int),
    (lambda: 2.5, "Float32", mstype.Float),
    (lambda: True, "Bool", mstype.Bool),
    (lambda: np.float16(1), "Float32", mstype.Float),
    (lambda: "a", "String", mstype.String),
    (lambda: None, "None", None),
    (lambda: int, "TypeType", None),
    (lambda: nn.Dense(2, 2), "Func", None),
    (lambda: ..., "Ellipsis", None),
]
FAMILIES = [mstype.TensorType, mstype.Tuple, mstype.List, mstype.Int, mstype.Float, mstype.Bool, mstype.String]


@pytest.mark.parametrize("value", [(1,), [1], "a", 3, 2.5, Tensor([1.0])], ids=lambda value: type(value).__name__)
def test_types_serve_as_classes_as_in_compiled_code_of_1(value):
    kinds = [mstype.tuple_, mstype.list_, mstype.string, mstype.int_, mstype.float_, mstype.tensor]
    of_python = [tuple, list, str, int, float, Tensor]
    assert [isinstance(value, kind) for kind in kinds] == [isinstance(value, kind) for kind in of_python]
    assert isinstance(value, (mstype.list_, mstype.tensor)) == isinstance(value, (list, Tensor))


@pytest.mark.parametrize("make, name, family", VALUES, ids=[name for _, name, _ in VALUES])
def test_typeof(make, name, family):
    found = ops.typeof(make())
    assert mstype.dtype_name(found) == name
    assert [kind for kind in FAMILIES if isinstance(found, kind)] == ([] if family is None else [family])
    assert isinstance(found, mstype.Type)


def test_types_of_python_objects():
    assert mstype.get_py_obj_dtype(Tensor([1.0])) == mstype.TensorType(ms.float32)
    assert mstype.get_py_obj_dtype(2.5) == ms.float64
    assert mstype.get_py_obj_dtype((1, 2)) == mstype.tuple_ != ops.typeof((1, 2))


@ops.constexpr
def _described(kind):
    return isinstance(kind, mstype.TensorType), isinstance(kind, mstype.tensor_type), str(kind)


class Branches(nn.Cell):
    def construct(self, x):
        if isinstance(F.typeof(x), mstype.TensorType):
            return x + 1, _described(F.typeof(x)), F.typeof(x) == mstype.tensor_type(ms.float32)
        return None, _described(F.typeof(x)), F.typeof(x) == ms.int64


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_branches_by_types(mode):
    ms.set_context(mode=mode)
    value, described, is_float = Branches()(Tensor([1.0]))
    assert (float(value[0]), tuple(described), is_float) == (2.0, (True, True, "Tensor[Float32]"), True)
    value, described, is_int = Branches()((1, 2))
    assert (value, tuple(described), is_int) == (None, (False, False, "Tuple[Int64*2]"), False)


def test_the_old_class_of_tensor_types():
    """MindSpore 1.x to 2.2: ``tensor_type`` is a class, later an object."""
    assert isinstance(ops.typeof(Tensor([1.0])), mstype.tensor_type)
    assert not isinstance(ops.typeof(1), mstype.tensor_type)
    assert not isinstance(ops.typeof(Tensor([1])), mstype.TensorType(ms.float32))
    assert mstype.tensor_type(ms.float32).element_type() == ms.float32
    assert (str(mstype.tensor_type), repr(ops.typeof(Tensor([1.0])))) == ("Tensor", "mindspore.tensor[float32]")
    assert mstype._issubclass_(ops.typeof(Tensor([1.0])), mstype.tensor_type)


def test_operators_of_1x_ask_for_types():
    assert P.IsSubClass()(ms.float32, mstype.float_)
    assert not P.IsSubClass()(ms.int32, mstype.float_)
    assert P.IsInstance()(1.5, mstype.float_)
    assert ops.isinstance_(1.5, mstype.float_) and ops.issubclass_(ms.float32, mstype.float_)
