"""SummaryRecord against files of real MindSpore (tests/golden/upstream/summary), and what it refuses."""

from __future__ import annotations

import itertools
import json
import os
import signal

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._format import records
from mindspore_compat._format.events import make_histogram
from mindspore_compat._format.proto import lineage, summary
from mindspore_compat.train.summary import SummaryRecord, read_summary, set_tensorboard
from tests.support.processes import run_python
from tests.train.summary.support import GOLDEN, bodies, events, record_basic, record_lineage, tensorboard, the_file


@pytest.fixture(scope="module")
def basic(tmp_path_factory):
    folder = tmp_path_factory.mktemp("basic")
    record_basic(folder)
    return folder


def test_records_equal_real_mindspores_byte_for_byte_but_for_pictures(basic):
    ours, theirs = bodies(basic), bodies(GOLDEN / "basic")
    assert len(ours) == len(theirs)
    assert [i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b and i != 3] == []


def test_pictures_equal_real_mindspores(basic):
    ours, theirs = read_summary(basic).images, read_summary(GOLDEN / "basic").images
    assert list(ours) == list(theirs)
    for tag, points in theirs.items():
        assert all(np.array_equal(ours[tag][step], picture) for step, picture in points.items()), tag


def test_the_tensorboard_file_holds_the_same_values(basic):
    board, data = tensorboard(basic), read_summary(basic)
    assert set(data.scalars) <= set(board.Tags()["scalars"])
    assert [(e.step, e.value) for e in board.Scalars("f32")] == [(1, 0.25), (2, 0.25)]
    histogram = board.Histograms("n2000")[0].histogram_value
    theirs = data.histograms["n2000"][4]
    assert histogram.num == 2000 and list(histogram.bucket) == theirs.counts
    # "const" is an image and a histogram: the second gets its kind appended
    assert "const" in board.Tags()["images"] and "const/histogram" in board.Tags()["histograms"]
    assert board.Images("grid_11")[0].width == 24


def test_lineage_equals_real_mindspores(tmp_path):
    record_lineage(tmp_path)
    assert bodies(tmp_path, "_lineage") == bodies(GOLDEN / "lineage", "_lineage")
    assert bodies(tmp_path) == bodies(GOLDEN / "lineage")
    board = tensorboard(tmp_path)
    assert board.Scalars("lineage/eval_acc")[0].value == 0.75
    text = board.Tensors("lineage/train_lineage/text_summary")[0].tensor_proto.string_val[0].decode()
    assert "| learning_rate | 0.125 |" in text
    assert set(board.PluginTagToContent("hparams")) >= {"_hparams_/experiment", "_hparams_/session_start_info"}


def test_lineage_messages_have_upstreams_maps_and_oneofs():
    message = lineage.UserDefinedInfo()
    message.user_info.add().map_int32["n"] = 3
    assert message.user_info[0].map_int32["n"] == 3
    assert summary.Event(wall_time=1.0, version="x").WhichOneof("what") == "version"


def test_a_file_that_is_full_drops_later_records_once_while_tensorboard_goes_on(tmp_path, caplog):
    with SummaryRecord(str(tmp_path), max_file_size=300) as record:
        for step in range(20):
            record.add_value("scalar", "loss", Tensor(float(step), ms.float32))
            record.record(step)
    assert bodies(tmp_path) == bodies(GOLDEN / "max_file_size_300")
    assert (
        os.path.getsize(the_file(tmp_path))
        == json.loads((GOLDEN / "max_file_size_300.json").read_text())["files"][0][1]
    )
    assert sum("max_file_size" in line.getMessage() for line in caplog.records) == 1
    assert len(tensorboard(tmp_path).Scalars("loss")) == 20


def test_prefix_suffix_permissions_and_log_dir(tmp_path):
    with SummaryRecord(str(tmp_path / "new"), file_prefix="pp", file_suffix="_sfx") as record:
        record.add_value("scalar", "loss", Tensor(1.0))
        record.record(1)
        path = record.log_dir
    assert bodies(tmp_path / "new", "_sfx") == bodies(GOLDEN / "prefix_suffix", "_sfx")
    assert path == the_file(tmp_path / "new", "_sfx") and os.path.basename(path).startswith("pp.out.events.summary.")
    assert os.stat(path).st_mode & 0o777 == 0o400
    assert os.stat(tmp_path / "new").st_mode & 0o777 == 0o700


