"""Our capture beside torch's own, on what has to be captured: for docs/benchmarks.md.

Graphs of a network (what export needs): the programs of tests/golden/mindir_cases.py and mindir_hard_cases.py, through
our MINDIR, ``torch.export`` (strict and not) and ``make_fx`` of the functionalized network. A graph is right when it
gives what the network gives, Parameters included, for all inputs of the case: it counts as wrong when it runs and
gives something else, as refused when there is an error.

Steps (what GRAPH_MODE replays): a training step of four networks, recorded by our tape and by ``make_fx``: seconds to
record, and milliseconds a replay, in turns.

    OMP_NUM_THREADS=1 python benchmarks/capture.py [--only graphs steps] [--rounds 9] [--turn 0.2]
"""

from __future__ import annotations

import argparse
import collections
import copy
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "tests/golden")]

import mindspore_compat as ms  # noqa: E402
from mindspore_compat import Tensor, nn, ops  # noqa: E402
from mindspore_compat._api import alias  # noqa: E402
from mindspore_compat._tensor.wrapping import plain  # noqa: E402

alias.install()
import mindir_cases  # noqa: E402
import mindir_hard_cases  # noqa: E402
from nets_mindspore import NETS, batch  # noqa: E402


def flat(item: Any) -> list[np.ndarray]:
    if isinstance(item, (tuple, list)):
        return [leaf for part in item for leaf in flat(part)]
    return [np.asarray(item.detach() if isinstance(item, torch.Tensor) else item)]


def tensors(run: Any) -> list[Any]:
    return [tuple(map(Tensor, part)) if isinstance(part, tuple) else Tensor(part.copy()) for part in run]


def torch_tree(tree: Any) -> Any:
    return torch.utils._pytree.tree_map_only(torch.Tensor, plain, tree)


def through_mindir(net: Any, inputs: list[Any]) -> Callable[..., Any]:
    with tempfile.TemporaryDirectory() as folder:
        ms.export(net, *inputs, file_name=f"{folder}/net", file_format="MINDIR")
        graph = nn.GraphCell(ms.load(f"{folder}/net.mindir"))
    return lambda *args: graph(*[leaf for arg in args for leaf in (arg if isinstance(arg, tuple) else (arg,))])


def through_export(strict: bool) -> Callable[[Any, list[Any]], Callable[..., Any]]:
    def captured(net: Any, inputs: list[Any]) -> Callable[..., Any]:
        program = torch.export.export(net, tuple(inputs), strict=strict)
        return program.run_decompositions().module()

    return captured


def through_make_fx(net: Any, inputs: list[Any]) -> Callable[..., Any]:
    from torch.fx.experimental.proxy_tensor import make_fx

    state = {name: plain(item).detach() for name, item in (*net.named_parameters(), *net.named_buffers())}

    def run(state: Any, *args: Any) -> Any:
        return torch.func.functional_call(net, state, args)

    with torch.no_grad():
        graph = make_fx(torch.func.functionalize(run), tracing_mode="real")(state, *torch_tree(inputs))
    return lambda *args: graph(state, *torch_tree(args))


CAPTURES: dict[str, Callable[[Any, list[Any]], Callable[..., Any]]] = {
    "ours": through_mindir,
    "export strict": through_export(True),
    "export": through_export(False),
    "make_fx": through_make_fx,
}


def graph_cases() -> dict[str, tuple[Callable[[], Any], list[Any]]]:
    names: dict[str, Any] = {"__name__": "__main__", "ms": ms, "nn": nn, "ops": ops, "Tensor": Tensor}
    exec(mindir_cases.NETS, names)
    found: dict[str, tuple[Callable[[], Any], list[Any]]] = {}
    for name, (source, arrays) in mindir_cases.LAYERS.items():
        runs = [arrays, [item[::-1].copy() if item.ndim else item + 1 for item in arrays]]
        found[name] = (lambda source=source: eval(source, names).set_train(False)), runs
    for name, (make, runs, shapes, train) in mindir_hard_cases.C.items():
        if shapes is None:
            found[f"hard {name}"] = (lambda make=make, train=train: make().set_train(train)), list(runs)
    return found


def outcome(make: Callable[[], Any], runs: list[Any], capture: Callable[..., Any]) -> tuple[str, float, str]:
    ms.set_seed(1)
    net = make()
    start = time.perf_counter()
    try:
        captured = capture(copy.deepcopy(net), tensors(runs[0]))
        took = time.perf_counter() - start
        for run in runs:
            found, expected = flat(captured(*tensors(run))), flat(net(*tensors(run)))
            if len(found) != len(expected):
                return "wrong", took, "other number of results"
            for a, b in zip(found, expected):
                if a.shape != b.shape or not np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True):
                    return "wrong", took, "other values"
    except Exception as error:
        return "refused", time.perf_counter() - start, f"{type(error).__name__}: {error}".split("\n")[0][:110]
    return "right", took, ""


