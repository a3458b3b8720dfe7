"""Image layers. MindSpore: ``mindspore.nn.layer.image``, and 1.x's ``ResizeBilinear``."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.validate import check_float_range
from mindspore_compat._numerics import kernels
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._resize import resize_bilinear
from mindspore_compat.nn.layer.container import CellList
from mindspore_compat.nn.layer.conv import Conv2d

__all__ = [
    "ImageGradients",
    "SSIM",
    "MSSSIM",
    "PSNR",
    "CentralCrop",
    "PixelShuffle",
    "PixelUnshuffle",
    "ResizeBilinear",
]


def _check_same(owner: str, img1: Any, img2: Any) -> None:
    if tuple(img1.shape) != tuple(img2.shape):
        raise ValueError(
            f"For '{owner}', 'img1' and 'img2' must have one shape, but got {tuple(img1.shape)} and "
            f"{tuple(img2.shape)}."
        )


class ImageGradients(Cell):
    """(dy, dx) of images (N, C, H, W): differences to the next row and column, zeros in the last."""

    def construct(self, images: Any) -> Any:
        dy = torch._C._nn.pad(torch.diff(images, dim=2), (0, 0, 0, 1))
        dx = torch._C._nn.pad(torch.diff(images, dim=3), (0, 1))
        return dy, dx


def _unit_scale(dtype: torch.dtype) -> float:
    """Return MindSpore's factor of images and ``max_val``: 1 for floats, 1 / largest value for ints."""
    return 1.0 if dtype.is_floating_point else 1.0 / torch.iinfo(dtype).max


