"""Operators with seeds draw real MindSpore's numbers on a CPU, and what captures them repeats that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from tests.support.oracle import run_oracle
from tests.support.processes import run_command

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "ops" / "drawing_program.py"
GOLDEN: dict[str, dict[str, Any]] = json.loads((ROOT / "tests" / "golden" / "draws.json").read_text())

pytestmark = pytest.mark.cpu_only("upstream's engines draw on a CPU only")


@pytest.fixture
def seeded() -> Iterator[None]:
    ms.set_seed(7)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def flat(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in flat(item)] if isinstance(value, list) else [value]


def drawn(mode: str, folder: Path) -> dict[str, Any]:
    done = run_command(str(PROGRAM), mode, "draws.json", cwd=folder)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads((folder / "draws.json").read_text())


@pytest.fixture(scope="module", params=["0", "1"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, dict]:
    folder = tmp_path_factory.mktemp("draws")
    return drawn(request.param, folder), GOLDEN[request.param]


@pytest.mark.parametrize("case", GOLDEN["0"])
def test_the_numbers_are_upstreams(both: tuple[dict, dict], case: str) -> None:
    ours, expected = both
    np.testing.assert_allclose(flat(ours[case]), flat(expected[case]), 1e-5, 1e-6)


@pytest.mark.oracle
def test_the_numbers_are_still_those_of_real_mindspore(tmp_path: Path) -> None:
    code = f"import runpy; runpy.run_path({str(PROGRAM)!r}, run_name='__main__')"  # MindSpore compiles files only
    run_oracle(code, "0", "draws.json", cwd=tmp_path)
    found = json.loads((tmp_path / "draws.json").read_text())
    for case, expected in GOLDEN["0"].items():
        np.testing.assert_allclose(flat(found[case]), flat(expected), 1e-5, 1e-6, err_msg=case)


class Classes(nn.Cell):
    """Draws classes, as actors of reinforcement learning do."""

    def __init__(self, seed: int | None) -> None:
        super().__init__()
        self.draw = nn.probability.distribution.Categorical(seed=seed)

    def construct(self, probabilities: Any) -> Any:
        return self.draw.sample((6,), probabilities)


@pytest.mark.parametrize("is_training", [False, True])
@pytest.mark.parametrize(
    ("seed", "expected"),  # real MindSpore's
    [
        (None, [[1, 3, 3, 2, 3, 3], [2, 1, 3, 3, 2, 3], [3, 3, 3, 3, 2, 2]]),
        (1, [[1, 3, 1, 1, 3, 2], [3, 2, 1, 2, 3, 1], [3, 1, 2, 3, 3, 2]]),
    ],
)
def test_calls_of_a_cell_in_graph_mode_draw_from_one_graph(
    seed: int | None, expected: list[list[int]], is_training: bool
) -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(3)
    net = Classes(seed).set_train(is_training)
    probabilities = Tensor([[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1]])
    assert [net(probabilities).asnumpy()[:, 0].tolist() for _ in expected] == expected


class Noise(nn.Cell):
    """Numbers of functions and operators, of each engine."""

    def __init__(self) -> None:
        super().__init__()
        self.real = ops.UniformReal(4, 5)

    def construct(self, x: Any) -> Any:
        x = x * (ops.rand(*x.shape) + ops.randn(*x.shape)) + ops.dropout(x, 0.5)
        return x * self.real(x.shape) * ops.randint(1, 9, x.shape).astype(ms.float32)


def network() -> Any:
    ms.set_seed(3)
    dense = nn.Dense(6, 6, weight_init="ones")
    block = nn.SequentialCell(nn.Dropout(p=0.5), nn.Dense(6, 6, weight_init="ones"), Noise(), nn.Dropout(p=0.5))
    return nn.SequentialCell(dense, block, nn.Dense(6, 1, weight_init="ones")).set_train(), block


def steps(net: Any, count: int = 8) -> list[float]:
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 1e-4)).set_train()
    return [float(step(Tensor(np.ones((3, 6), np.float32))).sum()) for _ in range(count)]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_recomputed_block_draws_in_the_backward_pass_what_it_drew_before(mode: int, seeded: None) -> None:
    ms.set_context(mode=mode)
    expected = steps(network()[0])
    net, block = network()
    block.recompute()
    net.recompute()  # one around the other
    np.testing.assert_allclose(steps(net), expected, 1e-6)


def test_replays_draw_as_python_does(seeded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    replayed = steps(network()[0])
    monkeypatch.setenv("MINDSPORE_COMPAT_REPLAY", "check")
    assert steps(network()[0]) == replayed
    monkeypatch.setenv("MINDSPORE_COMPAT_REPLAY", "off")
    np.testing.assert_allclose(steps(network()[0]), replayed, 1e-6)


def test_a_copied_layer_begins_anew_as_upstreams(seeded: None) -> None:
    import copy

    layer = nn.Dropout(p=0.5).set_train()
    x = Tensor(np.ones(50, np.float32))
    first = layer(x).asnumpy()
    second = layer(x).asnumpy()
    other = copy.deepcopy(layer)
    np.testing.assert_array_equal(other(x).asnumpy(), first)
    assert not np.array_equal(first, second)


def test_without_a_seed_torch_draws() -> None:
    made = []
    for _ in range(2):
        torch.manual_seed(5)
        made.append(ops.dropout(Tensor(np.ones(50, np.float32)), 0.5).asnumpy())
    np.testing.assert_array_equal(*made)


def test_a_vmap_and_an_export_draw_by_torch(seeded: None) -> None:
    x = Tensor(np.ones((4, 50), np.float32))
    assert tuple(ops.vmap(lambda row: ops.dropout(row, 0.5))(x).shape) == (4, 50)
    exported = torch.export.export(nn.Dropout(p=0.5).set_train(), (torch.ones(4, 5),), strict=False)
    assert "dropout" in str(exported.graph) or "bernoulli" in str(exported.graph)


def test_a_vmap_of_multinomial_draws_for_all_rows_at_once(seeded: None) -> None:
    weights = Tensor(np.array([[0.5, 0.5, 0.1], [0.2, 0.5, 0.4], [0.1, 0.1, 3.0]], np.float32))
    whole = ops.Multinomial(seed=5, seed2=6)(weights, 9)
    mapped = ops.vmap(lambda row: ops.Multinomial(seed=5, seed2=6)(row, 9))(weights)
    np.testing.assert_array_equal(mapped.asnumpy(), whole.asnumpy())


def test_a_forward_between_steps_leaves_their_numbers_alone(seeded: None) -> None:
    """Real MindSpore 2.10 goes on drawing where the step before ended; ours took the step after for another graph."""
    ms.set_context(mode=ms.GRAPH_MODE)

    def losses(evaluates: bool) -> list[float]:
        ms.set_seed(3)
        net = nn.SequentialCell(nn.Dense(6, 40, weight_init="ones"), nn.Dropout(p=0.5), nn.Dense(40, 1))
        step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 1e-4))
        x, found = Tensor(np.ones((3, 6), np.float32)), []
        for _ in range(8):
            step.set_train(True)
            found.append(float(step(x).sum()))
            if evaluates:
                net.set_train(False)(x)
        return found

    np.testing.assert_allclose(losses(True), losses(False), 1e-6)
