"""Device memory and kernel launches of a training step, beside torch's best step of the same network.

    python benchmarks/memory.py [--nets encoder resnet] [--write]

Memory is the highest of a step, in multiples of the parameters' bytes; launches are torch's operators below autograd
without views. torch's step has fused or list-wise kernels, and a GradScaler where there is a loss scale. Without a GPU
the step runs on the tests' fake CUDA device, whose figures are exact and always the same; there the host's waits are
counted, too. ``--write`` puts the table into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import collections
import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402

if not torch.cuda.is_available():
    from tests.support import fakecuda

    fakecuda.install(devices=1)

import numpy as np  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import mindspore_compat as ms  # noqa: E402
from mindspore_compat import Tensor, nn, ops  # noqa: E402
from mindspore_compat._api import alias  # noqa: E402

alias.install()
import nets_mindspore  # noqa: E402  (says `import mindspore`)
import nets_torch  # noqa: E402

PAGE, MARK, END = ROOT / "docs" / "benchmarks.md", "<!-- made by benchmarks/memory.py -->", "<!-- its end -->"
WARM_UP = 9  # recordings, captures
BATCH = 2
NETS: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "encoder": (lambda nets: nets.Encoder(vocabulary=100, dim=128, layers=6), (16,)),
    "wide encoder": (lambda nets: nets.Encoder(vocabulary=100, dim=512, layers=6), (16,)),
    "resnet": (lambda nets: nets.ResNet(blocks=2, widths=(32, 64, 128)), (3, 8, 8)),
}
_VIEWS = frozenset(
    """
    _has_compatible_shallow_copy_type _local_scalar_dense _reshape_alias _unsafe_view alias as_strided chunk detach
    detach_ diagonal empty empty_like empty_strided expand is_same_size lift_fresh new_empty new_empty_strided permute
    reshape resize_ select set_ slice split split_with_sizes squeeze squeeze_ stride sym_size t transpose unbind
    unsqueeze unsqueeze_ view is_pinned _pin_memory
    """.split()
)


class Launches(TorchDispatchMode):
    """Counts operators that launch a kernel; a list-wise operator counts once."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: collections.Counter[str] = collections.Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func._schema.name.split("::")[1]
        if name not in _VIEWS:
            self.counts[name] += 1
        return func(*args, **(kwargs or {}))


class Measured(NamedTuple):
    """A step.

    Attributes:
        peak: device memory, in multiples of the parameters' bytes.
        launches: kernels.
        waits: how often the host waited; 0 where nothing tells.
    """

    peak: float
    launches: int
    waits: int


def measured(step: Callable[[], Any], size: int, others: int) -> Measured:
    """Run ``step``. ``size`` is the parameters' bytes; ``others`` bytes lie on the device for something else."""
    for _ in range(WARM_UP):
        step()
    with Launches() as launches:
        step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    step()
    torch.cuda.synchronize()
    peak = (torch.cuda.max_memory_allocated() - others) / size
    waits = 0
    if "tests.support.fakecuda" in sys.modules:
        with fakecuda.recorded() as traffic:
            step()
        waits = len(traffic.waits)
    return Measured(peak, sum(launches.counts.values()), waits)


def _batch(net: str) -> tuple[np.ndarray, np.ndarray]:
    shape = NETS[net][1]
    random = np.random.RandomState(0)
    labels = (np.arange(BATCH) % 10).astype(np.int32)
    if net != "resnet":
        return random.randint(0, 100, (BATCH, *shape)).astype(np.int32), labels
    return random.randn(BATCH, *shape).astype(np.float32), labels


# --- torch's steps ----------------------------------------------------------------------------------------------------

TORCH: dict[str, Callable[[list[Any]], Any]] = {
    "SGD": lambda params: torch.optim.SGD(params, 1e-3, momentum=0.9, fused=True),
    "Adam": lambda params: torch.optim.Adam(params, 1e-3, fused=True),
    "AdamW": lambda params: torch.optim.AdamW(params, 1e-3, fused=True),
    "RMSprop": lambda params: torch.optim.RMSprop(params, 1e-3, foreach=True),
    "Adagrad": lambda params: torch.optim.Adagrad(params, 1e-3, foreach=True),
}


