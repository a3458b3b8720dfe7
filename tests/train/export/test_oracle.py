"""Real MindSpore loads our MINDIR files and computes what we compute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mindspore_compat import Tensor
from mindspore_compat.train._export import export
from mindspore_compat.train._export._graph import leaves
from tests.support.oracle import run_oracle
from tests.train.export.nets import CASES

_RUN = """
import sys, numpy as np, mindspore as ms
from pathlib import Path

def flat(item):
    return [leaf for part in item for leaf in flat(part)] if isinstance(item, (tuple, list)) else [item.asnumpy()]

errors = {}
for path in sorted(Path(sys.argv[1]).glob("*.mindir")):
    try:
        with np.load(path.with_suffix(".npz")) as arrays:
            net = ms.nn.GraphCell(ms.load(str(path)))
            outputs = flat(net(*[ms.Tensor(arrays[name]) for name in arrays.files]))
        np.savez(path.with_suffix(".out.npz"), *outputs)
    except Exception as error:
        errors[path.stem] = str(error)[-500:]
give(errors)
"""


@pytest.mark.oracle
def test_real_mindspore_computes_the_same_from_our_files(tmp_path: Path) -> None:
    wanted = {}
    for name, (make, arrays) in CASES.items():
        net, inputs = make(), [Tensor(array) for array in arrays]
        export(net, *inputs, file_name=str(tmp_path / name), file_format="MINDIR")
        np.savez(tmp_path / f"{name}.npz", *arrays)
        wanted[name] = [item.asnumpy() for item in leaves(net(*inputs))]
    assert run_oracle(_RUN, str(tmp_path)) == {}
    for name, ours in wanted.items():
        with np.load(tmp_path / f"{name}.out.npz") as file:
            real = [file[key] for key in file.files]
        assert [(item.shape, item.dtype) for item in real] == [(item.shape, item.dtype) for item in ours], name
        for one, other in zip(real, ours):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5, err_msg=name)
