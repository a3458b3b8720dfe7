"""What PYNATIVE_MODE replays: only what provably does nothing but its operators; and everything that Python could change is noticed."""
from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mindspore_compat import Tensor, nn, ops
from mindspore_compat.nn._purity import Proof, proof_of
from mindspore_compat.ops.composite import _replay
from tests.nn import purity_samples
from tests.nn.purity_samples import (
    EFFECTS,
    SEEN,
    Derived,
    ImpureBase,
    Iterated,
    Kept,
    Outer,
    OverImpure,
    Overridden,
    Plain,
    Scaled,
    Settings,
    Sliced,
    SuperOfAnother,
    WithProperty,
    appends_to_an_argument,
    calls_with_defaults,
    dictionary,
    doubled,
    net_of,
    numbers,
    reads_what_others_may_change,
    seen,
    settings,
)


@pytest.mark.parametrize("net", [
    Plain(), Derived(), nn.SequentialCell(Plain(), nn.ReLU()), doubled, nn.WithLossCell(Plain(), nn.MSELoss()),
    nn.TrainOneStepCell(nn.WithLossCell(Plain(), nn.MSELoss()), nn.Momentum(Plain().trainable_params(), 0.1, 0.9)),
    nn.TrainOneStepCell(nn.WithLossCell(Plain(), nn.MSELoss()), nn.Adam(Plain().trainable_params(), nn.CosineDecayLR(0.01, 0.1, 8)))],
    ids=lambda net: type(net).__name__)
def test_ordinary_networks_are_proved(net: Any) -> None:
    assert isinstance(proof_of(net), Proof), proof_of(net)


@pytest.mark.parametrize("construct", EFFECTS, ids=lambda item: item.__name__)
def test_what_may_have_an_effect_is_not(construct: Any) -> None:
    reason = proof_of(net_of(construct))
    assert isinstance(reason, str) and "not at hand" not in reason


@pytest.mark.parametrize("net", [
    Overridden(), WithProperty(), SuperOfAnother(), OverImpure(), nn.SequentialCell(nn.ReLU(), ImpureBase()),
    nn.WithLossCell(nn.ReLU(), seen), nn.Dense(3, 3, activation=ImpureBase()), nn.CellList([ImpureBase()]),
    Outer(Sliced()), Outer(Kept()), Iterated(),
    ops.Map(seen)], ids=lambda net: type(net).__name__)
def test_nor_what_calls_it(net: Any) -> None:
    reason = proof_of(net)
    assert isinstance(reason, str) and "not at hand" not in reason


def test_source_that_is_not_at_hand() -> None:
    space: dict[str, Any] = {}
    exec("def construct(self, x):\n    return x", space)
    assert "its source is not at hand" in str(proof_of(net_of(space["construct"])))
    assert "its source is not at hand" in str(proof_of(net_of(lambda self, x: x)))


