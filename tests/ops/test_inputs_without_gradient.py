"""Inputs that upstream's derivatives leave out, and forms of inputs that its operators take; as real MindSpore."""

import numpy as np

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

FEATURES = Tensor(np.random.RandomState(0).rand(1, 2, 8, 8), ms.float32)
REGIONS = Tensor([[0, 1.0, 2.0, 9.0, 12.0], [0, 0.0, 0.0, 15.0, 7.0]], ms.float32)


def test_regions_have_no_gradient():
    align = ops.ROIAlign(3, 3, 0.5, 2)
    by_features, by_regions = ms.grad(lambda x, rois: (align(x, rois) ** 2).sum(), (0, 1))(FEATURES, REGIONS)
    assert by_features.asnumpy().any()
    assert not by_regions.asnumpy().any()


def test_fold_takes_channels_and_places_apart():
    columns = Tensor(np.random.RandomState(1).rand(1, 8, 4), ms.float32)
    sizes = Tensor([4, 4], ms.int32), [2, 2], [1, 1], [0, 0], [2, 2]
    together, apart = ops.fold(columns, *sizes), ops.fold(columns.reshape(1, 2, 4, 4), *sizes)
    np.testing.assert_array_equal(apart.asnumpy(), together.asnumpy())
    assert apart.shape == (1, 2, 4, 4)
