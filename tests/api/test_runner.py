"""`python -m mindspore_compat script.py` behaves as `python script.py` does."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.support.processes import run_command, run_python, run_script


def test_script_sees_itself_as_main_with_its_own_arguments(tmp_path: Path) -> None:
    source = "import sys\nprint(__name__, __file__, __spec__, sys.argv, sys.path[0], sys.modules['__main__'].x)"
    done = run_script(tmp_path, "x = 7\n" + source, "--epochs", "3", "-m", "--no-numpy-aliases")
    argv = ["script.py", "--epochs", "3", "-m", "--no-numpy-aliases"]
    script = tmp_path.resolve() / "script.py"
    assert done.stdout == f"__main__ {script} None {argv} {tmp_path.resolve()} 7\n", done.stderr


def test_script_imports_its_neighbours_from_another_folder(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/helper.py").write_text("import mindspore\nvalue = 5")
    (tmp_path / "project/train.py").write_text("from helper import value\nprint(value)")
    done = run_command("run", "project/train.py", cwd=tmp_path)
    assert done.stdout == "5\n", done.stderr


def test_folder_with_main_runs(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/__main__.py").write_text("import mindspore, sys; print(sys.argv)")
    done = run_command("app", "x", cwd=tmp_path)
    assert done.stdout == "['app', 'x']\n", done.stderr


def test_module_runs_by_name(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").touch()
    (tmp_path / "pkg/train.py").write_text("import mindspore, sys; from . import __name__ as n; print(n, sys.argv[1:])")
    done = run_command("-m", "pkg.train", "--lr", "1", cwd=tmp_path)
    assert done.stdout == "pkg ['--lr', '1']\n", done.stderr


@pytest.mark.parametrize(
    ("statement", "exit_code", "error"),
    [
        ("pass", 0, ""),
        ("sys.exit(7)", 7, ""),
        ("sys.exit('stopped')", 1, "stopped\n"),
        ("sys.exit()", 0, ""),
        ("raise KeyboardInterrupt", -signal.SIGINT, None),
    ],
)
def test_exit_code_is_the_scripts(tmp_path: Path, statement: str, exit_code: int, error: str | None) -> None:
    done = run_script(tmp_path, f"import sys, atexit\natexit.register(print, 'bye')\n{statement}")
    assert (done.returncode, done.stdout) == (exit_code, "bye\n"), done.stderr
    assert error is None or done.stderr == error


def test_traceback_starts_in_the_script(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("def fail():\n    raise ValueError('no data')\n\nfail()\n")
    done = run_python("-m", "mindspore_compat", "script.py", cwd=tmp_path, fresh=True)
    script = tmp_path.resolve() / "script.py"
    lines = [line for line in done.stderr.splitlines() if not line.strip().startswith(("^", "~"))]
    assert done.returncode == 1
    assert lines == [
        "Traceback (most recent call last):",
        f'  File "{script}", line 4, in <module>',
        "    fail()",
        f'  File "{script}", line 2, in fail',
        "    raise ValueError('no data')",
        "ValueError: no data",
    ]


def test_syntax_error_is_shown_as_python_shows_it(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("x = = 1\n")
    done = run_python("-m", "mindspore_compat", "script.py", cwd=tmp_path, fresh=True)
    assert done.returncode == 1
    assert done.stderr.startswith(f'  File "{tmp_path.resolve()}/script.py", line 1\n'), done.stderr
    assert done.stderr.endswith("SyntaxError: invalid syntax\n")


def test_excepthook_of_the_script_is_used(tmp_path: Path) -> None:
    source = "import sys\nsys.excepthook = lambda *a: print('hook', a[0].__name__, a[2].tb_lineno)\n1 / 0"
    (tmp_path / "script.py").write_text(source)
    assert (
        run_python("-m", "mindspore_compat", "script.py", cwd=tmp_path, fresh=True).stdout
        == "hook ZeroDivisionError 3\n"
    )


def test_missing_script_is_named(tmp_path: Path) -> None:
    done = run_command("run", "nosuch.py", cwd=tmp_path)
    assert done.returncode == 2
    assert f"can't open file '{tmp_path}/nosuch.py': No such file or directory" in done.stderr


REMOVED_LATER = """
import numpy as np
print(np.trapz([1, 2, 3]), np.in1d([[0, 1], [2, 5]], [0, 2], invert=True), np.NINF, np.mat([1]).shape)
"""


def test_names_that_later_numpy_removed_keep_their_values(tmp_path: Path) -> None:
    assert run_script(tmp_path, REMOVED_LATER).stdout == "4.0 [False  True False  True] -inf (1, 1)\n"


REMOVED_BY_NUMPY_2 = """
import numpy as np
print(np.bool8 is np.bool_, np.int0 is np.intp, np.str0 is np.str_, np.PZERO, np.row_stack(([1], [2])).shape)
print(np.asfarray([1, 2]).dtype, np.asfarray([1], dtype="float32").dtype, np.asfarray([1], dtype=int).dtype)
print(np.asscalar(np.array([7])))
kinds = [(["f4"], ["i8"]), (["f4"], ["c8"]), (["i8"], ["f4"]), (["i4", "f2"], []), (["u8"], ["i1"])]
print([np.find_common_type(*pair).name for pair in kinds])
"""


def test_names_that_numpy_2_removed_keep_their_values(tmp_path: Path) -> None:
    assert run_script(tmp_path, REMOVED_BY_NUMPY_2).stdout.splitlines() == [
        "True True True 0.0 (2, 1)",
        "float64 float32 float64",
        "7",
        "['float32', 'complex64', 'float64', 'float64', 'float64']",
    ]


NUMPY = """
import numpy as np
print(np.zeros(1, np.int).dtype.kind, np.float is float, np.zeros(1, dtype=np.bool).dtype, np.object is object)
"""


def test_numpy_aliases_are_given_back_and_said_once(tmp_path: Path) -> None:
    done = run_script(tmp_path, NUMPY)
    assert done.stdout == "i True bool True\n", done.stderr
    assert done.stderr.count("mindspore-compat: np.") == 1
    assert "--no-numpy-aliases" in done.stderr


def test_numpy_aliases_are_not_mentioned_to_a_script_that_uses_none(tmp_path: Path) -> None:
    assert run_script(tmp_path, "import numpy as np, mindspore\nprint(np.float32(1))").stderr == ""


def test_numpy_aliases_can_be_refused(tmp_path: Path) -> None:
    done = run_script(tmp_path, NUMPY, options=("run", "--no-numpy-aliases"))
    assert done.returncode == 1
    assert "AttributeError: module 'numpy' has no attribute 'int'" in done.stderr


@pytest.mark.multi_process
def test_numpy_aliases_reach_spawned_children_silently(tmp_path: Path) -> None:
    source = """
import multiprocessing
import numpy as np
import mindspore

def work(queue):
    queue.put(np.int is int)

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    child = context.Process(target=work, args=(queue,))
    child.start()
    print(queue.get(timeout=100))
    child.join()
"""
    done = run_script(tmp_path, source)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_import_alone_leaves_numpy_as_it_is(tmp_path: Path) -> None:
    done = run_python("-c", "import mindspore_compat as m; m.install(); import numpy; numpy.int", cwd=tmp_path)
    assert "has no attribute 'int'" in done.stderr
