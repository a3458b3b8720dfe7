"""Files that are no files, lie about sizes, or come to a full disk: one error with the file's name, at once, and
nothing left behind.
"""

from __future__ import annotations

import json
import os
import resource
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from mindspore_compat import Parameter, Tensor, load_checkpoint, save_checkpoint
from mindspore_compat._format import safetensors, source
from mindspore_compat._format.strategy import strategy_messages
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime import files
from mindspore_compat.cli import ckpt
from mindspore_compat.parallel._layout import TensorLayout
from mindspore_compat.train import serialization
from mindspore_compat.train._checkpoint.strategy import first_stage_of, read_layouts
from mindspore_compat.train.callback import CheckpointManager, OnRequestExit, SummaryLandscape
from tests.support.strategies import write_strategy
from tests.support.upstream import GOLDEN

LAYOUT = {
    "dev_matrix": [2, 2],
    "tensor_map": [0, -1],
    "field": 0,
    "opt_weight_shard_step": 0,
    "opt_weight_shard_size": 0,
}


def strategy(folder: Path, layouts: dict[str, tuple]) -> str:
    return write_strategy(strategy_messages().ParallelStrategyMap, folder / "strategy.ckpt", layouts)


# --- strategies -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "layout",
    [
        ((1 << 31,), (0,)),
        ((1 << 16, 2), (0, 1)),
        ((0, 4), (0,)),
        ((1,) * 65, (0,)),
        ((2, 2), (2, -1)),
        ((2, 2), (0, 0)),
        ((4,), (-1,), 1, 1 << 30),
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        lambda path, folder: serialization.rank_list_for_transform(0, path),
        lambda path, folder: serialization.rank_list_for_transform(0, None, path) and read_layouts(path),
        lambda path, folder: serialization.transform_checkpoints(str(folder), str(folder / "out"), "x", path),
        lambda path, folder: serialization.transform_checkpoints(str(folder), str(folder / "out"), "x", None, path),
        lambda path, folder: serialization.transform_checkpoint_by_rank(
            0, {0: str(folder / "rank_0/a.ckpt")}, str(folder / "out.ckpt"), path
        ),
        lambda path, folder: serialization.unified_safetensors(str(folder), path, str(folder / "out")),
        lambda path, folder: serialization.get_ckpt_path_with_strategy(str(folder / "rank_7/a.ckpt"), path),
    ],
)
def test_layouts_that_no_training_has_are_refused_at_once(
    layout: tuple, call: Callable[[str, Path], Any], tmp_path: Path
) -> None:
    (tmp_path / "rank_0").mkdir()
    save_checkpoint({"w": np.ones((2, 2), np.float32)}, str(tmp_path / "rank_0/a.ckpt"))
    with pytest.raises(ValueError):
        call(strategy(tmp_path, {"w": layout}), tmp_path)
    assert not (tmp_path / "out").exists() or not os.listdir(tmp_path / "out")


def test_merging_with_such_a_layout_is_refused_too(tmp_path: Path) -> None:
    found = serialization.build_searched_strategy(strategy(tmp_path, {"w": ((1 << 31,), (0,))}))
    with pytest.raises(ValueError):
        serialization.merge_sliced_parameter([Parameter(Tensor([1.0]), name="w")], found)


def test_many_large_layouts_are_bounded_together(tmp_path: Path) -> None:
    layouts = {f"w{number}": ((1 << 15, 2), (0,) + (-1,) * number) for number in range(20)}
    with pytest.raises(ValueError, match=r"1310720 places of slices.*strategy\.ckpt"):
        serialization.rank_list_for_transform(0, strategy(tmp_path, layouts))


def test_a_large_training_is_worked_out(tmp_path: Path) -> None:
    path = strategy(tmp_path, {f"w{number}": ((64, 16, 8), (1, 0)) for number in range(300)})
    assert len(serialization.rank_list_for_transform(0, path)) == 128


