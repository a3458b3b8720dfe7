"""Where the values of a Tensor lie: in a file, or nowhere; hooks by their handles."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops


@pytest.mark.cpu_only("a Tensor in a file is in host memory")
@pytest.mark.parametrize("kind", [np.float32, np.int64, np.float16, np.bool_])
def test_offloaded_values_are_the_files(tmp_path: Path, kind: type) -> None:
    values = (np.arange(12).reshape(3, 4) % 3).astype(kind)
    x, path = Tensor(values), tmp_path / "x.bin"
    assert x.offload_file_path() == ""
    assert x.offload(str(path)) is True
    assert path.read_bytes() == values.tobytes() and x.offload_file_path() == str(path)
    assert np.array_equal(x.asnumpy(), values) and np.array_equal((x == x[0]).asnumpy(), values == values[0])
    x[0] = 1
    assert path.read_bytes() == values.tobytes() and x.asnumpy()[0].all()


@pytest.mark.cpu_only("a Tensor in a file is in host memory")
def test_offloaded_bfloat16_and_transposed(tmp_path: Path) -> None:
    x = Tensor(np.arange(6.0).reshape(2, 3), ms.bfloat16).T
    x.offload(str(tmp_path / "x"))
    assert x.astype(ms.float32).asnumpy().tolist() == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.cpu_only("a Tensor in a file is in host memory")
def test_offloaded_parameter_trains(tmp_path: Path) -> None:
    net = nn.Dense(3, 2, weight_init="ones")
    net.weight.offload(str(tmp_path / "w"))
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    step(ops.ones((1, 3)))
    assert np.allclose(net.weight.asnumpy(), 0.9)


@pytest.mark.cpu_only("a Tensor in a file is in host memory")
def test_offload_refuses(tmp_path: Path) -> None:
    x = Tensor([1.0])
    with pytest.raises(OSError, match="nowhere"):
        x.offload(str(tmp_path / "nowhere" / "x"))
    assert x.asnumpy().tolist() == [1]


def test_deleted_values_are_zeros_until_new_ones_come() -> None:
    x = Tensor([1, 2, 3, 4])
    assert x.delete_() is x
    assert x.asnumpy().tolist() == [0, 0, 0, 0] and x.dtype == ms.int64 and x.shape == (4,)
    assert x.untyped_storage().nbytes() == 8
    x.data = Tensor([5, 6, 7, 8])
    assert x.asnumpy().tolist() == [5, 6, 7, 8]


def test_hooks_by_their_handles() -> None:
    def double(gradient: Tensor) -> Tensor:
        return gradient * 2

    def triple(gradient: Tensor) -> Tensor:
        return gradient * 3

    parameter = Parameter(Tensor(1.0), name="p")
    first, _ = parameter.register_hook(double), parameter.register_hook(triple)
    assert parameter.hooks() == [double, triple]
    net = ms.grad(lambda x: parameter * x, None, [parameter])
    assert float(net(Tensor(1.0))[0]) == 6
    parameter.remove_hook(first.id)
    parameter.remove_hook(77)
    assert parameter.hooks() == [triple] and float(net(Tensor(1.0))[0]) == 3


def test_a_deep_copy_of_a_tensor_is_its_own() -> None:
    x = Tensor(np.ones((2, 2), np.float32))
    copies = copy.deepcopy({"x": x, "again": x})
    copies["x"][0] = 5
    x[1] = 7
    assert copies["again"] is copies["x"]
    assert x.asnumpy().tolist() == [[1, 1], [7, 7]]
    assert copies["x"].asnumpy().tolist() == [[5, 5], [1, 1]]


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.float64])
@pytest.mark.parametrize("shape", [(), (3,), (0, 3), (2, 0, 3), (3, 1, 2), (2, 3, 4)])
def test_strides_are_those_of_the_shape_in_order(shape: tuple[int, ...], dtype: type) -> None:
    """Of views too: MindNLP's Longformer gathers at indices that it makes of them, from x.reshape(-1)."""
    x = Tensor(np.zeros(shape, dtype))
    views = (x[..., 0], x.swapaxes(0, -1), x.expand_dims(0).broadcast_to((2, *shape))) if shape and x.size else ()
    for view in (x, *((x.T, *views) if shape else ())):
        item, sizes = np.dtype(dtype).itemsize, view.shape
        assert view.strides == tuple(int(np.prod(sizes[axis + 1 :])) * item for axis in range(len(sizes)))
