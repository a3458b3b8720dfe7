"""What a Cell's own ``bprop`` may return, in both modes; the expected outcomes are real MindSpore 2.10's."""

import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops

FEW = RuntimeError, "must match the number of parameters in its corresponding primal function"
NO_SHAPE = RuntimeError, "grad tensor should be broadcast to expected shape"

#: what bprop returns -> (of a Cell with two inputs, of one with one input)
RETURNS = {
    "dout": (FEW, [[1, 1]]),
    "(dout,)": (FEW, [[1, 1]]),
    "(dout, dout, dout)": ([[1, 1], [1, 1]], [[1, 1]]),
    "[dout, dout]": ([[1, 1], [1, 1]], [[1, 1]]),
    "(dout, None)": ([[1, 1], [0, 0]], [[1, 1]]),
    "(dout, 1.0)": (NO_SHAPE, [[1, 1]]),
    "(dout, True)": (NO_SHAPE, [[1, 1]]),
    "1.0": (FEW, NO_SHAPE),
    "(dout, out * 2)": ([[1, 1], [6, 16]], [[1, 1]]),
    "(dout, (dout,))": ([[1, 1], [1, 1]], [[1, 1]]),
    "ops.stack([dout, dout])": (FEW, [[2, 2]]),
    "{'a': dout}": ((TypeError, "dict"), (TypeError, "dict")),
    "None": ((TypeError, "NoneType"), (TypeError, "NoneType")),
    "()": (FEW, FEW),
}


def cells(text: str) -> tuple[nn.Cell, nn.Cell]:
    give = eval(f"lambda out, dout: {text}", {"ops": ops})

    class Two(nn.Cell):
        def construct(self, x, y):
            return x * y

        def bprop(self, x, y, out, dout):
            return give(out, dout)

    class One(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return give(out, dout)

    return Two(), One()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("text", RETURNS)
def test_what_bprop_may_return(text: str, mode: int) -> None:
    ms.set_context(mode=mode)
    inputs = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    for cell, wanted in zip(cells(text), RETURNS[text]):
        differentiate = ops.GradOperation(get_all=True)(cell)
        given = inputs[: 2 if type(cell).__name__ == "Two" else 1]
        if isinstance(wanted, list):
            assert [gradient.asnumpy().tolist() for gradient in differentiate(*given)] == wanted
        else:
            with pytest.raises(wanted[0], match=wanted[1]):
                differentiate(*given)


class OfATuple(nn.Cell):
    def construct(self, pair, y):
        return pair[0] * pair[1] * y

    def bprop(self, pair, y, out, dout):
        return (dout * 2, dout * 3), dout * 4


class OfAList(nn.Cell):
    def construct(self, pair, y):
        return pair[0] * pair[1] * y

    def bprop(self, pair, y, out, dout):
        return [dout * 2, dout * 3], dout * 4


class OfADict(nn.Cell):
    def construct(self, pair, y):
        return pair["a"] * pair["b"] * y

    def bprop(self, pair, y, out, dout):
        return {"a": dout * 2, "b": dout * 3}, dout * 4


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("kind", [OfATuple, OfAList, OfADict])
def test_inputs_within_others_get_their_gradients(kind: type, mode: int) -> None:
    """Oracle: 2, 3 and 4 for the tuple in GRAPH_MODE; they were 0, 0 and 4 here once."""
    ms.set_context(mode=mode)
    cell = kind()
    pack = {OfATuple: lambda a, b: (a, b), OfAList: lambda a, b: [a, b], OfADict: lambda a, b: {"a": a, "b": b}}[kind]

    def loss(a, b, y):
        return cell(pack(a * 1.0, b * 1.0), y)

    found = ops.grad(loss, (0, 1, 2))(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([5.0, 6.0]))
    assert [gradient.asnumpy().tolist() for gradient in found] == [[2, 2], [3, 3], [4, 4]]


def test_too_few_gradients_of_a_tuple_are_refused() -> None:
    class Short(OfATuple):
        def bprop(self, pair, y, out, dout):
            return (dout, dout, dout), dout

    cell = Short()
    with pytest.raises(RuntimeError):
        ops.grad(lambda a, b: cell((a, b), b))(Tensor([1.0]), Tensor([3.0]))


def test_a_number_is_the_gradient_of_a_scalar() -> None:
    class Own(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return (7.0,)

    found = ops.grad(Own())(Tensor(3.0))
    assert found.asnumpy() == 7 and found.shape == () and isinstance(found, torch.Tensor)
