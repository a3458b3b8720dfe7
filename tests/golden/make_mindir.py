"""Writes mindir_2_10.tar.xz or mindir_2_0.tar.xz: MINDIR files of real MindSpore with inputs and outputs.
`ORACLE_PYTHON make_mindir.py`.
"""

import io
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import mindir_cases as cases
import mindspore as ms

NEW = ms.__version__ > "2.1"
_HEAD = "import numpy as np\nimport mindspore as ms\nfrom mindspore import Tensor, nn, ops\n" + (
    "from mindspore import mint\n" if NEW else ""
)
_CHANGED = "def changed(a):\n    a[0, 1] = 5.0\n    return a\n"
_FUNCTION = "class F_{name}(nn.Cell):\n    def construct(self, {arguments}):\n        return {text}\n"


def flat(item):
    return [leaf for part in item for leaf in flat(part)] if isinstance(item, (tuple, list)) else [item.asnumpy()]


def built(folder):
    """{name: (Cell, arrays)}: GRAPH_MODE reads sources, so they must lie in a file."""
    functions = {**cases.FUNCTIONS, **(cases.FUNCTIONS_2_10 if NEW else {})}
    arrays = {name: cases.ARRAYS.get(name, [cases.MATRIX]) for name in functions}
    text = (
        _HEAD
        + _CHANGED
        + cases.NETS
        + "".join(
            _FUNCTION.format(name=name, arguments=", ".join("ab"[: len(arrays[name])]), text=item)
            for name, item in functions.items()
        )
    )
    (folder / "mindir_sources.py").write_text(text)
    sys.path.insert(0, str(folder))
    import mindir_sources as sources

    for name, (item, given) in cases.LAYERS.items():
        yield name, (lambda item=item: eval(item, vars(sources))), given
    for name in functions:
        yield name, getattr(sources, f"F_{name}"), arrays[name]


def main():
    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    ms.set_seed(1)
    target = HERE / f"mindir_{'2_10' if NEW else '2_0'}.tar.xz"
    with tempfile.TemporaryDirectory() as name, tarfile.open(target, "w:xz", preset=9) as archive:
        folder = Path(name)

        def add(name, data):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))

        for name, make, arrays in built(folder):
            try:
                net, inputs = make().set_train(False), [ms.Tensor(array) for array in arrays]
                ms.export(net, *inputs, file_name=str(folder / name), file_format="MINDIR")
                outputs = flat(net(*inputs))
            except Exception as error:
                print(name, "is left out:", str(error).strip()[:200].replace("\n", " "))
                continue
            add(f"{name}.mindir", (folder / f"{name}.mindir").read_bytes())
            content = io.BytesIO()
            np.savez(content, *arrays, **{f"out{number:02}": item for number, item in enumerate(outputs)})
            add(f"{name}.npz", content.getvalue())


if __name__ == "__main__":
    main()
