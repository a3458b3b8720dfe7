"""The formats that ``train`` reads: checkpoints, safetensors, strategies, MINDIR, summaries. See fuzz_files.py."""

from __future__ import annotations

import functools
import io
import json
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from mindspore_compat import Tensor, load, load_checkpoint, nn, save_checkpoint
from mindspore_compat._format import envelope
from mindspore_compat._format.decryption import decrypt
from mindspore_compat._format.proto import mindir
from mindspore_compat.train import serialization
from tests.support.strategies import write_strategy
from tests.support.upstream import GOLDEN
from tools import _fuzz_mutations as mutations
from tools.fuzz_files import Format

__all__ = ["FORMATS"]

KEY = bytes(range(1, 17))
_MODES = ("AES-GCM", "AES-CBC", "SM4-CBC")


def _bytes(value: Any) -> Any:
    """Everything in a value, for comparison."""
    if isinstance(value, torch.Tensor):
        return (
            str(value.dtype),
            tuple(value.shape),
            value.detach().as_subclass(torch.Tensor).reshape(-1).view(torch.uint8).numpy().tobytes(),
        )
    return [item.tobytes() for item in value] if isinstance(value, list) else value


def _contents(values: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(name, _bytes(value)) for name, value in values.items()]


def _copies(folder: Path, sources: list[Path]) -> list[Path]:
    return [Path(shutil.copyfile(source, folder / source.name)) for source in sources]


# --- checkpoints ------------------------------------------------------------------------------------------------------

_VALUES = {
    "w": np.arange(30, dtype=np.float32),
    "v": np.ones((3, 4), np.int8),
    "t": "text",
    "b": Tensor([1.0, 2.0], dtype=torch.bfloat16),
}


def _ckpt_seeds(folder: Path) -> list[Path]:
    names = ("append", "dtypes", "filter", "from_dict", "generator", "legacy_dims0", "map_parameter", "net")
    return _copies(folder, [GOLDEN / f"ckpt/{name}.ckpt" for name in names])


def _crc_seeds(folder: Path) -> list[Path]:
    save_checkpoint(_VALUES, str(folder / "own_crc.ckpt"), crc_check=True)
    return [*_copies(folder, [GOLDEN / "ckpt/crc.ckpt"]), folder / "own_crc.ckpt"]


def _encrypted_seeds(folder: Path) -> list[Path]:
    return _copies(folder, [GOLDEN / f"ckpt/enc_{mode}_128.ckpt" for mode in _MODES])


def _mode_of(path: Path) -> str:
    return path.name.split("_")[1]


def _encrypted(path: Path) -> list[tuple[str, Any]]:
    return _contents(load_checkpoint(str(path), dec_key=KEY, dec_mode=_mode_of(path)))


def _encrypted_again(change: mutations.Change) -> mutations.Change:
    """``change`` of the plain text, in each mode that opens the file."""

    def changed(data: bytes, rng: Any) -> bytes:
        mode = envelope.encryption_of(data)
        try:
            plain = bytes(decrypt(memoryview(data), KEY, mode)) if mode else b""
        except ValueError:
            plain = b""
        return b"".join(envelope.encrypt([change(plain, rng)], KEY, mode or "AES-GCM")) if plain else data[:-1]

    changed.__name__ = f"{change.__name__} of the plain text"
    return changed


def _split_crc(data: bytes) -> tuple[bytes, bytes, bytes]:
    return b"", data[:-17], data[-17:]


_WITH_CRC = tuple(
    mutations.refitted(change, _split_crc, lambda head, body, tail: body + mutations.crc32_tail(body))
    for change in mutations.PROTOBUF
)


def _crc_is_kept(path: Path) -> bool:
    """Whether the damage is to be noticed: there still is a tail, and it is that of the seed."""
    data = path.read_bytes()
    return data[-17:-10] == b"crc_num" and mutations.crc32_tail(data[:-17]) != data[-17:]


# --- safetensors ------------------------------------------------------------------------------------------------------


