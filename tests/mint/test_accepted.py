"""Arguments that upstream's functions take and torch's of the name do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, nn, ops
from mindspore_compat.ops import _mint_names, auto_generate
from mindspore_compat.ops.function import array_func, math_func, nn_func, random_func

X = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))


def test_integers_of_32_bits_are_labels_and_places() -> None:
    places = Tensor([2, 0], ms.int32)
    assert mint.nn.functional.one_hot(places, 3).asnumpy().tolist() == [[0, 0, 1], [1, 0, 0]]
    assert mint.take(X, places).asnumpy().tolist() == [2.0, 0.0]


def test_counts_as_a_list() -> None:
    for counts in ([1, 0, 2], (1, 0, 2)):
        found = mint.repeat_interleave(X, counts, 0)
        assert found.asnumpy().tolist() == [*X.asnumpy().tolist()[:1], *[X.asnumpy().tolist()[2]] * 2]


@pytest.mark.parametrize("axes", [2, 3])
def test_an_axis_keeps_its_size(axes: int) -> None:
    x = Tensor(np.arange(2 * 4**axes, dtype=np.float32).reshape(1, 2, *[4] * axes))
    function = getattr(mint.nn.functional, f"adaptive_avg_pool{axes}d")
    size: Any = (None, *[2] * (axes - 1))
    assert function(x, size).shape == (1, 2, 4, *[2] * (axes - 1))
    np.testing.assert_array_equal(function(x, size).asnumpy(), function(x, (4, *size[1:])).asnumpy())


def test_what_follows_a_size_in_parentheses_is_passed_over() -> None:
    assert mint.randn((2, 3), ms.float32).shape == mint.rand([2, 3], 7).shape == (2, 3)


def test_a_generator_for_a_method() -> None:
    first, second = (X.uniform(1.0, 2.0, ms.Generator().manual_seed(5)).asnumpy() for _ in range(2))
    assert first.min() >= 1.0 and first.max() < 2.0 and np.array_equal(first, second)


def test_a_generator_goes_back_to_its_sequence() -> None:
    generator = ms.Generator().manual_seed(5)
    state = generator.get_state()
    first = mint.rand(3, generator=generator)
    generator.seed()
    generator.set_state(state)
    assert generator.initial_seed() == 5
    assert np.array_equal(mint.rand(3, generator=generator).asnumpy(), first.asnumpy())


def test_a_cell_goes_to_a_device_by_mindspores_name() -> None:
    net = nn.Dense(2, 2)
    assert net.to(device="CPU", dtype=ms.float16) is net and net.weight.dtype is ms.float16
    assert net.to("CPU").to_empty(device="CPU").to_empty().weight.shape == (2, 2)
    with pytest.raises((ValueError, RuntimeError)):
        net.to("GPU:99")


def test_the_other_names_are_the_same_functions() -> None:
    files: dict[str, Any] = {
        "array_func": array_func,
        "gen_ops_def": auto_generate,
        "math_func": math_func,
        "nn_func": nn_func,
        "random_func": random_func,
    }
    for file, module in files.items():
        for name, target in _mint_names.kept_in(file).items():
            place, _, attribute = target.partition(":")
            room: Any = ms
            for part in place.split("."):
                room = getattr(room, part)
            assert getattr(module, name) is getattr(room, attribute), (file, name)
    assert math_func.acos_ext is auto_generate.acos_ext is mint.acos


def test_each_true_class_is_a_hit() -> None:
    true, sampled = Tensor([[1, 2], [0, 4], [3, 3]]), Tensor([0, 1, 2, 3, 4])
    rows, places, weights = ops.ComputeAccidentalHits(2)(true, sampled)
    assert rows.asnumpy().tolist() == [0, 0, 1, 1, 2, 2] and places.asnumpy().tolist() == [1, 2, 0, 4, 3, 3]
    assert set(weights.asnumpy().tolist()) == {float(np.finfo(np.float32).min)}
