"""`export`: a network as a file for other programs; `load`: reading of MINDIR. MindSpore: ``mindspore.export``,
``mindspore.load``.

The Cell is traced into a graph of aten operators (`mindspore_compat._graph.export`), which each format's table of rows
(``mindir/rows.py``, ``onnx/rows.py``) maps to the operators of the file (``_write.py``).
"""

from __future__ import annotations

import copy
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from mindspore_compat._format import envelope
from mindspore_compat._runtime import placement
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.log import logger
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._export._sizes import is_open

_FORMATS = ("AIR", "ONNX", "MINDIR")
_OPTIONS = frozenset(
    (
        "enc_key enc_mode dataset incremental custom_func quant_mode mean std_dev opset_version dynamic_axes float16"
    ).split()
)
_ONNX_OPTIONS = ("opset_version", "dynamic_axes", "float16")
_QUANT_MODES = ("NONQUANT", "QUANT", "AUTO", "MANUAL")  # the last two of 1.1


def _room() -> Any:
    """Return the writers and the reader, loaded on first use because of protobuf."""
    from mindspore_compat.train._export import _write

    return _write


def _quantized(options: dict[str, Any]) -> bool:
    return options.get("quant_mode", "NONQUANT") != "NONQUANT"


def _check_options(file_name: Any, file_format: Any, options: dict[str, Any]) -> None:
    if file_format not in _FORMATS:
        raise ValueError(f"For 'export', the 'file_format' must be one of {list(_FORMATS)}, but got {file_format}.")
    if not file_name or file_name.endswith(("/", os.sep)):
        raise ValueError(f"For 'export', the argument 'file_name' must name a file, but got {file_name!r}.")
    unknown = set(options) - _OPTIONS
    if unknown:
        raise ValueError(f"For 'export', the arguments {sorted(unknown)} are not known; there are {sorted(_OPTIONS)}.")
    if options.get("quant_mode", "NONQUANT") not in _QUANT_MODES:
        raise ValueError(f"For 'export', the 'quant_mode' must be one of {list(_QUANT_MODES)}.")
    for name in _ONNX_OPTIONS:
        if options.get(name) is not None and file_format != "ONNX":
            raise ValueError(f"For 'export', '{name}' is for the format ONNX only, but got {file_format}.")
        if options.get(name) is not None and _quantized(options):
            raise ValueError(f"For 'export', 'quant_mode' writes opset 13 with fixed sizes: leave {name!r} out.")
    if file_format == "ONNX":
        _room().check_options(options)
    if options.get("dataset") is not None:
        raise NotImplementedError(
            "For 'export', no file holds the preprocessing of a 'dataset': preprocess before it runs."
        )
    if options.get("custom_func") is not None and file_format != "MINDIR":
        raise ValueError(f"For 'export', 'custom_func' is for the format MINDIR only, but got {file_format}.")
    if file_format == "AIR":
        raise ValueError(
            "For 'export', Ascend's compiler makes AIR: export as 'MINDIR' and convert that there, or as 'ONNX'."
        )


def _check_encryption(file_format: str, key: Any, mode: Any) -> None:
    if not isinstance(key, bytes):
        raise ValueError(f"For 'export', the 'enc_key' must be bytes, but got {type(key)}.")
    if callable(mode):
        return
    if file_format != "MINDIR":
        raise ValueError(
            f"For 'export', the format {file_format} takes only a function as 'enc_mode', but got {mode!r}."
        )
    envelope.check_key(key, mode)


def _encrypted(pieces: Iterable[Any], key: bytes, mode: Any) -> list[bytes]:
    return [mode(b"".join(pieces), key)] if callable(mode) else list(envelope.encrypt(pieces, key, mode))


