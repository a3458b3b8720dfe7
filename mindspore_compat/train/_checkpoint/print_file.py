"""Print files of Ascend runs. MindSpore: ``mindspore.parse_print``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat._format import ckpt as codec
from mindspore_compat._format import strategy as messages
from mindspore_compat._format.wire import FormatError
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.train._checkpoint.strategy import read_file


def parse_print(print_file_name: str) -> list[Any]:
    """Return the texts and Tensors of the file that ``ops.Print`` of an Ascend run wrote (``print_file_path``).

    Raises:
        TypeError: if it is no str. ValueError: if the file is missing or empty. RuntimeError: if it cannot be read.
    """
    data = read_file(print_file_name, "parse_print", "print_file_name")
    try:
        values = messages.parse(messages.print_messages().Print, data, f"the print file {print_file_name}").value
        return [_printed(value) for value in values]
    except FormatError as error:
        raise RuntimeError(f"For 'parse_print', failed to read {print_file_name}: {error}.") from None


def _printed(value: Any) -> Any:
    if not value.HasField("tensor"):
        return value.desc
    tensor = value.tensor
    kind = tensor.tensor_type.replace("Uint", "UInt")  # form of 1.0
    if kind == "str":
        return codec.Entry("text", kind, (0,), tensor.tensor_content).text()
    array = codec.to_array(codec.Entry("tensor", kind, tuple(tensor.dims), tensor.tensor_content))
    return Tensor(np.array(array))