def _safetensors_seeds(folder: Path) -> list[Path]:
    save_checkpoint(
        {"a": Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), "b": Tensor(np.arange(3))},
        str(folder / "own.safetensors"),
        format="safetensors",
        crc_check=True,
    )
    return [*_copies(folder, sorted((GOLDEN / "safetensors").glob("*.safetensors"))), folder / "own.safetensors"]


def _safetensors(path: Path) -> Any:
    values = _contents(load_checkpoint(str(path), format="safetensors", crc_check="crc" in path.name))
    from_bytes = _contents(load_checkpoint(io.BytesIO(path.read_bytes()), format="safetensors"))  # type: ignore[arg-type]
    assert dict(values) == dict(from_bytes)
    return values


def _header(data: bytes) -> tuple[bytes, bytes, bytes]:
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 + length:
        raise ValueError
    return data[:8], data[8 : 8 + length], data[8 + length :]


def _with_length(head: bytes, header: bytes, rest: bytes) -> bytes:
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + rest


_HEADERS = tuple(mutations.refitted(change, _header, _with_length) for change in mutations.JSON)


# --- ranks and strategies ---------------------------------------------------------------------------------------------

_LAYOUTS: dict[str, tuple] = {"w": ((2, 2), (0, 1)), "b": ((2, 2), (-1, 0)), "o": ((4,), (-1, -1), 1, 2)}
_STRATEGY_JSON = {
    "current_stage": 0,
    "parallel_strategy_item": {"MatMul-op0": {"stage": 0, "parallel_strategy": [[1]]}},
    "parallel_layout_item": {
        name: {
            "dev_matrix": [2, 2],
            "tensor_map": [0, -1],
            "field": 0,
            "opt_weight_shard_step": 0,
            "opt_weight_shard_size": 0,
            "param_split_shape": [],
            "indices_offset": [],
        }
        for name in ("w", "b")
    },
}


def _strategy(path: Path) -> Path:
    from mindspore_compat._format.strategy import strategy_messages

    write_strategy(strategy_messages().ParallelStrategyMap, path, _LAYOUTS)
    return path


def _strategy_seeds(folder: Path) -> list[Path]:
    return [
        *_copies(folder, [GOLDEN / "strategy/src4.ckpt", GOLDEN / "strategy/dst2.ckpt"]),
        _strategy(folder / "own.ckpt"),
    ]


def _json_seeds(folder: Path) -> list[Path]:
    (folder / "strategy.json").write_text(json.dumps(_STRATEGY_JSON))
    return [folder / "strategy.json"]


def _read_strategy(path: Path) -> str:
    found = str(serialization.build_searched_strategy(str(path)))  # type: ignore[attr-defined]
    ranks = serialization.rank_list_for_transform(0, str(path), None)  # type: ignore[attr-defined]
    return found + str(ranks)


def _merge_seeds(folder: Path) -> list[Path]:
    (folder / "stages").mkdir()
    (folder / "texts").mkdir()
    for stage in range(2):
        from mindspore_compat._format.strategy import strategy_messages

        write_strategy(strategy_messages().ParallelStrategyMap, folder / f"stages/stage{stage}.ckpt", _LAYOUTS, stage)
        text = json.dumps(
            {**_STRATEGY_JSON, "parallel_strategy_item": {"MatMul-op0": {"stage": stage, "parallel_strategy": [[1]]}}}
        )
        (folder / f"texts/stage{stage}.json").write_text(text)
    return [folder / "stages", folder / "texts"]


def _merge(path: Path) -> Any:
    target = path.parent / "merged.out"
    serialization.merge_pipeline_strategys(str(path), str(target))  # type: ignore[attr-defined]
    return target.read_bytes()


def _either(data: bytes, rng: Any) -> bytes:
    """A change of the structure that the bytes have."""
    ways = mutations.JSON if data[:1] in b"{[" else mutations.PROTOBUF
    return ways[rng.integers(len(ways))](data, rng)


def _transform_seeds(folder: Path) -> list[Path]:
    (folder / "run").mkdir()
    for rank in range(4):
        (folder / f"run/rank_{rank}").mkdir()
        save_checkpoint(
            {
                "w": Tensor(np.full((2, 2), rank, np.float32)),
                "b": Tensor(np.ones((4, 2), np.float32)),
                "o": Tensor(np.ones((2, 4), np.float32)),
            },
            str(folder / f"run/rank_{rank}/net.ckpt"),
        )
    _strategy(folder / "run/strategy.bin")
    return [folder / "run"]


