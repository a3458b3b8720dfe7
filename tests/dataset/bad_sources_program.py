"""Every argument of every data set, sampler and method of a Dataset given what it does not take: what real MindSpore
and ours raise.

    python bad_sources_program.py OUT.json [part of a name …]       writes {case: [exception type, first sentence] or "ok"}

Run by real MindSpore as it is, and by ours with ``python -m mindspore_compat``.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mindspore.dataset as ds
import numpy as np
from bad_arguments_program import BAD, outcome
from source_cases import CASES
from source_trees import make_trees

_KINDS = "None|True|0|-1|3|300|1.5|str|empty str|[]|[2, 1]|(1, 'a')|['a']|['']|dict|thing|function".split("|")


def sources(root: str) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """name: the class, and good arguments: those of its first case."""
    found: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {}
    for case in CASES:
        name = case[3 : case.index("(")]
        call = ast.parse(case, mode="eval").body
        if name in found or not isinstance(call, ast.Call) or not hasattr(ds, name):
            continue
        make = getattr(ds, name)

        def value(node: ast.AST) -> Any:
            return eval(compile(ast.Expression(node), "case", "eval"), {"ds": ds, "root": root, "np": np})  # type: ignore[arg-type]

        try:
            given = [value(item) for item in call.args], {item.arg: value(item.value) for item in call.keywords}
            bound = inspect.signature(make).bind(*given[0], **given[1])  # type: ignore[arg-type]
            bound.apply_defaults()
            make(**bound.arguments)
        except Exception:
            continue
        found[name] = (make, dict(bound.arguments))
    return found


def _data() -> Any:
    return ds.NumpySlicesDataset({"a": [1, 2, 3], "b": [4, 5, 6]}, shuffle=False)


def others() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Sources of the user's own data, samplers, methods."""
    own = {
        "GeneratorDataset": dict(source=[(1,), (2,)], column_names=["a"]),
        "NumpySlicesDataset": dict(data=[1, 2]),
        "PaddedDataset": dict(padded_samples=[{"a": np.zeros(1)}]),
        "RandomDataset": dict(total_rows=3),
        "SequentialSampler": {},
        "RandomSampler": {},
        "SubsetSampler": dict(indices=[1]),
        "SubsetRandomSampler": dict(indices=[1]),
        "WeightedRandomSampler": dict(weights=[0.5, 0.5]),
        "DistributedSampler": dict(num_shards=2, shard_id=1),
        "PKSampler": dict(num_val=1),
        "IterSampler": dict(sampler=[1]),
        "Schema": {},
        "zip": dict(datasets=(_data(), _data().rename(["a", "b"], ["c", "d"]))),
    }
    methods = {
        "batch": dict(batch_size=2),
        "padded_batch": dict(batch_size=2),
        "bucket_batch_by_length": dict(column_names=["a"], bucket_boundaries=[1, 2], bucket_batch_sizes=[1, 1, 1]),
        "map": dict(operations=[len]),
        "filter": dict(predicate=len),
        "shuffle": dict(buffer_size=2),
        "repeat": {},
        "skip": dict(count=1),
        "take": {},
        "split": dict(sizes=[1, 2]),
        "zip": dict(datasets=_data().rename(["a", "b"], ["c", "d"])),
        "concat": dict(datasets=_data()),
        "rename": dict(input_columns=["a"], output_columns=["c"]),
        "project": dict(columns=["a"]),
        "apply": dict(apply_func=lambda data: data),
        "create_tuple_iterator": {},
        "create_dict_iterator": {},
        "sync_wait": dict(condition_name="c"),
        "set_init_step": dict(init_step=1),
        "output_shapes": {},
        "use_sampler": dict(new_sampler=ds.SequentialSampler()),
        "add_sampler": dict(new_sampler=ds.SequentialSampler()),
    }
    found: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {}
    for name, given in own.items():
        found[name] = (getattr(ds, name), given)
    for name, given in methods.items():
        found[f"Dataset.{name}"] = (lambda _name=name, **rest: getattr(_data(), _name)(**rest), given)
    return {
        name: (call, {**_defaults(name), **given} if name != "zip" else given) for name, (call, given) in found.items()
    }


def _defaults(name: str) -> dict[str, Any]:
    method = name.removeprefix("Dataset.")
    thing = getattr(_data(), method) if method != name else getattr(ds, name)
    return {
        key: parameter.default
        for key, parameter in inspect.signature(thing).parameters.items()
        if parameter.default is not parameter.empty
    }


def results(root: str, wanted: list[str]) -> dict[str, Any]:
    """{case: outcome}."""
    found: dict[str, Any] = {}
    for name, (call, good) in {**sources(root), **others()}.items():
        if wanted and not any(part in name for part in wanted):
            continue
        for argument in good:
            for kind in _KINDS:
                arguments = {**good, argument: BAD[kind]}
                answer = outcome(lambda: call(**arguments))
                found[f"{name}:{argument}={kind}"] = _neutral(answer, root)
    return found


def _neutral(answer: Any, root: str) -> Any:
    return answer if isinstance(answer, str) else [answer[0], answer[1].replace(root, "ROOT").replace("/tmp", "ROOT")]


if __name__ == "__main__":
    out, parts = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        make_trees(Path(folder))
        os.chdir(folder)
        answers = results(folder, parts)
        os.chdir("/")
    with open(out, "w", encoding="utf-8") as file:
        json.dump(answers, file, indent=0, sort_keys=True)
