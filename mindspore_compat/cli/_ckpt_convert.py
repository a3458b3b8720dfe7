"""``ckpt convert`` and ``maps``: a checkpoint in another format, under other names, or by a rule file."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

import torch

from mindspore_compat._runtime.files import replacing
from mindspore_compat.cli._progress import Bar
from mindspore_compat.train._checkpoint.folders import open_checkpoint
from mindspore_compat.train._checkpoint.lazy import LazyTensor, cast, part_of
from mindspore_compat.train._checkpoint.new_files import SHARD_BYTES, is_folder_name, write_values
from mindspore_compat.train._torch.names import from_torch_names, to_torch_state
from mindspore_compat.train.checkpoint_maps._convert import convert_values
from mindspore_compat.train.checkpoint_maps._rules import available, read_rules


def convert_file(options: Any) -> int:
    source = options.__dict__["in"]
    if not is_folder_name(options.out) and (options.shard_size or options.format):
        raise TypeError("--shard-size and --format are for a folder: let OUT end with /")
    opened = open_checkpoint(source, options.dec_key, options.dec_mode, options.strategy, options.suffix)
    values, consumer = opened.values, {"torch": "pt", "mindspore": "ms"}.get(options.names, opened.consumer)
    report: dict[str, Any] = {}
    if options.rules:
        if options.map or options.names != "keep":
            raise TypeError("--rules says all the names: it goes with neither --map nor --names")
        like = _like(options)
        done = convert_values(values, options.rules, options.reverse, like, options.partial)
        values, report, consumer = dict(done.lazy), done.report, "ms" if options.reverse else "pt"
    else:
        if options.reverse or options.partial or options.report:
            raise TypeError("--reverse, --partial and --report need --rules")
        if (options.like or options.guess) and options.names != "torch":
            raise TypeError("--like and --guess need --rules or --names torch")
        values, problems = _renamed(values, options)
        if problems and not options.guess:
            print("\n".join([*problems, "Nothing is written; --guess writes what can be known."]), file=sys.stderr)
            return 1
    if options.dtype:
        values = {name: cast(name, value, options.dtype) for name, value in values.items()}
    left_out = write_values(
        values,
        options.out,
        consumer,
        options.enc_key,
        options.enc_mode,
        options.crc,
        lambda total: Bar(total).add,
        options.format or "safetensors",
        options.shard_size or SHARD_BYTES,
        options.jobs,
    )
    if report:
        _tell(report, options)
    elif options.json:
        written = {"in": source, "out": options.out, "values": len(values) - len(left_out), "left_out": left_out}
        print(json.dumps(written, indent=1))
    else:
        print(f"{len(values) - len(left_out)} values written to {options.out}")
    return 0


def _like(options: Any) -> dict[str, Any] | None:
    """Return the tensors of the checkpoint that ``--like`` names."""
    if not options.like:
        return None
    values = open_checkpoint(options.like, options.dec_key, options.dec_mode).values
    return {name: value.meta for name, value in values.items() if isinstance(value, LazyTensor)}


def _renamed(values: dict[str, Any], options: Any) -> tuple[dict[str, Any], list[str]]:
    """Return (the values under the names that ``--map`` and ``--names`` ask for, problems).

    Raises:
        ValueError: if two get the same name.
    """
    pairs = [item.partition("=") for item in options.map]
    wrong = [old for old, equal, new in pairs if not equal or not new or old not in values]
    if wrong:
        raise ValueError(f"--map needs OLD=NEW with names of the file, but got {wrong}")
    new_names = {old: new for old, _, new in pairs}
    items = [(new_names.get(name, name), value) for name, value in values.items()]
    _check_unique(name for name, _ in items)
    values = dict(items)
    if options.names == "keep":
        return values, []
    metas = {name: value.meta for name, value in values.items() if isinstance(value, LazyTensor)}
    problems: list[str] = []
    if options.names == "torch":
        like = _like(options)
        state, doubtful = to_torch_state(metas, like)
        problems = _problems(state, doubtful, like)
    else:
        state = from_torch_names(metas)
    names = {id(meta): name for name, meta in metas.items()}
    taken = {new: names[id(meta) if meta._base is None else id(meta._base)] for new, meta in state.items()}
    lost = sorted(name for name in set(metas) - set(taken.values()) if not name.endswith("num_batches_tracked"))
    if lost:
        raise ValueError(f"{lost[0]!r} gets the name of another tensor: rename one by --map OLD=NEW")
    others = {name: value for name, value in values.items() if name not in metas}
    _check_unique([*state, *others])
    return {**{new: part_of(values[old], 0, state[new]) for new, old in taken.items()}, **others}, problems


def _check_unique(names: Iterable[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"several values get the name {twice[0]!r}: rename one by --map OLD=NEW")


def _problems(state: dict[str, torch.Tensor], doubtful: list[str], like: dict[str, torch.Tensor] | None) -> list[str]:
    """Return problems: facts that need the network, or differences from the network that is to load the result."""
    found = [
        f"{name}: its shape in torch depends on the layer; give --like FILE, a checkpoint of the torch network, or "
        "load the file by load_param_into_net."
        for name in doubtful
    ]
    expected = {name: tensor for name, tensor in (like or {}).items() if not name.endswith("num_batches_tracked")}
    found += [f"{name}: not in the file, but in the network" for name in expected if name not in state]
    return found + [
        f"{name}: {tuple(state[name].shape)} in the file, {tuple(tensor.shape)} in the network"
        for name, tensor in expected.items()
        if name in state and state[name].shape != tensor.shape
    ]


def _tell(report: dict[str, Any], options: Any) -> None:
    """Print the report of a conversion by rules, and write it to the file of ``--report``."""
    report.update({"in": options.__dict__["in"], "out": options.out})
    if options.report:
        with replacing(options.report) as file:
            file.write((json.dumps(report, indent=1) + "\n").encode())
    if options.json:
        print(json.dumps(report, indent=1))
        return
    print(
        f"{report['tensors']} tensors written to {options.out}, {report['elements']} elements, by the rules "
        f"{report['rules']}"
    )
    for key, text in (("dropped", "dropped by a rule"), ("unmatched", "left out, no rule knows them")):
        names = [item if isinstance(item, str) else item["name"] for item in report[key]]
        if names:
            print(f"{text}: {', '.join(names[:8])}" + (f" and {len(names) - 8} more" if len(names) > 8 else ""))
    for key, names in report.get("like", {}).items():
        if names:
            print(
                f"{options.like}: {key}: {', '.join(str(name) for name in names[:8])}"
                + (f" and {len(names) - 8} more" if len(names) > 8 else "")
            )


def list_maps(options: Any) -> int:
    maps = [read_rules(name) for name in ([options.name] if options.name else available())]
    if options.json:
        print(
            json.dumps(
                [
                    {
                        "name": one.name,
                        "from": one.source,
                        "to": one.target,
                        "arithmetic": one.arithmetic,
                        "notes": one.notes,
                    }
                    for one in maps
                ],
                indent=1,
            )
        )
        return 0
    width = max(len(one.name) for one in maps)
    for one in maps:
        print(f"{one.name:{width}}  {one.source} → {one.target}")
        if options.name:
            for row in one.arithmetic:
                print(
                    f"  computes otherwise: {row['module']} at {row['path']!r}: {row.get('set', {'pad_mode': 'same'})} "
                    f"({row.get('why', '')})"
                )
            for note in one.notes:
                print(f"  {note}")
    return 0
