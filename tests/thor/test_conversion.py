"""`ConvertNetUtils`: what is converted, what is kept, what is left alone; Cells and torch modules."""

from __future__ import annotations

import copy
import gc
import logging
import pickle

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat.train.train_thor import ConvertNetUtils
from tests.thor.networks import BATCH, RATES
from tests.thor.ours import batch, make_net, make_step, make_thor, trainable


class Mixed(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.seq = nn.SequentialCell(
            [nn.Conv2d(3, 4, 3, has_bias=True, bias_init="ones"), nn.BatchNorm2d(4), nn.ReLU()]
        )
        self.parts = nn.CellList([nn.Dense(4, 5, activation="relu"), nn.Dense(5, 6, has_bias=False)])
        self.lookup = nn.EmbeddingLookup(7, 6)
        self.frozen = nn.Dense(6, 2)
        self.frozen.weight.requires_grad = False
        self.line = nn.Conv1d(3, 4, 3)

    def construct(self, x: Tensor, ids: Tensor) -> Tensor:
        y = ops.ReduceMean()(self.seq(x), (2, 3))
        for part in self.parts:
            y = part(y)
        return self.frozen(y + self.lookup(ids))


def convert(net: torch.nn.Module) -> torch.nn.Module:
    ConvertNetUtils().convert_to_thor_net(net)
    return net


def test_exact_classes_with_trainable_weights_are_converted() -> None:
    net = convert(Mixed())
    found = {path: type(cell).__name__ for path, cell in net.cells_and_names() if type(cell).__name__.endswith("Thor")}
    assert found == {
        "seq.0": "Conv2dThor",
        "parts.0": "DenseThor",
        "parts.1": "DenseThor",
        "lookup": "EmbeddingLookupThor",
    }
    assert net.cell_type == "second-order"
    assert type(net.seq.cell_list[0]) is nn.Conv2dThor


def test_outputs_parameters_and_biases_stay() -> None:
    net = Mixed()
    x, ids = Tensor(np.random.standard_normal((2, 3, 5, 5)).astype(np.float32)), Tensor(np.array([1, 6], np.int32))
    before, parameters = net(x, ids).asnumpy(), {item.name: id(item) for item in net.get_parameters()}
    convert(net)
    np.testing.assert_array_equal(net(x, ids).asnumpy(), before)
    after = {item.name: id(item) for item in net.get_parameters()}
    assert {name: after[name] for name in parameters} == parameters
    assert sorted(set(after) - set(parameters)) == sorted(
        [
            "seq.0.matrix_a_cov",
            "seq.0.matrix_g_cov",
            "seq.0.a_normalizer",
            "seq.0.g_normalizer",
            "parts.0.matrix_a",
            "parts.0.matrix_g",
            "parts.1.matrix_a",
            "parts.1.matrix_g",
            "lookup.matrix_a",
            "lookup.matrix_g",
        ]
    )
    assert not any(item.requires_grad for item in net.get_parameters() if id(item) not in parameters.values())


def test_converting_twice_changes_nothing() -> None:
    net = convert(Mixed())
    before = {item.name: id(item) for item in net.get_parameters()}
    convert(net)
    assert {item.name: id(item) for item in net.get_parameters()} == before


def test_an_optimizer_made_before_still_trains_the_net() -> None:
    net = make_net("dense")
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    convert(net)
    before = trainable(net)
    make_step(net, optimizer)(*batch("dense", 0))
    assert all(np.abs(value - before[name]).max() > 0 for name, value in trainable(net).items())


def test_layers_that_can_not_be_factored_are_named_and_trained_by_first_order(caplog: pytest.LogCaptureFixture) -> None:
    class Special(nn.Dense):
        pass

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.grouped, self.dilated = nn.Conv2d(4, 4, 3, group=2), nn.Conv2d(4, 4, 3, dilation=2)
            self.wide_part, self.special, self.fc = nn.Dense(4, 4), Special(4, 4), nn.Dense(4, 3)

        def construct(self, x: Tensor) -> Tensor:
            return self.fc(self.special(self.wide_part(ops.ReduceMean()(self.dilated(self.grouped(x)), (2, 3)))))

    net = Net()
    with caplog.at_level(logging.WARNING, "mindspore_compat"):
        optimizer = make_thor(net, RATES["dense"])
    assert [record.message for record in caplog.records] == [
        "thor: these layers cannot be factored and are trained by first order: grouped (2 groups), dilated (dilation "
        "(2, 2)), special (a subclass, Special)."
    ]
    assert type(net.wide_part) is nn.Dense
    before = trainable(net)
    step = make_step(net, optimizer)
    step(Tensor(np.random.standard_normal((BATCH, 4, 6, 6)).astype(np.float32)), Tensor(np.zeros(BATCH, np.int32)))
    assert all(np.abs(value - before[name]).max() > 0 for name, value in trainable(net).items())


def test_rectangular_kernels_are_factored() -> None:
    layer = nn.Conv2dThor(2, 3, (3, 1), stride=(2, 1), pad_mode="same").set_train()
    x = Tensor(np.random.standard_normal((4, 2, 7, 5)).astype(np.float32))
    torch.autograd.grad(torch.square(layer(x)).sum(), [layer.weight])
    assert layer.matrix_a_cov.shape == (6, 6)
    assert float(layer.a_normalizer) == float(layer.g_normalizer) == 20.0


def test_flags_hooks_and_dtype_of_a_layer_stay() -> None:
    net = make_net("dense")
    net.fc1.to_float(ms.float16)
    calls: list[int] = []
    net.fc1.register_forward_hook(lambda *_: calls.append(1))
    net.set_train()
    convert(net)
    assert net.fc1(batch("dense", 0)[0]).dtype is torch.float16
    assert calls == [1]
    assert net.fc1.training


def test_a_layer_alone_is_converted() -> None:
    layer = nn.Dense(6, 3)
    optimizer = make_thor(layer, RATES["dense"])
    assert type(layer) is nn.DenseThor
    assert layer.matrix_a.name == "matrix_a"
    before = layer.weight.asnumpy().copy()
    make_step(layer, optimizer)(*batch("dense", 0))
    assert np.abs(layer.weight.asnumpy() - before).max() > 0


def test_a_weight_in_two_layers_has_one_pair_of_factors() -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two = nn.Dense(6, 6), nn.Dense(6, 6)
            self.two._parameters["weight"] = self.one.weight

        def construct(self, x: Tensor) -> Tensor:
            return self.two(self.one(x))

    net = Net()
    optimizer = make_thor(net, RATES["dense"])
    assert [item.name for item in net.get_parameters() if "matrix" in item.name] == ["one.matrix_a", "one.matrix_g"]
    make_step(net, optimizer)(*batch("dense", 0))


@pytest.mark.parametrize("options", [{"group": 2}, {"dilation": 2}])
def test_conv2d_thor_refuses_what_its_factors_would_be_wrong_for(options: dict) -> None:
    with pytest.raises(ValueError):
        nn.Conv2dThor(4, 4, 3, **options)


# --- plain torch modules ----------------------------------------------------------------------------------------------


class TorchConv(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.bn = torch.nn.Conv2d(2, 5, 3), torch.nn.BatchNorm2d(5)
        self.conv2, self.fc = torch.nn.Conv2d(5, 136, 3, stride=2, padding=1, bias=False), torch.nn.Linear(1224, 10)
        self.act = torch.nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.act(self.bn(self.conv1(x)))
        return self.fc(self.act(self.conv2(x)).flatten(1))


class TorchEmbedding(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table, self.norm, self.fc = (
            torch.nn.Embedding(11, 6),
            torch.nn.LayerNorm(6, eps=1e-7),
            torch.nn.Linear(6, 4),
        )

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.fc(self.norm(self.table(ids)).mean(1))


@pytest.mark.parametrize(("case", "kind"), [("conv", TorchConv), ("embedding", TorchEmbedding)])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weight_decay": 0.01, "use_nesterov": True},
        {"weight_decay": 0.01, "filter": "fc"},
        {"loss_scale": 8.0, "enable_clip_grad": True},
    ],
)
def test_a_torch_module_trains_as_the_cell_does(case: str, kind: type[torch.nn.Module], options: dict) -> None:
    scale = options.get("loss_scale", 1.0)
    net = make_net(case)
    if case == "conv":  # torch has no "same" with a stride
        net.conv2 = nn.Conv2d(
            5, 136, 3, stride=2, pad_mode="pad", padding=1, weight_init=Tensor(net.conv2.weight.asnumpy())
        )
    step = make_step(net, make_thor(net, RATES[case], **options), scale)
    module = kind()
    classes = {name: type(child) for name, child in module.named_modules()}
    names = {
        "table.embedding_table": "table.weight",
        "norm.gamma": "norm.weight",
        "norm.beta": "norm.bias",
        "bn.gamma": "bn.weight",
        "bn.beta": "bn.bias",
    }
    with torch.no_grad():
        for parameter in net.trainable_params():
            module.get_parameter(names.get(parameter.name, parameter.name)).copy_(torch.Tensor.detach(parameter))
    optimizer = make_thor(module, RATES[case], **options)
    assert isinstance(optimizer, torch.optim.Optimizer)
    assert {name: type(child) for name, child in module.named_modules()} == classes
    for number in range(4):
        x, y = batch(case, number)
        step(x, y)
        optimizer.zero_grad()
        logits = module(torch.from_numpy(x.asnumpy()))
        (torch.nn.functional.cross_entropy(logits, torch.from_numpy(y.asnumpy()).long()) * scale).backward()
        optimizer.step()
    for parameter in net.trainable_params():
        found = module.get_parameter(names.get(parameter.name, parameter.name)).detach().numpy()
        np.testing.assert_allclose(found, parameter.asnumpy(), rtol=0, atol=2e-6, err_msg=parameter.name)


def test_state_of_a_torch_module_resumes() -> None:
    def start() -> tuple:
        torch.manual_seed(3)
        module = TorchEmbedding()
        return module, make_thor(
            module, np.full(6, 0.01, np.float32), dampings=np.full(6, 0.03, np.float32), frequency=3
        )

    def train(module: torch.nn.Module, optimizer: torch.optim.Optimizer, first: int, last: int) -> None:
        for number in range(first, last):
            x, y = batch("embedding", number)
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(
                module(torch.from_numpy(x.asnumpy())), torch.from_numpy(y.asnumpy()).long()
            ).backward()
            optimizer.step()

    module, optimizer = start()
    train(module, optimizer, 0, 4)
    weights, state = {k: v.clone() for k, v in module.state_dict().items()}, copy.deepcopy(optimizer.state_dict())
    train(module, optimizer, 4, 6)
    again, resumed = start()
    again.load_state_dict(weights)
    resumed.load_state_dict(state)
    assert resumed._step_number() == 4
    train(again, resumed, 4, 6)
    for name, value in module.state_dict().items():
        assert torch.equal(again.state_dict()[name], value), name


def test_a_copied_or_pickled_module_leaves_its_optimizer_behind() -> None:
    module = TorchEmbedding()
    optimizer = make_thor(module, RATES["embedding"])
    ids = torch.from_numpy(batch("embedding", 0)[0].asnumpy())
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert torch.equal(other(ids), module(ids))
        other(ids).sum().backward()
        assert other.fc.__dict__["_factors"].weight is other.fc.weight
        assert not module.fc.__dict__["_factors"].is_recorded
    assert optimizer._step_number() == 0
    del optimizer
    gc.collect()
    module(ids).sum().backward()
    assert not module.fc.__dict__["_factors"].is_recorded


def test_a_cell_can_be_pickled_after_conversion() -> None:
    net = make_net("dense")
    make_thor(net, RATES["dense"])
    x, _ = batch("dense", 0)
    factors = net.fc1.__dict__["_factors"]
    other = pickle.loads(pickle.dumps(factors))
    assert other.schedule.is_due()
    assert torch.equal(torch.Tensor.detach(other.weight), torch.Tensor.detach(factors.weight))
    assert net(x).shape == (BATCH, 3)
