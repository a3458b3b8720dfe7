"""Training Cells as scripts of the model zoo write them; their losses and weights must be real MindSpore's
(tests/golden/make_json.py custom_cells).
"""

from __future__ import annotations

import numpy as np

try:
    import mindspore_compat as ms
    from mindspore_compat import Parameter, ParameterTuple, Tensor, context, nn, ops
    from mindspore_compat.common import dtype as mstype
    from mindspore_compat.communication.management import get_group_size  # noqa: F401
    from mindspore_compat.context import ParallelMode
    from mindspore_compat.ops import composite as C
    from mindspore_compat.ops import functional as F
    from mindspore_compat.ops import operations as P
    from mindspore_compat.parallel._utils import _get_device_num, _get_gradients_mean
except ImportError:
    import mindspore as ms
    from mindspore import Parameter, ParameterTuple, Tensor, context, nn, ops
    from mindspore.common import dtype as mstype
    from mindspore.context import ParallelMode
    from mindspore.ops import composite as C
    from mindspore.ops import functional as F
    from mindspore.ops import operations as P
    from mindspore.parallel._utils import _get_device_num, _get_gradients_mean


class Net(nn.Cell):
    """Two dense layers with the loss inside."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Dense(4, 8), nn.Dense(8, 3)
        self.act = nn.Tanh()
        rng = np.random.RandomState(2)
        for parameter in (self.fc1.weight, self.fc1.bias, self.fc2.weight, self.fc2.bias):
            parameter.set_data(Tensor((rng.randn(*parameter.shape) * 0.5).astype(np.float32)))

    def construct(self, x):
        return self.fc2(self.act(self.fc1(x)))


def _loss():
    return nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


def _momentum(net, rate=0.1):
    return nn.Momentum(net.trainable_params(), rate, 0.9)


# --- clipping each gradient, as BERT and its kin ----------------------------------------------------------------------

GRADIENT_CLIP_TYPE, GRADIENT_CLIP_VALUE = 1, 0.5
clip_grad = C.MultitypeFuncGraph("clip_grad")


@clip_grad.register("Number", "Number", "Tensor")
def _clip_grad(clip_type, clip_value, grad):
    if clip_type not in (0, 1):
        return grad
    dt = F.dtype(grad)
    if clip_type == 0:
        return C.clip_by_value(
            grad, F.cast(F.tuple_to_array((-clip_value,)), dt), F.cast(F.tuple_to_array((clip_value,)), dt)
        )
    return nn.ClipByNorm()(grad, F.cast(F.tuple_to_array((clip_value,)), dt))


class BertTrainOneStepCell(nn.TrainOneStepCell):
    def __init__(self, network, optimizer, sens=1.0):
        super().__init__(network, optimizer, sens)
        self.cast = P.Cast()
        self.hyper_map = C.HyperMap()

    def set_sens(self, value):
        self.sens = value

    def construct(self, x, y):
        weights = self.weights
        loss = self.network(x, y)
        grads = self.grad(self.network, weights)(
            x, y, self.cast(F.tuple_to_array((self.sens,)), mstype.float32).reshape(())
        )
        grads = self.hyper_map(F.partial(clip_grad, GRADIENT_CLIP_TYPE, GRADIENT_CLIP_VALUE), grads)
        grads = self.grad_reducer(grads)
        succ = self.optimizer(grads)
        return F.depend(loss, succ)


# --- sens filled by hand, a reducer of its own, as the old detection networks -----------------------------------------


class YoloTrainingWrapper(nn.Cell):
    def __init__(self, network, optimizer, sens=1.0):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.weights = ParameterTuple(network.trainable_params())
        self.optimizer = optimizer
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens
        self.reducer_flag = False
        self.grad_reducer = None
        self.parallel_mode = context.get_auto_parallel_context("parallel_mode")
        if self.parallel_mode in [ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL]:
            self.reducer_flag = True
        if self.reducer_flag:
            mean = context.get_auto_parallel_context("gradients_mean")
            degree = _get_device_num()
            self.grad_reducer = nn.DistributedGradReducer(optimizer.parameters, mean, degree)

    def construct(self, *args):
        weights = self.weights
        loss = self.network(*args)
        sens = P.Fill()(P.DType()(loss), P.Shape()(loss), self.sens)
        grads = self.grad(self.network, weights)(*args, sens)
        if self.reducer_flag:
            grads = self.grad_reducer(grads)
        return F.depend(loss, self.optimizer(grads))


# --- a global norm ----------------------------------------------------------------------------------------------------


class GlobalNormTrainOneStep(nn.TrainOneStepCell):
    def __init__(self, network, optimizer, clip_norm):
        super().__init__(network, optimizer)
        self.clip_norm = clip_norm

    def construct(self, *inputs):
        loss = self.network(*inputs)
        sens = ops.ones_like(loss) * self.sens
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        grads = ops.clip_by_global_norm(grads, self.clip_norm)
        loss = ops.depend(loss, self.optimizer(grads))
        return loss


# --- ForwardValueAndGrad ----------------------------------------------------------------------------------------------


class ValueAndGradStep(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.optimizer = optimizer
        self.step = nn.ForwardValueAndGrad(
            network, ParameterTuple(network.trainable_params()), get_by_list=True, sens_param=False
        )

    def construct(self, x, y):
        loss, grads = self.step(x, y)
        return ops.depend(loss, self.optimizer(grads))


# --- two networks, two optimizers -------------------------------------------------------------------------------------


class GeneratorLoss(nn.Cell):
    def __init__(self, generator, discriminator):
        super().__init__(auto_prefix=False)
        self.generator, self.discriminator = generator, discriminator
        self.reduce = P.ReduceMean()

    def construct(self, z):
        return 0 - self.reduce(self.discriminator(self.generator(z)))


class DiscriminatorLoss(nn.Cell):
    def __init__(self, generator, discriminator):
        super().__init__(auto_prefix=False)
        self.generator, self.discriminator = generator, discriminator

    def construct(self, real, z):
        fake = ops.stop_gradient(self.generator(z))
        return (
            self.discriminator(fake).mean()
            - self.discriminator(real).mean()
            + ops.sqrt(ops.reduce_sum(ops.square(self.discriminator(real))))
        )


class GanTrainStep(nn.Cell):
    def __init__(self, g_loss, d_loss, g_opt, d_opt):
        super().__init__(auto_prefix=False)
        self.g_loss, self.d_loss, self.g_opt, self.d_opt = g_loss, d_loss, g_opt, d_opt
        self.g_loss.set_grad()
        self.d_loss.set_grad()
        self.g_weights, self.d_weights = g_opt.parameters, d_opt.parameters
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, real, z):
        d_loss = self.d_loss(real, z)
        d_sens = P.Fill()(P.DType()(d_loss), P.Shape()(d_loss), 1.0)
        d_grads = self.grad(self.d_loss, self.d_weights)(real, z, d_sens)
        d_loss = F.depend(d_loss, self.d_opt(d_grads))
        g_loss = self.g_loss(z)
        g_sens = P.Fill()(P.DType()(g_loss), P.Shape()(g_loss), 1.0)
        g_grads = self.grad(self.g_loss, self.g_weights)(z, g_sens)
        g_loss = F.depend(g_loss, self.g_opt(g_grads))
        return d_loss, g_loss


# --- accumulation by hand, in three Cells -----------------------------------------------------------------------------

_sum_op = C.MultitypeFuncGraph("grad_sum_op")
_clear_op = C.MultitypeFuncGraph("clear_op")


@_sum_op.register("Tensor", "Tensor")
def _cumulative_grad(grad_sum, grad):
    return P.AssignAdd()(grad_sum, grad)


@_clear_op.register("Tensor", "Tensor")
def _clear_grad_sum(grad_sum, zero):
    return F.depend(True, F.assign(grad_sum, zero))


class TrainForwardBackward(nn.Cell):
    def __init__(self, network, optimizer, grad_sum, sens=1.0):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.network.add_flags(defer_inline=True)
        self.weights = ParameterTuple(network.trainable_params())
        self.optimizer = optimizer
        self.grad_sum = grad_sum
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens
        self.hyper_map = C.HyperMap()

    def construct(self, *inputs):
        loss = self.network(*inputs)
        sens = P.Fill()(P.DType()(loss), P.Shape()(loss), self.sens)
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        return F.depend(loss, self.hyper_map(F.partial(_sum_op), self.grad_sum, grads))


class TrainOptim(nn.Cell):
    def __init__(self, optimizer, grad_sum):
        super().__init__(auto_prefix=False)
        self.optimizer, self.grad_sum = optimizer, grad_sum

    def construct(self):
        return self.optimizer(self.grad_sum)


class TrainClear(nn.Cell):
    def __init__(self, grad_sum, zeros):
        super().__init__(auto_prefix=False)
        self.grad_sum, self.zeros = grad_sum, zeros
        self.hyper_map = C.HyperMap()

    def construct(self):
        return self.hyper_map(F.partial(_clear_op), self.grad_sum, self.zeros)


# --- a moving average of the weights ----------------------------------------------------------------------------------

_ema_op = C.MultitypeFuncGraph("_ema_op")


@_ema_op.register("Tensor", "Tensor", "Tensor")
def _ema_weights(factor, ema_weight, weight):
    return F.assign(ema_weight, ema_weight * factor + weight * (1 - factor))


class EmaTrainOneStep(nn.TrainOneStepCell):
    def __init__(self, network, optimizer, decay=0.9):
        super().__init__(network, optimizer, 1.0)
        self.ema_weight = self.weights.clone("ema", init="same")
        self.decay = Tensor(decay, mstype.float32)
        self.hyper_map = C.HyperMap()

    def construct(self, *inputs):
        loss = self.network(*inputs)
        sens = F.fill(loss.dtype, loss.shape, self.sens)
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        loss = F.depend(loss, self.optimizer(grads))
        self.hyper_map(F.partial(_ema_op, self.decay), self.ema_weight, self.weights)
        return loss


# --- several losses, the first one differentiated ---------------------------------------------------------------------


class ManyLosses(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net, self.loss = net, _loss()

    def construct(self, x, y):
        logits = self.net(x)
        cross = self.loss(logits, y)
        size = ops.reduce_mean(ops.square(logits))
        return cross + 0.1 * size, cross, size


class OnlyFirst(nn.Cell):
    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network = network

    def construct(self, *inputs):
        return self.network(*inputs)[0]


class ManyLossesStep(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.first, self.optimizer = network, OnlyFirst(network), optimizer
        self.weights = optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, *inputs):
        losses = self.network(*inputs)
        grads = self.grad(self.first, self.weights)(*inputs)
        return ops.depend(losses, self.optimizer(grads))


# --- frozen parts, gradients by inputs and weights, attack-like -------------------------------------------------------


class InputsAndWeights(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer = network, optimizer
        self.weights = ParameterTuple(network.trainable_params())
        self.grad = C.GradOperation(get_all=True, get_by_list=True, sens_param=False)

    def construct(self, x, y):
        by_inputs, by_weights = self.grad(self.network, self.weights)(x, y)
        self.optimizer(by_weights)
        return self.network(x + 0.1 * by_inputs[0].sign(), y)


# --- the old way to ask an Ascend for overflows -----------------------------------------------------------------------

_grad_scale = C.MultitypeFuncGraph("grad_scale")
_reciprocal = P.Reciprocal()


@_grad_scale.register("Tensor", "Tensor")
def _tensor_grad_scale(scale, grad):
    return grad * F.cast(_reciprocal(scale), F.dtype(grad))


_grad_overflow = C.MultitypeFuncGraph("_grad_overflow")
_float_status = P.FloatStatus()


@_grad_overflow.register("Tensor")
def _tensor_grad_overflow(grad):
    return _float_status(grad)


class NpuStatusStep(nn.Cell):
    """BertTrainOneStepWithLossScaleCell of MindSpore 1.0."""

    def __init__(self, network, optimizer, scale_update_cell=None):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.weights = optimizer.parameters
        self.optimizer = optimizer
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.reducer_flag = False
        self.allreduce = P.AllReduce()
        self.parallel_mode = context.get_auto_parallel_context("parallel_mode")
        self.grad_reducer = F.identity
        self.is_distributed = self.parallel_mode != ParallelMode.STAND_ALONE
        self.cast = P.Cast()
        self.alloc_status = P.NPUAllocFloatStatus()
        self.get_status = P.NPUGetFloatStatus()
        self.clear_status = P.NPUClearFloatStatus()
        self.reduce_sum = P.ReduceSum(keep_dims=False)
        self.base = Tensor(1, mstype.float32)
        self.less_equal = P.LessEqual()
        self.hyper_map = C.HyperMap()
        self.loss_scaling_manager = scale_update_cell
        self.loss_scale = Parameter(Tensor(scale_update_cell.get_loss_scale(), dtype=mstype.float32), name="loss_scale")

    def construct(self, x, y):
        loss = self.network(x, y)
        scaling_sens = self.loss_scale
        init = self.alloc_status()
        init = F.depend(init, loss)
        clear_status = self.clear_status(init)
        scaling_sens = F.depend(scaling_sens, clear_status)
        grads = self.grad(self.network, self.weights)(x, y, self.cast(scaling_sens, mstype.float32))
        grads = self.grad_reducer(grads)
        grads = self.hyper_map(F.partial(_grad_scale, scaling_sens), grads)
        grads = self.hyper_map(F.partial(clip_grad, GRADIENT_CLIP_TYPE, GRADIENT_CLIP_VALUE), grads)
        init = F.depend(init, grads)
        get_status = self.get_status(init)
        init = F.depend(init, get_status)
        flag_sum = self.reduce_sum(init, (0,))
        cond = self.less_equal(self.base, flag_sum)
        overflow = cond
        if self.loss_scaling_manager is not None:
            overflow = self.loss_scaling_manager(self.loss_scale, cond)
        if overflow:
            succ = False
        else:
            succ = self.optimizer(grads)
        return F.depend((loss, cond, scaling_sens.value()), succ)


class BertLossScaleCell(nn.TrainOneStepWithLossScaleCell):
    """The same of MindSpore 1.3 and later."""

    def __init__(self, network, optimizer, scale_update_cell=None):
        super().__init__(network, optimizer, scale_update_cell)
        self.cast = P.Cast()
        self.degree = 1
        if self.reducer_flag:
            self.degree = _get_device_num()
            self.grad_reducer = nn.DistributedGradReducer(optimizer.parameters, _get_gradients_mean(), self.degree)
        self.loss_scale = None
        self.loss_scaling_manager = scale_update_cell
        if scale_update_cell:
            self.loss_scale = Parameter(
                Tensor(scale_update_cell.get_loss_scale(), dtype=mstype.float32), name="loss_scale"
            )

    def construct(self, x, y, sens=None):
        weights = self.weights
        loss = self.network(x, y)
        scaling_sens = self.loss_scale if sens is None else sens
        status, scaling_sens = self.start_overflow_check(loss, scaling_sens)
        grads = self.grad(self.network, weights)(x, y, self.cast(scaling_sens, mstype.float32))
        grads = self.grad_reducer(grads)
        grads = self.hyper_map(F.partial(_grad_scale, scaling_sens * self.degree), grads)
        grads = self.hyper_map(F.partial(clip_grad, GRADIENT_CLIP_TYPE, GRADIENT_CLIP_VALUE), grads)
        cond = self.get_overflow_status(status, grads)
        overflow = cond
        if sens is None:
            overflow = self.loss_scaling_manager(self.loss_scale, cond)
        if not overflow:
            self.optimizer(grads)
        return loss, cond, scaling_sens.value()


class CommonLossScaleCell(nn.TrainOneStepWithLossScaleCell):
    """With the base's own attributes and process_loss_scale."""

    def __init__(self, network, optimizer, scale_sense):
        super().__init__(network, optimizer, scale_sense)
        self.hyper_map = C.HyperMap()
        self.reciprocal_scale = Tensor(1.0, mstype.float32)

    def construct(self, *inputs):
        loss = self.network(*inputs)
        scaling_sens = self.scale_sense
        status, scaling_sens = self.start_overflow_check(loss, scaling_sens)
        scaling_sens_filled = C.ones_like(loss) * F.cast(scaling_sens, F.dtype(loss))
        grads = self.grad(self.network, self.weights)(*inputs, scaling_sens_filled)
        grads = self.hyper_map(F.partial(_grad_scale, scaling_sens), grads)
        grads = ops.clip_by_global_norm(grads, 1.0)
        grads = self.grad_reducer(grads)
        cond = self.get_overflow_status(status, grads)
        overflow = self.process_loss_scale(cond)
        if not overflow:
            loss = F.depend(loss, self.optimizer(grads))
        return loss, cond, scaling_sens


