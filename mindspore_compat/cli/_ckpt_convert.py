"""``ckpt convert`` and ``maps``: a checkpoint in another format, under other names, or by a rule file."""

from __future__ import annotations

import json
import sys
from typing import Any

import torch

from mindspore_compat._runtime.files import replacing
from mindspore_compat.cli._progress import Bar
from mindspore_compat.train._checkpoint.files import read_values, write_values
from mindspore_compat.train._torch.names import from_torch_names, to_torch_state
from mindspore_compat.train.checkpoint_maps import convert_checkpoint
from mindspore_compat.train.checkpoint_maps._rules import available, read_rules

__all__ = ["convert_file", "list_maps"]


def convert_file(options: Any) -> int:
    values = read_values(options.__dict__["in"], options.dec_key, options.dec_mode)
    if options.rules:
        return _convert_by_rules(values, options)
    if options.reverse or options.partial or options.report:
        raise TypeError("--reverse, --partial and --report need --rules")
    if (options.like or options.guess) and options.names != "torch":
        raise TypeError("--like and --guess need --rules or --names torch")
    pairs = [item.partition("=") for item in options.map]
    wrong = [old for old, equal, new in pairs if not equal or not new or old not in values]
    if wrong:
        raise ValueError(f"--map needs OLD=NEW with names of the file, but got {wrong}")
    renamed = {old: new for old, _, new in pairs}
    values = {renamed.get(name, name): value for name, value in values.items()}
    tensors = _tensors(values)
    if options.names == "mindspore":
        values = {**from_torch_names(tensors), **{name: value for name, value in values.items() if name not in tensors}}
    elif options.names == "torch":
        like = _tensors(read_values(options.like, options.dec_key, options.dec_mode)) if options.like else None
        state, doubtful = to_torch_state(tensors, like)
        problems = _problems(state, doubtful, like)
        if problems and not options.guess:
            print("\n".join([*problems, "Nothing is written; --guess writes what can be known."]), file=sys.stderr)
            return 1
        values = {**state, **{name: value for name, value in values.items() if name not in tensors}}
    left_out = _write(values, options, "pt" if options.names == "torch" else "ms")
    if options.json:
        print(
            json.dumps(
                {
                    "in": options.__dict__["in"],
                    "out": options.out,
                    "values": len(values) - len(left_out),
                    "left_out": left_out,
                },
                indent=1,
            )
        )
    else:
        print(f"{len(values) - len(left_out)} values written to {options.out}")
    return 0


def _tensors(values: dict[str, Any]) -> dict[str, torch.Tensor]:
    return {name: value for name, value in values.items() if isinstance(value, torch.Tensor)}


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


def _write(values: dict[str, Any], options: Any, metadata_format: str) -> list[str]:
    return write_values(
        values,
        options.out,
        metadata_format,
        options.enc_key,
        options.enc_mode,
        options.crc,
        lambda plan: Bar(sum(entry.byte_count() for entry in plan.entries)).add,
    )


def _convert_by_rules(values: dict[str, Any], options: Any) -> int:
    if options.map or options.names != "keep":
        raise TypeError("--rules says all the names: it goes with neither --map nor --names")
    like = options.like and read_values(options.like, options.dec_key, options.dec_mode)
    done = convert_checkpoint(values, options.rules, reverse=options.reverse, like=like, partial=options.partial)
    report = {**done.report, "in": options.__dict__["in"], "out": options.out}
    _write(done.values, options, "ms" if options.reverse else "pt")
    if options.report:
        with replacing(options.report) as file:
            file.write((json.dumps(report, indent=1) + "\n").encode())
    if options.json:
        print(json.dumps(report, indent=1))
        return 0
    print(
        f"{len(done.values)} tensors written to {options.out}, {report['elements']} elements, by the rules "
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
    return 0


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
