"""`import mindspore` delivers our modules: the same objects, in every import form, in every kind of child process."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

import mindspore_compat
from mindspore_compat._api import alias
from tests.support.processes import run_python, run_script


@pytest.fixture
def installed() -> Iterator[None]:
    alias.install()
    yield
    alias.uninstall()


IMPORT_FORMS = [
    "import mindspore",
    "import mindspore as ms; ms.Tensor",
    "import mindspore.nn as nn; nn.Cell",
    "from mindspore import nn, context, Tensor",
    "import mindspore.ops.operations as P; P.ReduceSum",
    "from mindspore.ops import operations as P; P.ReduceSum",
    "from mindspore.train.callback import LossMonitor",
    "from mindspore.train.serialization import load_checkpoint",
    "from mindspore.train.model import Model",
    "from mindspore.common import dtype as mstype; mstype.float32",
    "import mindspore.common.dtype as mstype; mstype.float32",
    "from mindspore.common.initializer import Normal",
    "from mindspore.communication.management import init, get_rank",
    "import mindspore.dataset as ds",
    "import mindspore.dataset.vision.c_transforms as C; C.Resize",
    "import mindspore.context as context; context.set_context",
    "from mindspore import *; Tensor",
    "import mindspore; mindspore.dtype.typing.Number.is_any = True; del mindspore.dtype.typing.Number.is_any",
]


@pytest.mark.parametrize("statement", IMPORT_FORMS)
def test_import_form_works(installed: None, statement: str) -> None:
    exec(statement, {})


@pytest.mark.parametrize("name", ["", ".nn", ".common.dtype", ".context", ".train.callback", ".ops.operations"])
def test_both_names_are_one_module_object(installed: None, name: str) -> None:
    ours = importlib.import_module("mindspore_compat" + name)
    spec = ours.__spec__
    assert importlib.import_module("mindspore" + name) is ours
    assert sys.modules["mindspore" + name] is ours
    assert ours.__spec__ is spec and spec is not None and spec.name == "mindspore_compat" + name


def test_attribute_that_hides_a_submodule_survives_the_import_of_that_submodule(installed: None) -> None:
    """`mindspore.common.mutable` is a function, and there is a module of that name too."""
    package = types.ModuleType("mindspore_compat.fake")
    package.__path__ = []
    submodule = types.ModuleType("mindspore_compat.fake.shadow")
    package.shadow = "not the module"  # type: ignore[attr-defined]
    sys.modules.update({package.__name__: package, submodule.__name__: submodule})
    try:
        assert importlib.import_module("mindspore.fake.shadow") is submodule
        assert package.shadow == "not the module"  # type: ignore[attr-defined]
    finally:
        for name in ("fake", "fake.shadow"):
            sys.modules.pop(f"mindspore_compat.{name}", None)
            sys.modules.pop(f"mindspore.{name}", None)
        vars(mindspore_compat).pop("fake", None)


def test_packages_are_told_by_the_name_of_upstream(installed: None) -> None:
    """As graphlearning's compiler looks for ``mindspore`` among a function's globals."""
    import mindspore
    import mindspore.nn
    import mindspore.numpy

    assert [module.__name__ for module in (mindspore, mindspore.nn, mindspore.numpy)] == [
        "mindspore",
        "mindspore.nn",
        "mindspore.numpy",
    ]


def test_packages_that_a_name_brings_are_told_too(tmp_path: Path) -> None:
    done = run_script(
        tmp_path, "from mindspore import numpy\nimport mindspore as ms\nprint(numpy.__name__, ms.scipy.__name__)"
    )
    assert done.stdout == "mindspore.numpy mindspore.scipy\n", done.stderr


def test_second_install_changes_nothing(installed: None) -> None:
    hooks, path, modules = list(sys.meta_path), list(sys.path), dict(sys.modules)
    alias.install()
    assert (hooks, path, modules) == (sys.meta_path, sys.path, sys.modules)


def test_uninstall_undoes_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    hooks, path = list(sys.meta_path), list(sys.path)
    alias.install(subprocesses=True)
    importlib.import_module("mindspore.nn")
    alias.uninstall()
    assert (hooks, path) == (sys.meta_path, sys.path)
    assert not [name for name in sys.modules if name.partition(".")[0] == "mindspore"]
    assert alias.os.environ["PYTHONPATH"] == "/somewhere"
    assert not alias.is_installed()


def test_real_package_already_imported_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    real = types.ModuleType("mindspore")
    real.__file__ = "/site-packages/mindspore/__init__.py"
    monkeypatch.setitem(sys.modules, "mindspore", real)
    with pytest.raises(RuntimeError, match=r"already imported from '/site-packages/mindspore.*before the first"):
        alias.install()
    assert sys.modules["mindspore"] is real and not alias.is_installed()


def test_ours_wins_over_a_real_package_that_is_only_installed(tmp_path: Path) -> None:
    (tmp_path / "mindspore").mkdir()
    (tmp_path / "mindspore/__init__.py").write_text("raise SystemExit('the real one was imported')")
    done = run_script(tmp_path, "import mindspore.nn as nn; print(nn.__spec__.name)")
    assert done.stdout == "mindspore_compat.nn\n", done.stderr


ABSENT = [
    ("from mindspore.nn import NoSuchLayer", ImportError, "mindspore.nn.NoSuchLayer"),
    ("from mindspore import NoSuchName", ImportError, "mindspore.NoSuchName"),
    ("from mindspore.context import NoSuchName", ImportError, "mindspore.context.NoSuchName"),
    ("import mindspore.nosuch", ModuleNotFoundError, "mindspore.nosuch"),
    ("import mindspore.context.nosuch", ModuleNotFoundError, "mindspore.context.nosuch"),
    ("from mindspore.nosuch.deeper import X", ModuleNotFoundError, "mindspore.nosuch"),
    ("import mindspore.nn as nn; nn.NoSuchLayer", AttributeError, "mindspore.nn.NoSuchLayer"),
    ("import mindspore as ms; ms.no_such_function", AttributeError, "mindspore.no_such_function"),
]


@pytest.mark.parametrize(("statement", "kind", "name"), ABSENT)
def test_absent_name_is_named_with_the_coverage_page(
    installed: None, statement: str, kind: type[Exception], name: str
) -> None:
    with pytest.raises(kind, match=rf"'{name}' is not available.*docs/coverage\.md"):
        exec(statement, {})


def test_absent_name_can_be_probed(installed: None) -> None:
    import mindspore

    assert not hasattr(mindspore, "no_such_function")
    assert getattr(mindspore.nn, "NoSuchLayer", None) is None


CHILDREN = """
import multiprocessing, sys
import mindspore.nn as nn