def _gaussian(size: int, sigma: float) -> Tensor:
    """Return a (1, 1, size, size) window that sums to 1."""
    line = np.arange(-size // 2 + 1, size // 2 + 1, dtype=np.float32) ** 2
    window = np.exp(-(line[:, None] + line[None, :]) / (2 * sigma**2))
    return Tensor((window / window.sum())[None, None].astype(np.float32))


class _Similarity(Cell):
    """Constants and the window of SSIM and MSSSIM."""

    def __init__(self, max_val: Any, filter_size: int, filter_sigma: float, k1: float, k2: float) -> None:
        super().__init__()
        self.max_val = max_val
        self.filter_size = filter_size
        self.filter_sigma = filter_sigma
        self.k1, self.k2 = k1, k2

    def _window(self) -> Conv2d:
        window = Conv2d(
            1, 1, self.filter_size, pad_mode="valid", weight_init=_gaussian(self.filter_size, self.filter_sigma)
        )
        window.weight.requires_grad = False
        return window

    def _scaled(self, img1: Any, img2: Any) -> tuple[Any, Any, float]:
        scale = _unit_scale(img1.dtype)
        # MindSpore scales only what is above 1 ("max_val" of the dtype), so floats stay as they are.
        return torch.mul(img1.float(), scale), torch.mul(img2.float(), scale), self.max_val * scale

    def _channel_means(self, img1: Any, img2: Any, peak: float, window: Conv2d) -> tuple[Any, Any]:
        """Return SSIM and contrast of each sample and channel (N, C)."""
        batch, channels = img1.shape[:2]
        c1, c2 = (self.k1 * peak) ** 2, (self.k2 * peak) ** 2
        planes = [
            torch.reshape(item, (-1, 1, *item.shape[2:]))
            for item in (img1, img2, img1 * img1, img2 * img2, img1 * img2)
        ]
        mu1, mu2, square1, square2, product = (window.construct(item) for item in planes)
        both, squares = mu1 * mu2, mu1 * mu1 + mu2 * mu2
        contrast = (2 * (product - both) + c2) / (square1 + square2 - squares + c2)
        ssim = (2 * both + c1) / (squares + c1) * contrast
        return tuple(torch.reshape(torch.mean(item, (1, 2, 3)), (batch, channels)) for item in (ssim, contrast))  # type: ignore[return-value]


class SSIM(_Similarity):
    """Structural similarity of images (N, C, H, W), one value a sample."""

    def __init__(
        self, max_val: Any = 1.0, filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        self.conv = self._window()

    def construct(self, img1: Any, img2: Any) -> Any:
        _check_same("SSIM", img1, img2)
        return torch.mean(self._channel_means(*self._scaled(img1, img2), self.conv)[0], -1)


class MSSSIM(_Similarity):
    """Structural similarity over several scales, one value a sample; ``power_factors`` weighs the scales."""

    def __init__(
        self,
        max_val: Any = 1.0,
        power_factors: Any = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        filter_size: int = 11,
        filter_sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        self.level = len(power_factors)
        self.multi_convs_list = CellList([self._window() for _ in power_factors])
        self.weight_tensor = Tensor(list(power_factors), torch.float32)

    def construct(self, img1: Any, img2: Any) -> Any:
        _check_same("MSSSIM", img1, img2)
        img1, img2, peak = self._scaled(img1, img2)
        terms: list[Any] = []
        for level, window in enumerate(self.multi_convs_list):
            ssim, contrast = self._channel_means(img1, img2, peak, window)
            terms.append(torch.relu(contrast if level < self.level - 1 else ssim))
            img1, img2 = (torch._C._nn.avg_pool2d(item, 2, 2) for item in (img1, img2))
        powers = kernels.pow(torch.stack(terms, -1), self.weight_tensor.to(img1.device))
        product = functools.reduce(torch.mul, torch.unbind(powers, -1))  # prod's gradient searches for zeros, and waits
        return torch.mean(product, -1)


class PSNR(Cell):
    """Peak signal-to-noise ratio of images (N, C, H, W) in dB, one value a sample."""

    def __init__(self, max_val: Any = 1.0) -> None:
        super().__init__()
        self.max_val = max_val

    def construct(self, img1: Any, img2: Any) -> Any:
        _check_same("PSNR", img1, img2)
        scale = _unit_scale(img1.dtype)
        error = torch.mean(kernels.square(torch.mul(torch.sub(img1.float(), img2.float()), scale)), (-3, -2, -1))
        return torch.mul(torch.log10(torch.div((self.max_val * scale) ** 2, error)), 10.0)


class CentralCrop(Cell):
    """The middle ``central_fraction`` of height and width of (C, H, W) or (N, C, H, W)."""

    def __init__(self, central_fraction: float) -> None:
        super().__init__()
        check_float_range(central_fraction, "central_fraction", "CentralCrop", 0, 1, (False, True))
        self.central_fraction = central_fraction

    def construct(self, image: Any) -> Any:
        for axis in (-2, -1):
            size = image.shape[axis]
            start = int((float(size) - float(size * self.central_fraction)) / 2)
            image = torch.narrow(image, axis, start, size - 2 * start)
        return image


class PixelShuffle(Cell):
    """(*, C·r², H, W) to (*, C, H·r, W·r)."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def construct(self, input: Any) -> Any:
        return torch.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Cell):
    """(*, C, H·r, W·r) to (*, C·r², H, W)."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def construct(self, input: Any) -> Any:
        return torch.pixel_unshuffle(input, self.downscale_factor)


class ResizeBilinear(Cell):
    """1.x's bilinear resizing of (N, C, H, W) to ``size`` or by an int ``scale_factor``; 2.x has
    `mindspore.ops.interpolate` instead.

    Without ``align_corners`` and ``half_pixel_centers`` place i of the result is place i · old / new.
    """

    def __init__(self, half_pixel_centers: bool = False) -> None:
        super().__init__()
        self.half_pixel_centers = half_pixel_centers

    def construct(self, x: Any, size: Any = None, scale_factor: int | None = None, align_corners: bool = False) -> Any:
        if (size is None) == (scale_factor is None):
            raise ValueError(
                "For 'ResizeBilinear', exactly one of 'size' and 'scale_factor' must be given, "
                f"but got size: {size}, scale_factor: {scale_factor}."
            )
        if size is None:
            size = tuple(item * scale_factor for item in x.shape[-2:])  # type: ignore[operator]
        size = tuple(int(item) for item in size)
        return resize_bilinear(
            x.float() if not x.dtype.is_floating_point else x, size, align_corners, self.half_pixel_centers
        )