@pytest.mark.parametrize(
    "content",
    [
        b"[1]",
        b"5",
        b"{",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"\xff",
        b'{"parallel_layout_item": 5}',
        b'{"parallel_layout_item": {"w": 5}}',
        b'{"parallel_layout_item": {"w": {"dev_matrix": [1e400]}}}',
        b'{"parallel_layout_item": {"w": {"dev_matrix": [%d]}}}' % 10**30,
        b'{"parallel_layout_item": {"w": {"field": "x"}}}',
        b'{"a": 1, "a": 2}',
        b"1" * 5000,
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        serialization.build_searched_strategy,
        first_stage_of,
        lambda path: serialization.merge_pipeline_strategys(os.path.dirname(path), path[:-5] + ".out"),
    ],
)
def test_json_that_is_no_strategy(content: bytes, call: Callable[[str], Any], tmp_path: Path) -> None:
    path = tmp_path / "strategy.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"strategy\.json"):
        call(str(path))
    assert os.listdir(tmp_path) == ["strategy.json"]


def test_protobuf_strategies_with_parts_missing_or_names_that_are_no_text(tmp_path: Path) -> None:
    path = Path(strategy(tmp_path, {"Qname": ((2,), (0,))}))
    whole = path.read_bytes()
    for data in (whole.replace(b"Qname", b"\xffname"), whole[:-2], whole[:2] + b"\x1a\x00" + whole[2:]):
        path.write_bytes(data)
        with pytest.raises(TypeError, match=r"strategy file .*strategy\.ckpt is not readable"):
            serialization.build_searched_strategy(str(path))


def test_numbers_of_stages_are_plain(tmp_path: Path) -> None:
    found = read_layouts(
        strategy(tmp_path, {"²-w": ((2,), (0,)), f"{'9' * 5000}-w": ((2,), (0,)), "1-w": ((2,), (0,))})
    )
    assert found is not None and {name: layout.stages for name, layout in found.items()} == {
        "²-w": (0,),
        f"{'9' * 5000}-w": (0,),
        "w": (1,),
    }


def test_nothing_is_allocated_for_a_checkpoint_that_is_not_there() -> None:
    from mindspore_compat.parallel import _layout

    with pytest.raises(ValueError):
        _layout.assemble(((0, 1 << 40),), {0: torch.ones(1 << 8)}, TensorLayout((1 << 15,), ((0,),)), (1 << 23,), "w")


# --- safetensors ------------------------------------------------------------------------------------------------------


def header(folder: Path, content: Any, size: int = 24, length: int | None = None) -> str:
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    path = folder / "net.safetensors"
    path.write_bytes((len(text) if length is None else length).to_bytes(8, "little") + text + bytes(size))
    return str(path)


def entry(dtype: str = "F32", shape: Any = (6,), places: Any = (0, 24)) -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(places)}


@pytest.mark.parametrize(
    "content",
    [
        {"w": entry(places=(0, 20))},
        {"w": entry(places=(24, 0))},
        {"w": entry(places=(-24, 0))},
        {"w": entry(places=(4, 28))},
        {"w": entry(shape=(-6,))},
        {"w": entry(shape=(1 << 62, 1 << 62))},
        {"w": entry(shape=[1] * 100_000)},
        {"w": entry(shape=[2.0, 3.0])},
        {"w": entry(shape=[True, 6])},
        {"w": entry(places=(0, 12), shape=(3,)), "v": entry(places=(0, 24))},
        {"w": entry(places=(0, 12), shape=(3,))},
        {"w": entry(places=(0, 12), shape=(3,)), "v": entry(places=(16, 24), shape=(2,))},
        {"w": entry() | {"more": 1}},
        {"w": 5},
        [1],
        {"__metadata__": {"a": 1}, "w": entry()},
        {"w": entry(places=(0, 24, 24))},
        b"[" * 200_000,
        b'{"w": \xff}',
        b'{"w":{"dtype":"F32","shape":[6],"data_offsets":[0,24]},"w":{"dtype":"F32","shape":[6],"data_offsets":[0,24]}}',
    ],
)
def test_safetensors_headers_that_contradict_themselves(content: Any, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"safetensors (header of|file) .*net\.safetensors"):
        safetensors.read_header(header(tmp_path, content))