# --- functions instead of Cells ---------------------------------------------------------------------------------------


def functional_step(net, optimizer):
    loss_fn = _loss()
    scaler = ms.amp.DynamicLossScaler(1024, 2, 2)

    def forward(x, y):
        logits = net(x)
        return scaler.scale(loss_fn(logits, y)), logits

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

    def step(x, y):
        (loss, _), grads = grad_fn(x, y)
        grads = scaler.unscale(grads)
        finite = ms.amp.all_finite(grads)
        if finite:
            optimizer(grads)
        scaler.adjust(finite)
        return scaler.unscale(loss)

    return step


def _batches():
    rng = np.random.RandomState(0)
    return [
        (Tensor(rng.randn(6, 4).astype(np.float32)), Tensor(rng.randint(0, 3, 6).astype(np.int32))) for _ in range(4)
    ]


def _run(make):
    """[losses], [sums of the weights] after four steps."""
    net = Net()
    step = make(net)
    outputs = [step(x, y) for x, y in _batches()]
    return [_floats(output) for output in outputs], [float(abs(p.asnumpy()).sum()) for p in net.trainable_params()]


def _floats(value):
    return [_floats(item) for item in value] if isinstance(value, (tuple, list)) else float(value.asnumpy())


def _with_loss(net):
    return nn.WithLossCell(net, _loss())


