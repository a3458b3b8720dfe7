"""Upstream's files whose names live elsewhere here: a table, and the finder that makes modules from it.

Code takes a name from the file that upstream defines it in (``from mindspore.common.jit_config import JitConfig``).
Where that file has no counterpart here, a row says where its names are.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from .errors import PACKAGE
from .placeholders import module_getattr

__all__ = ["MOVED", "install_finder"]

#: module -> its names, each with the module that holds it; a module called as one of its names can be called itself
MOVED: dict[str, dict[str, str]] = {
    module: {name: home for names, home in rows.items() for name in names.split()}
    for module, rows in {
        "common.jit_config": {"JitConfig": "common.api"},
        "common.lazy_inline": {"lazy_inline": "common.api"},
        "common.mutable": {"mutable": "common.api"},
        "nn.utils": {"no_init_parameters": "nn._cell_hints"},
        "nn.utils.init": {"no_init_parameters": "nn._cell_hints"},
        "ops.composite.multitype_ops": {},
        "ops.composite.multitype_ops.zeros_like_impl": {"zeros_like": "ops.functional"},
        "parallel.algo_parameter_config": {
            "set_algo_parameters get_algo_parameters reset_algo_parameters": "context",
        },
        "parallel.transform_safetensors": {
            "load_distributed_checkpoint unified_safetensors": "train.serialization",
        },
        "parallel.nn.parallel_cell_wrapper": {
            "PipelineCell MicroBatchInterleaved GradAccumulationCell": "nn.wrap.cell_wrapper",
        },
    }.items()
}


class _Module(ModuleType):
    """Importing a submodule binds it in its package over the function of that name: it stands in for the function."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])(*args, **kwargs)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        name = fullname.removeprefix(PACKAGE + ".")
        if name == fullname or name not in MOVED:
            return None
        holds_others = any(other.startswith(name + ".") for other in MOVED)
        return importlib.machinery.ModuleSpec(fullname, self, is_package=holds_others)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _Module(spec.name, "Names that live elsewhere here.")

    def exec_module(self, module: ModuleType) -> None:
        names = MOVED[module.__name__.removeprefix(PACKAGE + ".")]
        module.__dict__["__all__"] = list(names)
        lazy = {name: f"{home}:{name}" for name, home in names.items()}
        module.__dict__["__getattr__"] = module_getattr(module.__name__, lazy)


_finder = _Finder()


def install_finder() -> None:
    """Last on ``sys.meta_path``: asked only for what has no file."""
    if _finder not in sys.meta_path:
        sys.meta_path.append(_finder)
