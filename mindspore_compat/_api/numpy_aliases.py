"""Names that NumPy has removed since old scripts were written (`np.int`, `np.float`, …), restored for one run."""

from __future__ import annotations

import builtins
import math
import mmap
import operator
import os
import sys
from collections.abc import Callable
from typing import Any

_INHERIT_VARIABLE = "MINDSPORE_COMPAT_NUMPY_ALIASES"


def _in1d(ar1: Any, ar2: Any, *args: Any, **kwargs: Any) -> Any:
    import numpy as np

    return np.isin(np.ravel(ar1), ar2, *args, **kwargs)


def _asfarray(a: Any, dtype: Any = float) -> Any:
    import numpy as np

    return np.asarray(a, dtype if np.issubdtype(dtype, np.inexact) else float)


def _find_common_type(array_types: Any, scalar_types: Any) -> Any:
    """Return the common dtype of arrays, which a scalar type changes only where it is of a wider kind."""
    import numpy as np

    arrays, scalars = ([np.dtype(item) for item in types] for types in (array_types, scalar_types))
    if not arrays or not scalars:
        return np.result_type(*arrays, *scalars)
    array, scalar = np.result_type(*arrays), np.result_type(*scalars)
    kinds = "buifc"
    return np.result_type(scalar, array) if kinds.find(scalar.kind) > kinds.find(array.kind) else array


# removed name -> its value, or the name that NumPy itself still has
ALIASES: dict[str, Any] = {
    # removed in NumPy 1.24
    **{name: getattr(builtins, name) for name in ("bool", "int", "float", "complex", "object", "str")},
    **{"long": int, "unicode": str},
    # removed in NumPy 2.0
    **{"float_": "float64", "complex_": "complex128", "unicode_": "str_", "string_": "bytes_"},
    **{"Inf": "inf", "Infinity": "inf", "infty": "inf", "NaN": "nan"},
    **{"product": "prod", "cumproduct": "cumprod", "sometrue": "any", "alltrue": "all"},
    **{"PINF": "inf", "NINF": -math.inf, "round_": "round", "mat": "asmatrix", "cfloat": "complex128"},
    **{"bool8": "bool_", "int0": "intp", "uint0": "uintp", "str0": "str_", "bytes0": "bytes_", "object0": "object_"},
    **{"void0": "void", "singlecomplex": "complex64", "longfloat": "longdouble", "row_stack": "vstack"},
    **{"longcomplex": "clongdouble", "clongfloat": "clongdouble", "PZERO": 0.0, "NZERO": -0.0},
    **{"asfarray": _asfarray, "find_common_type": _find_common_type},
    "asscalar": operator.methodcaller("item"),  # NumPy 1.23
    **{"trapz": "trapezoid", "in1d": _in1d},  # NumPy 2.4
}


def restore(*, quiet: bool = False) -> None:
    """Restore the missing ones of `ALIASES` in NumPy, here and in child processes; report it on stderr at the first
    use.
    """
    import numpy as np

    if getattr(np.__getattr__, "_mindspore_compat", False):
        return
    os.environ[_INHERIT_VARIABLE] = "1"
    fallback = _with_aliases(np, np.__getattr__, quiet)
    fallback._mindspore_compat = True  # type: ignore[attr-defined]
    setattr(np, "__getattr__", fallback)  # noqa: B010  (mypy takes it for a method)


def restore_if_inherited() -> None:
    """Follow the runner's decision in a child process, without another report."""
    if os.environ.get(_INHERIT_VARIABLE) == "1":
        restore(quiet=True)


def _with_aliases(np: Any, original: Callable[[str], Any], quiet: bool) -> Callable[[str], Any]:
    is_said = mmap.mmap(-1, 1)  # one byte that forked workers share, so that one of all processes says it
    is_said[0] = quiet

    def __getattr__(name: str) -> Any:
        if name not in ALIASES:
            return original(name)
        target = ALIASES[name]
        value = getattr(np, target) if isinstance(target, str) else target
        setattr(np, name, value)
        if not is_said[0]:
            is_said[0] = True
            _tell(name, value)
        return value

    return __getattr__


def _tell(name: str, value: Any) -> None:
    meaning = getattr(value, "__name__", value)
    print(
        f"mindspore-compat: np.{name} is gone from this NumPy; for this run it means {meaning} again, and so do the "
        f"other removed aliases that old scripts use. `--no-numpy-aliases` turns this off.",
        file=sys.stderr,
    )
