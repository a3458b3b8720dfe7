"""Names and parameters of earlier releases (release_names.csv), all there but for those of release_exceptions.csv."""

from __future__ import annotations

import contextlib
import csv
import inspect
import io
import re
import warnings
from collections import Counter
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mindspore_compat import Tensor
from mindspore_compat._api.placeholders import STUB_MARK
from mindspore_compat._api.resolve import ABSENT, resolve
from tests.api import make_release_names

_NAME = re.compile(r"([^ (]+)(?:\(([^)]*)\))?")


def _rows(file: str) -> list[dict[str, str]]:
    with Path(__file__).with_name(file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


#: (place, first release, last release, name, its parameters)
NAMES = [
    (row["module"], row["first"], row["last"], name, parameters.split(",") if parameters else [])
    for row in _rows("release_names.csv")
    for name, parameters in _NAME.findall(row["names"])
]
#: {pattern of a name, or of a name and a parameter: why it is not taken}
EXCEPTIONS = {pattern: row["reason"] for row in _rows("release_exceptions.csv") for pattern in row["names"].split()}
_UNKNOWN = "a_name_of_no_parameter"


def _call(function: Any, is_method: bool, names: list[str]) -> str:
    """What is raised for a call with these keywords."""
    given = {name: object() for name in names}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            function(*[Tensor(np.ones((2, 2), np.float32))] * is_method, **given)
    except BaseException as error:
        return str(error)
    return ""


def takes(found: Any, is_method: bool, name: str, names: list[str]) -> bool:
    """Whether a function, class or method takes an argument by this name: it is shown, or not what a call refuses."""
    with contextlib.suppress(TypeError, ValueError):
        shown = inspect.signature(found).parameters.get(name)
        if shown is not None and shown.kind in (shown.POSITIONAL_OR_KEYWORD, shown.KEYWORD_ONLY):
            return True
    for more in ([], [other for other in names if other != name]):
        told, of_unknown = (_call(found, is_method, [*more, one]) for one in (name, _UNKNOWN))
        if name in told and ("unexpected keyword" in told or told.replace(name, _UNKNOWN) == of_unknown):
            return False
        if _UNKNOWN in of_unknown:
            return True
    return True


@cache
def refused() -> dict[str, tuple[str, str]]:
    """{name that is not here, or name(parameter) that is not taken: first and last release}."""
    absent: dict[str, tuple[str, str]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for place, first, last, name, parameters in NAMES:
            full = f"{place}.{name}"
            found = resolve(full)
            if found is ABSENT:
                absent[full] = first, last
            elif callable(found) and not (isinstance(found, type) and STUB_MARK in vars(found)):
                is_method = isinstance(resolve(place), type)
                for parameter in parameters:
                    if not takes(found, is_method, parameter, parameters):
                        absent[f"{full}({parameter})"] = first, last
    return absent


def test_names_and_parameters_of_earlier_releases() -> None:
    unexplained = [
        name for name in refused() if not any(fnmatchcase(name, f"mindspore{pattern}") for pattern in EXCEPTIONS)
    ]
    assert not unexplained


def test_exceptions_are_absent() -> None:
    there = [one for one in EXCEPTIONS if not any(fnmatchcase(name, f"mindspore{one}") for name in refused())]
    assert not there


def figures() -> Counter[str]:
    """How many names and parameters of each release are not here."""
    return Counter(
        f"{release} {'parameters' if name.endswith(')') else 'names'}"
        for name, (first, last) in refused().items()
        for release in "1.0 1.1 1.3 1.5 1.7 1.9 2.0 2.2 2.3".split()
        if first <= release <= last
    )


def test_the_spans_that_check_reads_are_of_this_table() -> None:
    assert make_release_names.SPANS.read_text(encoding="utf-8") == make_release_names.spans()