def _ranks(path: Path) -> list[str]:
    """A file of a rank is meant by its number."""
    return [path.name, *(item.name for item in path.rglob("*")), *(f"rank {number} " for number in range(8))]


def _transform(path: Path) -> Any:
    target = path.parent / "out"
    serialization.transform_checkpoints(str(path), str(target), "x", str(path / "strategy.bin"), None)  # type: ignore[attr-defined]
    return _contents(load_checkpoint(str(target / "rank_0/x0.ckpt")))


def _unified_seeds(folder: Path) -> list[Path]:
    files = np.load(GOLDEN.parent / "unified.npz")
    for key in files.files:
        if key.startswith("four/dst/"):
            place = folder / "unified" / key[len("four/dst/") :]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(files[key].tobytes())
    return [folder / "unified"]


def _unified(path: Path) -> Any:
    return _contents(
        serialization.load_distributed_checkpoint(  # type: ignore[attr-defined]
            nn.Dense(2, 2), format="safetensors", unified_safetensors_dir=str(path), return_param_dict=True
        )
    )


def _in_safetensors_or_json(data: bytes, rng: Any) -> bytes:
    ways = mutations.JSON if data[:1] == b"{" else _HEADERS
    return ways[rng.integers(len(ways))](data, rng)


def _merge_ranks_seeds(folder: Path) -> list[Path]:
    files = np.load(GOLDEN.parent / "unified.npz")
    for key in files.files:
        if key.startswith("four/") and not key.startswith(("four/dst/", "four/loaded/")):
            place = folder / "four" / key[len("four/") :]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(files[key].tobytes())
    return [folder / "four"]


def _merge_ranks(path: Path) -> Any:
    target = path.parent / "out"
    serialization.unified_safetensors(str(path / "src"), str(path / "strategy.ckpt"), str(target))  # type: ignore[attr-defined]
    return [item.read_bytes() for item in sorted(target.iterdir())]


# --- MINDIR -----------------------------------------------------------------------------------------------------------

_GRAPHS = ("f110", "dropout", "f027", "dense", "lenet", "branch_then", "nested", "conv_group", "loss_ce", "counter")
_HARD = tuple(
    "step_adam step_conv_bn while_assign if_assign dyn_shape_use dyn_encoder dyn_if_shape adv_set adv_slice_tensor "
    "int_of bn_train assign_aug".split()
)


def _mindir_seeds(folder: Path) -> list[Path]:
    with tarfile.open(GOLDEN.parent / "mindir_2_10.tar.xz") as archive:
        for name in _GRAPHS:
            (folder / f"{name}.mindir").write_bytes(archive.extractfile(f"{name}.mindir").read())  # type: ignore[union-attr]
    with tarfile.open(GOLDEN.parent / "mindir_hard.tar.xz") as archive:
        for name in _HARD:
            (folder / f"{name}.mindir").write_bytes(archive.extractfile(f"{name}.mindir").read())  # type: ignore[union-attr]
    plain = (folder / "dense.mindir").read_bytes()
    (folder / "enc_AES-GCM_.mindir").write_bytes(b"".join(envelope.encrypt([plain], KEY, "AES-GCM")))
    model, content = mindir.ModelProto.FromString(plain), b""
    for parameter in model.graph.parameter:
        place = parameter.external_data
        place.location, place.offset, place.length = "net_variables/data_0", len(content), len(parameter.raw_data)
        content += parameter.raw_data
        parameter.ClearField("raw_data")
    (folder / "outside/net_variables").mkdir(parents=True)
    (folder / "outside/net.mindir").write_bytes(model.SerializeToString())
    (folder / "outside/net_variables/data_0").write_bytes(content)
    return [
        *(folder / f"{name}.mindir" for name in _GRAPHS + _HARD),
        folder / "enc_AES-GCM_.mindir",
        folder / "outside",
    ]


