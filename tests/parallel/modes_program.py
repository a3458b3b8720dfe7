"""Trains networks in the parallel modes over the processes that run this, and in one; prints what differs:
mode, parallel mode, network, difference, and what shows that the mode was at work.

Arguments: groups of cases, execution modes, and "all" or names of cases.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from networks import (
    Clipped,
    ConvNet,
    LanguageModel,
    Mlp,
    adam,
    batches,
    decayed,
    dense,
    difference,
    functional,
    lamb,
    momentum,
    scaled,
    trained,
)

import mindspore_compat as ms
from mindspore_compat import Layout, Parameter, Tensor, nn, ops
from mindspore_compat.communication import get_group_size, get_rank, init, release

init()
from other_cases import others, refused  # noqa: E402  (it asks how many processes there are)

SIZE, RANK = get_group_size(), get_rank()
NAMES = {ms.GRAPH_MODE: "graph", ms.PYNATIVE_MODE: "pynative"}


def report(parallel: str, name: str, found: float, shows: Any = "-") -> None:
    """A row of the table."""
    print(NAMES[ms.get_context("mode")], parallel, name, f"{found:.1e}", str(shows).replace(" ", ""), flush=True)


def alone(*args: Any, **kwargs: Any) -> Any:
    """`trained` without a parallel mode."""
    ms.reset_auto_parallel_context()
    return trained(*args, **kwargs)


def is_chosen(name: str) -> bool:
    """Whether the case is to be run."""
    return sys.argv[3] == "all" or name in sys.argv[3].split(",")


def cuts(network: Any) -> int:
    """How many Parameters are cut."""
    return sum(item.sliced for item in network.get_parameters())


# --- semi auto --------------------------------------------------------------------------------------------------------


def semi_auto() -> None:
    dp, mp = 2, SIZE // 2
    layout = Layout((dp, mp), ("dp", "mp"))
    by_layout = ((layout("dp", "None"), layout("None", "mp")), (layout("dp", "mp"), layout("mp", "None")))
    data, model = ((SIZE, 1), (1, 1)), (((1, 1), (1, SIZE)), ((1, SIZE), (SIZE, 1)))
    cases = [
        ("mlp_data", lambda cut: Mlp((data, data) if cut else None), "numbers", momentum, nn.TrainOneStepCell),
        ("mlp_model", lambda cut: Mlp(model if cut else None), "numbers", adam, nn.TrainOneStepCell),
        ("mlp_layout", lambda cut: Mlp(by_layout if cut else None), "numbers", lamb, nn.TrainOneStepCell),
        ("lm_rows", lambda cut: LanguageModel(*(dp, mp) if cut else ()), "words", momentum, nn.TrainOneStepCell),
        ("lm_dropout", lambda cut: LanguageModel(*(dp, mp) if cut else (1, 1), 0.3), "words", momentum, scaled),
        ("lm_columns", lambda cut: LanguageModel(*(dp, mp) if cut else (1, 1), 0.0, False), "words", momentum, Clipped),
        ("lm_functional", lambda cut: LanguageModel(*(dp, mp) if cut else ()), "words", decayed, functional),
        ("conv", lambda cut: ConvNet(), "pictures", momentum, nn.TrainOneStepCell),
    ]
    for number, (name, make, kind, optimizer, step) in enumerate(cases):
        if not is_chosen(name):
            continue
        expected = alone(make(False), kind, optimizer, step)
        for parts in (False, True) if number < 4 else (True,):
            strategy = "data_parallel" if parts else "full_batch"
            ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", dataset_strategy=strategy)
            found = trained(make(True), kind, optimizer, step, parts)
            report("semi_auto", f"{name}_{'part' if parts else 'whole'}", difference(found, expected), cuts(found[1]))
    if is_chosen("shard_function"):
        _sharded_functions()


def _sharded_functions() -> None:
    """`shard` of a Cell with a plan, and of a function."""

    class Net(nn.Cell):
        def __init__(self, cut: bool) -> None:
            super().__init__()
            self.first, self.second, self.loss = dense(8, 16, 1), dense(16, 4, 2), nn.MSELoss()
            self.run = ms.shard(self.first, ((SIZE, 1),), parameter_plan={"self.first.weight": (SIZE, 1)})
            self.double = ms.shard(lambda x: x * 2, ((1, SIZE),), ((SIZE, 1),))
            if not cut:
                self.run, self.double = self.first, lambda x: x * 2

        def construct(self, x: Tensor, y: Tensor) -> Tensor:
            return self.loss(self.second(self.double(self.run(x))), y)

    expected = alone(Net(False))
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    found = trained(Net(True))
    report("semi_auto", "shard_function", difference(found, expected), cuts(found[1]))


def auto() -> None:
    for search in ("recursive_programming", "sharding_propagation"):
        expected = alone(LanguageModel(), "words")
        ms.set_auto_parallel_context(parallel_mode="auto_parallel", search_mode=search, full_batch=True)
        found = trained(LanguageModel(), "words")
        report("auto", search, difference(found, expected), cuts(found[1]))


# --- the optimizer's states cut ---------------------------------------------------------------------------------------


def parallel_optimizer() -> None:
    model = (((1, 1), (1, SIZE)), ((1, SIZE), (SIZE, 1)))
    for optimizer in (momentum, adam, lamb):
        if not is_chosen(optimizer.__name__):
            continue
        expected = alone(Mlp(), optimizer=optimizer)
        settings = {"enable_parallel_optimizer": True, "parallel_optimizer_config": {"parallel_optimizer_threshold": 0}}
        for name, cut in (("whole", None), ("cut", model)):
            ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True, **settings)
            found = trained(Mlp(cut), optimizer=optimizer)
            report("semi_auto+zero", f"{optimizer.__name__}_{name}", difference(found, expected), cuts(found[1]))
        if optimizer is not lamb:
            ms.reset_auto_parallel_context()
            ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, **settings)
            found = trained(Mlp(), optimizer=optimizer, parts=True)
            found[0][:] = expected[0]  # each process has the loss of its part
            report("data+zero", optimizer.__name__, difference(found, expected), cuts(found[2]))
    ms.reset_auto_parallel_context()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", enable_parallel_optimizer=True)
    network = Mlp()
    step = nn.TrainOneStepCell(network, lamb(network.trainable_params()))
    try:
        step(*map(Tensor, next(batches("numbers"))))
    except RuntimeError as error:
        report("data+zero", "lamb_refused", 0.0, "enable_parallel_optimizer" in str(error))
    table = nn.EmbeddingLookup(8, 4)
    step = nn.TrainOneStepCell(table, adam(table.trainable_params()))
    try:
        step(Tensor([[1, 2]], ms.int32))
    except RuntimeError as error:
        report("data+zero", "rows_refused", 0.0, "rows that are looked up" in str(error))


# --- pipelines --------------------------------------------------------------------------------------------------------


class Stage(nn.Cell):
    """A layer, which remembers whether it has computed."""

    def __init__(self, seed: int, stage: int | None) -> None:
        super().__init__()
        self.layer, self.act = dense(8, 8, seed), nn.GELU()
        self.computed = False
        if stage is not None:
            self.pipeline_stage = stage

    def construct(self, x: Tensor) -> Tensor:
        self.computed = not x.is_meta
        return self.act(self.layer(x))


class Staged(nn.Cell):
    """Four layers in stages. "skip" adds the input to each, "tied" has one table in the first and last stage, "norm" a
    batch normalization, whose moving values its stage keeps.
    """

    def __init__(self, kind: str, stages: int) -> None:
        super().__init__()
        self.kind = kind
        self.layers = nn.CellList([Stage(item, item * stages // 4 if stages else None) for item in range(4)])
        self.table = Parameter(Tensor(np.random.RandomState(9).randn(12, 8).astype(np.float32)), name="table")
        self.norm = nn.BatchNorm1d(8)
        if stages:
            self.norm.pipeline_stage = 0
        self.last = dense(8, 4, 5)
        if stages:
            self.last.pipeline_stage = stages - 1
        self.losses = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), nn.MSELoss()

    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        if self.kind == "tied":
            x = ops.gather(self.table, x, 0).mean(1)
        if self.kind == "norm":
            x = self.norm(x)
        first = x
        for layer in self.layers:
            x = layer(x)
            if self.kind == "skip":
                x = x + first
        if self.kind == "tied":
            return self.losses[0](ops.matmul(x, self.table.T), y[:, 0])
        return self.losses[1](self.last(x), y)


def pipelines() -> None:
    for kind, own, micro, optimizer, step in (
        ("plain", False, 2, lamb, nn.TrainOneStepCell),
        ("skip", True, 4, momentum, scaled),
        ("tied", False, 2, adam, nn.TrainOneStepCell),
        ("tied", True, 2, momentum, nn.TrainOneStepCell),
        ("norm", False, 2, momentum, nn.TrainOneStepCell),
        ("plain", False, 0, momentum, Clipped),
        ("plain", False, 2, momentum, functional),
    ):
        name = f"{kind}_{'own' if own else 'all'}_{step.__name__}"
        if not is_chosen(name):
            continue
        data = "words" if kind == "tied" else "numbers"

        def wrapped(network: Any, optimizer: Any, step: Any = step, micro: int = micro) -> Any:
            return step(nn.PipelineCell(network, micro) if micro else network, optimizer)

        expected = alone(Staged(kind, 0), data, optimizer, wrapped)
        ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=SIZE)
        network = Staged(kind, SIZE)
        network.table.add_pipeline_stage(0)
        network.table.add_pipeline_stage(SIZE - 1)
        stage = network.infer_param_pipeline_stage()
        chosen = optimizer if not own else lambda _, stage=stage, optimizer=optimizer: optimizer(stage)
        found = trained(network, data, chosen, wrapped)
        names = {item.name for item in stage} if own else {item.name for item in network.trainable_params()}
        pairs = zip(network.trainable_params(), expected[1].trainable_params(), strict=True)
        largest = max(np.abs(a.asnumpy() - b.asnumpy()).max() for a, b in pairs if a.name in names)
        computed = sum(layer.computed for layer in network.layers)
        largest = max(float(largest), float(np.abs(np.array(found[0]) - expected[0]).max()))
        report("pipeline", name, largest, computed)


GROUPS = {
    "semi_auto": semi_auto,
    "auto": auto,
    "optimizer": parallel_optimizer,
    "pipeline": pipelines,
    "others": lambda: others(report),
    "refused": lambda: refused(report),
}
for chosen_mode in sys.argv[2].split(","):
    ms.set_context(mode=ms.GRAPH_MODE if chosen_mode == "graph" else ms.PYNATIVE_MODE)
    for group in sys.argv[1].split(","):
        GROUPS[group]()
release()