def test_source_that_was_edited_after_the_import(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "edited_net.py"
    path.write_text("def forward(x):\n    global seen\n    seen = x\n    return x\n")
    monkeypatch.syspath_prepend(tmp_path)
    import edited_net  # type: ignore[import-not-found]
    path.write_text("def forward(x):\n    return x\n")
    assert isinstance(proof_of(edited_net.forward), str)


# --- what changes after the proof -----------------------------------------------------------------------------------------------------


def values(change: Callable[[nn.Cell], Any], undo: Callable[[], Any] = lambda: None, net: Any = None) -> tuple[list[float], Any]:
    """Gradients by the input over some calls, with a change before the sixth."""
    net = net or Scaled()
    grad_of, found = ops.grad(net), []
    try:
        for step in range(10):
            if step == 5:
                assert _replay._computations_of(net).calls and replays(net) == 2
                change(net)
            found.append(float(grad_of(Tensor(np.ones((1, 3), np.float32))).sum()))
    finally:
        undo()
    return found, net


def replays(net: Any) -> int:
    return sum(calls.replayed for calls in _replay._computations_of(net).calls.values())


def test_a_global(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = values(lambda net: monkeypatch.setattr(purity_samples, "SCALE", 3.0))
    assert found == [12.0] * 5 + [18.0] * 5


def test_an_attribute_of_the_class(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = values(lambda net: monkeypatch.setattr(Scaled, "times", 2.0))
    assert found == [12.0] * 5 + [24.0] * 5


def test_methods_and_construct_of_the_class(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = values(lambda net: monkeypatch.setattr(Scaled, "scaled", lambda self, x: x * 4))
    assert found == [12.0] * 5 + [48.0] * 5
    monkeypatch.undo()
    found, _ = values(lambda net: monkeypatch.setattr(Scaled, "construct", lambda self, x: self.dense(x)))
    assert found == [12.0] * 5 + [6.0] * 5
    monkeypatch.undo()
    found, _ = values(lambda net: monkeypatch.setattr(nn.Dense, "construct", lambda self, x: x * 5))
    assert found == [12.0] * 5 + [30.0] * 5


def test_an_instance_with_a_construct_of_its_own() -> None:
    found, _ = values(lambda net: setattr(net, "construct", lambda x: seen(x * 7)))
    assert found == [12.0] * 5 + [21.0] * 5
    assert len(SEEN) >= 5


def test_code_and_defaults_of_a_function() -> None:
    net = net_of(calls_with_defaults)
    values_of = calls_with_defaults.__defaults__, purity_samples.with_defaults.__kwdefaults__, purity_samples.with_defaults.__code__

    def undo() -> None:
        calls_with_defaults.__defaults__, purity_samples.with_defaults.__kwdefaults__, purity_samples.with_defaults.__code__ = values_of
    for change, factor in ((lambda _: setattr(calls_with_defaults, "__defaults__", (3.0,)), 3),
                           (lambda _: setattr(purity_samples.with_defaults, "__kwdefaults__", {"times": 4.0}), 2),
                           (lambda _: setattr(purity_samples.with_defaults, "__code__", purity_samples.without.__code__), 0.5)):
        found, _ = values(change, undo, net)
        assert found == [6.0] * 5 + [6.0 * factor] * 5
        net = net_of(calls_with_defaults)


def test_hooks_set_later() -> None:
    calls: list[int] = []
    found, _ = values(lambda net: net.dense.register_forward_hook(lambda *_: calls.append(1)))
    assert found == [12.0] * 10 and len(calls) == 5
    found, _ = values(lambda net: net.dense.register_forward_pre_hook(lambda cell, inputs: (inputs[0] * 2,)))
    assert found == [12.0] * 5 + [24.0] * 5
    found, _ = values(lambda net: net.dense.register_backward_hook(lambda cell, inputs, outputs: (inputs[0] * 3,)))
    assert found == [12.0] * 5 + [36.0] * 5


@pytest.mark.parametrize(("change", "undo", "factor"), [
    (lambda: setattr(settings, "times", 2.0), lambda: setattr(settings, "times", 1.0), 2),
    (lambda: setattr(settings, "rate", 1.0), lambda: delattr(settings, "rate"), 2),
    (lambda: setattr(Settings, "rate", 1.0), lambda: setattr(Settings, "rate", 0.5), 4),
    (lambda: setattr(dictionary, "rate", 1.0), lambda: setattr(dictionary, "rate", 0.5), 2),
    (lambda: numbers.update(one=2.0), lambda: numbers.update(one=1.0), 2),
    (lambda: numbers["more"].__setitem__(1, 4.0), lambda: numbers["more"].__setitem__(1, 2.0), 2),
    (lambda: settings.sizes[1].append(3), lambda: settings.sizes[1].pop(), 3)])
def test_what_objects_lists_and_dicts_hold(change: Any, undo: Any, factor: int) -> None:
    net = net_of(reads_what_others_may_change)
    assert isinstance(proof_of(net), Proof), proof_of(net)
    first = 3 * 6 * 0.5 ** 3 * 2
    found, _ = values(lambda _: change(), undo, net)
    assert found == [first] * 5 + [first * factor] * 5


def test_a_closure() -> None:
    forward, change = purity_samples.closure()
    found, _ = values(lambda _: change(5.0), net=forward)
    assert found == [6.0] * 5 + [30.0] * 5


def test_a_layer_behind_a_function_is_told_apart_by_its_state() -> None:
    net = nn.SequentialCell(nn.Dense(3, 2, weight_init="ones", bias_init="zeros"), nn.Dropout(p=0.5))

    def forward(x: Any) -> Any:
        return net(x).sum()
    found, _ = values(lambda _: net.set_train(), net=forward)
    assert found[:5] == [6.0] * 5 and len(set(found)) > 1
    grad_of, before = ops.grad(forward), replays(forward)
    for mode in (True, False, True, False):  # both states are known: nothing is recorded anew
        net.set_train(mode)
        for _ in range(4):
            grad_of(Tensor(np.ones((1, 3), np.float32)))
    assert replays(forward) >= before + 12


def test_a_debugger_sees_every_call() -> None:
    lines: list[str] = []

    def tracer(frame: Any, event: str, arg: Any) -> None:
        if frame.f_code is Scaled.construct.__code__:
            lines.append(event)
    previous = sys.gettrace()
    found, net = values(lambda net: sys.settrace(tracer), lambda: sys.settrace(previous))
    assert found == [12.0] * 10 and len(lines) == 5 and replays(net) == 2


def test_debuggers_that_do_not_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_replay, "_monitoring", SimpleNamespace(get_tool=["pdb", None].__getitem__, DEBUGGER_ID=0))
    assert _replay._is_watched()


def test_a_list_among_the_arguments() -> None:
    net = net_of(appends_to_an_argument)
    outputs: list[Any] = []
    grad_of = ops.grad(Scaled())
    for _ in range(5):
        ops.grad(net)(Tensor([1.0, 2.0]), outputs)
        with pytest.raises((TypeError, ValueError)):
            grad_of([1.0])
    assert len(outputs) == 5


def test_keyword_arguments() -> None:
    net = Plain()
    grad_of = ops.value_and_grad(net, None, net.trainable_params())
    x = Tensor(np.ones((2, 3), np.float32))
    outputs = [[grad_of(x, scale=scale)[0].asnumpy() for _ in range(6)] for scale in (1.0, 2.0)]
    for first, second in zip(*outputs):
        np.testing.assert_allclose(first * 2, second, 1e-6)
    assert replays(net) == 6