def test_tensors_are_exported_as_npy(tmp_path):
    with SummaryRecord(str(tmp_path), export_options={"tensor_format": "npy"}) as record:
        for step in (1, 2):
            record.add_value("tensor", "a/b c[:x]", Tensor(np.arange(6, dtype=np.int32).reshape(2, 3) * step))
            record.add_value("tensor", "bool", Tensor(np.array([True, False])))
            record.add_value("scalar", "s", Tensor(1.0))
            record.record(step)
    assert bodies(tmp_path) == bodies(GOLDEN / "export_npy")
    ours, theirs = (sorted(folder.glob("export_*/tensor/*.npy")) for folder in (tmp_path, GOLDEN / "export_npy"))
    assert [path.name for path in ours] == [path.name for path in theirs]
    assert all(a.read_bytes() == b.read_bytes() for a, b in zip(ours, theirs))


def test_what_kills_real_mindspores_writer_is_recorded(tmp_path):
    with SummaryRecord(str(tmp_path), raise_exception=True) as record:
        record.add_value("histogram", "flags", Tensor(np.array([True, False, True])))
        record.add_value("tensor", "half", Tensor([1.5, 2.5], ms.bfloat16))
        record.add_value("histogram", "half_h", Tensor([1.5, 2.5], ms.bfloat16))
        record.add_value("scalar", "huge", Tensor(1e300, ms.float64))
        record.record(1)
    data = read_summary(tmp_path)
    assert data.histograms["flags"][1].number == 3 and data.histograms["flags"][1].total == 2
    assert data.tensors["half"][1].tolist() == [1.5, 2.5]
    assert data.scalars["huge"][1] == float("inf")


def test_nothing_recorded_makes_no_file(tmp_path):
    with SummaryRecord(str(tmp_path)) as record:
        assert record.record(1) is True
    assert list(tmp_path.iterdir()) == []
    assert record.record(2) is False


def test_values_are_those_at_the_call_and_the_filter_throws_away(tmp_path):
    value = torch.ones(3)
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("tensor", "t", value)
        record.add_value("scalar", "s", value[0])
        value.zero_()
        record.record(1, plugin_filter=lambda plugin: plugin == "tensor")
        record.record(2)
    data = read_summary(tmp_path)
    assert data.tensors["t"][1].tolist() == [1, 1, 1] and not data.scalars