@pytest.mark.parametrize("length", [1 << 63, 99_999_999, (1 << 64) - 1])
def test_the_length_of_a_safetensors_header_is_checked_before_it_is_read(length: int, tmp_path: Path) -> None:
    path = header(tmp_path, {"w": entry()}, length=length)
    with pytest.raises(FormatError):
        safetensors.read_header(path)
    with pytest.raises(ValueError, match=r"net\.safetensors"):
        load_checkpoint(path, format="safetensors")


def test_metadata_that_are_null(tmp_path: Path) -> None:
    import io

    data = Path(header(tmp_path, {"__metadata__": None, "w": entry()})).read_bytes()
    for source_of, name in ((str(tmp_path / "net.safetensors"), "path"), (io.BytesIO(data), "bytes")):
        assert list(load_checkpoint(source_of, format="safetensors")) == ["w"], name


def test_what_the_header_check_takes_is_what_the_library_takes(tmp_path: Path) -> None:
    save_checkpoint(
        {"a": np.ones((2, 3), np.float32), "b": np.zeros((0, 4), np.int8), "c": Tensor(1.0)},
        str(tmp_path / "x.safetensors"),
        format="safetensors",
    )
    assert safetensors.read_header(str(tmp_path / "x.safetensors"))[1] == {
        "a": ((2, 3), 24),
        "b": ((0, 4), 0),
        "c": ((), 4),
    }
    for path in (GOLDEN / "safetensors").glob("*.safetensors"):
        safetensors.read_header(str(path))


# --- what is no file --------------------------------------------------------------------------------------------------


def special(path: Path, kind: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path.name)
    elif kind == "zero":
        path.symlink_to("/dev/zero")
    else:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.relpath(path))


KINDS = pytest.mark.parametrize("kind", ["fifo", "socket", "folder", "loop", "zero"])


