"""Networks of the model zoo that recommend, remember and restore, for zoo_steps.py: most with steps of their own."""

import numpy as np
import seeded
from mindspore import Tensor, nn
from zoo_arrays import integers, normal, project, steps


class Squares(nn.Cell):
    """One number of a network's outputs."""

    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network = network

    def construct(self, *inputs):
        outputs = self.network(*inputs)
        if isinstance(outputs, tuple):
            total = 0.0
            for output in outputs:
                total = total + (output * output).mean() + output.mean()
            return total
        return (outputs * outputs).mean() + outputs.mean()


def squares(network, *data):
    return steps(Squares(network), *data, optimizer=nn.Momentum(network.trainable_params(), 1e-3, 0.9))


def labelled(network, loss, *data):
    class Whole(nn.Cell):
        def __init__(self):
            super().__init__(auto_prefix=False)
            self.network, self.loss = network, loss

        def construct(self, *inputs):
            return self.loss(self.network(*inputs[:-1]), inputs[-1])

    return steps(Whole(), *data, optimizer=nn.Momentum(network.trainable_params(), 1e-3, 0.9))


def nete():
    """Explanations of ratings, by two recurrent networks."""
    project("research/recommend/user")
    from model.nete_user import NeteUser

    data = integers(9, 4), integers(8, 4), integers(2, 4), integers(20, 4, 5), integers(20, 4, 1)
    return squares(NeteUser(9, 8, 20, 7, 6, 10, 0.9999, 12, 1.0), *data)


def matrix_factors():
    """Scores written into an array element by element."""
    project("research/recommend/user")
    from model.mf_fui import MfFui

    return squares(MfFui(9, 8, 7, 6), integers(9, 4), integers(8, 4), integers(7, 4))


def bgcf():
    project("research/gnn/bgcf")
    from src.bgcf import BGCF
    from src.callback import LossWrapper, TrainOneStepCell

    data = [integers(20, 4), integers(30, 4), integers(30, 4, 10), integers(20, 4), integers(30, 4)]
    for rows, own, other in ((8, 20, 30), (8, 30, 20), (40, 30, 20)):
        data += [integers(own, rows), integers(other, rows, 3), integers(other, rows, 3)]
    whole = LossWrapper(BGCF([8, 20, 30], 8, "tanh", [0.0, 0.0, 0.0], 20, 30, 8), 10, 0.03)
    return steps(whole, *data, step=TrainOneStepCell)


def nri():
    """Which bodies act on which: attention over edges, then a recurrent decoder's encoder."""
    project("research/gnn/nri-mpm")
    from models.nri import NRIModel

    edges = Tensor(np.array([[i, j] for i in range(4) for j in range(4) if i != j], np.int32).T)
    return squares(NRIModel(3, 8, 2, 0.0, False, 4, edges).enc, normal(2, 49, 4, 3), edges)


def stencil():
    """Differences of a field, of the ocean model."""
    project("research/hpc/ocean_model")
    from mindspore import Parameter
    from src.stencil import AXB, DYF, DZB

    class Field(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.third = AXB(), DYF(), DZB()
            self.weight = Parameter(normal(6, 5, 4), name="weight")

        def construct(self, x):
            return self.third(self.second(self.first(x * self.weight)))

    return squares(Field(), normal(6, 5, 4))


def tcn():
    """Digits as sequences, by convolutions whose weights are normalized."""
    project("research/cv/TCN")
    from src.loss import NLLLoss
    from src.model import TCN

    return labelled(TCN(1, 10, [8, 8, 8], 5, 0.05), NLLLoss(), normal(3, 1, 60), integers(10, 3))


def tall():
    """Which moment a sentence describes."""
    project("research/cv/tall")
    from src.ctrl import CTRL, CTRL_Loss

    return labelled(CTRL(12, 10, 1024, 8), CTRL_Loss(0.01), normal(5, 22), normal(5, 2))


def brdnet():
    project("research/cv/brdnet")
    from src.models import BRDNet, BRDWithLossCell, TrainingWrapper

    whole = BRDWithLossCell(BRDNet(1))
    return steps(whole, normal(1, 1, 16, 16), normal(1, 1, 16, 16), rate=1e-5, step=TrainingWrapper)


def re_identification():
    """Two optimizers in one step: the network's and the centres' of its loss."""
    project("research/cv/ReIDStrongBaseline")
    from src.loss import StrongLoss
    from src.model.cell_wrapper import NetworkWithCell, TrainOneStepCell

    class Features(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first, self.norm = nn.Dense(12, 16), nn.BatchNorm1d(16)
            self.classes = nn.Dense(16, 7, has_bias=False)

        def construct(self, x):
            found = self.first(x)
            return self.classes(self.norm(found)), found

    network, criterion = Features(), StrongLoss(7, feat_dim=16)
    whole = seeded.fill(NetworkWithCell(network, criterion))
    both = nn.Momentum(network.trainable_params(), 1e-2, 0.9), nn.SGD(criterion.trainable_params(), 0.5)
    label = Tensor(np.array([0, 0, 1, 1, 2, 2, 3, 3], np.int32))
    return TrainOneStepCell(whole, both, center_loss_weight=0.0005), (normal(8, 12), label)


def contextual():
    """Attention from patches to patches of a picture."""
    project("research/cv/CTSDG")
    from src.generator.cfa import CFA

    return squares(CFA(in_channels=8, out_channels=8), normal(1, 8, 16, 16), normal(1, 8, 16, 16))


def adder():
    """Sums of distances in place of convolutions, with a gradient of their own."""
    project("research/cv/AdderQuant")
    from adder_quant import adder2d_function

    class Distances(nn.Cell):
        def __init__(self):
            super().__init__()
            from mindspore import Parameter

            self.weight = Parameter(normal(6, 3, 3, 3), name="weight")

        def construct(self, x):
            return adder2d_function(x, self.weight, 1, 1)

    return squares(Distances(), normal(2, 3, 8, 8))


def cait():
    project("research/cv/cait")
    from src.models.cait.cait_models import cait_models

    network = cait_models(
        image_size=32, patch_size=8, num_classes=10, embed_dim=24, depth=2, num_heads=2, init_scale=1e-2,
        depth_token_only=1,
    )  # fmt: skip
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return labelled(network, loss, normal(2, 3, 32, 32), integers(10, 2))


THIRD = {
    "nete": nete,
    "matrix_factors": matrix_factors,
    "bgcf": bgcf,
    "nri": nri,
    "stencil": stencil,
    "tcn": tcn,
    "tall": tall,
    "brdnet": brdnet,
    "re_identification": re_identification,
    "contextual": contextual,
    "adder": adder,
    "cait": cait,
}
