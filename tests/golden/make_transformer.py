"""Writes transformer.npz and transformer.ckpt. MindSpore 2.0.0: ``/opt/oracle20/bin/python
tests/golden/make_transformer.py``.
"""

import json
import os
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import mindspore as ms
import transformer_cases as cases


def let_experts_broadcast(lib: cases.Lib) -> None:
    """2.0.0's BatchMatMul does not broadcast on a CPU, as the experts of _Linear need it: lay their weights out before
    it.
    """
    init = lib.layers._Linear.__init__

    def patched(self, *args, **kwargs):
        init(self, *args, **kwargs)
        if self.expert_flag:
            multiply, tile = self.matmul, lib.ops.tile

            def spread(x, weight):
                return multiply(x, tile(weight, (x.shape[0], 1, 1, 1)))

            spread.shard, spread.add_prim_attr = multiply.shard, multiply.add_prim_attr
            self.matmul = spread

    lib.layers._Linear.__init__ = patched


def main() -> None:
    assert ms.__version__ == "2.0.0", ms.__version__
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    lib = cases.Lib()
    lib.moe.D.get_group_size = lambda *_: 1  # one process, as here
    let_experts_broadcast(lib)
    found = {}
    for name, build in cases.CASES.items():
        print(name, flush=True)
        found.update({f"{name}/{key}": value for key, value in cases.run(lib, build).items()})
    found.update({f"past/{key}": value for key, value in cases.run_past(lib).items()})
    net = cases.checkpointed(lib)
    cases.fill(lib, net)
    ms.save_checkpoint(net, str(HERE / "transformer.ckpt"))
    os.chmod(HERE / "transformer.ckpt", 0o644)
    found["checkpoint/out0"] = net(ms.Tensor(cases.IDS), ms.Tensor(cases.REAL)).asnumpy()
    ms.set_context(mode=ms.GRAPH_MODE)  # from the second step on 2.0.0's PYNATIVE_MODE departs from it
    found["gpt"] = cases.losses_of_gpt(lib)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    found["errors"] = np.array(
        json.dumps({name: cases.error(lib, expression) for name, expression in cases.ERRORS.items()})
    )
    found["texts"] = np.array(json.dumps({name: str(make(lib)) for name, make in cases.CONFIG_TEXT.items()}))
    np.savez_compressed(HERE / "transformer.npz", version="MindSpore 2.0.0", **found)


if __name__ == "__main__":
    main()