@KINDS
def test_a_file_that_is_none_is_refused_by_each_reader(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.ckpt", "a.safetensors", "a.json", "a.pth"):
        special(tmp_path / name, kind)
    for call in (
        lambda: load_checkpoint("a.ckpt"),
        lambda: load_checkpoint("a.safetensors", format="safetensors"),
        lambda: serialization.build_searched_strategy("a.json"),
        lambda: serialization.build_searched_strategy("a.ckpt"),
        lambda: serialization.restore_group_info_list("a.ckpt"),
        lambda: serialization.parse_print("a.ckpt"),
        lambda: safetensors.read_header("a.safetensors") if kind != "loop" else load_checkpoint("a.ckpt"),
    ):
        with pytest.raises(ValueError):
            call()
    for command in ("inspect", "verify", "convert"):
        for name in ("a.ckpt", "a.safetensors", "a.pth") if command != "verify" else ("a.ckpt", "a.safetensors"):
            assert ckpt.main([command, name, *(["b.ckpt"] if command == "convert" else [])]) in (1, 2)
    assert not (tmp_path / "b.ckpt").exists()


@KINDS
def test_folders_are_walked_past_them(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rank_0").mkdir()
    save_checkpoint({"w": np.ones(4, np.float32)}, "rank_0/a-1_1.ckpt")
    for name in ("rank_0/z-9_9.ckpt", "rank_1/a.ckpt", "rank_2", "rank_0/a-2_1.ckpt", "rank_0/.a.ckpt.1.0123abcd.tmp"):
        special(tmp_path / name, kind)
    serialization.transform_checkpoints(".", "out", "x")
    assert list(load_checkpoint("out/rank_0/x0.ckpt")) == ["w"]
    manager = CheckpointManager()
    manager.update_ckpoint_filelist("rank_0", "a")
    assert manager.ckpoint_filelist == ["rank_0/a-1_1.ckpt"]
    assert files.remove_stale("rank_0") == []
    serialization.ckpt_to_safetensors(".", "new")
    assert [str(path) for path in Path("new").rglob("*.safetensors")] == ["new/rank_0/a-1_1.safetensors"]
    assert list(serialization.load_segmented_checkpoints("rank_0")) == ["w"]


@KINDS
def test_settings_that_are_no_file(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    special(tmp_path / "config.json", kind)
    assert not OnRequestExit(save_ckpt=False, save_mindir=False, config_file="config.json")._file_asks()
    special(tmp_path / "run/ckpt_dir/train_metadata.json", kind)
    with pytest.raises((ValueError, OSError)):
        SummaryLandscape("run")._metadata(None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("landscape_size", 1 << 40),
        ("unit", 5),
        ("num_samples", "x"),
        ("epoch_group", [1]),
        ("epoch_group", {"0": [1, "x", 3]}),
        ("model_params_file_map", {"1": 5}),
        ("create_landscape", 1),
        ("step_per_epoch", None),
    ],
)
def test_metadata_of_a_landscape_are_checked(name: str, value: Any, tmp_path: Path) -> None:
    (tmp_path / "ckpt_dir").mkdir()
    path = tmp_path / "ckpt_dir/train_metadata.json"
    data = json.loads((GOLDEN / "summary/landscape/ckpt_dir/train_metadata.json").read_text())
    path.write_text(json.dumps(data))
    assert SummaryLandscape(str(tmp_path))._metadata(None) == data
    path.write_text(json.dumps({**data, name: value}))
    with pytest.raises(ValueError, match=r"train_metadata\.json is damaged"):
        SummaryLandscape(str(tmp_path))._metadata(None)


def test_a_file_may_have_a_limit(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(bytes(11))
    with pytest.raises(FormatError, match=r"x has 11 bytes, more than the 10"):
        source.read_regular(str(tmp_path / "x"), 10)


def test_names_that_no_parameter_has(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    save_file({"w" * 1025: np.ones(2)}, tmp_path / "long.safetensors")
    with pytest.raises(ValueError, match=r"long\.safetensors.*at most 1024"):
        load_checkpoint(str(tmp_path / "long.safetensors"), format="safetensors")


# --- full disks -------------------------------------------------------------------------------------------------------


@pytest.fixture
def little_room() -> Iterator[None]:
    """No file grows beyond 4096 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def long_file(tmp_path: Path) -> str:
    save_checkpoint({"w": np.arange(20_000, dtype=np.float32)}, str(tmp_path / "net.ckpt"))
    return str(tmp_path / "net.ckpt")


@pytest.mark.parametrize("options", [["out.ckpt"], ["out.ckpt", "--crc"], ["out.safetensors"], ["out.pth"]])
def test_a_full_disk_is_one_clear_error_and_leaves_nothing(
    options: list[str], tmp_path: Path, long_file: str, little_room: None, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "new").mkdir()
    path = str(tmp_path / "new" / options[0])
    assert ckpt.main(["convert", long_file, path, *options[1:]]) == 2
    assert capsys.readouterr() == ("", f"mindspore-compat ckpt convert: [Errno 27] File too large: '{path}'\n")
    assert os.listdir(tmp_path / "new") == []


@pytest.fixture
def stages(tmp_path: Path) -> str:
    (tmp_path / "stages").mkdir()
    strategy(tmp_path / "stages", {f"w{number}": ((2,), (0,)) for number in range(800)})
    return str(tmp_path / "stages")


def test_an_older_file_stays_when_the_disk_is_full(tmp_path: Path, stages: str, little_room: None) -> None:
    path = tmp_path / "merged.ckpt"
    path.write_bytes(b"older")
    with pytest.raises(OSError, match=r"File too large: '.*merged\.ckpt'"):
        serialization.merge_pipeline_strategys(stages, str(path))
    assert path.read_bytes() == b"older" and sorted(os.listdir(tmp_path)) == ["merged.ckpt", "stages"]


# --- torch's files ----------------------------------------------------------------------------------------------------


class _Evil:
    def __reduce__(self) -> Any:
        return os.system, ("touch pwned",)


def test_a_torch_file_runs_nothing_and_does_not_grow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import zipfile

    monkeypatch.chdir(tmp_path)
    torch.save({"w": _Evil()}, "evil.pth")
    torch.save({"w": torch.zeros(1 << 20)}, "plain.pth")
    with zipfile.ZipFile("plain.pth") as old, zipfile.ZipFile("bomb.pth", "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    assert ckpt.main(["inspect", "plain.pth"]) == 0
    for name, text in (("evil.pth", "tensors only"), ("bomb.pth", "larger than the file")):
        assert ckpt.main(["inspect", name]) == 1
        error = capsys.readouterr().err
        assert error.startswith(f"mindspore-compat ckpt inspect: {name}") and text in error
    assert not os.path.exists("pwned")


def test_equal_copies_on_many_devices_cost_little(tmp_path: Path) -> None:
    """65,536 devices that hold the same: once a layout, not once a parameter."""
    import time

    path = strategy(tmp_path, {f"w{number}": ((1 << 16,), (-1,)) for number in range(500)})
    (tmp_path / "rank_0").mkdir()
    save_checkpoint(
        {f"w{number}": np.full(number + 1, 1.0, np.float32) for number in range(500)}, str(tmp_path / "rank_0/a.ckpt")
    )
    start = time.process_time()
    assert serialization.rank_list_for_transform(0, path) == [0]
    serialization.transform_checkpoint_by_rank(
        0, {0: str(tmp_path / "rank_0/a.ckpt")}, str(tmp_path / "out.ckpt"), path
    )
    assert serialization.get_ckpt_path_with_strategy(str(tmp_path / "rank_7/a.ckpt"), path) == str(
        tmp_path / "rank_0/a.ckpt"
    )
    assert time.process_time() - start < 10
    assert len(load_checkpoint(str(tmp_path / "out.ckpt"))) == 500


def test_many_different_pairs_of_layouts_are_refused(tmp_path: Path) -> None:
    source_file = strategy(tmp_path, {f"w{number}": ((1 << 16,), (-1,)) for number in range(20)})
    (tmp_path / "target").mkdir()
    target = strategy(tmp_path / "target", {f"w{number}": ((2,), (0,) + (-1,) * number) for number in range(20)})
    with pytest.raises(ValueError):
        serialization.rank_list_for_transform(0, source_file, target)


def test_more_values_than_a_file_has_room_for(tmp_path: Path) -> None:
    """Each takes nearly 2 KiB of memory, however small it is in the file."""
    value = b"\x0a\x10\x0a\x01w\x12\x0b\x08\x01\x12\x04Bool\x1a\x01\x00"
    (tmp_path / "many.ckpt").write_bytes((value + value.replace(b"w", b"v")) * 60_000)
    with pytest.raises(ValueError, match=r"many\.ckpt: there are more than 100000 values in 2160000 bytes"):
        load_checkpoint(str(tmp_path / "many.ckpt"))
    header(
        tmp_path,
        {str(number): entry(shape=(), places=(4 * number, 4 * number + 4)) for number in range(105_000)},
        420_000,
    )
    for call in (
        lambda: load_checkpoint(str(tmp_path / "net.safetensors"), format="safetensors"),
        lambda: safetensors.read_header(str(tmp_path / "net.safetensors")),
    ):
        with pytest.raises(ValueError, match=r"net\.safetensors.* more than 100000 values"):
            call()
