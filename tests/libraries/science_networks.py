"""Networks of MindSpore Science, MindFlow's and MindEarth's, for zoo_steps.py: operators of Fourier and other bases,
transformers, recurrent cells of weather, and losses that hold derivatives.
"""

import numpy as np
import zoo_arrays
from mindspore import Tensor, dtype, nn
from zoo_arrays import normal
from zoo_third_networks import squares

FLOAT = {"compute_dtype": dtype.float32}


def flow():
    zoo_arrays.project("MindFlow")
    from mindflow import cell

    return cell


def earth():
    zoo_arrays.project("MindEarth")
    from mindearth import cell

    return cell


def spectral(cell, axes):
    """The bases of SNO along so many axes."""
    table = cell.get_poly_transform(8, 4, "Chebyshev_t")
    return [[Tensor(table[name], dtype.float32) for name in ("analysis", "synthesis")]] * axes


def fno(axes, size):
    kind = getattr(flow(), f"FNO{axes}D")
    net = kind(2, 1, [3] * axes, [size] * axes, 8, projection_channels=16, n_layers=2, fno_compute_dtype=dtype.float32)
    return squares(net, normal(2, *[size] * axes, 2))


def kno():
    return squares(flow().KNO1D(1, 8, 4, 2, 32), normal(2, 32, 1))


def kno2d():
    return squares(flow().KNO2D(3, 8, 4, 2, 16), normal(2, 16, 16, 3))


def pdenet():
    return squares(flow().PDENet(16, 16, 1, 5, 3, dx=1.0, dy=1.0, dt=0.01), normal(2, 1, 16, 16))


def percnn():
    stencil = np.zeros((1, 1, 5, 5), np.float32)
    stencil[0, 0, 2] = stencil[0, 0, :, 2] = [-1 / 12, 4 / 3, -5, 4 / 3, -1 / 12]
    return squares(flow().PeRCNN(2, 2, 4, 5, 0.01, 0.1, laplace_kernel=Tensor(stencil)), normal(1, 2, 12, 12))


def sno2d():
    cell = flow()
    net = cell.SNO2D(2, 2, 8, 2, transforms=spectral(cell, 2), num_usno_layers=1, **FLOAT)
    return squares(net, normal(2, 2, 8, 8))


def sno3d():
    cell = flow()
    return squares(cell.SNO3D(2, 2, 4, 2, transforms=spectral(cell, 3), **FLOAT), normal(1, 2, 8, 8, 8))


def unet():
    return squares(flow().UNet2D(2, 1, 4, 2), normal(2, 16, 16, 2))


def vit():
    sizes = {f"{side}_{name}": value for side in ("encoder", "decoder") for name, value in SIZES.items()}
    return squares(flow().ViT((32, 32), 2, 1, 8, **sizes, **FLOAT), normal(2, 2, 32, 32))


SIZES = {"depths": 2, "embed_dim": 16, "num_heads": 4}


def multiscale():
    scales = {"num_scales": 3, "amp_factor": 1.0, "scale_factor": 2.0, "input_scale": [1.0, 1.0]}
    return squares(flow().MultiScaleFCSequential(2, 1, 4, 8, weight_init="normal", **scales), normal(6, 2))


def residual():
    return squares(flow().FCSequential(3, 2, 5, 8, residual=True, act="sin"), normal(6, 3))


def diffusion():
    return squares(flow().DiffusionTransformer(8, 8, 16, 2, 4), normal(2, 6, 8), Tensor([3, 7], dtype.int32))


def hessian():
    """A loss of the first and second derivatives by the input, as physics-informed networks have it."""
    flow()
    from mindflow.core import batched_hessian, batched_jacobian

    class Equation(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = nn.SequentialCell(nn.Dense(2, 8), nn.Tanh(), nn.Dense(8, 1))
            self.first, self.second = batched_jacobian(self.net), batched_hessian(self.net)

        def construct(self, x):
            first, second = self.first(x), self.second(x)
            return self.net(x) + first[0, :, :1] + second[0, 0, :, :1] + second[0, 1, :, 1:]

    return squares(Equation(), normal(5, 2))


def afno():
    """It assigns to elements of what a ReLU has kept."""
    sizes = {"patch_size": 8, "encoder_depths": 2, "encoder_embed_dim": 16}
    return squares(earth().AFNONet((32, 64), 3, 3, **sizes, **FLOAT), normal(1, 3, 32, 64))


def vit_kno():
    sizes = {"patch_size": 8, "encoder_depths": 2, "encoder_embed_dims": 16, "mlp_ratio": 2, "num_blocks": 4}
    net = earth().ViTKNO((32, 64), in_channels=3, out_channels=3, dropout_rate=1.0, **sizes, **FLOAT)
    return squares(net, normal(1, 3, 32, 64))


def demnet():
    return squares(earth().DEMNet(1, 256, 3, 5, 2), normal(1, 1, 8, 8))


def conv_gru():
    earth()
    from mindearth.cell.dgmr.dgmr import ConvGRU

    return squares(ConvGRU(7, 4), normal(3, 1, 3, 8, 8), normal(1, 4, 8, 8))


def attention():
    earth()
    from mindearth.cell.dgmr.dgmr import AttentionLayer

    return squares(AttentionLayer(16, 16), normal(2, 16, 8, 8))


SCIENCE = {
    **{f"fno{axes}d": lambda axes=axes, size=size: fno(axes, size) for axes, size in ((1, 32), (2, 16), (3, 8))},
    **{
        network.__name__: network
        for network in (
            kno, kno2d, pdenet, percnn, sno2d, sno3d, unet, vit, multiscale, residual, diffusion, hessian, afno, vit_kno,
            demnet, conv_gru, attention,
        )
    },
}  # fmt: skip