def test_flush_is_enough_for_readers_and_survives_a_kill(tmp_path):
    code = (
        "import os, signal, sys; import mindspore_compat as ms; from mindspore_compat.train.summary import "
        "SummaryRecord\n"
        "r = SummaryRecord(sys.argv[1])\n"
        "for i in range(50): r.add_value('scalar', 'x', ms.Tensor(float(i))); r.record(i)\n"
        "r.flush(); r.add_value('scalar', 'x', ms.Tensor(0.0)); r.record(50); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert run_python("-c", code, str(tmp_path), cwd=tmp_path).returncode == -9
    assert list(read_summary(tmp_path).scalars["x"])[:50] == list(range(50))
    assert len(tensorboard(tmp_path).Scalars("x")) >= 50


@pytest.mark.parametrize("ending", ["", "raise KeyboardInterrupt"])
def test_a_script_that_forgets_close_loses_nothing(tmp_path, ending):
    code = (
        "import sys; import mindspore_compat as ms; from mindspore_compat.train.summary import SummaryRecord\n"
        f"r = SummaryRecord(sys.argv[1]); r.add_value('scalar', 'x', ms.Tensor(2.0)); r.record(3)\n{ending}"
    )
    run_python("-c", code, str(tmp_path), cwd=tmp_path)
    assert read_summary(tmp_path).scalars == {"x": {3: 2.0}}


def test_an_interrupted_training_loses_nothing_that_was_recorded(tmp_path):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell has it ignored
        try:
            with SummaryRecord(str(tmp_path)) as record:
                for step in itertools.count():
                    record.add_value("scalar", "x", ms.Tensor(float(step)))
                    record.record(step)
                    if step == 300:
                        os.write(writer, b"now")
        except KeyboardInterrupt:
            os._exit(7)
        finally:
            os._exit(1)
    os.close(writer)
    os.read(reader, 3)
    os.close(reader)
    os.kill(child, signal.SIGINT)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    found = read_summary(tmp_path).scalars["x"]
    assert list(found) == list(range(len(found))) and len(found) > 300
    assert len(bodies(tmp_path)) == len(found) + 1 and len(tensorboard(tmp_path).Scalars("x")) == len(found)


def test_recorders_of_two_processes_that_begin_in_one_second_keep_apart(tmp_path):
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("scalar", "x", Tensor(1.0))
        taken = record.log_dir
        with open(taken, "wb") as file:  # the other process is faster
            file.write(b"theirs")
        record.record(1)
        record.flush()
        assert record.log_dir != taken
    assert open(taken, "rb").read() == b"theirs"
    assert read_summary(record.log_dir).scalars == {"x": {1: 1.0}}


def test_readers_stop_at_a_cut_off_tail_and_pass_over_a_damaged_record(tmp_path):
    whole = open(the_file(GOLDEN / "basic"), "rb").read()
    path = tmp_path / "events.out.events.summary.1.0.vm_MS"
    for cut in (3, 30, 100, len(whole) - 1):
        path.write_bytes(whole[:cut])
        read_summary(tmp_path)
    broken = bytearray(whole)
    broken[60] ^= 1
    path.write_bytes(broken)
    found, real = read_summary(tmp_path), read_summary(GOLDEN / "basic")
    assert (
        real.scalars["f32"] == {1: 0.25, 2: 0.25}
        and found.scalars["f32"] == {2: 0.25}
        and found.tensors.keys() == real.tensors.keys()
    )
    with pytest.raises(ValueError, match="damaged"):
        list(records.iterate_records(str(path)))


def test_crc32c_agrees_with_known_values_in_both_ways():
    assert records.crc32c(b"123456789") == 0xE3069283
    data = np.random.RandomState(0).bytes(5003)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = records._TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    assert records.crc32c(data) == crc ^ 0xFFFFFFFF


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i1", "i4", "i8", "u1", "?"])
@pytest.mark.parametrize("size", [1, 2, 7, 60, 3000])
def test_histograms_count_as_numpy_does(kind, size):
    random = np.random.RandomState(size)
    array = (random.randn(size) * 40).astype(kind) if kind != "?" else random.rand(size) > 0.5
    if array.dtype.kind == "f" and size > 2:
        array[:3] = np.nan, np.inf, -np.inf
    found = make_histogram(array)
    plain = array[np.isfinite(array)] if array.dtype.kind == "f" else array.astype("i4" if kind == "?" else kind)
    edges = np.array([*found.lefts, found.lefts[-1] + found.widths[-1]], plain.dtype)
    edges[-1] = max(edges[-1], plain.max())
    assert (
        found.counts == np.histogram(plain, edges)[0].tolist()
        and sum(found.counts) == plain.size
        and found.number == size
    )
    assert (found.minimum, found.maximum) == (plain.min(), plain.max())
    assert (found.nan, found.positive_infinite, found.negative_infinite) == (
        (1, 1, 1) if plain.size < size else (0, 0, 0)
    )


def test_a_constant_zero_of_an_unsigned_type_has_a_histogram():
    assert make_histogram(np.zeros(4, np.uint8)).counts == [0, 4]


def test_summary_operators_are_recorded_in_train_mode_only_and_the_last_value_counts(tmp_path):
    operator = ops.ScalarSummary()
    operator("before", Tensor(0.0))
    with SummaryRecord(str(tmp_path)) as record:
        operator("x", Tensor(1.0))
        operator("x", Tensor(2.0))
        record.record(1)
        record.set_mode("eval")
        operator("x", Tensor(3.0))
        record.record(2)
        record.set_mode("train")
        record.record(3)
    operator("x", Tensor(4.0))
    assert read_summary(tmp_path).scalars == {"x": {1: 2.0}}


def test_a_network_is_recorded_once_as_graph(tmp_path):
    net = ms.nn.SequentialCell(ms.nn.Dense(3, 4), ms.nn.ReLU())
    with SummaryRecord(str(tmp_path), network=net) as record:
        record.record(1)
        record.record(2)
    (graph,) = read_summary(tmp_path).graphs
    assert [node.op_type for node in graph.node] == ["Dense", "ReLU"]
    assert graph.node[0].scope == "Default/0-Dense"
    assert tensorboard(tmp_path).Tags()["graph"]


def test_a_graph_of_real_mindspore_can_be_added(tmp_path):
    graph = next(e.graph_def for e in events(GOLDEN / "collector_graph") if e.WhichOneof("what") == "graph_def")
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("graph", "g", graph)
        record.record(1)
    assert bodies(tmp_path)[1] in bodies(GOLDEN / "collector_graph")


def test_tensorboard_can_be_turned_off(tmp_path, monkeypatch):
    def files(name):
        with SummaryRecord(str(tmp_path / name)) as record:
            record.add_value("scalar", "x", Tensor(1.0))
            record.record(1)
        return sorted("tfevents" in path.name for path in (tmp_path / name).iterdir())

    assert files("on") == [False, True]
    monkeypatch.setenv("MINDSPORE_COMPAT_TENSORBOARD", "0")
    assert files("environment") == [False]
    set_tensorboard(True)
    assert files("chosen") == [False, True]
    set_tensorboard(None)


def test_only_one_recorder_at_a_time_and_names_stay_apart(tmp_path):
    paths = []
    for _ in range(2):
        with SummaryRecord(str(tmp_path)) as record:
            with pytest.raises(RuntimeError):
                SummaryRecord(str(tmp_path))
            record.add_value("scalar", "x", Tensor(1.0))
            record.record(1)
            paths.append(record.log_dir)
    assert paths[0] != paths[1] and SummaryRecord.count == 0


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"max_file_size": 1.5}, TypeError),
        ({"file_suffix": "a b!"}, ValueError),
        ({"export_options": {"tensor_format": "csv"}}, ValueError),
    ],
)
def test_wrong_arguments_are_refused_and_block_nothing(tmp_path, arguments, error):
    with pytest.raises(error):
        SummaryRecord(str(tmp_path), **arguments)
    assert SummaryRecord.count == 0


