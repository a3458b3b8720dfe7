"""Tensors of 4 bits, and of hifloat8: what is given is what real MindSpore says of them on a CPU."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.common import _hifloat8
from mindspore_compat.common.initializer import initializer
from mindspore_compat.ops.auto_generate import WeightQuantBatchMatmul
from mindspore_compat.train.serialization import ckpt_to_safetensors, safetensors_to_ckpt

Q = ms.qint4x2
VALUES = np.array([[1, -2, 7, -8], [0, 15, -16, 100]], np.int8)


def held() -> Any:
    return Tensor(VALUES, dtype=Q)


@pytest.mark.parametrize(
    ("given", "values"),
    [
        (np.ones([2, 4]).astype(np.float16), np.ones((2, 4))),
        (VALUES, VALUES),
        ([1, 2], [1, 2]),
        (np.array([1, 100, -100, 200], np.int32), [1, 100, -100, -56]),
        (np.array([1, 2], np.uint8), [1, 2]),
        (np.array([True, False]), [1, 0]),
        (3, 3),
    ],
)
def test_one_is_made_of_numbers_and_arrays(given: Any, values: Any) -> None:
    made = Tensor(given, dtype=Q)
    assert made.dtype == Q and made.asnumpy().dtype == np.int8
    np.testing.assert_array_equal(made.asnumpy(), values)


def test_one_prints_and_counts_as_upstream() -> None:
    x = Tensor([[1, -2, 7, -8]], dtype=Q)
    assert repr(x) == "Tensor(shape=[1, 4], dtype=Int4, value=\n[[ 1, -2,  7, -8]])" and str(Q) == "Int4"
    assert (x.shape, x.size, x.itemsize, x.nbytes, x.ndim, len(x)) == ((1, 4), 4, 1, 4, 2, 1)
    parameter = Parameter(x, name="w")
    assert str(parameter) == "Parameter (name=w, shape=(1, 4), dtype=Int4, requires_grad=True)"


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: x + 1,
        lambda x: x == x,
        lambda x: x[0],
        lambda x: x.__setitem__(0, 1),
        lambda x: x.T,
        lambda x: x.reshape(4, 2),
        lambda x: x.sum(),
        lambda x: x.tolist(),
        lambda x: x.astype(ms.int8),
        lambda x: x.to(ms.float32),
        lambda x: x.set_dtype(ms.float32),
        lambda x: ops.cast(x, ms.float32),
        lambda x: ops.concat((x, x)),
        lambda x: ops.matmul(Tensor(np.ones((1, 2)), ms.int8), x),
        lambda x: Tensor(x, dtype=ms.int8),
        lambda x: Tensor(x.asnumpy()).astype(Q),
        lambda x: Tensor(Tensor([1.5, 2.0]), dtype=Q),
        lambda x: Parameter(x).set_data(Tensor(np.ones((2, 4)), ms.float32)),
        lambda x: Parameter(Tensor(np.ones((2, 4)), ms.float32)).set_data(x),
        lambda x: torch.abs(x),
        lambda x: nn.ReLU()(x),
    ],
)
def test_nothing_computes_with_one(compute: Any) -> None:
    with pytest.raises(TypeError, match=r"Unsupported data type!|must be torch.dtype"):
        compute(held())


@pytest.mark.parametrize(
    "copied",
    [
        copy.copy,
        copy.deepcopy,
        lambda x: pickle.loads(pickle.dumps(x)),
        lambda x: x.copy(),
        lambda x: torch.clone(x),
        lambda x: x.data,
        Tensor,
        Parameter,
        lambda x: copy.deepcopy(Parameter(x)),
        lambda x: Parameter(x).clone(),
        lambda x: pickle.loads(pickle.dumps(Parameter(x))),
        lambda x: Parameter(Tensor([[0] * 4] * 2, dtype=Q)).set_data(x),
        lambda x: Parameter(Tensor([[0] * 4] * 2, dtype=Q)).set_data(Tensor(VALUES)),
    ],
)
def test_a_copy_is_one(copied: Any) -> None:
    found = copied(held())
    assert found.dtype == Q
    np.testing.assert_array_equal(found.asnumpy(), VALUES)


def test_set_dtype_takes_the_bytes_for_others() -> None:
    x = held()
    assert x.set_dtype(ms.int8) is ms.int8 and (x + 1).dtype is ms.int8
    assert x.set_dtype(Q) == Q and x.dtype == Q
    np.testing.assert_array_equal(x.asnumpy(), VALUES)


def test_an_initializer_fills_one() -> None:
    made = Parameter(initializer("ones", (2, 2), Q))
    assert made.dtype == Q
    np.testing.assert_array_equal(made.asnumpy(), np.ones((2, 2)))


class Net(nn.Cell):
    def __init__(self, weight: Any) -> None:
        super().__init__()
        self.operator = WeightQuantBatchMatmul(False, False, 0)
        self.w = Parameter(weight)

    def construct(self, x: Any) -> Any:
        return self.operator(x, self.w, x)


def test_an_operator_of_ascend_is_held_but_not_called() -> None:
    net = Net(held())
    torch.nn.Module.to(net, torch.float64)
    assert net.w.dtype == Q
    with pytest.raises(NotImplementedError, match="WeightQuantBatchMatmul.*Only Ascend has it"):
        net(Tensor([1.0]))


# bytes that real MindSpore writes
CKPT = b"\n\x19\n\x01w\x12\x14\x08\x02\x08\x04\x12\x04Int4\x1a\x08\x01\xfe\x07\xf8\x00\x0f\xf0d"
SAFETENSORS = (
    b'h\x00\x00\x00\x00\x00\x00\x00{"__metadata__":{"format":"ms","w":"Int4"},"w":{"dtype":"I8","shape":[2,4],'
    b'"data_offsets":[0,8]}}       \x01\xfe\x07\xf8\x00\x0f\xf0d'
)


@pytest.mark.parametrize(("kind", "content"), [("ckpt", CKPT), ("safetensors", SAFETENSORS)])
def test_files_hold_what_upstreams_do(kind: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"x.{kind}"
    ms.save_checkpoint(Net(held()), str(path), format=kind)
    assert path.read_bytes() == content
    found = ms.load_checkpoint(str(path), format=kind)
    assert found["w"].dtype == Q
    np.testing.assert_array_equal(found["w"].asnumpy(), VALUES)
    ms.save_checkpoint(found, str(tmp_path / f"again.{kind}"), format=kind)
    assert (tmp_path / f"again.{kind}").read_bytes() == content


def test_files_are_converted_both_ways(tmp_path: Path) -> None:
    (tmp_path / "x.ckpt").write_bytes(CKPT)
    ckpt_to_safetensors(str(tmp_path / "x.ckpt"), str(tmp_path / "a"))
    assert (tmp_path / "a/x.safetensors").read_bytes() == SAFETENSORS
    safetensors_to_ckpt(str(tmp_path / "a/x.safetensors"), str(tmp_path / "b"))
    assert (tmp_path / "b/x.ckpt").read_bytes() == CKPT


@pytest.mark.parametrize("name", ["x.ckpt", "x.safetensors"])
def test_a_network_of_int8_takes_one_unless_strict(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(CKPT if name.endswith("ckpt") else SAFETENSORS)
    found = ms.load_checkpoint(str(tmp_path / name), format=name[2:])
    net = Net(Tensor(np.ones((2, 4)), ms.int8))
    with pytest.raises(RuntimeError, match="should have the same type as w .* type Int8 in .* type Int4 in"):
        ms.load_param_into_net(net, found, strict_load=True)
    ms.load_param_into_net(net, found)
    assert net.w.dtype is ms.int8
    np.testing.assert_array_equal(net.w.asnumpy(), VALUES)
    with pytest.raises(RuntimeError, match="type Float32 in .* type Int4 in"):
        ms.load_param_into_net(Net(Tensor(np.ones((2, 4)), ms.float32)), found)


def test_a_network_of_4_bits_takes_int8() -> None:
    net = Net(Tensor([[0] * 4] * 2, dtype=Q))
    ms.load_param_into_net(net, {"w": Parameter(Tensor(VALUES), name="w")})
    assert net.w.dtype == Q
    np.testing.assert_array_equal(net.w.asnumpy(), VALUES)


# --- hifloat8 ---------------------------------------------------------------------------------------------------------

H = ms.hifloat8
NUMBERS = [32768, 65535, 40000, -40000, np.nan, np.inf, 2.0**-22, 2.0**-23, 0.0, -0.0, 1, 1.1, 0.3, 100, 17, -3.3, 15.5]
CODES = b"no\x6f\xef\x80o\x01\x00\x00\x00\x08\x081J@\x95/"
HELD = "[32768, inf, inf, -inf, nan, inf, 2.38419e-07, 0, 0, 0, 1, 1, 0.28125, 96, 16, -3.25, 15]"


def test_hifloat8_is_rounded_as_upstream() -> None:
    x = Tensor(NUMBERS, dtype=H)
    assert x.dtype == H and x.get_bytes() == CODES and x.nbytes == len(NUMBERS)
    assert repr(x).replace(" ", "") == f"Tensor(shape=[17],dtype=HiFloat8,value={HELD})".replace(" ", "")
    np.testing.assert_allclose(x.asnumpy(), np.array(eval(HELD, {"inf": np.inf, "nan": np.nan}), np.float32), rtol=1e-5)
    assert Tensor(np.array(NUMBERS, np.float32), dtype=H).get_bytes() == CODES
    assert repr(Tensor(65535, H)) == "Tensor(shape=[], dtype=HiFloat8, value= inf)"


def test_every_number_of_hifloat8_is_itself() -> None:
    coded = np.array([code for code in range(256) if code not in (0x80,)], np.uint8)
    values = _hifloat8.values(coded)
    np.testing.assert_array_equal(_hifloat8.codes(values), coded)
    positive = np.sort(values[(values > 0) & np.isfinite(values)])
    assert len(positive) == 126 and positive[0] == 2.0**-22 and positive[-1] == 2.0**15
    np.testing.assert_array_equal(_hifloat8.values(_hifloat8.codes(np.nextafter(positive[1:], 0))), positive[:-1])


@pytest.mark.parametrize(
    "compute",
    [lambda x: x + 1, lambda x: x[0], lambda x: x.astype(ms.float32), lambda x: x.set_dtype(ms.uint8), ops.abs],
)
def test_nothing_computes_with_hifloat8(compute: Any) -> None:
    with pytest.raises(TypeError, match="Unsupported data type!"):
        compute(Tensor(NUMBERS, dtype=H))


def test_hifloat8_goes_through_a_checkpoint(tmp_path: Path) -> None:
    ms.save_checkpoint(Net(Tensor(NUMBERS, dtype=H)), str(tmp_path / "x.ckpt"))
    net = Net(Tensor(np.zeros(len(NUMBERS)), dtype=H))
    ms.load_param_into_net(net, ms.load_checkpoint(str(tmp_path / "x.ckpt")))
    assert net.w.dtype is H and net.w.get_bytes() == CODES
    with pytest.raises(RuntimeError, match="should have the same type as w"):
        ms.load_param_into_net(Net(Tensor(np.zeros(17, np.uint8))), ms.load_checkpoint(str(tmp_path / "x.ckpt")))