class Net(nn.Cell):
    def construct(self, x):
        return x

def work(queue, net):
    import mindspore_compat
    from mindspore import context
    queue.put((isinstance(net, nn.Cell), nn is mindspore_compat.nn, context is mindspore_compat.context))

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    queue = context.Queue()
    child = context.Process(target=work, args=(queue, Net()))
    child.start()
    print(queue.get(timeout=100))
    child.join()
    sys.exit(child.exitcode)
"""


@pytest.mark.multi_process
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing_child_of_the_runner_has_the_alias(tmp_path: Path, method: str) -> None:
    done = run_script(tmp_path, CHILDREN, method)
    assert (done.stdout, done.returncode) == ("(True, True, True)\n", 0), done.stderr


@pytest.mark.multi_process
def test_spawn_child_has_the_alias_when_install_was_called_only_in_main(tmp_path: Path) -> None:
    source = """
import multiprocessing

def work(queue):
    import mindspore.nn as nn
    queue.put(nn.__spec__.name)

if __name__ == "__main__":
    import mindspore_compat
    mindspore_compat.install()
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    child = context.Process(target=work, args=(queue,))
    child.start()
    print(queue.get(timeout=100))
    child.join()
"""
    (tmp_path / "script.py").write_text(source)
    done = run_python("script.py", cwd=tmp_path)
    assert done.stdout == "mindspore_compat.nn\n", done.stderr


@pytest.mark.multi_process
def test_spawned_dataloader_worker_has_the_alias(tmp_path: Path) -> None:
    source = """
import torch
import mindspore as ms

class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 2
    def __getitem__(self, index):
        import mindspore.nn as nn
        return int(nn.Cell is ms.nn.Cell)

if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(Data(), num_workers=1, multiprocessing_context="spawn")
    print([int(item) for item in loader])
"""
    done = run_script(tmp_path, source)
    assert done.stdout == "[1, 1]\n", done.stderr


def test_python_started_by_the_script_has_the_alias_from_any_folder(tmp_path: Path) -> None:
    source = """
import os, subprocess, sys
os.environ["PYTHONPATH"] = os.pathsep.join(p for p in os.environ["PYTHONPATH"].split(os.pathsep) if "_shim" in p)
subprocess.run([sys.executable, "-c", "import mindspore.nn as nn; print(nn.__spec__.name)"], cwd="/", check=True)
"""
    done = run_script(tmp_path, source)
    assert done.stdout == "mindspore_compat.nn\n", done.stderr


def test_the_release_is_found_where_libraries_look_for_it(installed: None) -> None:
    assert importlib.metadata.version("mindspore") == mindspore_compat.__version__
    assert importlib.metadata.distribution("MindSpore").metadata["Name"] == "mindspore"
    assert importlib.metadata.packages_distributions()["mindspore"] == ["mindspore"]
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version("mindspore_lite_of_nobody")