@contextmanager
def _mode_of(file_format: str, net: Any) -> Iterator[None]:
    """Put the Cell into evaluation mode for ONNX, and restore each Cell's mode. MINDIR holds the current mode, as in
    MindSpore.
    """
    cells = (
        [cell for _, cell in net.cells_and_names() if cell.training]
        if isinstance(net, Cell) and file_format != "MINDIR"
        else []
    )
    if cells:
        logger.warning(
            "export: the network is in training mode; the file gets its evaluation mode, with moving statistics and "
            "without dropout."
        )
    for cell in cells:
        cell.training = False
    try:
        yield
    finally:
        for cell in cells:
            cell.training = True


class Limits:
    """KiB of parameters above which they are stored in separate files, and the limit of such a file. ``ask`` returns
    them: `train.serialization` puts its constants there, which tests and scripts set. protobuf ends at 2 GiB.
    """

    ask: Callable[[], tuple[float, float]]


def _is_large(net: Any, file_format: str, inputs: Any) -> bool:
    """Return whether the parameters need separate files.

    Raises:
        RuntimeError: if the format or the inputs do not allow them.
    """
    total = (
        sum(parameter.numel() * parameter.element_size() for parameter in net.get_parameters())
        if isinstance(net, Cell)
        else 0
    )
    limit = Limits.ask()[0] * 1024
    if total > limit and (file_format != "MINDIR" or is_open(inputs)):
        raise RuntimeError(
            f"For 'export', the parameters have {total / 2**30:.2f} GiB; above {limit / 2**30:.0f} GiB only a MINDIR "
            "with fixed sizes is written, as several files. Leave that out, or use save_checkpoint for the parameters."
        )
    return total > limit


