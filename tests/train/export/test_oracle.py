"""Real MindSpore loads our MINDIR files and computes what we compute."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mindspore_compat import Tensor
from mindspore_compat._graph.export.ir import leaves
from mindspore_compat.nn import Dense
from mindspore_compat.train._export import export
from tests.support.oracle import run_oracle
from tests.train.export.nets import CASES

_RUN = """
import sys, numpy as np, mindspore as ms
import json
import subprocess
import sys
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
    found = run_oracle(
        """
import sys, numpy as np, mindspore as ms
x = ms.Tensor(np.ones((1, 3), np.float32))
give({mode: ms.nn.GraphCell(ms.load(f"{sys.argv[1]}/{mode}.mindir", dec_key=b"0123456789ABCDEF", dec_mode=mode))(x).asnumpy().tolist()
      for mode in ("AES-GCM", "AES-CBC")})
""",
        str(tmp_path),
    )
    for values in found.values():
        np.testing.assert_allclose(values, net(x).asnumpy(), atol=1e-6)


_TRAIN = """
import os, signal, sys
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

ms.set_seed(1)
x = np.random.RandomState(0).randn(12, 4).astype(np.float32)
y = (x.sum(1) > 0).astype(np.int32)
net = nn.SequentialCell(nn.Dense(4, 6), nn.BatchNorm1d(6), nn.Dense(6, 2))

class Ask(ms.train.Callback):
    def on_train_step_end(self, run_context):
        if run_context.original_args().cur_step_num == 2:
            os.kill(os.getpid(), signal.SIGTERM)

loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = ms.train.Model(net, loss, nn.Momentum(net.trainable_params(), 0.1, 0.9))
data = ds.NumpySlicesDataset((x, y), shuffle=False).batch(4)
model.train(3, data, callbacks=[Ask(), ms.train.OnRequestExit(directory=sys.argv[1], file_name="Net")], dataset_sink_mode=False)
"""
_GO_ON = """
import sys, numpy as np, mindspore as ms
x = np.random.RandomState(0).randn(12, 4).astype(np.float32)
step = ms.nn.GraphCell(ms.load(sys.argv[1] + "/rank_0/Net_train.mindir"))
losses = [float(step(ms.Tensor(x[:4]), ms.Tensor((x[:4].sum(1) > 0).astype(np.int32))).asnumpy().ravel()[0]) for _ in range(4)]
give(losses)
"""


@pytest.mark.oracle
@pytest.mark.parametrize("ours_saves", [True, False])
def test_training_goes_on_from_the_file_of_on_request_exit(ours_saves: bool, tmp_path: Path) -> None:
    """Saved by one, run by both: the same losses, which fall."""

    def ours(code: str) -> str:
        (tmp_path / "program.py").write_text("def give(value):\n    print(value)\n" + code)
        done = subprocess.run(
            [sys.executable, "-m", "mindspore_compat", str(tmp_path / "program.py"), str(tmp_path)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    if ours_saves:
        ours(_TRAIN)
    else:
        (tmp_path / "real.py").write_text(_TRAIN)  # GRAPH_MODE reads sources
        run_oracle(
            f"import runpy, sys\nrunpy.run_path({str(tmp_path / 'real.py')!r}, run_name='__main__')\n", str(tmp_path)
        )
    found, real = json.loads(ours(_GO_ON).splitlines()[-1]), run_oracle(_GO_ON, str(tmp_path))
    np.testing.assert_allclose(found, real, rtol=1e-5, atol=1e-5)
    assert found[-1] < found[0]
