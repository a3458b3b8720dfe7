"""Writes mindir_hard.tar.xz: MINDIR files of real MindSpore 2.10 with inputs, outputs and Parameters afterwards.
`ORACLE_PYTHON make_mindir_hard.py`.

Beside the cases of mindir_hard_cases.py and mindir_open_cases.py there are derivatives of the networks in
mindir_cases.py: as many as it takes to have every operator of derivatives.
"""

import io
import re
import signal
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import make_mindir
import mindir_cases
import mindir_open_cases
import mindspore as ms
from mindir_hard_cases import C
from mindspore import Tensor

#: real MindSpore exports these, and can not run them, or not again: what it gives is no measure (docs/export.md)
LEFT_OUT = {"grad_while", "step_lossscale", "tuple_in", "gru", "gru_bi", "rnn", "while_if"}
_DERIVATIVE = """
class WithWeights(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.weights, self.slope = net, ms.ParameterTuple(net.trainable_params()), ops.GradOperation(get_all=True, get_by_list=True)

    def construct(self, *inputs):
        return self.slope(self.net, self.weights)(*inputs)


class OfInputs(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.slope = net, ops.GradOperation(get_all=True)

    def construct(self, *inputs):
        return self.slope(self.net)(*inputs)
"""


def given(item):
    return tuple(given(part) for part in item) if isinstance(item, tuple) else Tensor(item.copy())


def flat(item):
    if isinstance(item, (tuple, list)):
        return [leaf for part in item for leaf in flat(part)]
    return [item.asnumpy()]


def derivatives(folder):
    """{name: case} of everything in mindir_cases.py."""
    functions = {**mindir_cases.FUNCTIONS, **mindir_cases.FUNCTIONS_2_10}
    arrays = {name: mindir_cases.ARRAYS.get(name, [mindir_cases.MATRIX]) for name in functions}
    text = make_mindir._HEAD + make_mindir._CHANGED + mindir_cases.NETS + _DERIVATIVE
    text += "".join(
        make_mindir._FUNCTION.format(name=name, arguments=", ".join("ab"[: len(arrays[name])]), text=item)
        for name, item in functions.items()
    )
    (folder / "mindir_sources.py").write_text(text)
    sys.path.insert(0, str(folder))
    import mindir_sources as sources

    def of(make):
        net = make()
        return (sources.WithWeights if list(net.trainable_params()) else sources.OfInputs)(net)

    for name, (item, values) in mindir_cases.LAYERS.items():
        yield (
            f"g_{name}",
            (lambda item=item: of(lambda: eval(item, vars(sources))), [tuple(values)], None, "bn" in name),
        )
    for name in functions:
        yield f"g_{name}", (lambda name=name: of(getattr(sources, f"F_{name}")), [tuple(arrays[name])], None, False)


def written(folder, name, make, runs, shapes, train):
    """The file, and arrays: what goes in, what comes out, Parameters before and after."""
    ms.set_seed(1)
    net = make().set_train(train)
    inputs = (
        [given(item) for item in runs[0]]
        if shapes is None
        else [Tensor(shape=shape, dtype=Tensor(item).dtype) for shape, item in zip(shapes, runs[0])]
    )
    ms.export(net, *inputs, file_name=str(folder / name), file_format="MINDIR")
    content = {}
    for number, run in enumerate(runs):
        for place, item in enumerate(run):
            content[f"in{number}_{place:02}"] = item
        for place, item in enumerate(flat(net(*[given(item) for item in run]))):
            content[f"out{number}_{place:02}"] = item
    content |= {f"after:{item.name}": item.asnumpy() for item in net.get_parameters()}
    return (folder / f"{name}.mindir").read_bytes(), content


def main():
    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    signal.alarm(1200)
    seen = set()
    with tempfile.TemporaryDirectory() as name, tarfile.open(HERE / "mindir_hard.tar.xz", "w:xz", preset=9) as archive:
        folder = Path(name)

        def add(name, data):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))

        for name, (make, runs, shapes, train) in [*C.items(), *derivatives(folder)]:
            if name in LEFT_OUT or name[2:] in ("loop", "counter", "nested", "inplace", "gru", "rnn"):
                continue
            try:
                data, content = written(folder, name, make, runs, shapes, train)
            except Exception as error:
                print(name, "is left out:", str(error).strip()[:200].replace("\n", " "))
                continue
            operators = set(re.findall(rb"REF::(\w*(?:Grad|Backprop|Backward)\w*):", data))
            if name.startswith("g_") and operators <= seen:
                continue
            seen |= operators
            add(f"{name}.mindir", data)
            buffer = io.BytesIO()
            np.savez(buffer, **content)
            add(f"{name}.npz", buffer.getvalue())


assert mindir_open_cases

if __name__ == "__main__":
    main()
