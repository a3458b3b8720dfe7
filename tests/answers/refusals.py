"""Programs with arguments that are refused, or just not."""

from __future__ import annotations

_INDICES = "Tensor(np.ones((2, 3)), ms.{})"
_DTYPES = ("int8", "int16", "uint8", "int32", "int64", "float32", "bool_")
_LOOK_UPS = {
    f"{layer} of {dtype}": f"say(nn.{layer}({_INDICES.format(dtype)}).shape)"
    for layer in ("Embedding(5, 4)", "EmbeddingLookup(5, 4)", "OneHot(depth=5)")
    for dtype in _DTYPES
}
_FIELDS = {
    f"MultiFieldEmbeddingLookup, input {place} of {dtype}": "inputs = [Tensor(np.ones((2, 3)), ms.int32), "
    "Tensor(np.ones((2, 3)), ms.float32), Tensor(np.ones((2, 3)), ms.int32)]\n"
    f"inputs[{place}] = {_INDICES.format(dtype)}\nsay(nn.MultiFieldEmbeddingLookup(5, 4, 3)(*inputs).shape)"
    for place in range(3)
    for dtype in ("int8", "int16", "int32", "int64", "float32", "bool_")
}
_VALUES = ("1.2", "2", "True", "'a'", "None", "[1.0]", "np.ones(1, np.float32)", "Tensor(0.5)", "Tensor([1, 2])")
_SET = {
    f"set_data({value}) of {dtype}": f"p = Parameter(Tensor(1, ms.{dtype}), name='p')\np.set_data({value})\n"
    "say(str(p.asnumpy().dtype), p)"
    for value in _VALUES
    for dtype in ("float32", "float16", "int32", "bool_")
}
PROGRAMS = {**_LOOK_UPS, **_FIELDS, **_SET}
WITH_MESSAGE = {*_FIELDS, *(name for name in _SET if name.startswith(("set_data('a'", "set_data(None", "set_data([")))}
