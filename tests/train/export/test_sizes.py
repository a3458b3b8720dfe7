"""Open sizes and large files of MINDIR, loops, recurrent layers: what the cases of test_hard.py do not say."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Symbol, Tensor, nn, ops
from mindspore_compat.train._export._sizes import Expression, fit
from tests.support.oracle import run_oracle
from tests.train.export.nets import Function


def mutual(net: Any, *inputs: Any, folder: Path) -> Any:
    ms.export(net, *inputs, file_name=str(folder / "net"), file_format="MINDIR")
    return nn.GraphCell(ms.load(str(folder / "net.mindir")))


def randn(*shape: int) -> Tensor:
    return Tensor(np.random.RandomState(0).randn(*shape).astype(np.float32))


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([12, 14, 16, 26], Expression((0,), 2)),
        ([5, 6, 7, 12], Expression((0,), 1, -1)),
        ([66, 91, 168, 156], Expression((0, 1))),
        ([4, 4, 5, 7], Expression((0,), 1, 2, 2)),
        ([1, 2, 3, 5], None),
        ([6, 7, 8, 14], None),
    ],
)
def test_numbers_are_expressions_of_sizes_or_nothing(values: list[int], wanted: Any) -> None:
    assert fit(values, [{0: 6, 1: 11}, {0: 7, 1: 13}, {0: 8, 1: 21}, {0: 13, 1: 12}]) == wanted


def test_set_inputs_says_which_sizes_are_open(tmp_path: Path) -> None:
    net = nn.Dense(3, 2)
    net.set_inputs(Tensor(shape=[None, 3], dtype=ms.float32))
    graph = mutual(net, randn(2, 3), folder=tmp_path)
    np.testing.assert_allclose(graph(randn(7, 3)).asnumpy(), net(randn(7, 3)).asnumpy(), rtol=1e-6)
    with pytest.raises(ValueError):
        ms.export(net, randn(2, 3), randn(2, 3), file_name=str(tmp_path / "other"), file_format="MINDIR")


@pytest.mark.parametrize("limit", [1, 2, 4, 30, 200, 1000, 70_000])
def test_an_if_on_a_size_is_noticed(limit: int, tmp_path: Path) -> None:
    class Net(nn.Cell):
        def construct(self, x: Any) -> Any:
            return x * 2 if x.shape[0] * 2 > 2 * limit else x

    with pytest.raises(NotImplementedError):
        ms.export(
            Net(), Tensor(shape=[None, 3], dtype=ms.float32), file_name=str(tmp_path / "net"), file_format="MINDIR"
        )
    assert not list(tmp_path.iterdir())


def test_what_the_sizes_may_be_is_a_way_around(tmp_path: Path) -> None:
    net = nn.SequentialCell(nn.Conv2d(1, 2, 3, 2), nn.ReLU())
    graph = mutual(
        net, Tensor(shape=[None, 1, Symbol(divisor=2), Symbol(divisor=2)], dtype=ms.float32), folder=tmp_path
    )
    np.testing.assert_allclose(
        graph(randn(3, 1, 10, 12)).asnumpy(), net(randn(3, 1, 10, 12)).asnumpy(), rtol=1e-5, atol=1e-6
    )


def test_a_causal_mask_of_open_length(tmp_path: Path) -> None:
    net = Function(
        lambda x: ops.softmax(
            ops.matmul(x, x.swapaxes(1, 2)) + (1 - ops.tril(ops.ones((x.shape[1], x.shape[1]), ms.float32))) * -1e4, -1
        )
    )
    graph = mutual(net, Tensor(shape=[None, None, 4], dtype=ms.float32), folder=tmp_path)
    for length in (1, 2, 9, 33):
        np.testing.assert_allclose(
            graph(randn(2, length, 4)).asnumpy(), net(randn(2, length, 4)).asnumpy(), rtol=1e-5, atol=1e-6
        )


@pytest.mark.parametrize(
    "make", [lambda: nn.LSTM(3, 2), lambda: nn.GRU(3, 2, bidirectional=True), lambda: nn.RNN(3, 2, nonlinearity="relu")]
)
def test_the_size_of_a_file_does_not_grow_with_the_sequence(make: Any, tmp_path: Path) -> None:
    net, sizes = make(), []
    for steps in (3, 300):
        graph = mutual(net, randn(steps, 2, 3), folder=tmp_path)
        sizes.append((tmp_path / "net.mindir").stat().st_size)
        for one, other in zip(_leaves(graph(randn(steps, 2, 3))), _leaves(net(randn(steps, 2, 3)))):
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)
    assert sizes[1] < sizes[0] + 3000, (
        sizes
    )  # the gates of GRU are computed for all steps at once, and zeros for the outputs are contents
    graph = mutual(net, Tensor(shape=[None, None, 3], dtype=ms.float32), folder=tmp_path)
    for steps in (1, 17):
        for one, other in zip(_leaves(graph(randn(steps, 4, 3))), _leaves(net(randn(steps, 4, 3)))):
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)


def _leaves(item: Any) -> list[Any]:
    return [leaf for part in item for leaf in _leaves(part)] if isinstance(item, (tuple, list)) else [item]


def test_the_derivative_of_a_recurrent_layer_is_right(tmp_path: Path) -> None:
    class Slope(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.net, self.slope = nn.LSTM(3, 2), ops.GradOperation()

        def construct(self, x: Any) -> Any:
            return self.slope(lambda y: self.net(y)[0].sum())(x)

    net, x = Slope(), randn(4, 2, 3)
    np.testing.assert_allclose(mutual(net, x, folder=tmp_path)(x).asnumpy(), net(x).asnumpy(), rtol=1e-5, atol=1e-6)


# --- control flow -----------------------------------------------------------------------------------------------------


def test_a_number_that_counts_rounds_and_a_tensor_that_is_written_to(tmp_path: Path) -> None:
    class Net(nn.Cell):
        def construct(self, x: Any, n: Any) -> Any:
            i, rows = 0, x * 0
            while i < n:
                rows[i] = x[i] * (i + 1)
                i += 1
            return rows, i * 2

    net = Net()
    graph = mutual(net, randn(4, 3), Tensor(2, ms.int64), folder=tmp_path)
    for rounds in (0, 1, 4):
        found, wanted = graph(randn(4, 3), Tensor(rounds, ms.int64)), net(randn(4, 3), Tensor(rounds, ms.int64))
        np.testing.assert_allclose(found[0].asnumpy(), wanted[0].asnumpy(), rtol=1e-6)
        assert int(found[1]) == int(wanted[1])


def test_loops_in_loops_and_cells_of_their_own(tmp_path: Path) -> None:
    class Inner(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.scale = Parameter(Tensor(1.5), name="scale")

        def construct(self, x: Any) -> Any:
            while x.sum() < 10:
                x = x + self.scale
            return x

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Inner()

        def construct(self, x: Any, n: Any) -> Any:
            while n > 0:
                k = n * 1
                while k > 0:
                    x = x + 1
                    k = k - 1
                x = self.inner(x - 9)
                n = n - 1
            return x

    net = Net()
    graph = mutual(net, randn(2, 2), Tensor(2, ms.int32), folder=tmp_path)
    for rounds in (0, 1, 3):
        wanted = net(randn(2, 2), Tensor(rounds, ms.int32)).asnumpy()
        np.testing.assert_allclose(graph(randn(2, 2), Tensor(rounds, ms.int32)).asnumpy(), wanted, rtol=1e-5)
    assert "construct" not in net.__dict__ and "construct" not in net.inner.__dict__


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("x = ops.concat((x, x))", "after it; both have to be the same"),
        ("x = x.astype(ms.float16)", "both have to be the same"),
        ("names = [*names, 1]", "changes the form of its values"),
        ("y[0] = 1.0", None),
    ],
)
def test_loops_that_no_file_holds(body: str, text: str | None, tmp_path: Path) -> None:
    module = tmp_path / "loops.py"
    module.write_text(
        "import mindspore_compat as ms\nfrom mindspore_compat import nn, ops\n\n\nclass Net(nn.Cell):\n"
        "    def construct(self, x, n):\n        names, y = [], x * 1\n        while n > 0:\n"
        f"            n = n - 1\n            {body}\n        return x + y[:1].sum()\n"
    )
    names: dict[str, Any] = {}
    exec(compile(module.read_text(), str(module), "exec"), names)
    import linecache

    linecache.checkcache(str(module))
    net = names["Net"]()
    if text is None:
        return
    with pytest.raises(NotImplementedError):
        ms.export(net, randn(2, 3), Tensor(3, ms.int32), file_name=str(tmp_path / "net"), file_format="MINDIR")


def test_a_break_by_values_in_an_endless_loop(tmp_path: Path) -> None:
    class Net(nn.Cell):
        def construct(self, x: Any) -> Any:
            while True:
                x = x + 1
                if x.sum() > 100:
                    break
            return x

    with pytest.raises(NotImplementedError):
        ms.export(Net(), randn(2, 3), file_name=str(tmp_path / "net"), file_format="MINDIR")


def test_an_error_behind_a_decision_is_told(tmp_path: Path) -> None:
    class Net(nn.Cell):
        def construct(self, x: Any) -> Any:
            if x.sum() > 1e9:
                raise ValueError("too large")
            return x

    with pytest.raises(NotImplementedError):
        ms.export(Net(), randn(2, 3), file_name=str(tmp_path / "net"), file_format="MINDIR")


def test_dropout_in_training_draws_at_each_run(tmp_path: Path) -> None:
    graph = mutual(nn.Dropout(p=0.5).set_train(), Tensor(np.ones((40, 40), np.float32)), folder=tmp_path)
    one, other = (
        graph(Tensor(np.ones((40, 40), np.float32))).asnumpy(),
        graph(Tensor(np.ones((40, 40), np.float32))).asnumpy(),
    )
    assert set(np.unique(one)) == {0, 2} and (one != other).any() and 0.4 < one.mean() / 2 < 0.6


# --- large files ------------------------------------------------------------------------------------------------------


def test_contents_of_a_large_network_lie_in_a_file_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ms.train.serialization, "TOTAL_SAVE", 0)
    net = nn.SequentialCell(nn.Dense(3, 5), nn.Dense(5, 2))
    for _ in range(2):  # the second replaces the first
        ms.export(net, randn(2, 3), file_name=str(tmp_path / "big"), file_format="MINDIR")
    assert sorted(os.listdir(tmp_path)) == ["big_graph.mindir", "big_variables"] and os.listdir(
        tmp_path / "big_variables"
    ) == ["data_0"]
    assert (
        stat.S_IMODE((tmp_path / "big_graph.mindir").stat().st_mode)
        == stat.S_IMODE((tmp_path / "big_variables/data_0").stat().st_mode)
        == 0o400
    )
    assert (tmp_path / "big_variables/data_0").stat().st_size == 64 * 5
    graph = nn.GraphCell(ms.load(str(tmp_path / "big_graph.mindir")))
    np.testing.assert_array_equal(graph(randn(2, 3)).asnumpy(), net(randn(2, 3)).asnumpy())


@pytest.mark.parametrize(("kib", "files"), [(129 / 1024, 2), (10, 1)])
@pytest.mark.parametrize("encryption", [{}, {"key": b"0" * 16}, {"key": b"0" * 32, "mode": "AES-CBC"}], ids=str)
def test_contents_are_cut_into_files_and_encrypted(
    kib: float, files: int, encryption: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if encryption:
        pytest.importorskip("cryptography")
    monkeypatch.setattr(ms.train.serialization, "TOTAL_SAVE", 0)
    monkeypatch.setattr(ms.train.serialization, "PARAMETER_SPLIT_SIZE", kib)
    net = nn.Dense(3, 5)
    options = {f"enc_{name}": value for name, value in encryption.items()}
    ms.export(net, randn(2, 3), file_name=str(tmp_path / "net.mindir"), file_format="MINDIR", **options)
    contents = [path.read_bytes() for path in sorted((tmp_path / "net_variables").iterdir())]
    assert len(contents) == files
    weights = net.weight.asnumpy().tobytes(), net.bias.asnumpy().tobytes()
    assert any(weight in content for weight in weights for content in contents) is not bool(encryption)
    options = {f"dec_{name}": value for name, value in encryption.items()}
    graph = nn.GraphCell(ms.load(str(tmp_path / "net_graph.mindir"), **options))
    np.testing.assert_array_equal(graph(randn(2, 3)).asnumpy(), net(randn(2, 3)).asnumpy())


def test_a_parameter_larger_than_any_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ms.train.serialization, "TOTAL_SAVE", 0)
    monkeypatch.setattr(ms.train.serialization, "PARAMETER_SPLIT_SIZE", 0)
    with pytest.raises(RuntimeError):
        ms.export(nn.Dense(3, 5), randn(2, 3), file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert not list(tmp_path.rglob("*data*")) and not list(tmp_path.glob("*.mindir"))


@pytest.mark.oracle
@pytest.mark.parametrize("options", [{}, {"key": b"0" * 16}], ids=str)
def test_real_mindspore_loads_our_large_network(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if options:
        pytest.importorskip("cryptography")
    monkeypatch.setattr(ms.train.serialization, "TOTAL_SAVE", 0)
    net = nn.SequentialCell(nn.Dense(3, 5), nn.Dense(5, 2))
    given = {f"enc_{name}": value for name, value in options.items()}
    ms.export(net, Tensor(np.ones((2, 3), np.float32)), file_name=str(tmp_path / "big"), file_format="MINDIR", **given)
    found = run_oracle(
        """
import sys, numpy as np, mindspore as ms
options = {"dec_key": sys.argv[2].encode()} if sys.argv[2] else {}
give(ms.nn.GraphCell(ms.load(f"{sys.argv[1]}/big_graph.mindir", **options))(ms.Tensor(np.ones((2, 3), np.float32))).asnumpy().tolist())
""",
        str(tmp_path),
        options.get("key", b"").decode(),
    )
    np.testing.assert_allclose(found, net(Tensor(np.ones((2, 3), np.float32))).asnumpy(), atol=1e-6)
