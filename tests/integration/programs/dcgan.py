"""A DCGAN in the style of the model zoo: two networks, two training cells, alternating steps."""

import json

import numpy as np
from mindspore import Tensor, context, nn, ops
from mindspore.common import initializer as init
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P

context.set_context(mode=context.PYNATIVE_MODE, device_target="CPU")
NZ, WIDTH, BATCH = 8, 6, 8


def conv_t(in_channels, out_channels, kernel_size, stride=1, padding=0, pad_mode="pad"):
    return nn.Conv2dTranspose(
        in_channels,
        out_channels,
        kernel_size,
        stride=stride,
        padding=padding,
        has_bias=False,
        pad_mode=pad_mode,
        weight_init=init.Normal(0.02),
    )


def bn(num_features):
    return nn.BatchNorm2d(num_features=num_features, gamma_init=init.Normal(0.02, 1.0))


class Generator(nn.Cell):
    def __init__(self):
        super(Generator, self).__init__()
        self.generator = nn.SequentialCell()
        self.generator.append(conv_t(NZ, WIDTH * 2, 4, 1, 0))
        self.generator.append(bn(WIDTH * 2))
        self.generator.append(nn.ReLU())
        self.generator.append(conv_t(WIDTH * 2, WIDTH, 4, 2, 1))
        self.generator.append(bn(WIDTH))
        self.generator.append(nn.ReLU())
        self.generator.append(conv_t(WIDTH, 1, 4, 2, 1))
        self.generator.append(nn.Tanh())

    def construct(self, x):
        return self.generator(x)


class Discriminator(nn.Cell):
    def __init__(self):
        super(Discriminator, self).__init__()
        self.discriminator = nn.SequentialCell(
            nn.Conv2d(1, WIDTH, 4, 2, pad_mode="pad", padding=1, has_bias=False),
            nn.LeakyReLU(0.2),
            nn.Conv2d(WIDTH, WIDTH * 2, 4, 2, pad_mode="pad", padding=1, has_bias=False),
            bn(WIDTH * 2),
            nn.LeakyReLU(0.2),
            nn.Conv2d(WIDTH * 2, 1, 4, 1, pad_mode="valid", has_bias=False),
        )
        self.adv_layer = nn.Sigmoid()

    def construct(self, x):
        return self.adv_layer(self.discriminator(x)).reshape((x.shape[0],))


class GeneratorLoss(nn.Cell):
    def __init__(self, netD, netG):
        super(GeneratorLoss, self).__init__(auto_prefix=True)
        self.netD, self.netG, self.loss_fn = netD, netG, nn.BCELoss(reduction="mean")

    def construct(self, latent_code):
        out_fake = self.netD(self.netG(latent_code))
        return self.loss_fn(out_fake, F.ones_like(out_fake))


class DiscriminatorLoss(nn.Cell):
    def __init__(self, netD, netG):
        super(DiscriminatorLoss, self).__init__(auto_prefix=True)
        self.netD, self.netG, self.loss_fn = netD, netG, nn.BCELoss(reduction="mean")

    def construct(self, real_data, latent_code):
        out_real = self.netD(real_data)
        loss_real = self.loss_fn(out_real, F.ones_like(out_real))
        fake_data = F.stop_gradient(self.netG(latent_code))
        out_fake = self.netD(fake_data)
        return loss_real + self.loss_fn(out_fake, F.zeros_like(out_fake))


class TrainOneStep(nn.Cell):
    def __init__(self, network, optimizer, sens=1.0):
        super(TrainOneStep, self).__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.network.add_flags(defer_inline=True)
        self.weights = optimizer.parameters
        self.optimizer = optimizer
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens

    def construct(self, *inputs):
        loss = self.network(*inputs)
        sens = P.Fill()(P.DType()(loss), P.Shape()(loss), self.sens)
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        return F.depend(loss, self.optimizer(grads))


class DCGAN(nn.Cell):
    def __init__(self, step_d, step_g):
        super(DCGAN, self).__init__(auto_prefix=True)
        self.step_d, self.step_g = step_d, step_g

    def construct(self, real_data, latent_code):
        output_d = self.step_d(real_data, latent_code).view((-1,))
        output_g = self.step_g(latent_code).view((-1,))
        return output_d.mean(), output_g.mean()


rng = np.random.RandomState(5)
netD, netG = Discriminator(), Generator()
for net in (netD, netG):
    for parameter in net.trainable_params():
        spread = rng.randn(*parameter.shape).astype(np.float32)
        parameter.set_data(
            Tensor(
                1 + 0.02 * spread
                if "gamma" in parameter.name
                else 0.0 * spread
                if "beta" in parameter.name
                else 0.15 * spread
            )
        )
step_d = TrainOneStep(DiscriminatorLoss(netD, netG), nn.Adam(netD.trainable_params(), learning_rate=2e-3, beta1=0.5))
step_g = TrainOneStep(GeneratorLoss(netD, netG), nn.Adam(netG.trainable_params(), learning_rate=2e-3, beta1=0.5))
dcgan = DCGAN(step_d, step_g)
dcgan.set_train()
found = []
for _ in range(20):
    real = np.tanh(rng.randn(BATCH, 1, 16, 16).astype(np.float32) + 0.5)
    code = Tensor(rng.randn(BATCH, NZ, 1, 1).astype(np.float32))
    found.append([float(item.asnumpy()) for item in dcgan(Tensor(real), code)])
netG.set_train(False)
image = netG(ops.ones((2, NZ, 1, 1), Tensor(np.zeros(1, np.float32)).dtype)).asnumpy()
print(
    json.dumps(
        {
            "losses": found,
            "image": [float(image.mean()), float(image.std())],
            "parameters": [p.name for p in netD.get_parameters()] + [p.name for p in netG.get_parameters()],
        }
    )
)
