"""Compiled code of upstream's strict level (``common/_in_graph.py``): each result is real MindSpore's."""

import pytest

import mindspore_compat as ms
from mindspore_compat import JitConfig, Tensor, mutable, nn, ops


@pytest.fixture(autouse=True)
def _pynative_and_lax():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE, jit_syntax_level=ms.LAX)


def nested(x):
    return [{"a": x}, (1, {"b": x})], x


class Dict(nn.Cell):
    def construct(self, x):
        return {"a": x, "b": 1}


class Setting(nn.Cell):
    def __init__(self):
        super().__init__()
        self.data = 1

    def construct(self, x):
        self.data = 2
        return x


class Reading(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Dict()

    def construct(self, x):
        return self.net(x)["a"]


X = Tensor([1.0])


def test_with_fullgraph_dicts_come_out_as_tuples():
    assert ms.jit(nested)(X) == nested(X)
    assert ms.jit(nested, fullgraph=True)(X) == ([(X,), (1, (X,))], X)


def test_a_strict_cell_gives_tuples_in_graph_mode_only():
    net = Dict()
    net.set_jit_config(JitConfig(jit_syntax_level="STRICT"))
    assert net(X) == {"a": X, "b": 1}
    ms.set_context(mode=ms.GRAPH_MODE)
    assert net(X) == (X, 1)
    net.set_jit_config(JitConfig(jit_syntax_level="LAX"))
    assert net(X) == {"a": X, "b": 1}


def test_the_level_of_the_context_holds_outside_only():
    ms.set_context(mode=ms.GRAPH_MODE, jit_syntax_level=ms.STRICT)
    assert Dict()(X) == (X, 1)
    assert Reading()(X) == X


def test_gradients_of_dicts_are_tuples_too():
    class Product(nn.Cell):
        def construct(self, t):
            return t["a"][0] * t["b"]

    class Gradient(nn.Cell):
        def construct(self, t):
            return ops.GradOperation()(Product())(t)

    ms.set_context(mode=ms.GRAPH_MODE, jit_syntax_level=ms.STRICT)
    found = Gradient()(mutable({"a": [X, X], "b": X}))
    assert found == ([X, Tensor([0.0])], X)


def test_only_parameters_are_set_in_strict_code():
    assert Setting()(X) == X
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Setting()
    assert net(X) == X and net.data == 2
    net.set_jit_config(JitConfig(jit_syntax_level="STRICT"))
    with pytest.raises(TypeError, match="In JIT strict mode, if need to modify a member attribute"):
        net(X)


def test_the_environment_says_so_too(monkeypatch):
    ms.set_context(mode=ms.GRAPH_MODE)
    monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", "0")
    assert Dict()(X) == (X, 1)