def torch_step(net: str, optimizer: str, scale: str, extra: str) -> tuple[Callable[[], Any], int]:
    """(torch's best step, the parameters' bytes)."""
    network = NETS[net][0](nets_torch).cuda()
    params = list(network.parameters())
    made = TORCH[optimizer](params)
    scaler = torch.amp.GradScaler("cuda", init_scale=1024.0, enabled=scale != "none")
    x, y = (torch.from_numpy(item).cuda() for item in _batch(net))
    y = y.to(torch.int64)
    averages = [torch.zeros_like(item) for item in params] if extra in ("EMA", "MindCV's step") else []
    count = 0

    def step() -> None:
        nonlocal count
        count += 1
        loss = torch.nn.functional.cross_entropy(network(x), y)
        scaler.scale(loss).backward()
        if extra == "accumulation" and count % 2:
            return
        if extra in WRITTEN:
            scaler.unscale_(made)
            torch.nn.utils.clip_grad_norm_(params, 1.0, foreach=True)
        scaler.step(made)
        scaler.update()
        made.zero_grad()
        if averages:
            with torch.no_grad():
                torch._foreach_lerp_(averages, params, 0.01)

    return step, sum(item.numel() * item.element_size() for item in params)


# --- ours -------------------------------------------------------------------------------------------------------------

OURS: dict[str, tuple[str, Callable[[list[Any]], Any]]] = {
    "Momentum": ("SGD", lambda params: nn.Momentum(params, 1e-3, 0.9)),
    "Momentum, decay groups": ("SGD", lambda params: nn.Momentum(_groups(params), 1e-3, 0.9, weight_decay=1e-4)),
    "SGD": ("SGD", lambda params: nn.SGD(params, 1e-3, momentum=0.9)),
    "LARS of Momentum": ("SGD", lambda params: nn.LARS(nn.Momentum(params, 1e-3, 0.9))),
    "Adam": ("Adam", lambda params: nn.Adam(params, 1e-3)),
    "AdamWeightDecay": ("AdamW", lambda params: nn.AdamWeightDecay(params, 1e-3, weight_decay=0.01)),
    "Lamb": ("AdamW", lambda params: nn.Lamb(params, 1e-3)),
    "RMSProp": ("RMSprop", lambda params: nn.RMSProp(params, 1e-3)),
    "Adagrad": ("Adagrad", lambda params: nn.Adagrad(params, learning_rate=1e-3)),
    "experimental AdamW": ("AdamW", lambda params: ms.experimental.optim.AdamW(params, lr=1e-3)),
    "mint AdamW": ("AdamW", lambda params: ms.mint.optim.AdamW(params, lr=1e-3)),
    "experimental SGD": ("SGD", lambda params: ms.experimental.optim.SGD(params, lr=1e-3, momentum=0.9)),
    "mint SGD": ("SGD", lambda params: ms.mint.optim.SGD(params, lr=1e-3, momentum=0.9)),
}
LEVELS = ("O1", "O2", "O3", "auto")  # beside torch's step in float32
WRITTEN: dict[str, Callable[[Any, Any, Any], Any]] = {  # steps that scripts write over a loss scale
    "clipping": lambda *args: Clipped(*args),
    "BERT's step": lambda *args: OfBert(*args),
    "MindCV's step": lambda *args: OfMindCV(*args),
    "MindFormers' step": lambda *args: OfMindFormers(*args),
}
EXTRAS = (*LEVELS, "accumulation", "EMA", *WRITTEN)


def _thor(network: Any) -> Any:
    rates, damping = (Tensor(np.full(100, value, np.float32)) for value in (1e-3, 0.03))
    return nn.thor(network, rates, damping, 0.9, batch_size=BATCH, frequency=100)


def _groups(params: list[Any]) -> list[dict[str, Any]]:
    spared = [item for item in params if "bias" in item.name or "norm" in item.name or "bn" in item.name]
    known = set(map(id, spared))
    return [{"params": [item for item in params if id(item) not in known], "weight_decay": 1e-4}, {"params": spared}]


