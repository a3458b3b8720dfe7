"""The checkpoint codec against files of real MindSpore, against protobuf's own encoder, and against damage."""

from __future__ import annotations

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import given, settings
from hypothesis import strategies as st

from mindspore_compat._format import ckpt, envelope
from mindspore_compat._format.dtypes import NUMPY_OF
from mindspore_compat._format.wire import FormatError, read_varint, write_varint
from tests.support.upstream import GOLDEN, read_json


def _checkpoint_message():
    """Checkpoint{Value{tag, TensorProto}} as protobuf itself builds it, from the field table of
    docs/design/ckpt-format.md.
    """
    file = descriptor_pb2.FileDescriptorProto(name="ckpt_test.proto", syntax="proto2")
    kinds = descriptor_pb2.FieldDescriptorProto

    def add(message, name, number, kind, label, type_name=None):
        field = message.field.add(name=name, number=number, type=kind, label=label)
        if type_name:
            field.type_name = type_name

    tensor = file.message_type.add(name="TensorProto")
    add(tensor, "dims", 1, kinds.TYPE_INT64, kinds.LABEL_REPEATED)
    add(tensor, "tensor_type", 2, kinds.TYPE_STRING, kinds.LABEL_REQUIRED)
    add(tensor, "tensor_content", 3, kinds.TYPE_BYTES, kinds.LABEL_REQUIRED)
    value = file.message_type.add(name="Value")
    add(value, "tag", 1, kinds.TYPE_STRING, kinds.LABEL_REQUIRED)
    add(value, "tensor", 2, kinds.TYPE_MESSAGE, kinds.LABEL_OPTIONAL, ".TensorProto")
    whole = file.message_type.add(name="Checkpoint")
    add(whole, "value", 1, kinds.TYPE_MESSAGE, kinds.LABEL_REPEATED, ".Value")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    make = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return make(pool.FindMessageTypeByName("Checkpoint"))


Checkpoint = _checkpoint_message()
PLAIN = ["dtypes", "scalars_empty", "append", "from_dict", "net", "net_choice", "same_name_twice", "generator"]


def _entries(arrays: dict[str, np.ndarray]) -> list[ckpt.Entry]:
    names = {dtype: name for name, dtype in reversed(NUMPY_OF.items())}
    return [
        ckpt.Entry(name, names[array.dtype], array.shape, np.ascontiguousarray(array)) for name, array in arrays.items()
    ]


def _bytes(entries: list[ckpt.Entry]) -> bytes:
    return b"".join(bytes(piece) for piece in ckpt.write(entries))


@pytest.mark.parametrize("name", PLAIN)
def test_a_real_file_is_written_again_byte_for_byte(name: str) -> None:
    original = (GOLDEN / "ckpt" / f"{name}.ckpt").read_bytes()
    assert _bytes(list(ckpt.read(original).values())) == original


@pytest.mark.parametrize("name", [*PLAIN, "sliced", "sliced_async", "legacy_dims0"])
def test_values_of_real_files(name: str) -> None:
    expected = np.load(GOLDEN / "ckpt" / f"{name}.ckpt.npz")
    found = ckpt.read((GOLDEN / "ckpt" / f"{name}.ckpt").read_bytes())
    for key in expected.files:
        array = ckpt.to_array(found[key.removesuffix("__bits")])
        assert array.dtype == expected[key].dtype and array.shape == expected[key].shape, key
        np.testing.assert_array_equal(array, expected[key])


def test_strings_of_a_real_file() -> None:
    found = ckpt.read((GOLDEN / "ckpt" / "append.ckpt").read_bytes())
    loaded = read_json("ckpt/append.ckpt.json")["loaded"]
    texts = {name: entry.text() for name, entry in found.items() if entry.tensor_type == "str"}
    assert texts == {name: value["value"] for name, value in loaded.items() if value["kind"] == "str"} != {}


