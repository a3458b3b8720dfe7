"""``mindspore.rewrite``: nodes, changes, and networks made of them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.rewrite import Node, NodeType, ScopedValue, SymbolTree, ValueType
from tests.support.oracle import run_oracle
from tests.support.processes import run_python


def helper(x: Any, y: Any) -> Any:
    return x + y * 2


class Sub(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.dense, self.relu = nn.Dense(4, 4), nn.ReLU()

    def construct(self, x):
        x = self.dense(x)
        return self.relu(x)


class Base(nn.Cell):
    def construct(self, x):
        return x * 3


class Net(Base):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, has_bias=True)
        self.relu = nn.ReLU()
        self.sub, self.sub2 = Sub(), Sub()
        self.seq = nn.SequentialCell(nn.Dense(4, 4), nn.ReLU())
        self.add = ops.Add()
        self.flag = True
        self.w = Parameter(Tensor(np.ones(4, "float32")), name="w")
        self.__hidden = 2

    def other(self, x):
        return x * 2

    def construct(self, x, y=None, *, scale=1.5):
        x = super().construct(self.relu(self.conv1(x)))
        a = ops.relu(x)
        b = ops.tanh(a)
        x = self.add(a, b)
        x = x + self.w.mean() * 2.0 - self.__hidden
        if self.flag:
            x = self.other(x)
        s = x.shape
        x = x.reshape(s[0], -1)[:, :4]
        x = helper(x, y=x) if y is None else helper(x, y)
        x, z = self.sub(x), self.sub2(x=x)
        x = self.seq(x) * scale
        for i in range(2):
            x += i
        w = [x, z]
        d = {"one": x, **{"two": list(w)}}
        return d["one"], ops.concat((x, *d["two"]), axis=1), not self.flag, -x, x.shape[0] > 1 and z.sum() < 3


def _input() -> Tensor:
    return Tensor(np.random.RandomState(0).rand(2, 1, 5, 5).astype("float32"))


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [found for item in value for found in _flat(item)]
    return [value.asnumpy() if isinstance(value, Tensor) else value]


def test_a_network_computes_as_before() -> None:
    net, x = Net(), _input()
    names = [item.name for item in net.get_parameters()]
    for arguments, options in (((x,), {}), ((x, Tensor(2.0)), {"scale": 0.5})):
        expected = _flat(net(*arguments, **options))
        tree = SymbolTree.create(net)
        new = tree.get_network()
        for got, wanted in zip(_flat(new(*arguments, **options)), expected, strict=True):
            np.testing.assert_array_equal(got, wanted)
    assert isinstance(new, Net)
    assert [item.name for item in new.get_parameters()] == names
    assert ms.load_param_into_net(new, {item.name: item for item in net.get_parameters()}) == ([], [])
    compile(tree.get_code(), "code", "exec")


SHOWN = """
import mindspore as ms
from mindspore import nn, ops
from mindspore.rewrite import SymbolTree

class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.relu = nn.Dense(4, 4), nn.ReLU()

    def construct(self, x):
        x = self.dense(x)
        return self.relu(x)

class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1, self.relu, self.add, self.inner = nn.Conv2d(1, 4, 3), nn.ReLU(), ops.Add(), Inner()
        self.seq = nn.SequentialCell(nn.Dense(4, 4), nn.ReLU())
        self.flag = True

    def construct(self, x, y=None):
        x = self.relu(self.conv1(x))
        a = self.inner(x=x)
        x = self.add(a, x)
        x = x + a * 2.0
        x = self.seq(x)
        if self.flag:
            x = self.add(x, x)
        if not self.flag:
            x = self.add(x, x)
        else:
            x = self.add(x, a)
        for i in range(2):
            x = self.add(x, i)
        z = self.relu(x)
        return z

def shown():
    tree = SymbolTree.create(Outer())
    return [
        [node.get_name(), str(node.get_node_type()), node.get_instance_type().__name__, str(node.get_targets()),
         str(node.get_args()) if "if_" not in node.get_name() else "", str(node.get_kwargs()), [item.get_name() for item in node.get_inputs()],
         sorted(item.get_name() for item in node.get_users())]
        for node in tree.nodes()
    ]
