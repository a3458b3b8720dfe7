"""`rewrite.PatternEngine`; what real MindSpore 2.10 does with these networks stands in the tests."""

from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat.rewrite import Node, PatternEngine, PatternNode, Replacement, SymbolTree, VarNode
from mindspore_compat.rewrite.common import namespace


class Sub(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.bn = nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1)

    def construct(self, x: Any) -> Any:
        x = self.conv(x)
        x = self.bn(x)
        return x


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.bn1, self.relu, self.add = nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1), nn.ReLU(), ops.Add()
        self.conv2, self.sub = nn.Conv2d(1, 1, 1), Sub()
        self.seq = nn.SequentialCell([nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1), nn.ReLU(), nn.Conv2d(1, 1, 1), Sub()])

    def construct(self, x: Any) -> Any:
        x = self.conv1(x)
        x = self.bn1(x)
        x = self.relu(x)
        y = self.conv2(x)
        z = self.add(x, y)
        z = self.sub(z)
        z = self.seq(z)
        return z


class Fused(Replacement):
    def __init__(self) -> None:
        self.seen: list[list[str]] = []

    def build(self, pattern: PatternNode, is_chain_pattern: bool, matched: OrderedDict) -> list[Node]:
        assert is_chain_pattern and pattern.name() == list(matched)[-1]
        conv = next(iter(matched.values()))
        self.seen.append([type(node.get_instance()).__name__ for node in matched.values()])
        cell = nn.Conv2d(1, 1, 1, weight_init="ones")
        return [Node.create_call_cell(cell, conv.get_targets(), conv.get_args(), conv.get_kwargs(), "fused")]


def test_chains_are_replaced_in_all_cells() -> None:
    tree, replacement = SymbolTree.create(Net()), Fused()
    assert PatternEngine([nn.Conv2d, nn.BatchNorm2d], replacement).apply(tree)
    assert replacement.seen == [["Conv2d", "BatchNorm2d"]] * 4
    network = tree.get_network()
    kinds = [type(cell).__name__ for cell in network.seq]
    assert kinds == ["Conv2d", "ReLU", "Conv2d", "SubOpt"]
    names = [parameter.name for parameter in network.seq.get_parameters()]
    assert names[0] == "seq.0.weight"
    x = Tensor(np.ones((1, 1, 2, 2)), ms.float32)
    y = ops.relu(network.fused(x))
    expected = network.seq(network.sub.fused(y + network.conv2(y)))
    np.testing.assert_allclose(network(x).asnumpy(), expected.asnumpy(), rtol=1e-6)


class Leak(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.bn = nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1)

    def construct(self, x: Any) -> Any:
        x = self.conv(x)
        y = self.bn(x)
        return x + y


def test_what_others_use_stays() -> None:
    assert not PatternEngine([nn.Conv2d, nn.BatchNorm2d], Fused()).apply(SymbolTree.create(Leak()))


def test_pattern_of_nodes() -> None:
    class Sums(Replacement):
        def build(self, pattern: PatternNode, is_chain_pattern: bool, matched: OrderedDict) -> list[Node]:
            assert not is_chain_pattern and list(matched) == ["conv", "add"]
            return []

    pattern = PatternNode("add", ops.Add, [VarNode(), PatternNode("conv", nn.Conv2d)])
    engine = PatternEngine(pattern, Sums())
    assert engine.pattern() is pattern and not engine.apply(SymbolTree.create(Net()))


def test_classes_that_stay_one_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(namespace, "_subtree_black_list", [*namespace._subtree_black_list, Sub])
    kinds = {node.get_name(): node.get_node_type().name for node in SymbolTree.create(Net()).nodes()}
    assert kinds["sub"] == "CallCell"


class Branches(nn.Cell):
    def __init__(self, has_relu: bool, ends: bool) -> None:
        super().__init__()
        self.ends, self.act = ends, nn.ReLU() if has_relu else None

    def construct(self, x: Any) -> Any:
        if self.act is not None and not self.ends:
            x = self.act(x)
        else:
            x = x + 1
            if self.ends:
                x = x * 2
        if x.sum() > 0:
            x = x * 3
        if self.ends:
            return x
        return x + 7


@pytest.mark.parametrize(("has_relu", "ends", "expected"), [(True, False, [10.0, 7]), (False, True, [12, -6])])
def test_ifs_about_the_network_become_what_they_run(has_relu: bool, ends: bool, expected: list[float]) -> None:
    tree = SymbolTree.create(Branches(has_relu, ends))
    tree.flatten_static_if_control_flow()
    code = tree.get_code()
    assert code[code.rindex("def construct") :].count("if ") == 1
    assert sum(node.get_node_type().name == "Output" for node in tree.nodes()) == 1
    assert tree.get_network()(Tensor([1.0, -2.0 if ends else -0.5], ms.float32)).asnumpy().tolist() == expected