def test_dims_zero_with_one_element_is_a_scalar() -> None:
    entry = ckpt.Entry("x", "Float32", (0,), np.float32(2.5).tobytes())
    assert ckpt.to_array(entry).shape == () and ckpt.to_array(entry) == 2.5


def test_large_contents_are_cut_into_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ckpt, "SLICE_BYTES", 1000)
    array = np.arange(1000, dtype=np.float32).reshape(10, 100)
    data = _bytes(_entries({"w": array, "v": array[:1]}))
    assert len(Checkpoint.FromString(data).value) == 5
    np.testing.assert_array_equal(ckpt.to_array(ckpt.read(data)["w"]), array)


def test_a_later_group_of_a_name_replaces_an_earlier() -> None:
    first, second = np.zeros(2, np.float32), np.ones(3, np.float32)
    data = _bytes([*_entries({"w": first, "v": first}), *_entries({"w": second})])
    np.testing.assert_array_equal(ckpt.to_array(ckpt.read(data)["w"]), second)


def test_crc_tail_is_found_and_right() -> None:
    data = (GOLDEN / "ckpt" / "crc.ckpt").read_bytes()
    messages, crc = envelope.split_crc(memoryview(data))
    assert b"".join(bytes(p) for p in envelope.crc_of([messages])) == data and crc is not None


names = st.text(min_size=1, max_size=20).filter(lambda text: text.isprintable())
shapes = st.lists(st.integers(0, 4), max_size=4).map(tuple)
dtypes = st.sampled_from(["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"])


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(names, st.tuples(shapes, dtypes), max_size=4))
def test_protobuf_reads_what_we_write_and_we_read_what_it_writes(spec: dict) -> None:
    arrays = {
        name: (np.arange(int(np.prod(shape))) % 2).reshape(shape).astype(dtype) for name, (shape, dtype) in spec.items()
    }
    entries = _entries(arrays)
    data = _bytes(entries)
    message = Checkpoint.FromString(data)
    assert [(v.tag, tuple(v.tensor.dims), v.tensor.tensor_content) for v in message.value] == [
        (e.name, e.dims, np.asarray(e.content).tobytes()) for e in entries
    ]
    assert message.SerializeToString() == data
    for name, array in arrays.items():
        entry = ckpt.read(data)[name]
        if array.size or array.shape != (0,):
            np.testing.assert_array_equal(ckpt.to_array(entry), array)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_varints_round_trip(value: int) -> None:
    data = write_varint(value)
    assert read_varint(memoryview(data), 0, len(data)) == (value, len(data))


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=80))
def test_random_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        for entry in ckpt.read(data).values():
            if isinstance(entry, ckpt.Entry):
                ckpt.to_array(entry)
    except FormatError:
        pass


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_changed_byte_of_a_real_file_never_crashes(position: int, byte: int) -> None:
    data = bytearray((GOLDEN / "ckpt" / "dtypes.ckpt").read_bytes())
    data[position % len(data)] = byte
    try:
        for entry in ckpt.read(bytes(data)).values():
            if isinstance(entry, ckpt.Entry):
                ckpt.to_array(entry)
    except (FormatError, UnicodeDecodeError):
        pass


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x0a\xff", "ends? inside a number"),
        (b"\x0a\x05abc", "claims 5 bytes, but only 3 are left"),
        (b"\x0a" + b"\xff" * 10 + b"\x01", "longer than 10 bytes|does not fit"),
        (b"\x0f", "unknown wire type 7"),
        (b"\x0a\x02\x12\x00", "has no tag"),
        (b"\x0a\x05\x0a\x01w\x12\x00", "has no tensor_type"),
    ],
)
def test_damage_is_named_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        ckpt.read(data)


def test_a_content_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(FormatError, match=r"'w' of shape \[3\] and type Float32 needs 12 bytes, but the file holds 8"):
        ckpt.to_array(ckpt.Entry("w", "Float32", (3,), b"\0" * 8))


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(FormatError, match="unknown type 'Float7'"):
        ckpt.to_array(ckpt.Entry("w", "Float7", (1,), b"\0"))
