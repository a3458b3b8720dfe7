"""Import hook: ``import mindspore`` returns the module objects of this package, the same ones under both names."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType

from .errors import PACKAGE, UPSTREAM, absent_message
from .placeholders import AFTER_LOADING, module_getattr

_SHIM_DIR = str(Path(__file__).with_name("_shim"))


class _AliasFinder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != UPSTREAM and not fullname.startswith(UPSTREAM + "."):
            return None
        real = _import_real(fullname)
        return importlib.machinery.ModuleSpec(
            fullname, _AliasLoader(real), origin=getattr(real, "__file__", None), is_package=hasattr(real, "__path__")
        )

    def find_distributions(
        self, context: importlib.metadata.DistributionFinder.Context | None = None
    ) -> Iterable[importlib.metadata.Distribution]:
        """Answer ``importlib.metadata.version("mindspore")``, by which libraries find out whether it is installed."""
        name = getattr(context, "name", None)
        return [_Distribution()] if name is None or name.lower() == UPSTREAM else []


class _Distribution(importlib.metadata.Distribution):
    """Release whose behaviour this package follows, in the form of an installed distribution."""

    def read_text(self, filename: str) -> str | None:
        release = importlib.import_module(PACKAGE).__version__
        return {
            "METADATA": f"Metadata-Version: 2.1\nName: {UPSTREAM}\nVersion: {release}\n",
            "top_level.txt": f"{UPSTREAM}\n",
        }.get(filename)

    def locate_file(self, path: str | os.PathLike[str]) -> Path:  # type: ignore[override]
        return Path(__file__).parents[2] / path


class _AliasLoader(importlib.abc.Loader):
    """Loader that inserts the real module during exec: `create_module` would overwrite its ``__spec__``."""

    def __init__(self, real: ModuleType) -> None:
        self._real = real

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = self._real
        _mirror_loaded_modules()


_finder = _AliasFinder()


def install(*, subprocesses: bool = False, release: str | None = None) -> None:
    """Make ``import mindspore`` (and every submodule) deliver mindspore_compat. A second call changes nothing.

    Args:
        subprocesses: also put the alias into ``PYTHONPATH``, so that any Python started from here has it. Without it,
            multiprocessing children and DataLoader workers still have it.
        release: the MindSpore that the program was written for, such as "1.9": calls whose meaning has changed since
            have the one of that release (docs/index.md). Default: the newest, or what the environment variable
            ``MINDSPORE_COMPAT_RELEASE`` names.
    Raises:
        RuntimeError: the real MindSpore is already imported in this process, or another release was chosen.
        ValueError: for an unknown release.
    """
    _refuse_real_package()
    importlib.import_module(PACKAGE)
    if release is not None:
        importlib.import_module(f"{PACKAGE}._releases").select(release)
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
        AFTER_LOADING.append(_mirror_loaded_modules)
        _mirror_loaded_modules()
    if _SHIM_DIR not in sys.path:
        sys.path.insert(min(1, len(sys.path)), _SHIM_DIR)
    if subprocesses:
        paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        if _SHIM_DIR not in paths:
            os.environ["PYTHONPATH"] = os.pathsep.join([_SHIM_DIR, *filter(None, paths)])


def uninstall() -> None:
    """Undo `install()`; modules that were imported as ``mindspore`` stay alive under their own names."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
        AFTER_LOADING.remove(_mirror_loaded_modules)
    for name in [name for name in sys.modules if name == UPSTREAM or name.startswith(UPSTREAM + ".")]:
        module = sys.modules[name]
        if _is_ours(module):
            module.__name__ = _own_name(module)
            del sys.modules[name]
    while _SHIM_DIR in sys.path:
        sys.path.remove(_SHIM_DIR)
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if _SHIM_DIR in paths:
        remaining = [path for path in paths if path != _SHIM_DIR]
        os.environ.pop("PYTHONPATH") if not remaining else os.environ.update(PYTHONPATH=os.pathsep.join(remaining))


def is_installed() -> bool:
    """Return whether ``import mindspore`` delivers this package in this process."""
    return _finder in sys.meta_path


def _own_name(module: ModuleType | None) -> str:
    return getattr(getattr(module, "__spec__", None), "name", "")


def _is_ours(module: ModuleType | None) -> bool:
    name = _own_name(module)
    return name == PACKAGE or name.startswith(PACKAGE + ".")


def _refuse_real_package() -> None:
    module = sys.modules.get(UPSTREAM)
    if module is not None and not _is_ours(module):
        raise RuntimeError(
            f"mindspore_compat.install() cannot take the name 'mindspore': the real package is already imported from "
            f"{getattr(module, '__file__', None)!r}, and objects of the two do not mix. Call install() before "
            "the first `import mindspore`, or start the script with `python -m mindspore_compat`."
        )


def _import_real(fullname: str) -> ModuleType:
    real_name = PACKAGE + fullname[len(UPSTREAM) :]
    try:
        return importlib.import_module(real_name)
    except ModuleNotFoundError as error:
        if error.name is None or not (real_name + ".").startswith(error.name + "."):
            raise  # the module is there, something that it needs is not
    raise ModuleNotFoundError(f"No module named '{fullname}': {absent_message(fullname)}", name=fullname)


def _mirror_loaded_modules() -> None:
    """Enter every loaded module of this package under its ``mindspore`` name.

    This is not only faster: Python does not set the parent's attribute for a submodule in ``sys.modules``, and some
    attributes are deliberately not the submodule (``mindspore.common.mutable`` is the function).
    """
    for name, module in list(sys.modules.items()):
        if module is None or not (name == PACKAGE or name.startswith(PACKAGE + ".")):
            continue
        alias = UPSTREAM + name[len(PACKAGE) :]
        sys.modules.setdefault(alias, module)
        if _is_public_package(name, module):
            module.__name__ = alias
        if not name.startswith(f"{PACKAGE}._api"):
            _point_absent_names_to_coverage(name, module)


def _is_public_package(name: str, module: ModuleType) -> bool:
    """Return whether it is ``mindspore``, ``mindspore.nn`` or the like, which programs compare by ``module.__name__``.
    Deeper modules keep their own name.
    """
    spec = module.__spec__
    is_package = getattr(spec, "submodule_search_locations", None) is not None
    is_loaded = not getattr(spec, "_initializing", False)
    return is_package and is_loaded and name.count(".") <= 1 and "._" not in name


def _point_absent_names_to_coverage(name: str, module: ModuleType) -> None:
    attributes = vars(module)
    if "__getattr__" not in attributes:
        module.__getattr__ = module_getattr(name)  # type: ignore[method-assign]
    if "__path__" not in attributes:  # else `import mindspore.context.x` ends in Python before the finder is asked
        module.__path__ = []