def _gan(_):
    generator, discriminator = nn.Dense(4, 4), nn.Dense(4, 1)
    rng = np.random.RandomState(5)
    for parameter in (*generator.trainable_params(), *discriminator.trainable_params()):
        parameter.set_data(Tensor((rng.randn(*parameter.shape) * 0.5).astype(np.float32)))
    step = GanTrainStep(
        GeneratorLoss(generator, discriminator),
        DiscriminatorLoss(generator, discriminator),
        nn.RMSProp(generator.trainable_params(), 0.01),
        nn.Adam(discriminator.trainable_params(), 0.01),
    ).set_train()
    return lambda x, _y: step(x, x * 0.5)


def _accumulated(net):
    optimizer = _momentum(net, 0.05)
    grad_sum = optimizer.parameters.clone(prefix="grad_sum", init="zeros")
    zeros = optimizer.parameters.clone(prefix="zeros", init="zeros")
    forward, update, clear = (
        TrainForwardBackward(_with_loss(net), optimizer, grad_sum, 0.5),
        TrainOptim(optimizer, grad_sum),
        TrainClear(grad_sum, zeros),
    )
    count = [0]

    def step(x, y):
        loss = forward(x, y)
        count[0] += 1
        if count[0] % 2 == 0:
            update()
            clear()
        return loss

    return step


