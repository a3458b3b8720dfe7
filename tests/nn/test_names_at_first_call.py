"""Names of Parameters at the first call: those that occur twice become paths, as on real MindSpore 2.10."""

from pathlib import Path

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn


class _PutTogether(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.SequentialCell(), nn.SequentialCell()
        self.first.append(nn.Dense(2, 2, has_bias=False))
        for _ in range(2):
            self.second.append(nn.Dense(2, 2, has_bias=False))

    def construct(self, x: Tensor) -> Tensor:
        return self.second(self.first(x))


def _names(net: nn.Cell) -> list[str]:
    return [parameter.name for parameter in net.get_parameters()]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_names_that_occur_twice_become_paths_at_the_first_call(mode: int) -> None:
    """Cells put together with `append` have the names of their parts until then."""
    x = Tensor(np.ones((1, 2), np.float32))
    ms.set_context(mode=mode)
    net = _PutTogether()
    assert _names(net) == ["0.weight", "0.weight", "1.weight"]
    net.second(x)  # in which no name occurs twice
    assert _names(net) == ["0.weight", "0.weight", "1.weight"]
    net(x)
    assert _names(net) == ["first.0.weight", "second.0.weight", "second.1.weight"]
    for parameter in net.get_parameters():
        parameter.name = "same"
    net(x)  # the first call was before
    assert _names(net) == ["same"] * 3

    whole = nn.WithLossCell(_PutTogether(), nn.MSELoss())
    whole(x, x)
    assert _names(whole)[0] == "_backbone.first.0.weight"


def test_names_that_differ_are_kept_at_the_first_call() -> None:
    net = _PutTogether()
    for parameter, name in zip(net.get_parameters(), "abc"):
        parameter.name = name
    net(Tensor(np.ones((1, 2), np.float32)))
    assert _names(net) == ["a", "b", "c"]


def test_a_checkpoint_after_a_call_holds_every_parameter(tmp_path: Path) -> None:
    net = _PutTogether()
    net(Tensor(np.ones((1, 2), np.float32)))
    ms.save_checkpoint(net, str(tmp_path / "net.ckpt"))
    assert list(ms.load_checkpoint(str(tmp_path / "net.ckpt"))) == _names(net)