def graphs(verbose: bool) -> None:
    counts: dict[str, collections.Counter[str]] = {name: collections.Counter() for name in CAPTURES}
    seconds: dict[str, list[float]] = {name: [] for name in CAPTURES}
    for case, (make, runs) in graph_cases().items():
        for name, capture in CAPTURES.items():
            what, took, why = outcome(make, runs, capture)
            counts[name][what] += 1
            seconds[name].append(took)
            if verbose and what != "right":
                print(f"  {case:24}{name:15}{what:9}{why}", flush=True)
    for name in CAPTURES:
        row = ", ".join(f"{what} {counts[name][what]}" for what in ("right", "wrong", "refused"))
        print(f"{name:15}{row}; median {statistics.median(seconds[name]):.3f} s, all {sum(seconds[name]):.1f} s")


def torch_step(net: Any, rate: float, momentum: float, functional: bool) -> tuple[Callable[..., Any], list[Any]]:
    """A step as a function of Parameters, moments and batch, as `make_fx` wants it."""
    parameters = {name: item.detach() for name, item in net.named_parameters()}
    buffers = dict(net.named_buffers())
    moments = {name: torch.zeros_like(item) for name, item in parameters.items()}

    def step(parameters: Any, buffers: Any, moments: Any, x: Any, y: Any) -> Any:
        def loss_of(leaves: Any) -> Any:
            logits = torch.func.functional_call(net, {**leaves, **buffers}, (x,))
            return torch.nn.functional.cross_entropy(logits, y.long())

        if functional:  # functionalize takes torch.func's gradients only
            gradients, loss = torch.func.grad_and_value(loss_of)(parameters)
        else:
            leaves = {name: item.detach().requires_grad_() for name, item in parameters.items()}
            loss = loss_of(leaves)
            gradients = dict(zip(leaves, torch.autograd.grad(loss, [*leaves.values()])))
        for name, parameter in parameters.items():
            moments[name].mul_(momentum).add_(gradients[name])
            parameter.sub_(moments[name] * rate)
        return loss.detach()

    return step, [parameters, buffers, moments]


def steps(rounds: int, turn: float) -> None:
    from nets_torch import NETS as TORCH_NETS
    from torch.fx.experimental.proxy_tensor import make_fx

    for name in NETS:
        x, y = batch(name)
        runs: dict[str, Callable[[], Any]] = {}
        first: dict[str, float] = {}
        for functional in (False, True):
            step, state = torch_step(TORCH_NETS[name]().train(), 0.01, 0.9, functional)
            arguments = (*state, torch.tensor(x), torch.tensor(y))
            start = time.perf_counter()
            kind = "make_fx functional" if functional else "make_fx"
            try:
                graph = make_fx(torch.func.functionalize(step) if functional else step, tracing_mode="real")(*arguments)
            except RuntimeError as error:
                print(f"{name:9} {kind}: {str(error)[:110]}")
                continue
            first[kind] = time.perf_counter() - start

            def replay(graph: Any = graph, arguments: Any = arguments) -> Any:
                with torch.no_grad():
                    return graph(*arguments)

            runs[kind] = replay
        ms.set_context(mode=ms.GRAPH_MODE)
        ms.set_seed(1)
        net = NETS[name]()
        cell = nn.TrainOneStepCell(
            nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")),
            nn.Momentum(net.trainable_params(), 0.01, 0.9),
        ).set_train()
        inputs = [Tensor(x), Tensor(y)]
        cell(*inputs)
        start = time.perf_counter()
        cell(*inputs)
        cell(*inputs)
        first["ours"] = time.perf_counter() - start
        runs["ours"] = lambda cell=cell, inputs=inputs: cell(*inputs)
        times: dict[str, list[float]] = collections.defaultdict(list)
        for _ in range(rounds):
            for kind, run in runs.items():
                start, count = time.perf_counter(), 0
                while time.perf_counter() - start < turn:
                    run()
                    count += 1
                times[kind].append((time.perf_counter() - start) / count * 1000)
        row = ", ".join(
            f"{kind} {statistics.median(times[kind]):.3f} ms (recorded in {first[kind]:.2f} s)" for kind in runs
        )
        print(f"{name:9} {row}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=["graphs", "steps"], choices=["graphs", "steps"])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--turn", type=float, default=0.2)
    parser.add_argument("--verbose", action="store_true", help="every graph that is not right, and why")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if "graphs" in options.only:
        graphs(options.verbose)
    if "steps" in options.only:
        steps(options.rounds, options.turn)


if __name__ == "__main__":
    main()