@pytest.mark.parametrize(
    ("plugin", "name", "value", "error"),
    [
        ("sound", "x", Tensor(1.0), ValueError),
        ("scalar", "", Tensor(1.0), ValueError),
        ("scalar", "x", Tensor([1.0, 2.0]), ValueError),
        ("image", "x", Tensor([1.0]), ValueError),
        ("train_lineage", "x", 3, TypeError),
    ],
)
def test_wrong_values_are_refused(tmp_path, plugin, name, value, error):
    with SummaryRecord(str(tmp_path)) as record, pytest.raises(error):
        record.add_value(plugin, name, value)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("raising", [True, False])
def test_a_full_disk_is_told(tmp_path, raising, caplog, monkeypatch):
    record = SummaryRecord(str(tmp_path), raise_exception=raising)
    full = os.open("/dev/full", os.O_WRONLY)
    real_write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real_write(full if len(data) > 20 else handle, data))
    record.add_value("scalar", "x", Tensor(1.0))
    record.record(1)
    if raising:
        with pytest.raises(OSError, match="No space left"):
            record.flush()
    else:
        record.flush()
    monkeypatch.undo()
    os.close(full)
    assert any("No space left" in line.getMessage() for line in caplog.records)
    if raising:
        with pytest.raises(OSError, match="No space left"):  # the TensorBoard file's
            record.close()
    else:
        record.close()
    assert SummaryRecord.count == 0
