"""MINDIR files that want more than to compute: refused with file and node, in little time and memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat._format.proto import mindir
from mindspore_compat.ops import operations as P
from mindspore_compat.train._export import loading as load
from mindspore_compat.train._export.loading import values
from mindspore_compat.train._export.loading.rows import CLASSES, REFUSED
from mindspore_compat.train._export.loading.values import SCALARS

T = mindir.AttributeType
X = Tensor(np.ones((1, 3), np.float32))


def changed(folder: Path, change: Callable[[Any], Any]) -> str:
    """The file of a Dense layer after a change of its message."""
    folder.mkdir(exist_ok=True)
    path = folder / "net.mindir"
    path.unlink(missing_ok=True)
    ms.export(nn.Dense(3, 2, activation="relu"), X, file_name=str(path), file_format="MINDIR", custom_func=change)
    return str(path)


def the_node(model: Any, kind: str = "ReLU") -> Any:
    return next(node for node in model.graph.node if node.op_type == kind)


def renamed(kind: str, **attributes: str) -> Callable[[Any], None]:
    def change(model: Any) -> None:
        node = the_node(model)
        node.op_type = kind
        for name, value in attributes.items():
            node.attribute.add(name=name, type=T.STRING, s=value.encode())

    return change


# --- operators --------------------------------------------------------------------------------------------------------


def test_every_operator_is_either_allowed_or_refused() -> None:
    there = {name for name in dir(P) if isinstance(getattr(P, name), type)}
    assert not set(CLASSES) & set(REFUSED)
    assert there - set(CLASSES) - set(REFUSED) == load._THROUGH | {"Partial", "UpdateState"}, (
        "sort new operators into loading/operators.py"
    )


@pytest.mark.parametrize("kind", sorted(REFUSED))
def test_an_operator_with_an_effect_is_refused(kind: str, tmp_path: Path) -> None:
    path = changed(tmp_path, renamed(kind))
    with pytest.raises(
        NotImplementedError,
        match=rf"operator '{kind}' \(node 'Dense_construct:CNode.*\) is not loaded from files: it .*net\.mindir",
    ):
        ms.load(path)


def test_no_library_is_loaded_and_no_file_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ctypes

    monkeypatch.setattr(ctypes, "CDLL", lambda *args: pytest.fail("a library is loaded"))
    (tmp_path / "evil.so").write_bytes(b"\x7fELF")
    for change in (
        renamed("Custom", func=f"{tmp_path}/evil.so:run", func_type="aot"),
        renamed("TensorDump", file=f"{tmp_path}/dump"),
    ):
        with pytest.raises(NotImplementedError):
            nn.GraphCell(ms.load(changed(tmp_path / "net", change)))(X)
    assert sorted(os.listdir(tmp_path)) == ["evil.so", "net"]


@pytest.mark.parametrize(
    "kind", ["__class__", "np", "Tensor", "array_ops", "prim_attr_register", "os.system", "_inner_ops", "Any", ""]
)
def test_other_names_of_the_package_are_no_operators(kind: str, tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError):
        ms.load(changed(tmp_path, renamed(kind)))


def test_a_type_is_not_looked_up_in_torch(tmp_path: Path) -> None:
    """``getattr(torch, "load")`` once."""
    with pytest.raises(
        RuntimeError,
        match=r"net\.mindir.*damaged at the node 'Dense_construct:CNode.*must be a MindSpore dtype.*'load'",
    ):
        ms.load(changed(tmp_path, renamed("Argmax", output_type="load")))


def test_only_functions_of_the_file_are_called(tmp_path: Path) -> None:
    def change(model: Any) -> None:
        node = the_node(model)
        node.op_type = f"REF::{model.graph.parameter[0].name}"

    with pytest.raises(TypeError, match=r"the node .* of the file '.*net\.mindir' failed: it calls a Parameter"):
        nn.GraphCell(ms.load(changed(tmp_path, change)))(X)


# --- separate contents ------------------------------------------------------------------------------------------------


def separate(location: str, offset: int = 0, length: int = 24, times: int = 0) -> Callable[[Any], None]:
    def change(model: Any) -> None:
        parameter = model.graph.parameter[0]
        place = parameter.external_data
        place.location, place.offset, place.length = location, offset, length
        parameter.ClearField("raw_data")
        for number in range(times):
            model.graph.parameter.add().CopyFrom(parameter)
            model.graph.parameter[-1].name = model.graph.parameter[-1].ref_key = f"more{number}"

    return change


@pytest.mark.parametrize(
    "location",
    [
        "/etc/hostname",
        "../secret",
        "data/../../secret",
        "",
        "a\0b",
        "link",
        "folder/secret",
        "fifo",
        ".",
        "absent",
        "loop",
        "x" * 300,
    ],
)
def test_separate_contents_lie_in_the_folder_of_the_file(location: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(bytes(24))
    path = changed(tmp_path / "net", separate(location))
    (tmp_path / "net/link").symlink_to("../secret")
    (tmp_path / "net/folder").symlink_to("..")
    (tmp_path / "net/loop").symlink_to("loop")
    os.mkfifo(tmp_path / "net/fifo")
    with pytest.raises(RuntimeError):
        ms.load(path)


@pytest.mark.parametrize(("offset", "length"), [(0, 1 << 60), (1 << 60, 24), (-8, 24), (0, -1), (8, 24), (0, 20)])
def test_the_place_of_separate_contents_is_checked_before_memory_is_taken(
    offset: int, length: int, tmp_path: Path
) -> None:
    path = changed(tmp_path / "net", separate("data", offset, length))
    (tmp_path / "net/data").write_bytes(bytes(24))
    with pytest.raises(RuntimeError, match="must have 24 bytes, but 'data' of 24 bytes"):
        ms.load(path)


def test_separate_contents_are_not_taken_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "_SPARE_BYTES", 50)
    path = changed(tmp_path / "net", separate("data", times=5))
    (tmp_path / "net/data").write_bytes(bytes(24))
    with pytest.raises(RuntimeError):
        ms.load(path)


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    path = changed(tmp_path / "net", separate("link"))
    (tmp_path / "net/data").write_bytes(np.arange(6, dtype=np.float32).tobytes())
    (tmp_path / "net/link").symlink_to("data")
    np.testing.assert_array_equal(ms.load(path).parameters["weight"].asnumpy().ravel(), np.arange(6))


# --- structure --------------------------------------------------------------------------------------------------------


def _nested(model: Any) -> None:
    inner = the_node(model).attribute.add(name="deep", type=T.TUPLE)
    for _ in range(95):
        inner = inner.values.add(type=T.TUPLE)


def _undefined(model: Any) -> None:
    the_node(model).input[0] = "nobody"


def _own_input(model: Any) -> None:
    the_node(model).input[0] = the_node(model).output[0]


def _two_results(model: Any) -> None:
    the_node(model).output.append("second")


def _no_value(model: Any) -> None:
    model.graph.node.add(op_type="Constant", output=["c"], name="c")


def _dims(*dims: int) -> Callable[[Any], None]:
    return lambda model: model.graph.parameter[0].dims.__setitem__(slice(None), dims)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (_undefined, "takes 'nobody', which nothing before it gives"),
        (_own_input, "which nothing before it gives"),
        (_two_results, "must have one result"),
        (_no_value, "a constant must have one value"),
        (_dims(1 << 62, 1 << 62, 0), "which no tensor has"),
        (_dims(-1, 6), "which no tensor has"),
        (_dims(*[1] * 65), "which no tensor has"),
        (_dims(1 << 40), "must have 4398046511104 bytes"),
        (lambda model: the_node(model).attribute.add(name="s", type=T.STRING, s=b"\xff"), "UnicodeDecodeError"),
        (lambda model: model.graph.ClearField("output"), "has no results"),
    ],
)
def test_what_does_not_fit_together_is_refused_with_the_place(
    change: Callable[[Any], Any], text: str, tmp_path: Path
) -> None:
    path = changed(tmp_path, change)
    with pytest.raises(RuntimeError, match=rf"(?s)(net\.mindir.*({text}))|(({text}).*net\.mindir)"):
        ms.load(path)


def test_deep_tuples_need_no_deep_stack(tmp_path: Path) -> None:
    path = changed(tmp_path, _nested)
    ms.load(path)
    data = Path(path).read_bytes()
    for _ in range(3000):  # deeper than protobuf goes
        data = b"\x8a\x01" + mindir_length(len(data)) + data
    Path(path).chmod(0o600)
    Path(path).write_bytes(b"\x3a" + mindir_length(len(data)) + data)
    with pytest.raises(RuntimeError, match=r"net\.mindir' is no MINDIR file"):
        ms.load(path)


def mindir_length(number: int) -> bytes:
    from mindspore_compat._format.wire import write_varint

    return write_varint(number)


@pytest.mark.parametrize("field", ["op_type", "name", "output"])
def test_names_that_are_no_utf_8(field: str, tmp_path: Path) -> None:
    def change(model: Any) -> None:
        node = the_node(model)
        if field == "output":
            node.output[0] = "Qname"
        else:
            setattr(node, field, "Qname")

    path = Path(changed(tmp_path, change))
    path.chmod(0o600)
    path.write_bytes(path.read_bytes().replace(b"Qname", b"\xffname"))
    with pytest.raises(RuntimeError, match=r"net\.mindir' (is damaged at .*no UTF-8|is no MINDIR file)"):
        ms.load(str(path))


def _loop(at_end: bool) -> Callable[[Any], None]:
    """The graph calls itself."""

    def change(model: Any) -> None:
        node = model.graph.node.add(op_type=f"REF::{model.graph.name}", name="again", output=["again"])
        node.input.append(model.graph.input[0].name)
        if at_end:
            model.graph.output[0].name = "again"
        else:
            model.graph.node.add(op_type="ReLU", name="after", output=["after"]).input.append("again")
            model.graph.output[0].name = "after"

    return change


@pytest.mark.parametrize("at_end", [True, False])
def test_a_graph_that_calls_itself_ends(at_end: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_MOST_CALLS", 5000)
    net = nn.GraphCell(ms.load(changed(tmp_path, _loop(at_end))))
    with pytest.raises(ValueError):
        net(X)


def test_a_fault_when_it_runs_names_node_and_file(tmp_path: Path) -> None:
    net = nn.GraphCell(ms.load(changed(tmp_path, lambda model: None)))
    with pytest.raises((ValueError, RuntimeError)):
        net(Tensor(np.ones((2, 7), np.float32)))


def test_a_file_that_is_none_does_not_keep_it_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.mindir")
    with pytest.raises(RuntimeError, match=r"pipe\.mindir is no regular file"):
        ms.load(str(tmp_path / "pipe.mindir"))


def test_many_empty_parts_are_refused_before_they_take_memory(tmp_path: Path) -> None:
    graph = b"\x0a\x02\x1a\x00" * 1_000_000
    path = tmp_path / "many.mindir"
    path.write_bytes(b"\x12\x09MindSpore" + b"\x3a" + mindir_length(len(graph)) + graph)
    with pytest.raises(RuntimeError, match=r"many\.mindir' is no MINDIR file.*more than 500000 parts"):
        ms.load(str(path))


def test_a_large_file_of_real_shape_is_loaded(tmp_path: Path) -> None:
    net, x = nn.Dense(1000, 400), Tensor(np.ones((1, 1000), np.float32))
    ms.export(net, x, file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert (tmp_path / "net.mindir").stat().st_size > 1 << 20
    np.testing.assert_allclose(
        nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))(x).asnumpy(), net(x).asnumpy(), atol=1e-5
    )


# --- numbers and texts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "items"),
    [
        ("ScalarPow", (10, 10**9)),
        ("ScalarMul", (1 << 62, 4)),
        ("ScalarAdd", ((1 << 63) - 1, 1)),
        ("JoinedStr", ("x" * 999_999, "yy")),
    ],
)
def test_numbers_and_texts_do_not_grow_without_end(kind: str, items: Any) -> None:
    with pytest.raises(OverflowError):
        SCALARS[kind](*items)


@pytest.mark.parametrize(
    ("kind", "items"),
    [
        ("ScalarAdd", ("a", 1)),
        ("ScalarMul", ((1, 2), 3)),
        ("tuple_equal", (1, 2)),
        ("JoinedStr", (print,)),
        ("sequence_len", ("abc",)),
        ("SequenceAdd", ([1], [2])),
        ("TupleToTensor", (("a",),)),
        ("InSequence", ("a", ("a",))),
    ],
)
def test_operators_on_numbers_take_numbers(kind: str, items: Any) -> None:
    with pytest.raises(TypeError):
        SCALARS[kind](*items)


@pytest.mark.parametrize(
    ("name", "error"),
    [("ValueError", ValueError), ("SystemExit", RuntimeError), ("os", RuntimeError), (3, RuntimeError)],
)
def test_a_file_raises_common_errors_only(name: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        SCALARS["raise"](name, "too large: ", 3, "None", None)


def test_operators_in_place_do_not_change_what_the_file_or_the_caller_holds(tmp_path: Path) -> None:
    def add_to_input(model: Any) -> None:
        node = the_node(model)
        node.op_type = "InplaceAddExt"
        node.input[0] = model.graph.input[0].name
        node.input.append(node.input[0])
        model.graph.output[0].name = node.output[0]

    net, x = nn.GraphCell(ms.load(changed(tmp_path, add_to_input))), Tensor(np.ones((1, 3), np.float32))
    for _ in range(2):
        assert net(x).asnumpy().tolist() == [[2, 2, 2]]
    assert x.asnumpy().tolist() == [[1, 1, 1]]


# --- tuples of tuples ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["MakeTuple", "make_list"])
def test_tuples_that_share_their_parts_end_before_memory_grows(kind: str, tmp_path: Path) -> None:
    def double(model: Any) -> None:
        last = the_node(model)
        name = last.output[0]
        for number in range(30):
            node = model.graph.node.add(name=f"double{number}", op_type=kind, input=[name, name], output=[f"d{number}"])
            name = node.output[0]
        model.graph.output[0].name = name

    net = nn.GraphCell(ms.load(changed(tmp_path, double)))
    with pytest.raises(ValueError, match=r"node 'd13' of the file .*net\.mindir"):  # 2 ** 14 is above 10,000
        net(X)


def test_a_network_with_such_a_result_is_not_exported(tmp_path: Path) -> None:
    class Doubling(nn.Cell):
        def construct(self, x: Any) -> Any:
            for _ in range(30):
                x = (x, x)
            return x

    with pytest.raises(NotImplementedError):
        ms.export(Doubling(), X, file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert not os.listdir(tmp_path)