def _specified(net: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the inputs, with open sizes from `Cell.set_inputs`."""
    spec = net.get_inputs() if isinstance(net, Cell) else None
    if not isinstance(spec, tuple) or not is_open(spec):
        return inputs
    if len(spec) != len(inputs):
        raise ValueError(f"For 'export', 'set_inputs' got {len(spec)} inputs, but there are {len(inputs)}.")
    return tuple(one if is_open(one) else item for one, item in zip(spec, inputs))


class _TorchBody(Cell):
    """A copy of a torch module: in a Cell its parameters would become MindSpore's."""

    def __init__(self, net: torch.nn.Module) -> None:
        super().__init__(auto_prefix=False)
        self.body = copy.deepcopy(net)

    def construct(self, *inputs: Any) -> Any:
        return self.body(*inputs)


def export(net: Any, *inputs: Any, file_name: str, file_format: str | None = None, **kwargs: Any) -> None:
    """Write the network with its parameters to a file of mode 0400.

    MINDIR holds the network's current mode, changes of Parameters, and control flow that depends on values: ``if``,
    ``while`` and ``ops.WhileLoop``; ONNX holds the evaluation mode, and changes nothing. Sizes of inputs are part of
    the file, except open ones: ``Tensor(shape=[None, 3], dtype=…)``, as input or in `Cell.set_inputs`; see
    `mindspore.Symbol`. Parts of tuples and lists become separate inputs. docs/export.md lists the supported features.

    Args:
        net: a Cell or a torch module; for MINDIR also a function of Tensors.
        inputs: Tensors of the shapes and dtypes to come; numbers are written into the file.
        file_name: the suffix ``.mindir`` or ``.onnx`` is added if it is missing, folders are made. Above 1 GiB of
            parameters (``train.serialization.TOTAL_SAVE`` KiB), MINDIR is ``NAME_graph.mindir`` and
            ``NAME_variables/data_0``.
        file_format: "MINDIR" (for ``mindspore.load`` and MindSpore Lite) or "ONNX". None is 1.x's default, "AIR", which
            is refused.
        kwargs: ``custom_func`` changes MINDIR's message before it is written; ``incremental`` is accepted (it is for
            map parameters only). ``enc_key`` (bytes) encrypts the file, by ``enc_mode``: "AES-GCM", "AES-CBC",
            "SM4-CBC" (MINDIR only) or a function of content and key. ``dataset`` is not available.
            ``quant_mode="QUANT"`` deploys a network of quantization-aware training (ONNX then has opset 13), whose
            input is taken to be ``(pixel - mean) / std_dev``, both 127.5 unless given (docs/quant.md). For ONNX, not
            MindSpore's:
            ``opset_version`` (11 to 18, default 11), ``dynamic_axes`` ({input: {axis: name of its size}}), and
            ``float16=True``, which computes in 16-bit floats behind float32 inputs and outputs.

    Differs: MindSpore's MINDIR has parts of tuples and lists as constants.

    Raises:
        ValueError: for other formats or options. TypeError: for inputs that are no Tensors. RuntimeError: over 1 GiB of
            parameters, where one file is needed. NotImplementedError: for what the file cannot hold, with its place
            and the ways around it.

    Examples:
        >>> ms.export(nn.Dense(3, 2), Tensor(np.ones((1, 3), np.float32)), file_name="net", file_format="MINDIR")
        >>> print(nn.GraphCell(ms.load("net.mindir"))(ops.ones((1, 3))).shape)
        (1, 2)
    """
    file_format = file_format or "AIR"
    _check_options(file_name, file_format, kwargs)
    if _quantized(kwargs) and not isinstance(net, Cell):
        raise TypeError(f"For 'export', with 'quant_mode' the 'net' must be a Cell, but got {type(net)}.")
    with placement.on_cpu(net):  # a file holds no devices
        _export(net, inputs, file_name, file_format, kwargs)


def _export(net: Any, inputs: tuple[Any, ...], file_name: str, file_format: str, kwargs: dict[str, Any]) -> None:
    if isinstance(net, torch.nn.Module) and not isinstance(net, Cell):
        net = _TorchBody(net)
    key, mode = kwargs.get("enc_key"), kwargs.get("enc_mode", "AES-GCM")
    if key is not None:
        _check_encryption(file_format, key, mode)
    given = tuple(_room().as_input(item) for item in _specified(net, inputs))
    if _quantized(kwargs) and is_open(given):
        raise NotImplementedError("For 'export', with 'quant_mode' inputs have fixed sizes: no None in their shapes.")
    if isinstance(net, Cell):
        net.check_names_and_refresh_name()
    large = _is_large(net, file_format, given)
    suffix, pieces_of = _room().WRITERS[file_format]
    path = os.path.realpath(file_name)
    if not path.endswith(suffix):
        path += suffix
    if large:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        encrypted = list if key is None else lambda pieces: _encrypted(pieces, key, mode)
        _room().write_large(path, net, given, kwargs, most=Limits.ask()[1] * 1024, encrypted=encrypted)
        return
    with _mode_of(file_format, net):
        pieces = pieces_of(net, given, kwargs)
    if key is not None:
        pieces = _encrypted(pieces, key, mode)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    write_atomically(path, pieces, stat.S_IRUSR)


def load(file_name: str, **kwargs: Any) -> Any:
    """Read a MINDIR file for `nn.GraphCell`.

    A file can only compute: operators that run code, write, print or talk to other processes raise, and separate
    content files must lie in the file's folder. A run in which functions of the file call each other more than a
    million times, or 60 deep, raises ValueError; the memory of a running graph is not limited.

    Args:
        file_name: the file; its name ends with ``.mindir``.
        kwargs: ``dec_key`` (bytes) and ``dec_mode`` ("AES-GCM", "AES-CBC", "SM4-CBC", or a function of file name and
            key that gives the bytes) of an encrypted file.

    Raises:
        ValueError: for other names, and files that are not there. RuntimeError (a ValueError as well): for a file that
            is damaged, encrypted or no MINDIR, with the node. NotImplementedError: for an operator that is not
            available or refused, with its node.
        All name the file.
    """
    if not file_name.endswith(".mindir"):
        raise ValueError(f"For 'load', the 'file_name' must end with '.mindir', but is {file_name!r}.")
    if not os.path.exists(file_name):
        raise ValueError(f"For 'load', there is no file {file_name!r}.")
    return _room().read(file_name, kwargs.get("dec_key"), kwargs.get("dec_mode", "AES-GCM"))