def _mindir(path: Path) -> Any:
    if path.is_dir():
        return load(str(path / "net.mindir"))
    return load(str(path), **({"dec_key": KEY} if path.name.startswith("enc_") else {}))


def _mindir_change(data: bytes, rng: Any) -> bytes:
    if envelope.encryption_of(data):
        return _encrypted_again(_mindir_change)(data, rng)
    if rng.random() < 0.5:
        return mutations.PROTOBUF[rng.integers(len(mutations.PROTOBUF))](data, rng)
    try:
        model = mindir.ModelProto.FromString(data)
    except Exception:  # no message any more
        return data[:-1]
    return _graph_change(model, rng)


_OPERATORS = (
    "Custom",
    "PyFunc",
    "TensorDump",
    "Print",
    "AllReduce",
    "Send",
    "HookBackward",
    "Assert",
    "TensorSummary",
    "Load",
    "Switch",
    "Partial",
    "MakeTuple",
    "TupleGetItem",
    "Reshape",
    "Fill",
    "Tile",
    "BroadcastTo",
    "Primitive",
    "PrimitiveWithInfer",
    "os",
    "__class__",
    "Cast",
    "Range",
)


def _graph_change(model: Any, rng: Any) -> bytes:
    """A change that only a graph has: operators, names of inputs and outputs, files, shapes, functions."""
    graphs = [model.graph, *model.functions]
    nodes = [node for graph in graphs for node in graph.node]
    names = (
        [node.output[0] for node in nodes if node.output]
        + [graph.name for graph in graphs]
        + [p.name for g in graphs for p in g.parameter]
    )
    node = nodes[rng.integers(len(nodes))] if nodes else model.graph.node.add(op_type="Load")
    choice = rng.integers(9)
    if choice == 0:
        kind = _OPERATORS[rng.integers(len(_OPERATORS))]
        if node.op_type.startswith("REF::") and model.primitives:
            model.primitives[rng.integers(len(model.primitives))].op_type = kind
        else:
            node.op_type = kind
    elif choice == 1 and node.input:
        node.input[rng.integers(len(node.input))] = names[rng.integers(len(names))]
    elif choice == 2:
        node.input.append(names[rng.integers(len(names))])
    elif choice == 3:
        node.op_type = f"REF::{names[rng.integers(len(names))]}"
    elif choice == 4:
        node.output[:] = [names[rng.integers(len(names))]] * int(rng.integers(0, 3))
    else:
        _content_change(model, nodes, rng, choice)
    return bytes(model.SerializePartialToString())


def _content_change(model: Any, nodes: list[Any], rng: Any, choice: int) -> None:
    tensors = [*model.graph.parameter, *(t for node in nodes for a in node.attribute for t in a.tensors)]
    attributes = [a for item in [*nodes, *model.primitives] for a in item.attribute]
    if choice in (5, 6) and tensors:
        tensor = tensors[rng.integers(len(tensors))]
        if choice == 5:
            tensor.dims[:] = [int(mutations.NUMBERS[rng.integers(17)]) for _ in range(rng.integers(0, 70))]
        else:
            place = tensor.external_data
            place.location = (
                "../../../../etc/hostname",
                "/etc/hostname",
                "..",
                ".",
                "",
                "a\0b",
                "x" * 5000,
                "/dev/zero",
                "net.mindir",
                "net_variables/../../x",
            )[rng.integers(10)]
            place.offset, place.length = (int(mutations.NUMBERS[rng.integers(17)]) for _ in range(2))
    elif attributes:
        attribute = attributes[rng.integers(len(attributes))]
        if choice == 7:
            attribute.type = int(rng.integers(0, 26))
            attribute.i, attribute.s = (
                int(mutations.NUMBERS[rng.integers(17)]),
                mutations.TEXTS[rng.integers(len(mutations.TEXTS))],
            )
        else:
            attribute.type, inner = mindir.AttributeType.TUPLE, attribute
            for _ in range((1, 30, 90)[rng.integers(3)]):
                inner = inner.values.add(type=mindir.AttributeType.TUPLE)


def _run_seeds(folder: Path) -> list[Path]:
    return [path for path in _mindir_seeds(folder) if path.suffix == ".mindir" and not path.name.startswith("enc_")]


