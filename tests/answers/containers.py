"""Programs that differentiate by tuples, lists and dicts, in both modes: at the top, inside of a Cell, with `mutable` and
without.
"""

from __future__ import annotations

__all__ = ["PROGRAMS", "WITH_MESSAGE"]

_BEGINNING = """
class Net(nn.Cell):
    def construct(self, {names}):
        return {body}

class Asks(nn.Cell):  # compiled code of these programs finds no global names
    def __init__(self, net):
        super().__init__()
        self.net, self.mutable = net, ms.mutable
        self.first, self.every = ops.GradOperation(), ops.GradOperation(get_all=True)
        self.grad = ms.grad

    def construct(self, *inputs):
        return self.{operation}({inside})

def open(value):  # dicts with their keys and values
    if isinstance(value, dict):
        return "dict", *value, *[open(item) for item in value.values()]
    return type(value)([open(item) for item in value]) if isinstance(value, (tuple, list)) else value

z = Tensor([5.0, 6.0])
net = Net()
asks = Asks(net)
ms.set_context(mode=ms.{mode}_MODE)
"""
_OPERATIONS = {
    "first": "first({net})",
    "every": "every({net})",
    "by the first": "grad({net})",
    "by two": "grad({net}, (0, 1))",
}
#: what is given: its inputs, the names and the body of the network
_INPUTS = {
    "tuple": ("(x, y)", "t", "t[0] * t[1] * 2.0"),
    "list": ("[x, y]", "t", "t[0] * t[1] * 2.0"),
    "dict": ("{'a': x, 'b': y}", "t", "t['a'] * t['b'] * 2.0"),
    "nested tuples": ("((x, z), y)", "t", "t[0][0] * t[1]"),
    "list in a tuple": ("([x, z], y)", "t", "t[0][0] * t[1]"),
    "dict in a list": ("[{'a': x, 'b': z}, y]", "t", "t[0]['a'] * t[1]"),
    "one too many": ("(x, y, z)", "t", "t[0] * t[1]"),
    "a number": ("(x, 2.0)", "t", "t[0] * t[1]"),
    "an int": ("(x, 2)", "t", "t[0] * t[1]"),
    "int Tensors": ("(x, Tensor([1, 2], ms.int32))", "t", "t[0] * t[1]"),
    "only a number": ("2.0", "t", "t * 3.0"),
    "behind": ("z, (x, y)", "u, t", "u * t[0] * t[1]"),
    "before": ("(x, y), z", "t, u", "u * t[0] * t[1]"),
}
#: what a Cell makes of its inputs before it differentiates by them
_MADE = {
    "a tuple": ("x, y", "(inputs[0], inputs[1])"),
    "a list": ("x, y", "[inputs[0], inputs[1]]"),
    "a tuple of all": ("x, y", "inputs"),
    "with a number": ("x", "(inputs[0], 2.0)"),
    "a tuple from a tuple": ("(x, y)", "(inputs[0][0], inputs[0][1])"),
    "mutable": ("(x, y)", "self.mutable(inputs[0])"),
}


def _program(mode: str, names: str, body: str, operation: str, inside: str) -> str:
    called = _OPERATIONS[operation].format(net="self.net")
    return _BEGINNING.format(mode=mode, names=names, body=body, operation=called, inside=inside)


PROGRAMS: dict[str, str] = {}
for _mode in ("PYNATIVE", "GRAPH"):
    for _name, (_given, _names, _body) in _INPUTS.items():
        _marked = f"[each if isinstance(each, Tensor) else ms.mutable(each) for each in ({_given},)]"
        for _operation in list(_OPERATIONS)[: 4 if "," in _names else 3]:
            _at_top = f"asks.{_OPERATIONS[_operation].format(net='net')}"
            for _how, _arguments in (("", f"[{_given}]"), (", mutable", _marked)):
                if _how and _name == "only a number":
                    continue  # upstream has 0.0 for it, whatever the function
                PROGRAMS[f"containers, {_mode.lower()}: {_name}{_how}, {_operation}"] = (
                    f"{_program(_mode, _names, _body, _operation, '*inputs')}"
                    f"say(open({_at_top}(*{_arguments})))\nsay(open(asks(*{_arguments})))"
                )
    for _name, (_given, _inside) in _MADE.items():
        for _operation in list(_OPERATIONS)[:3]:
            PROGRAMS[f"containers, {_mode.lower()}: made inside, {_name}, {_operation}"] = (
                f"{_program(_mode, 't', 't[0] * t[1] * 2.0', _operation, _inside)}say(open(asks({_given})))"
            )
WITH_MESSAGE: set[str] = set()
