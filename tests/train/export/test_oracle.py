"""Real MindSpore loads our MINDIR files and computes what we compute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mindspore_compat import Tensor
from mindspore_compat.nn import Dense
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


@pytest.mark.oracle
def test_real_mindspore_opens_what_we_encrypt(tmp_path: Path) -> None:
    net, x = Dense(3, 2), Tensor(np.ones((1, 3), np.float32))
    for mode in ("AES-GCM", "AES-CBC"):
        export(net, x, file_name=str(tmp_path / mode), file_format="MINDIR", enc_key=b"0123456789ABCDEF", enc_mode=mode)
    found = run_oracle("""
import sys, numpy as np, mindspore as ms
x = ms.Tensor(np.ones((1, 3), np.float32))
give({mode: ms.nn.GraphCell(ms.load(f"{sys.argv[1]}/{mode}.mindir", dec_key=b"0123456789ABCDEF", dec_mode=mode))(x).asnumpy().tolist()
      for mode in ("AES-GCM", "AES-CBC")})
""", str(tmp_path))
    for values in found.values():
        np.testing.assert_allclose(values, net(x).asnumpy(), atol=1e-6)
