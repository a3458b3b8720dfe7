"""Boxes, regions and images that do not fit are refused; regions of ROIAlign at its edges (numbers of real 2.10)."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

IMAGES = Tensor(np.random.RandomState(0).rand(4, 1, 12, 12).astype(np.float32))


def zeros(*shape: int) -> Tensor:
    return Tensor(np.zeros(shape, np.float32))


def region(image: float, low: float, high: float) -> Tensor:
    return Tensor([[image, low, low - 0.1, high, high - 0.1]], ms.float32)


CALLS = {
    "IOU, rank": lambda: ops.IOU()(zeros(1, 3, 4), zeros(1, 3, 4)),
    "crop, boxes": lambda: ops.CropAndResize()(zeros(2, 8, 8, 3), zeros(2, 4), Tensor([0], ms.int32), (4, 4)),
    "crop, image -1": lambda: ops.CropAndResize()(zeros(2, 8, 8, 3), zeros(1, 4), Tensor([-1], ms.int32), (4, 4)),
    "crop, image 2": lambda: ops.crop_and_resize(zeros(2, 8, 8, 3), zeros(1, 4), Tensor([2], ms.int32), (4, 4)),
    "crop, size": lambda: ops.crop_and_resize(zeros(2, 8, 8, 3), zeros(1, 4), Tensor([0], ms.int32), (4, 4, 4)),
    "ROIAlign, columns": lambda: ops.ROIAlign(2, 2, 0.5)(IMAGES, zeros(2, 16)),
    "ROIAlign, rank": lambda: ops.ROIAlign(2, 2, 0.5)(IMAGES, zeros(1, 2, 5)),
}


@pytest.mark.parametrize("call", CALLS)
def test_shapes_that_do_not_fit_are_refused(call: str) -> None:
    with pytest.raises(ValueError):
        CALLS[call]()


@pytest.mark.parametrize("image", [-1, -0.0001, 3.2, 4])
def test_regions_of_no_image_are_refused(image: float) -> None:
    with pytest.raises(ValueError):
        ops.ROIAlign(1, 1, 0.5)(IMAGES, region(image, 1, 6))


@pytest.mark.parametrize(("image", "nearest"), [(0.49, 0), (0.5, 1), (1.5, 2), (2.9, 3)])
def test_a_region_is_of_the_nearest_image(image: float, nearest: int) -> None:
    align = ops.ROIAlign(2, 2, 0.5)
    found, expected = (align(IMAGES, region(item, 1, 6)).asnumpy() for item in (image, nearest))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("side", "end_mode", "expected"),
    [
        (1, 0, [np.nan, np.nan]),
        (3, 0, [0.7180, 0.4650]),
        (7, 0, [0.4699, 0.4408]),
        (3, 1, [0.5357, 0.4728]),
        (10, 1, [0.4857, 0.5048]),
    ],
)
def test_without_a_number_of_samples_they_are_the_whole_pixels(side: int, end_mode: int, expected: list) -> None:
    found = ops.ROIAlign(1, 2, 1.0, 0, end_mode)(IMAGES, region(0, 0.3, 0.3 + side)).asnumpy().ravel()
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_a_region_that_ends_before_it_begins_is_sampled_backwards() -> None:
    regions = Tensor([[0, 5, 5, 2, 2]], ms.float32)
    found = ops.ROIAlign(2, 2, 1.0, 2, 1)(IMAGES, regions).asnumpy().ravel()
    np.testing.assert_allclose(found, [0.4139, 0.4404, 0.4717, 0.6171], atol=1e-4)
    np.testing.assert_array_equal(ops.ROIAlign(2, 2, 1.0, 0, 1)(IMAGES, regions).asnumpy(), 0)


def test_bilinear_v2_reads_nothing_beside_the_box() -> None:
    x = Tensor(np.arange(40).reshape(1, 4, 5, 2).astype(np.float32))
    boxes = Tensor([[0.3, 0.3, 0.7, 0.7], [0.2, 0.8, 0.9, 0.1]], ms.float32)  # the second ends before it begins
    found = ops.CropAndResize("bilinear_v2")(x, boxes, Tensor([0, 0], ms.int32), (3, 3)).asnumpy()[..., 0]
    expected = [[[12, 14, 16], [17, 19, 21], [22, 24, 26]], [[9.6667] * 3, [23] * 3, [36.3333] * 3]]
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_ps_roi_pooling_rounds_halves_away_from_0() -> None:
    """As CUDA's ``round`` in MindSpore's kernel: 2.5 is 3, 4.5 ends at 6."""
    pool = ops.operations._inner_ops.PsROIPooling(1, 1, 1, 1.0, 1, 1)
    x = np.arange(64, dtype=np.float32).reshape(1, 1, 8, 8)
    found, channels = pool(Tensor(x), Tensor([[0, 2.5, 0.5, 4.5, 2.5]], ms.float32))
    assert found.asnumpy().item() == x[0, 0, 1:4, 3:6].mean()
    assert channels.asnumpy().item() == 0