def _ema(net):
    step = EmaTrainOneStep(_with_loss(net), _momentum(net))
    return lambda x, y: (step(x, y), ops.reduce_sum(ops.abs(step.ema_weight[0])))


def _frozen(net):
    net.fc1.weight.requires_grad = False
    for parameter in net.fc1.get_parameters():
        parameter.requires_grad = False
    return nn.TrainOneStepCell(_with_loss(net), nn.Adam(net.trainable_params(), 0.05)).set_train()


RUNS = {
    "bert_clip": lambda net: BertTrainOneStepCell(_with_loss(net), _momentum(net)),
    "bert_clip_sens": lambda net: BertTrainOneStepCell(_with_loss(net), _momentum(net), 3.0),
    "yolo": lambda net: YoloTrainingWrapper(_with_loss(net), _momentum(net), 2.0).set_train(),
    "global_norm": lambda net: GlobalNormTrainOneStep(_with_loss(net), _momentum(net), 0.3),
    "value_and_grad": lambda net: ValueAndGradStep(_with_loss(net), nn.Adam(net.trainable_params(), 0.01)),
    "gan": _gan,
    "accumulated": _accumulated,
    "ema": _ema,
    "frozen": _frozen,
    "many_losses": lambda net: ManyLossesStep(ManyLosses(net), _momentum(net)),
    "inputs_and_weights": lambda net: InputsAndWeights(_with_loss(net), _momentum(net)),
    "functional": lambda net: functional_step(net, _momentum(net)),
    "with_grad": lambda net: (lambda grad, opt: lambda x, y: (opt(grad(x, y)), _with_loss(net)(x, y))[1])(
        nn.WithGradCell(net, _loss()), _momentum(net)
    ),
    "sens": lambda net: nn.TrainOneStepCell(_with_loss(net), _momentum(net), 4.0),
    "return_grad": lambda net: (
        lambda step: (
            lambda x, y: (lambda out: (out[0], *[ops.reduce_sum(ops.abs(g)) for _, g in sorted(out[1].items())]))(
                step(x, y)
            )
        )
    )(nn.TrainOneStepCell(_with_loss(net), _momentum(net), return_grad=True)),
}

#: upstream's CPU build cannot run these; the clipped update they must make is that of bert_clip and global_norm
SCALED = {
    "npu_status": lambda net: NpuStatusStep(_with_loss(net), _momentum(net), nn.DynamicLossScaleUpdateCell(256, 2, 2)),
    "bert_loss_scale": lambda net: BertLossScaleCell(
        _with_loss(net), _momentum(net), nn.DynamicLossScaleUpdateCell(256, 2, 2)
    ),
    "common_loss_scale": lambda net: CommonLossScaleCell(
        _with_loss(net), _momentum(net), nn.DynamicLossScaleUpdateCell(256, 2, 2)
    ),
    "fixed_tensor": lambda net: CommonLossScaleCell(_with_loss(net), _momentum(net), Tensor(512.0, mstype.float32)),
}


def record(name):
    return _run({**RUNS, **SCALED}[name])