class Clipped(nn.TrainOneStepWithLossScaleCell):
    """A step that clips by the global norm, as scripts write it."""

    def construct(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        status, scale = self.start_overflow_check(loss, self.scale_sense)
        gradients = self.grad(self.network, self.weights)(*inputs, ops.fill(loss.dtype, loss.shape, 1.0) * scale)
        gradients = self.hyper_map(ops.partial(_unscaled, scale), gradients)
        gradients = ops.clip_by_global_norm(gradients, 1.0)
        if not self.process_loss_scale(self.get_overflow_status(status, gradients)):
            self.optimizer(gradients)
        return loss


def _unscaled(scale: Any, gradient: Any) -> Any:
    return gradient * ops.cast(1.0 / scale, gradient.dtype)


class OfBert(nn.TrainOneStepWithLossScaleCell):
    """A step as the model zoo's BERT has it: each gradient is unscaled and clipped by its own norm."""

    def __init__(self, network: Any, optimizer: Any, manager: Any) -> None:
        super().__init__(network, optimizer, manager)
        self.map, self.clip = ops.HyperMap(), nn.ClipByNorm()

    def construct(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        status, scale = self.start_overflow_check(loss, self.scale_sense)
        gradients = self.grad(self.network, self.weights)(*inputs, ops.cast(scale, ms.float32))
        gradients = self.map(ops.partial(_unscaled, scale), gradients)
        gradients = self.map(self._clipped, gradients)
        overflow = self.process_loss_scale(self.get_overflow_status(status, gradients))
        if not overflow:
            self.optimizer(gradients)
        return loss, overflow, scale

    def _clipped(self, gradient: Any) -> Any:
        return self.clip(gradient, ops.cast(ops.tuple_to_array((1.0,)), gradient.dtype))


class OfMindCV(Clipped):
    """A step as trainers of image models have it: clipping by the global norm, and moving averages of the weights."""

    def __init__(self, network: Any, optimizer: Any, manager: Any) -> None:
        super().__init__(network, optimizer, manager)
        self.updates = ms.Parameter(Tensor(0.0, ms.float32))
        self.all = ms.ParameterTuple(list(network.get_parameters()))
        self.averages = self.all.clone("ema", init="same")

    def construct(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        status, scale = self.start_overflow_check(loss, self.scale_sense)
        filled = ops.ones_like(loss) * ops.cast(scale, loss.dtype)
        gradients = self.grad(self.network, self.weights)(*inputs, filled)
        gradients = self.hyper_map(ops.partial(_unscaled, scale), gradients)
        gradients = ops.clip_by_global_norm(gradients, clip_norm=1.0)
        overflow = self.process_loss_scale(self.get_overflow_status(status, self.grad_reducer(gradients)))
        if not overflow:
            loss = ops.depend(loss, self.optimizer(gradients))
            loss = ops.depend(loss, self.average())
        return loss

    def average(self) -> Any:
        self.updates += 1
        keep = 0.9999 * (1 - ops.exp(-self.updates / 2000))
        return self.hyper_map(ops.partial(_kept_average, keep), self.averages, self.all)


def _kept_average(keep: Any, average: Any, weight: Any) -> Any:
    return ops.assign(average, average * keep + weight * (1 - keep))


class OfMindFormers(Clipped):
    """A step as trainers of language models have it: the gradients are clipped where none overflowed, and the global
    norm and the rate are results.
    """

    def construct(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        status, scale = self.start_overflow_check(loss, self.scale_sense)
        gradients = self.grad(self.network, self.weights)(*inputs, ops.fill(loss.dtype, loss.shape, 1.0) * scale)
        gradients = self.grad_reducer(self.hyper_map(ops.partial(_unscaled, scale), gradients))
        overflow = self.process_loss_scale(self.get_overflow_status(status, gradients))
        norm = ops.sqrt(ops.addn(self.hyper_map(_square_sum, gradients)))
        factor = 1.0 / ops.maximum(norm, Tensor(1.0, ms.float32))
        if not overflow:
            self.optimizer(self.hyper_map(ops.partial(_times, factor), gradients))
        return loss, overflow, scale, self.optimizer.get_lr(), norm


def _square_sum(gradient: Any) -> Any:
    return ops.reduce_sum(ops.square(gradient.astype(ms.float32)))


def _times(factor: Any, gradient: Any) -> Any:
    return gradient * factor.astype(gradient.dtype)


class Averaged(nn.Cell):
    """A step, and the moving averages of the weights, as trainers of image models have it."""

    def __init__(self, step: Any, weights: Any) -> None:
        super().__init__(auto_prefix=False)
        self.step, self.weights = step, ms.ParameterTuple(weights)
        self.averages = self.weights.clone("ema", init="same")
        self.map = ops.HyperMap()

    def construct(self, *inputs: Any) -> Any:
        loss = self.step(*inputs)
        self.map(_averaged, self.averages, self.weights)
        return loss


def _averaged(average: Any, weight: Any) -> Any:
    return ops.assign(average, average * 0.99 + weight * 0.01)


class Accumulating(nn.Cell):
    """Two batches a step: gradients are summed in Parameters, as trainers of large models have it."""

    def __init__(self, network: Any, optimizer: Any) -> None:
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        self.sums = self.weights.clone("sum", init="zeros")
        self.grad = ops.GradOperation(get_by_list=True)
        self.map, self.count = ops.HyperMap(), 0

    def construct(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        self.map(ops.assign_add, self.sums, self.grad(self.network, self.weights)(*inputs))
        return loss

    def update(self) -> None:
        self.optimizer(self.sums)
        for item in self.sums:
            item.set_data(ops.zeros_like(item))


def our_step(net: str, optimizer: str, scale: str, mode: int, extra: str) -> tuple[Callable[[], Any], int]:
    """(our step, the parameters' bytes)."""
    ms.set_context(mode=mode, device_target="GPU")
    network = NETS[net][0](nets_mindspore)
    weights = network.trainable_params()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    made = _thor(network) if optimizer == "THOR" else OURS[optimizer][1](weights)
    x, y = (Tensor(item) for item in _batch(net))
    managers = {
        "none": None,
        "fixed": ms.FixedLossScaleManager(1024.0, drop_overflow_update=True),
        "dynamic": ms.DynamicLossScaleManager(1024.0, 2, 1000),
    }
    step: Any
    if extra in LEVELS:
        step = ms.amp.build_train_network(network, made, loss, level=extra, loss_scale_manager=managers[scale])
    elif extra in WRITTEN:
        step = WRITTEN[extra](nn.WithLossCell(network, loss), made, nn.DynamicLossScaleUpdateCell(1024, 2, 1000))
    elif extra == "accumulation":
        step = Accumulating(nn.WithLossCell(network, loss), made)
    else:
        step = ms.amp.build_train_network(network, made, loss, level="O0", loss_scale_manager=managers[scale])
    if extra == "EMA":
        step = Averaged(step, weights)
    step.set_train()
    if optimizer == "THOR":
        step.add_flags_recursive(thor=extra == "second order")
    count = 0

    def run() -> None:
        nonlocal count
        step(x, y)
        count += 1
        if extra == "accumulation" and count % 2 == 0:
            step.update()

    return run, sum(item.numel() * item.element_size() for item in weights)


# --- the table --------------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """What is measured: a network, an optimizer, a loss scale and one more thing that steps do."""

    net: str
    optimizer: str
    scale: str
    extra: str = ""


#: of 76 MB, where temporaries of the update are small beside the whole
WIDE = ("Momentum", "SGD", "AdamWeightDecay", "Adagrad", "experimental AdamW", "mint AdamW", "mint SGD")
ROWS = [
    *(Row("encoder", optimizer, scale) for optimizer in OURS for scale in ("none", "dynamic")),
    *(Row("encoder", optimizer, "fixed") for optimizer in ("Momentum", "Adam")),
    *(Row("resnet", optimizer, scale) for optimizer in ("Momentum", "Adam") for scale in ("none", "dynamic")),
    *(Row("resnet", "THOR", "none", order) for order in ("first order", "second order")),
    *(Row("wide encoder", optimizer, "dynamic") for optimizer in WIDE),
    *(Row("encoder", "AdamWeightDecay", "none" if extra == "accumulation" else "dynamic", extra) for extra in EXTRAS),
]
MODES = {"PYNATIVE_MODE": ms.PYNATIVE_MODE, "GRAPH_MODE": ms.GRAPH_MODE}


def _allocated() -> int:
    """Bytes on the device, without what only reference cycles keep."""
    gc.collect()
    return torch.cuda.memory_allocated()


def _counterpart(row: Row) -> str:
    return "SGD" if row.optimizer == "THOR" else OURS[row.optimizer][0]


def compared(row: Row) -> Iterator[tuple[str, Measured, Measured]]:
    """Yield (mode, our step, torch's)."""
    reference = None
    for name, mode in MODES.items():
        if reference is None:
            others = _allocated()
            reference = measured(*torch_step(row.net, _counterpart(row), row.scale, row.extra), others)
        others = _allocated()
        yield name, measured(*our_step(row.net, row.optimizer, row.scale, mode, row.extra), others), reference


def table(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of a table in Markdown."""
    titles = (
        "network",
        "optimizer",
        "loss scale",
        "with",
        "memory: PYNATIVE_MODE, GRAPH_MODE / torch",
        "launches: PYNATIVE_MODE, GRAPH_MODE / torch",
        "waits",
    )
    yield _line(titles)
    yield _line(["---"] * len(titles))
    for row in rows:
        found = list(compared(row))
        theirs = found[0][-1]
        memory = f"{', '.join(f'{ours.peak:.2f}' for _, ours, _ in found)} / {theirs.peak:.2f}"
        launches = f"{', '.join(str(ours.launches) for _, ours, _ in found)} / {theirs.launches}"
        waits = ", ".join(dict.fromkeys(str(ours.waits) for _, ours, _ in found))
        yield _line([*row, memory, launches, waits])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nets", nargs="+", choices=list(NETS), default=list(NETS))
    parser.add_argument("--optimizers", nargs="+", choices=[*OURS, "THOR"], default=[*OURS, "THOR"])
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    args = parser.parse_args()
    lines = []
    for line in table([row for row in ROWS if row.net in args.nets and row.optimizer in args.optimizers]):
        print(line, flush=True)
        lines.append(line)
    if args.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARK)
        _, _, after = rest.partition(END)
        PAGE.write_text("\n".join([before + MARK, "", *lines, "", END]) + after, encoding="utf-8")


if __name__ == "__main__":
    main()
