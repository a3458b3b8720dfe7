"""What distributions and bijectors answer. Run by ours and by real MindSpore: ``FILE``."""

import json
import sys

import mindspore as ms
import mindspore.nn.probability.bijector as msb
import mindspore.nn.probability.distribution as msd
import numpy as np
from mindspore import Tensor


def T(*values):
    return Tensor(np.array(values, "float32"))


#: name: parameters, others' parameters, values
DISTRIBUTIONS = {
    "Bernoulli": [((0.3,), (0.6,), (0.0, 1.0)), (([0.2, 0.7],), (0.5,), (1.0, 0.0))],
    "Beta": [((2.0, 3.0), (1.5, 2.5), (0.2, 0.9)), (([2.0, 4.0], [3.0, 1.5]), (1.5, 2.5), (0.2, 0.9))],
    "Cauchy": [((0.5, 2.0), (1.0, 1.5), (-1.0, 0.3)), (([0.5, 1.0], [2.0, 0.5]), (1.0, 1.5), (-1.0, 0.3))],
    "Exponential": [((0.7,), (1.5,), (0.2, 3.0)), (([0.7, 2.0],), (1.5,), (-1.0, 3.0))],
    "Gamma": [((2.0, 1.5), (3.0, 0.5), (0.2, 3.0)), (([2.0, 3.0], [1.5, 0.5]), (3.0, 0.5), (0.2, 3.0))],
    "Geometric": [((0.3,), (0.6,), (0.0, 2.0)), (([0.2, 0.7],), (0.5,), (3.0, 1.0)), ((0.4,), (0.5,), (-1.0, 1.5))],
    "Gumbel": [((0.5, 2.0), (1.0, 1.5), (-1.0, 0.3)), (([0.5, 1.0], [2.0, 0.5]), (1.0, 1.5), (-1.0, 0.3))],
    "LogNormal": [((0.5, 0.4), (1.0, 0.5), (0.2, 3.0)), (([0.5, 1.0], [0.4, 0.5]), (1.0, 1.5), (0.2, 3.0))],
    "Logistic": [((0.5, 2.0), (1.0, 1.5), (-1.0, 0.3)), (([0.5, 1.0], [2.0, 0.5]), (1.0, 1.5), (-1.0, 0.3))],
    "Normal": [((0.5, 2.0), (1.0, 1.5), (-1.0, 0.3))],
    "Poisson": [((2.5,), (1.0,), (0.0, 3.0)), (([2.5, 0.7],), (1.0,), (2.0, 1.5)), ((2.5,), (1.0,), (-1.0, 2.5))],
    "HalfNormal": [((0.5, 2.0), (1.0, 1.5), (0.7, 3.0)), ((0.5, 2.0), (1.0, 1.5), (-1.0, 0.5))],
    "Laplace": [((0.5, 2.0), (1.0, 1.5), (-1.0, 0.3))],
    "StudentT": [((3.0, 0.5, 2.0), (2.0, 1.0, 1.5), (-1.0, 0.3))],
}
OF_VALUES = "prob log_prob cdf log_cdf survival_function log_survival".split()
OF_NONE = "mean mode sd var entropy".split()
OF_OTHERS = "kl_loss cross_entropy".split()
BIJECTORS = {
    "PowerTransform": [(0.0,), (0.5,), (2.0,), ([0.5, 1.0],)],
    "Exp": [()],
    "ScalarAffine": [(2.0, 0.5), ([2.0, 3.0], [0.5, 1.0]), ()],
    "Softplus": [(1.0,), (2.0,), ([1.0, 3.0],)],
    "GumbelCDF": [(0.0, 1.0), (0.5, 2.0)],
}
BAD = {
    "bernoulli 0": lambda: msd.Bernoulli(0.0),
    "bernoulli 1.2": lambda: msd.Bernoulli([0.2, 1.2]),
    "beta 0": lambda: msd.Beta([0.0], [1.0]),
    "beta dtype": lambda: msd.Beta(1.0, 1.0, dtype=ms.int32),
    "cauchy scale": lambda: msd.Cauchy(0.0, -1.0),
    "exponential rate": lambda: msd.Exponential(0.0),
    "gamma": lambda: msd.Gamma([1.0], [0.0]),
    "geometric": lambda: msd.Geometric(1.0),
    "gumbel": lambda: msd.Gumbel(0.0, 0.0),
    "logistic": lambda: msd.Logistic(0.0, 0.0),
    "poisson": lambda: msd.Poisson([0.0]),
    "student": lambda: msd.StudentT(0.0, 1.0, 1.0),
    "laplace": lambda: msd.Laplace(0.0, -1.0),
    "half normal": lambda: msd.HalfNormal(0.0, -1.0),
    "seed": lambda: msd.Gamma([1.0], [1.0], seed=-1),
    "no parameter": lambda: msd.Gamma().mean(),
    "kl with another": lambda: msd.Gamma([1.0], [1.0]).kl_loss("Beta", T(1.0), T(1.0)),
    "value": lambda: msd.Gamma([1.0], [1.0]).log_prob(1.0),
    "power": lambda: msb.PowerTransform(-1.0),
    "gumbel cdf": lambda: msb.GumbelCDF(0.0, 0.0),
    "invert": lambda: msb.Invert(3),
    "bijector of a number": lambda: msb.Exp().forward(1.0),
    "transformed": lambda: msd.TransformedDistribution(msd.Normal(0.0, 1.0), msb.Exp()),
}