"""


@pytest.mark.oracle
def test_nodes_are_those_of_real_mindspore(tmp_path: Any) -> None:
    (tmp_path / "shown.py").write_text(SHOWN)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import shown; give(shown.shown())"
    theirs = run_oracle(code, cwd=tmp_path)
    program = f"import mindspore_compat, json, sys; mindspore_compat.install(); sys.path.insert(0, {str(tmp_path)!r})\n"
    program += "import shown; print(json.dumps(shown.shown()))"
    done = run_python("-c", program, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == theirs


def test_nodes_are_inserted_replaced_and_erased() -> None:
    net, x = Sub(), Tensor(np.random.RandomState(1).randn(3, 4).astype("float32"))
    plain = net.dense(x).asnumpy()
    tree = SymbolTree.create(net)
    assert [node.get_name() for node in tree.nodes()] == ["input_x", "dense", "relu", "return"]
    relu = tree.get_node("relu")
    new = Node.create_call_cell(nn.Tanh(), ["x"], [ScopedValue.create_naming_value("x")], name="dense")
    assert tree.insert(tree.after("dense"), new).get_name() == "dense_1"
    assert [node.get_name() for node in new.get_users()] == ["relu"]
    assert [node.get_name() for node in relu.get_inputs()] == ["dense_1"]
    np.testing.assert_allclose(tree.get_network()(x).asnumpy(), np.maximum(np.tanh(plain), 0), rtol=1e-6)

    target = tree.unique_name("x")
    function = Node.create_call_function(np.negative, [target], [ScopedValue.create_naming_value("x")])
    layer = nn.Dense(4, 2)
    cell = Node.create_call_cell(layer, ["y"], [ScopedValue.create_naming_value("x")], name="head")
    assert function.get_targets() == [ScopedValue.create_naming_value("x_1")]
    tree.replace(relu, [cell])
    tree.get_node("return").set_arg_by_node(0, cell)
    made = tree.get_network()
    assert made(x).shape == (3, 2)
    assert [item.name for item in made.get_parameters()][-2:] == ["head.weight", "head.bias"]
    assert tree.erase("dense_1") is new
    assert tree.erase("dense_1") is None
    made = tree.get_network()
    np.testing.assert_allclose(made(x).asnumpy(), layer(Tensor(plain)).asnumpy(), rtol=1e-6)
    made.set_train()
    gradient = ms.grad(made, None, made.trainable_params())(x)
    assert len(gradient) == len(made.trainable_params())


def test_functions_objects_and_arguments() -> None:
    net, x = Sub(), Tensor(np.ones((2, 4), "float32"))
    expected = net(x).asnumpy()
    tree = SymbolTree.create(net)
    value = ScopedValue.create_variable_value(Tensor(3.0))
    node = Node.create_call_function(helper, ["z"], [ScopedValue.create_naming_value("relu_var"), value])
    tree.insert(tree.before("return"), node)
    tree.get_node("return").set_arg(0, "z")
    np.testing.assert_array_equal(tree.get_network()(x).asnumpy(), expected + 6)
    tree.insert(tree.after("input_x"), Node.create_input("more", ScopedValue.create_variable_value(1)))
    node.set_arg(1, "more")
    np.testing.assert_array_equal(tree.get_network()(x, more=2).asnumpy(), expected + 4)


def test_a_change_in_a_sub_network_shows() -> None:
    net, x = Net(), _input()
    tree = SymbolTree.create(net)
    node = tree.get_node("sub")
    assert node.get_node_type() is NodeType.Tree
    inner = node.get_sub_tree()
    inner.insert(
        inner.after("dense"), Node.create_call_cell(nn.Tanh(), ["x"], [ScopedValue.create_naming_value("x")], name="t")
    )
    new = tree.get_network()
    assert hasattr(new.sub, "t")
    assert not hasattr(new.sub2, "t")
    assert new(x)[0].shape == (2, 4)
    assert "t" in [item.get_name() for item in tree.nodes(all_nodes=True)]
    with pytest.raises(TypeError, match=r"NodeType\.Tree"):
        tree.get_node("conv1").get_sub_tree()


def test_a_table_is_printed(capsys: Any) -> None:
    SymbolTree.create(Sub()).print_node_tabulate()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("  ")[0] == "node type"
    assert "self.dense(x)" in lines[3]
    assert "{0: ('input_x', 0)}" in lines[3]


def test_values() -> None:
    make = ScopedValue.create_variable_value
    assert (str(make(2)), str(make("a")), str(ScopedValue.create_naming_value("conv", "self"))) == (
        "2",
        "a",
        "self.conv",
    )
    kinds = [make(item).type.name for item in (None, (1,), [1], {"a": 1}, helper)]
    assert kinds == ["ConstantValue", "TupleValue", "ListValue", "DictValue", "CustomObjValue"]
    assert ValueType.NamingValue.value == 40
    assert make((1, 2)) == make((1, 2)) != make((1, 3))