@functools.cache
def _inputs(name: str) -> list[Any]:
    """Inputs of real MindSpore's shapes."""
    source = GOLDEN.parent / f"mindir_{'hard' if name in _HARD else '2_10'}.tar.xz"
    with tarfile.open(source) as archive, np.load(archive.extractfile(f"{name}.npz")) as file:  # type: ignore[arg-type]
        return [Tensor(file[key]) for key in sorted(file.files) if key.startswith(("arr", "in0_"))]


def _run(path: Path) -> Any:
    nn.GraphCell(load(str(path)))(*[item.copy() for item in _inputs(path.stem)])


# --- summaries --------------------------------------------------------------------------------------------------------


def _summary_seeds(folder: Path) -> list[Path]:
    sources = [
        *(GOLDEN / "summary/basic").iterdir(),
        *(GOLDEN / "summary/lineage").glob("*_lineage"),
        *(GOLDEN / "summary/landscape").glob("*_MS"),
        *(GOLDEN / "summary/collector_fixed").glob("*_lineage"),
    ]
    (folder / "run").mkdir()
    shutil.copyfile(sources[0], folder / "run" / sources[0].name)
    shutil.copyfile(sources[1], folder / "run" / sources[1].name)
    for number, source in enumerate(sources):
        (folder / f"{number}").mkdir()
        shutil.copyfile(source, folder / f"{number}" / source.name)
    return [folder / "run", *(folder / f"{number}" for number in range(len(sources)))]


def _summary(path: Path) -> str:
    from mindspore_compat.train.summary import read_summary

    return str(read_summary(str(path)))


def _to_tensorboard(path: Path) -> bytes:
    from mindspore_compat.train.summary import to_tensorboard

    made = Path(to_tensorboard(str(path), str(path / "board")))
    return made.read_bytes() if made.exists() else b""  # nothing was left


_RECORDS = tuple(mutations.framed(change) for change in mutations.PROTOBUF)


# --- other files ------------------------------------------------------------------------------------------------------


def _print_seeds(folder: Path) -> list[Path]:
    from mindspore_compat._format.strategy import print_messages

    message = print_messages().Print()
    message.value.add(desc="text")
    for kind, dims, content in (("Float32", (2,), bytes(8)), ("str", (), "ab".encode("utf-32-le"))):
        tensor = message.value.add().tensor
        tensor.tensor_type, tensor.tensor_content = kind, content
        tensor.dims.extend(dims)
    (folder / "prints").write_bytes(message.SerializeToString())
    return [folder / "prints"]


def _landscape_seeds(folder: Path) -> list[Path]:
    (folder / "run/ckpt_dir").mkdir(parents=True)
    data = json.loads((GOLDEN / "summary/landscape/ckpt_dir/train_metadata.json").read_text())
    (folder / "run/ckpt_dir/train_metadata.json").write_text(json.dumps(data))
    return [folder / "run"]


def _landscape(path: Path) -> str:
    from mindspore_compat.train.callback import SummaryLandscape

    return str(SummaryLandscape(str(path))._metadata(None))


def _exit_seeds(folder: Path) -> list[Path]:
    (folder / "config.json").write_text('{"GracefulExit": 1}')
    return [folder / "config.json"]


def _exit(path: Path) -> bool:
    from mindspore_compat.train.callback import OnRequestExit

    return bool(OnRequestExit(save_ckpt=False, save_mindir=False, config_file=str(path))._file_asks())


def _torch_seeds(folder: Path) -> list[Path]:
    state = {"w": torch.arange(6.0), "layer.b": torch.ones(2, 2, dtype=torch.int8)}
    torch.save(state, folder / "net.pth")
    torch.save({"state_dict": state}, folder / "old.pt", _use_new_zipfile_serialization=False)
    return [folder / "net.pth", folder / "old.pt"]


