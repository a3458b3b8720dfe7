"""Runner of a script or module as ``python`` would, with ``import mindspore`` as this package."""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType, TracebackType

from . import alias, numpy_aliases
from .check import Use, find_uses, imported_files, written_before_2_0
from .releases import VARIABLE, notes

_COMMAND_FILES = ("__main__.py", "cli/__init__.py", "cli/run.py")
_OWN_FILES = {str(Path(__file__)), *(str(Path(__file__).parents[1] / name) for name in _COMMAND_FILES)}
_PACKAGE_ROOT = str(Path(__file__).parents[2])
_FRAMES_TO_HIDE = ("<frozen runpy>", "<frozen importlib._bootstrap>", runpy.__file__)


def run_script(path: str, arguments: list[str], *, restore_numpy: bool = True, release: str | None = None) -> int:
    """Run the file (or the folder with a ``__main__.py``) at `path` as ``__main__``.

    Returns:
        2 if `path` cannot be read, 0 when the script ran to its end; its exceptions and SystemExit come through.
    """
    script = Path(path).absolute()
    folder = script if script.is_dir() else script.parent
    if script.is_dir():
        script = script / "__main__.py"
    try:
        with io.open_code(str(script)) as file:
            source = file.read()
    except OSError as error:
        print(f"mindspore-compat: can't open file '{script}': {error.strerror}", file=sys.stderr)
        return 2
    _prepare(str(folder.resolve()), restore_numpy, release)
    if release is None and not os.environ.get(VARIABLE):
        _hint_at_release(script)
    sys.argv[:] = [path, *arguments]
    with _CleanTraceback():
        code = compile(source, str(script), "exec", dont_inherit=True)
        exec(code, vars(_new_main(str(script))))
    return 0


def _hint_at_release(script: Path) -> None:
    """Say once which calls of a program had another meaning in the release that its names are of."""
    uses: list[Use] = []
    for file in imported_files(script):
        with contextlib.suppress(OSError, SyntaxError, ValueError):
            uses += find_uses(file)
    found = written_before_2_0(uses)
    if found is not None:
        release, changed = found
        calls = "".join(f"\n  {use.path}:{use.line}: {use.name}: {notes()[use.name]}" for use in changed[:10])
        print(
            f"mindspore-compat: this program uses names of MindSpore up to {release}, and calls that meant something "
            f"else there. They run as in 2.x; for their older meaning use --release {release} "
            f"(--release 2.10 hides this message).{calls}",
            file=sys.stderr,
        )


def run_module(name: str, arguments: list[str], *, restore_numpy: bool = True, release: str | None = None) -> int:
    """Run module `name` as ``python -m name`` does."""
    _prepare(os.getcwd(), restore_numpy, release)
    sys.argv[:] = [name, *arguments]
    with _CleanTraceback():
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    return 0


def _prepare(first_on_path: str, restore_numpy: bool, release: str | None) -> None:
    if not getattr(sys.flags, "safe_path", False):  # python -P has no such entry
        sys.path[0] = first_on_path
    if _PACKAGE_ROOT not in sys.path:  # run from a checkout: sys.path[0] was where this package came from
        sys.path.append(_PACKAGE_ROOT)
    alias.install(subprocesses=True, release=release)
    if restore_numpy:
        numpy_aliases.restore()


def _new_main(path: str) -> ModuleType:
    """Return a ``__main__`` like Python's own for a script: no ``__spec__``, so spawn children find it by its path."""
    module = ModuleType("__main__")
    module.__file__ = path
    module.__loader__ = SourceFileLoader("__main__", path)
    module.__builtins__ = sys.modules["builtins"]  # type: ignore[attr-defined]
    sys.modules["__main__"] = module
    return module


class _CleanTraceback:
    """Context that ends the process as in Python (exit code, signal, atexit), without this package's frames."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None or isinstance(error, SystemExit):
            return
        show = sys.excepthook

        def show_clean(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
            traceback = _drop_own_frames(traceback)
            show(kind, error.with_traceback(traceback), traceback)

        sys.excepthook = show_clean


def _drop_own_frames(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if filename not in _OWN_FILES and filename not in _FRAMES_TO_HIDE:
            break
        traceback = traceback.tb_next
    return traceback