def answer(call):
    try:
        result = call()
    except Exception as error:
        return type(error).__name__
    if isinstance(result, Tensor):
        return [str(result.dtype).split(".")[-1].lower(), result.asnumpy().astype("float64").tolist()]
    return str(result)


def of_distribution(distribution, parameters, others, values, open_one):
    given = [Tensor(np.array(item, "float32")) for item in parameters]
    theirs = [Tensor(np.array(item, "float32")) for item in others]
    name = type(distribution).__name__
    found = {"batch": str(distribution.batch_shape), "scalar": str(distribution.is_scalar_batch)}
    for function in OF_VALUES:
        found[function] = answer(lambda: getattr(distribution, function)(T(*values)))
        found[f"{function} given"] = answer(lambda: getattr(open_one, function)(T(*values), *given))
        found[f"{function} by name"] = answer(lambda: distribution(function, T(*values)))
    for function in OF_NONE:
        found[function] = answer(getattr(distribution, function))
        found[f"{function} given"] = answer(lambda: getattr(open_one, function)(*given))
    for function in OF_OTHERS:
        found[function] = answer(lambda: getattr(distribution, function)(name, *theirs))
    drawn = answer(lambda: distribution.sample((3, 2)))
    found["sample"] = [drawn[0], str(np.shape(drawn[1]))] if isinstance(drawn, list) else drawn
    return found


def transformed():
    found = {}
    linear = msd.TransformedDistribution(msb.ScalarAffine(2.0, 1.0), msd.Normal(0.5, 1.5))
    log_normal = msd.TransformedDistribution(msb.Exp(), msd.Normal(0.5, 0.7))
    for name, one in (("linear", linear), ("log normal", log_normal)):
        for function in OF_VALUES:
            found[f"{name} {function}"] = answer(lambda: getattr(one, function)(T(0.3, 2.5)))
        found[f"{name} mean"] = answer(one.mean)
        found[f"{name} sample"] = str(one.sample((2, 3)).shape)
        found[f"{name} linear"] = str(one.is_linear_transformation)
    return found


def main():
    found = {"transformed": transformed(), "bad": {name: answer(call) for name, call in BAD.items()}}
    for name, rows in DISTRIBUTIONS.items():
        kind = getattr(msd, name)
        for number, (parameters, others, values) in enumerate(rows):
            try:
                made = kind(*parameters)
            except Exception as error:
                found[f"{name} {number}"] = type(error).__name__
                continue
            if name in ("Gumbel", "LogNormal"):
                open_one = kind(*parameters)
            else:
                open_one = kind()
            found[f"{name} {number}"] = of_distribution(made, parameters, others, values, open_one)
    for name, rows in BIJECTORS.items():
        for number, parameters in enumerate(rows):
            made = getattr(msb, name)(*parameters)
            for one, label in ((made, name), (msb.Invert(made), f"Invert {name}")):
                for function in ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian"):
                    found[f"{label} {number} {function}"] = answer(lambda: getattr(one, function)(T(0.2, 0.7)))
                found[f"{label} {number} call"] = answer(lambda: one("forward", T(0.2, 0.7)))
                found[f"{label} {number} is"] = str(
                    (one.name, one.is_constant_jacobian, one.is_injective, one.batch_shape, one.is_scalar_batch)
                )
    with open(sys.argv[1], "w") as file:
        json.dump(found, file)


main()