def _zip_change(data: bytes, rng: Any) -> bytes:
    """A part of the archive changed or compressed; its sums fit again."""
    source, target = io.BytesIO(data), io.BytesIO()
    try:
        with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
            names = old.namelist()
            chosen = names[rng.integers(len(names))]
            for name in names:
                content = old.read(name)
                if name == chosen:
                    content = (
                        mutations.replace(content, rng, [])
                        if rng.random() < 0.7
                        else content + bytes(int(rng.integers(1 << 16)))
                    )
                new.writestr(name, content, zipfile.ZIP_DEFLATED if rng.random() < 0.1 else zipfile.ZIP_STORED)
    except (zipfile.BadZipFile, ValueError, KeyError, OSError):
        return mutations.flip(data, rng, [])
    return target.getvalue()


def _command(read: str, path: Path) -> None:
    """A command of ``ckpt``; ends with 0, or with 1 or 2 and one line that names the file."""
    import contextlib

    from mindspore_compat.cli import ckpt

    output, errors = io.StringIO(), io.StringIO()
    arguments = [read, str(path), *([str(path.parent / "new.safetensors")] if read == "convert" else ())]
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = ckpt.main(arguments)
    if code:
        raise ValueError(output.getvalue() + errors.getvalue())
    if "Traceback" in errors.getvalue():
        raise AssertionError(errors.getvalue())


def _torch_commands(path: Path) -> None:
    for name in ("inspect", "convert"):
        _command(name, path)


def _commands(path: Path) -> None:
    for name in ("inspect", "verify", "convert"):
        _command(name, path)


_PB, _JS = mutations.PROTOBUF, mutations.JSON
_plain: Callable[[Path], Any] = lambda path: _contents(load_checkpoint(str(path), crc_check="crc" in path.name))  # noqa: E731

FORMATS = [
    Format("ckpt", _ckpt_seeds, _plain, damage=_PB),
    Format("ckpt-crc", _crc_seeds, _plain, damage=_WITH_CRC, guarded=_crc_is_kept),
    Format("ckpt-encrypted", _encrypted_seeds, _encrypted, damage=tuple(map(_encrypted_again, _PB))),
    Format("ckpt-command", _ckpt_seeds, _commands, damage=_PB),
    Format("torch-command", _torch_seeds, _torch_commands, damage=(_zip_change,)),
    Format("safetensors", _safetensors_seeds, _safetensors, damage=_HEADERS),
    Format("safetensors-command", _safetensors_seeds, _commands, damage=_HEADERS),
    Format("safetensors-unified", _unified_seeds, _unified, damage=(_in_safetensors_or_json,)),
    Format(
        "safetensors-ranks",
        _merge_ranks_seeds,
        _merge_ranks,
        damage=(_either, *_HEADERS),
        allowed=(ValueError, TypeError),
        names=_ranks,
    ),
    Format("strategy", _strategy_seeds, _read_strategy, (ValueError, TypeError), _PB),
    Format("strategy-json", _json_seeds, _read_strategy, (ValueError, TypeError), _JS),
    Format("strategy-merge", _merge_seeds, _merge, (ValueError, TypeError), (_either,)),
    Format("transform", _transform_seeds, _transform, (ValueError, TypeError), _PB, names=_ranks),
    Format(
        "group",
        lambda folder: _copies(folder, [GOLDEN / "strategy/group_info.pb"]),
        lambda path: serialization.restore_group_info_list(str(path)),
        damage=_PB,
    ),  # type: ignore[attr-defined]
    Format(
        "print", _print_seeds, lambda path: str(serialization.parse_print(str(path))), (ValueError, RuntimeError), _PB
    ),  # type: ignore[attr-defined]
    Format("mindir", _mindir_seeds, _mindir, (ValueError, RuntimeError), (_mindir_change,)),
    Format(
        "mindir-run",
        _run_seeds,
        _run,
        (ValueError, TypeError, RuntimeError),
        (_mindir_change,),
        seconds=20,
        computes=True,
    ),
    Format("summary", _summary_seeds, _summary, (FileNotFoundError,), _RECORDS),
    Format("summary-board", _summary_seeds, _to_tensorboard, (FileNotFoundError,), _RECORDS),
    Format("landscape", _landscape_seeds, _landscape, (ValueError, FileNotFoundError), _JS),
    Format("exit-config", _exit_seeds, _exit, (), _JS),
]
