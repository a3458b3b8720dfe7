"""Ours starts: initializers draw as on the other side. Nothing else: projects get mindspore_compat as it is."""

import still
import twin

from mindspore_compat import dataset
from mindspore_compat.common import _initializer_values as initializer


def _fill(arr, values):
    arr[...] = values


twin.begin()
initializer._random_uniform = lambda seed, arr, low, high: _fill(arr, twin.uniform(low, high, arr.shape))
initializer._random_normal = lambda seed, arr, mean, sigma: _fill(arr, twin.normal(mean, sigma, arr.shape))
initializer._truncated_normal = lambda seed, arr, low, high, mean, sigma: _fill(
    arr, twin.truncated(mean, sigma, low, high, arr.shape)
)
initializer._numpy_seed = lambda: 0  # as on the other side
still.begin(dataset)
