"""The source code of a `SymbolTree`: it stands alone and computes what the network does; nodes of ``if`` and ``for``."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindspore_compat import Tensor, nn, ops
from mindspore_compat.rewrite import Node, NodeType, ScopedValue, SymbolTree

LISTED = [Tensor(1.0)]


def function(x: Any) -> Any:
    return x * 2


class Base(nn.Cell):
    def __init__(self, a: Any) -> None:
        super().__init__()
        self.relu, self.a = nn.ReLU(), a

    def construct(self, x):
        return x - 1

    def add_a(self, x):
        return x + self.a


class NoCell:
    def same(self, x):
        return x


class Middle(Base):
    pass


class Inner(Middle):
    def construct(self, x):
        x = super().construct(x)
        return self.add_a(x)


class Outer(Base, NoCell):
    held = LISTED
    called = function

    def __init__(self) -> None:
        super().__init__(Tensor(3.0))
        self.first, self.second = Inner(Tensor(1.0)), Inner(Tensor(2.0))
        self.dense = nn.Dense(2, 2)

    def construct(self, x):
        x = self.same(self.first(x)) + self.second(x)
        x = Outer.called(x) + self.held[0]
        return function(self.dense(x))


def executed(code: str) -> types.ModuleType:
    module = types.ModuleType("written")
    exec(
        compile(code.replace("from mindspore import", "from mindspore_compat import"), "written", "exec"), vars(module)
    )
    return module


def test_the_code_has_all_classes_with_their_fathers() -> None:
    code = SymbolTree.create(Outer()).get_code()
    for line in (
        "class BaseOpt(Base, nn.Cell):",
        "class NoCellOpt(NoCell):",
        "class MiddleOpt(Middle, BaseOpt):",
        "class InnerOpt(Inner, MiddleOpt):",
        "class OuterOpt(Outer, BaseOpt, NoCellOpt):",
        "self.__class__.held = obj.__class__.held",
        "self.__class__.called = obj.__class__.called",
        "self.first = InnerOpt(self.first)",
        "self.second = InnerOpt(self.second)",
        "super_var = super(Inner, self)",
    ):
        assert code.count(line) == 1, line
    assert "def function" not in code and "LISTED" not in code


def test_the_code_stands_alone() -> None:
    net, x = Outer(), Tensor(np.random.RandomState(0).randn(3, 2).astype("float32"))
    expected = net(x).asnumpy()
    tree = SymbolTree.create(net)
    made = executed(tree.get_code()).OuterOpt(net)
    np.testing.assert_array_equal(made(x).asnumpy(), expected)
    np.testing.assert_array_equal(tree.get_network()(x).asnumpy(), expected)
    assert [item.name for item in made.get_parameters()] == [item.name for item in net.get_parameters()]


def test_two_trees_of_one_class_that_differ() -> None:
    net, x = Outer(), Tensor(np.random.RandomState(0).randn(3, 2).astype("float32"))
    tree = SymbolTree.create(net)
    inner = tree.get_node("second").get_sub_tree()
    value = ScopedValue.create_naming_value("x")
    inner.insert(inner.before("return"), Node.create_call_function(function, ["add_a_var"], [value]))
    code = tree.get_code()
    assert "self.second = InnerOpt_1(self.second)" in code and "class InnerOpt_1(Inner, MiddleOpt):" in code
    assert "function as _object_0" in code
    expected = tree.get_network()(x).asnumpy()
    np.testing.assert_array_equal(executed(code).OuterOpt(net)(x).asnumpy(), expected)


def test_what_code_cannot_say_is_named() -> None:
    class Local(nn.Cell):
        def construct(self, x):
            return self.add(x)

        def add(self, x):
            return x

    tree = SymbolTree.create(Local())
    value = ScopedValue.create_naming_value("x")
    tree.insert(tree.after("input_x"), Node.create_call_cell(nn.ReLU(), ["x"], [value], name="extra"))
    tree.insert(
        tree.after("input_x"),
        Node.create_call_function(ops.add, ["x"], [value, ScopedValue.create_variable_value(Tensor(1.0))]),
    )
    code = tree.get_code()
    for line in (
        "# Local is made in a function",
        "# self.extra = ReLU(...), which was inserted",
        "= Tensor(...), which code cannot say.",
    ):
        assert line in code, code
    assert float(tree.get_network()(Tensor(-3.0))) == 0.0


def test_a_network_is_saved(tmp_path: Path) -> None:
    tree = SymbolTree.create(Outer())
    assert tree.get_saved_file_name() == "./network_define.py"
    tree.set_saved_file_name(str(tmp_path / "net"))
    assert tree.get_saved_file_name() == str(tmp_path / "net.py")
    tree.save_network_to_file()
    assert (tmp_path / "net.py").read_text() == tree.get_code()


class Flow(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.relu, self.top = nn.ReLU(), True

    def construct(self, x):
        x = self.relu(x)
        if not self.top:
            return x
        if self.top and x.sum() > 3:
            x = x + 1
        else:
            x = x - 1
        for i in range(2):
            x = x + i
        return x


def names(tree: SymbolTree) -> list[str]:
    return [node.get_name() for node in tree.nodes()]


def test_nodes_of_control_flow() -> None:
    net, x = Flow(), Tensor([1.0, 2.0])
    tree = SymbolTree.create(net)
    assert names(tree) == (
        "input_x relu unaryop_not if_node boolop_and if_node_1 else_node range for_node return".split()
    )
    assert tree.all_nodes() == list(tree.nodes())
    condition = tree.get_node("if_node_1")
    assert [str(item) for item in condition.get_args()] == ["and_var"]
    assert [item.get_name() for item in tree.get_node("boolop_and").get_users()] == ["if_node_1", "else_node"]
    assert tree.get_network()(x).asnumpy().tolist() == net(x).asnumpy().tolist() == [1.0, 2.0]
    condition.set_arg(0, "self.top")
    tree.get_node("for_node").set_arg(0, ScopedValue.create_variable_value([5]))
    assert tree.get_network()(x).asnumpy().tolist() == [7.0, 8.0]
    condition.set_arg(0, "not_var")
    tree.erase("else_node")
    assert tree.get_network()(x).asnumpy().tolist() == [6.0, 7.0]
    with pytest.raises(TypeError, match="as written"):
        condition.set_arg(1, "x")


def test_taking_out_a_condition_takes_its_else() -> None:
    tree = SymbolTree.create(Flow())
    tree.erase("if_node_1")
    assert "else_node" not in names(tree)
    assert tree.get_network()(Tensor([1.0])).asnumpy().tolist() == [2.0]


def test_what_is_asked_later_is_not_asked_before() -> None:
    class Lazy(nn.Cell):
        def construct(self, x):
            if x is not None and x.sum() > 0:
                return x + 1
            return 0

    made = SymbolTree.create(Lazy()).get_network()
    assert made(None) == 0 and float(made(Tensor(1.0))) == 2.0


def test_neighbours_and_attributes_of_a_node() -> None:
    tree = SymbolTree.create(Flow())
    relu = tree.get_node("relu")
    assert {place: (found.get_name(), at) for place, (found, at) in relu.get_arg_providers().items()} == {
        0: ("input_x", 0)
    }
    users = relu.get_target_users()
    assert [(node.get_name(), place) for node, place in users[0]] == [("return", 0)]
    assert relu.get_target_users(0) == users[0] and relu.get_target_users(3) == []
    relu.set_attribute("key", 3)
    assert (relu.get_attribute("key"), relu.get_attribute("training"), relu.get_attribute("none")) == (3, False, None)
    assert relu.get_attributes()["key"] == 3
    assert tree.get_node("range").get_attributes() == {}


def test_another_output() -> None:
    tree = SymbolTree.create(Flow())
    node = tree.set_output(0, "i")
    assert node.get_node_type() is NodeType.Output
    assert tree.get_network()(Tensor([1.0])) == 1
    with pytest.raises(IndexError):
        tree.set_output(1, "x")
