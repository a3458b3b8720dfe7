"""`import mindspore_compat` changes nothing outside the package."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from tests.support.oracle import run_oracle
from tests.support.processes import run_python

STATE = """
import json, os, signal, socket, subprocess, sys, threading, torch, numpy, tempfile

OPTIONAL = {"tensorboard", "safetensors", "google", "PIL", "cv2", "sklearn", "scipy", "pandas", "matplotlib"}
SLOW = {"torch._dynamo", "torch._inductor"}
opened = []
sys.addaudithook(lambda event, args: opened.append(event) if event in (
    "socket.connect", "subprocess.Popen", "os.system", "os.fork", "os.posix_spawn", "os.putenv", "os.mkdir") else None)

def state():
    return {
        "environment": dict(os.environ),
        "signals": [str(signal.getsignal(s)) for s in sorted(signal.valid_signals())],
        "threads": [t.name for t in threading.enumerate()],
        "meta_path": [str(finder) for finder in sys.meta_path],
        "path_hooks": len(sys.path_hooks),
        "sys.path": list(sys.path),
        "cuda": torch.cuda.is_initialized(),
        "threads of torch": torch.get_num_threads(),
        "default dtype": str(torch.get_default_dtype()),
        "grad": torch.is_grad_enabled(),
        "random": torch.random.get_rng_state().sum().item(),
        "numpy": hasattr(numpy, "int"),
        "torch": sorted(id(vars(torch)[k]) for k in ("Tensor", "add", "nn", "save", "load")),
        "Tensor": sorted(vars(torch.Tensor)),
        "Module": sorted(vars(torch.nn.Module)),
        "excepthook": sys.excepthook is sys.__excepthook__,
        "effects": opened[:],
        "mindspore": [name for name in sys.modules if name.partition(".")[0] == "mindspore"],
        "folder": os.listdir("."),
        "optional": sorted(name for name in sys.modules if name.partition(".")[0] in OPTIONAL or name in SLOW),
    }

before = state()
import mindspore_compat
after = state()
print(json.dumps({key: [before[key], after[key]] for key in before if before[key] != after[key]}))
"""


def test_import_changes_nothing_outside_the_package(tmp_path: Path) -> None:
    done = run_python("-c", STATE, cwd=tmp_path, fresh=True)
    assert json.loads(done.stdout or "null") == {} and "DUMP" not in done.stderr, done.stderr


def test_parts_and_first_calls_load_nothing_slow(tmp_path: Path) -> None:
    """torch imports sympy, 0.3 s, to compare the shape of a seed with that of the output, and to broadcast shapes."""
    code = """
import sys
import mindspore_compat as ms
import mindspore_compat.dataset.vision, mindspore_compat.train.summary
from mindspore_compat import nn, ops
for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
    ms.set_context(mode=mode)
    net, x, seed = nn.Dense(3, 2), ops.ones((4, 3)), ops.ones((4, 2))
    loss = nn.WithLossCell(net, nn.MSELoss())
    step = nn.TrainOneStepCell(loss, nn.SGD(net.trainable_params(), 0.1), sens=8.0)
    for _ in range(4):
        step(x, seed), ms.grad(net)(x), ops.GradOperation(sens_param=True)(net)(x, seed), ms.jvp(net, x, x)
    nn.probability.distribution.Normal(3.0, [4.0]).prob(x), ops.cross(x, x), ops.gamma((3,), x, x)
slow = {"sympy", "torch._dynamo", "torch._inductor", "torchvision", "tensorboard", "cv2", "scipy", "pandas", "matplotlib"}
print(*slow & set(sys.modules), "end")
"""
    done = run_python("-c", code, cwd=tmp_path, fresh=True)
    assert done.stdout == "end\n", done.stdout + done.stderr


def test_api_layer_needs_the_standard_library_only(tmp_path: Path) -> None:
    code = """
import importlib.util, pathlib, sys, types
api = pathlib.Path(sys.argv[1])
package = types.ModuleType("mindspore_compat"); package.__path__ = [str(api.parent)]
sys.modules["mindspore_compat"] = package  # without running its __init__
for file in sorted(api.glob("*.py")):
    importlib.import_module(f"mindspore_compat._api.{file.stem}")
known = set(sys.stdlib_module_names) | {"mindspore_compat", "__main__"}
print(sorted({name.partition(".")[0] for name in sys.modules if not name.startswith("_")} - known))
"""
    from mindspore_compat import _api

    done = run_python(
        "-S",
        "-c",
        code.replace("import importlib.util,", "import importlib, importlib.util,"),
        str(Path(_api.__file__).parent),
        cwd=tmp_path,
        fresh=True,
    )
    assert done.stdout == "[]\n", done.stdout + done.stderr


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("mindspore_compat.train", {"SummaryRecord", "SummaryCollector", "SummaryLandscape"}),
        ("mindspore_compat.train.callback", {"SummaryCollector", "SummaryLandscape"}),
        ("mindspore_compat.train.summary", {"SummaryRecord"}),
    ],
)
def test_a_star_import_gives_the_summary_classes(module: str, names: set[str]) -> None:
    """As real MindSpore's; `from mindspore import *` does not, there and here."""
    found: dict = {}
    exec(f"from {module} import *", found)
    assert names <= set(found) and names <= set(__import__(module, fromlist=["x"]).__all__)
    exec("from mindspore_compat import *", top := {})
    assert not names & set(top)


@pytest.mark.oracle
def test_star_imports_lack_nothing_but_what_the_table_lacks() -> None:
    """All public names of real MindSpore's modules of training; one of 2.10 is neither used by any counted project nor
    available.
    """
    real = run_oracle(
        "import importlib\ngive({name: importlib.import_module('mindspore.' + name).__all__ for name in"
        " ('train', 'train.callback', 'train.summary', 'train.metrics', 'train.train_thor')})"
    )
    lacking = {}
    for name, names in real.items():
        exec(f"from mindspore_compat.{name} import *", ours := {})
        lacking[name] = set(names) - set(ours)
    assert lacking == {
        "train": {"export_split_mindir"},
        "train.callback": set(),
        "train.summary": set(),
        "train.metrics": set(),
        "train.train_thor": set(),
    }


def test_a_dump_that_was_asked_for_is_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real MindSpore dumps what the file names."""
    monkeypatch.setenv("MINDSPORE_DUMP_CONFIG", "dump.json")
    found = run_python("-c", "import mindspore_compat", cwd=tmp_path, fresh=True)
    assert (found.stdout + found.stderr).count("MINDSPORE_DUMP_CONFIG has no effect") == 1


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("nn", "Accuracy F1 MAE Loss Dense Cell"),
        ("dataset", "compare serialize show GeneratorDataset"),
        ("parallel", "convert_checkpoints merge_sliced_parameter Layout"),
        ("ops", "get_rank is_initialized add"),
        ("ops.composite", "hyper_add recompute_block cummin HyperMap"),
        ("ops.functional", "P broadcast_gradient_args add"),
        ("ops.operations", "Add Conv2D ReduceSum"),
    ],
)
def test_a_star_import_brings_what_loads_when_asked_for(module: str, names: str) -> None:
    """As real MindSpore's; `tinyms.primitives` gives the modules' `__all__` on."""
    exec(f"from mindspore_compat.{module} import *", found := {})
    assert set(names.split()) <= set(found)
    listed = importlib.import_module(f"mindspore_compat.{module}").__all__
    assert set(names.split()) <= set(listed) and not any(name.startswith("__") for name in listed)
