"""Optimizers as libraries write them, plain MindSpore: trains one Parameter pair with each and prints what they become."""

import json

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register

sign_update = ops.MultitypeFuncGraph("sign_update")


@sign_update.register("Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Bool", "Bool")
def _sign_update(beta, rate, decay, weight, moment, gradient, is_decayed, is_own):
    if not is_own:
        return gradient
    update = ops.Sign()(ops.mul(beta, moment) + (ops.cast(ops.tuple_to_array((1.0,)), ms.float32) - beta) * gradient)
    if is_decayed:
        update = update + decay * weight
    ops.assign(moment, beta * moment + (1.0 - beta) * gradient)
    ops.assign(weight, weight - ops.reshape(rate * update, ops.shape(weight)))
    return weight


class Sign(Optimizer):
    """Sets ``hyper_map`` and a Parameter that it assigns a Tensor to; computes the rate itself."""

    @opt_init_args_register
    def __init__(self, params, learning_rate, beta=0.9, weight_decay=0.0, loss_scale=1.0):
        super().__init__(learning_rate, params, weight_decay)
        self.beta = Tensor(np.array([beta], np.float32))
        self.moments = self.parameters.clone(prefix="sign_m", init="zeros")
        self.hyper_map = ops.HyperMap()
        self.beta_power = Parameter(np.ones(1, np.float32), name="beta_power")
        self.reciprocal_scale = Tensor(1.0 / loss_scale, ms.float32)

    def get_lr(self):
        rate = self.learning_rate
        if self.dynamic_lr:
            if self.is_group_lr:
                rate = tuple(item(self.global_step).reshape(()) for item in self.learning_rate)
            else:
                rate = self.learning_rate(self.global_step).reshape(())
        if self._is_dynamic_lr_or_weight_decay():
            self.assignadd(self.global_step, self.global_step_increase_tensor)
        return rate

    @ms.jit
    def construct(self, gradients):
        rate = self.get_lr()
        self.beta_power = self.beta_power * self.beta
        rest = (self.parameters, self.moments, gradients, self.decay_flags, self.optim_filter)
        if self.is_group and self.is_group_lr:
            return self.hyper_map(ops.partial(sign_update, self.beta), rate, self.weight_decay, *rest)
        if self.is_group:
            return self.hyper_map(ops.partial(sign_update, self.beta, rate), self.weight_decay, *rest)
        return self.hyper_map(ops.partial(sign_update, self.beta, rate, self.weight_decay), *rest)


class Plain(Optimizer):
    """Uses ``_parameters``, the helpers for gradients, and a weight decay that it sets itself."""

    def __init__(self, params, learning_rate, weight_decay=0.0, loss_scale=1.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.moments = self._parameters.clone(prefix="plain", init="ones")
        if not self.is_group:
            self.decay_flags = tuple(parameter.name == "w" for parameter in self._parameters)
            self.weight_decay = Tensor(0.5, ms.float32)

    def construct(self, gradients):
        gradients = self.flatten_gradients(gradients)
        gradients = self.decay_weight(gradients)
        gradients = self.gradients_centralization(gradients)
        gradients = self._grad_sparse_indices_deduplicate(self.scale_grad(gradients))
        rates = self.get_lr()
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        for place, (parameter, moment, gradient) in enumerate(zip(self._parameters, self.moments, gradients)):
            rate = rates[place] if isinstance(rates, tuple) else rates
            ops.assign(moment, moment * 0.5 + gradient)
            ops.assign(parameter, parameter - rate * moment)
        return True

    @Optimizer.target.setter
    def target(self, value):
        self._set_base_target(value)


class Slower(nn.Adam):
    """Reads what upstream's Adam keeps, and its update."""

    def construct(self, gradients):
        return super().construct(tuple(gradient * (self.beta1 + self.eps) for gradient in gradients))


LISTED = [0.1, 0.05, 0.02, 0.01, 0.01, 0.01]
KINDS = {
    "constant": lambda w, b: ([w, b], 0.1),
    "listed": lambda w, b: ([w, b], LISTED),
    "groups": lambda w, b: ([{"params": [w], "weight_decay": 0.1}, {"params": [b]}, {"order_params": [b, w]}], 0.1),
    "rates": lambda w, b: ([{"params": [w], "lr": 0.02}, {"params": [b], "weight_decay": 0.3}], 0.1),
    "schedules": lambda w, b: ([{"params": [w], "lr": LISTED}, {"params": [b]}], nn.ExponentialDecayLR(0.1, 0.9, 1)),
}


def trained(of, kind, **arguments):
    w = Parameter(np.linspace(-1, 1, 32, dtype=np.float32).reshape(2, 16), name="w")
    b = Parameter(np.array([0.5, -0.5], np.float32), name="b")
    params, rate = KINDS[kind](w, b)
    optimizer = of(params, rate, weight_decay=0.2, **arguments)
    for step in range(4):
        scaled = float(2**step)
        gradients = {"w": Tensor(scaled * w.asnumpy() + 0.1), "b": Tensor(b.asnumpy() - scaled)}
        optimizer(tuple(gradients[parameter.name] for parameter in optimizer.parameters))
    return [float(x) for x in np.concatenate([w.asnumpy().ravel(), b.asnumpy(), optimizer.global_step.asnumpy()])]


def main():
    found = {}
    for mode, name in ((ms.GRAPH_MODE, "graph"), (ms.PYNATIVE_MODE, "pynative")):
        ms.set_context(mode=mode)
        for of, arguments in ((Sign, {}), (Plain, {"loss_scale": 4.0}), (Slower, {"loss_scale": 4.0})):
            for kind in KINDS:
                found[f"{of.__name__}-{kind}-{name}"] = trained(of, kind, **arguments)
    return found


if __name__ == "__main__":
    print("TRAINED " + json.dumps(main()))
