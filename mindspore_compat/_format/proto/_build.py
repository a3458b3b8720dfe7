"""Message classes from a compact table, one line a field: ``number name [repeated] type``."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from mindspore_compat._format.wire import BYTES, FormatError, fields

_SMALL = 1 << 20  # shorter ones need no check: their messages take 70 MiB at most
_MOST_PARTS, _BYTES_A_PART = 500_000, 64
_SCALARS = ("double", "float", "int64", "uint64", "int32", "bool", "string", "bytes")


def _add_fields(message: Any, text: str, package: str, packed: bool) -> None:
    for line in text.strip().splitlines():
        number, name, *rule, kind = line.split()
        field = message.field.add(name=name, number=int(number))
        field.label = (
            field.LABEL_REPEATED if rule == ["repeated"] else field.LABEL_REQUIRED if rule else field.LABEL_OPTIONAL
        )
        if kind in _SCALARS:
            field.type = getattr(field, f"TYPE_{kind.upper()}")
            if packed and rule and kind not in ("string", "bytes"):
                field.options.packed = True
        elif kind.startswith("enum:"):
            field.type, field.type_name = field.TYPE_ENUM, f".{package}.{kind[5:]}"
        else:
            field.type, field.type_name = field.TYPE_MESSAGE, f".{package}.{kind}"


def build_messages(package: str, messages: dict[str, str], enums: dict[str, str], packed: bool = False) -> Any:
    """Return a namespace with a class for each message and the numbers of the enums' values.

    Args:
        package: protobuf package.
        messages: {name: fields}; ``Outer.Inner`` is a message inside another; the type ``map`` is {string: string}.
        enums: {name or ``Outer.name``: "VALUE=1 VALUE=2"}.
        packed: whether repeated numbers are packed.
    """
    from google.protobuf import descriptor_pb2, descriptor_pool  # here, for an import of the package takes no protobuf

    file = descriptor_pb2.FileDescriptorProto(
        name=f"mindspore_compat/{package}.proto", package=package, syntax="proto2"
    )
    found: dict[str, Any] = {}
    for path, lines in messages.items():
        outer, _, name = path.rpartition(".")
        message = found[path] = (found[outer].nested_type if outer else file.message_type).add(name=name)
        # a type, at the end: `maptensor` is a name
        plain = re.sub(r" map$", f" repeated {path}.Entry", lines, flags=re.MULTILINE)
        _add_fields(message, plain, package, packed)
        if plain != lines:
            entry = message.nested_type.add(name="Entry")
            entry.options.map_entry = True
            _add_fields(entry, "1 key string\n2 value string", package, packed)
    result = SimpleNamespace()
    for path, values in enums.items():
        outer, _, name = path.rpartition(".")
        enum = (found[outer].enum_type if outer else file.enum_type).add(name=name)
        numbers = {key: int(number) for key, number in (item.split("=") for item in values.split())}
        for key, number in numbers.items():
            enum.value.add(name=key, number=number)
        setattr(result, name, SimpleNamespace(**numbers))
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    for path in messages:
        descriptor = pool.FindMessageTypeByName(f"{package}.{path}")
        setattr(result, path.replace(".", "_"), _class_of(descriptor))
    return result


def _class_of(descriptor: Any) -> Any:
    from google.protobuf import message_factory

    if hasattr(message_factory, "GetMessageClass"):  # since protobuf 4.22
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory().GetPrototype(descriptor)


def check_parts(kind: Any, data: Any) -> None:
    """Check a message before it is parsed: an empty part has two bytes in the file, and more than a hundred in memory.

    Args:
        kind: the class of the message.
    """
    view = memoryview(data)
    if len(view) <= _SMALL:
        return
    left = _MOST_PARTS + len(view) // _BYTES_A_PART
    nested: dict[Any, dict[int, Any]] = {}
    waiting = [(0, len(view), kind.DESCRIPTOR)]
    while waiting:
        start, end, descriptor = waiting.pop()
        inner = nested.get(descriptor.full_name)
        if inner is None:
            inner = {field.number: field.message_type for field in descriptor.fields if field.message_type is not None}
            nested[descriptor.full_name] = inner
        for number, wire, first, last in fields(view, start, end):
            if wire == BYTES:
                left -= 1
                if left < 0:
                    raise FormatError(
                        f"there are more than {_MOST_PARTS} parts in {len(view)} bytes, most of them empty"
                    )
                if number in inner and first < last:
                    waiting.append((first, last, inner[number]))
