"""``mint.distributed`` and ``communication.comm_func`` on 4 gloo processes, and alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mindspore_compat import Tensor, communication, mint
from mindspore_compat.communication import comm_func
from tests.support.ranks import run_ranks

PROGRAM = Path(__file__).with_name("functions_program.py")


@pytest.mark.multi_process
def test_every_function_gives_what_numpy_says() -> None:
    for count in run_ranks(PROGRAM, 4):
        assert int(count) >= 200


def test_a_single_process_is_a_group_of_one() -> None:
    communication.init()
    try:
        x, out = Tensor(np.arange(4.0)), Tensor(np.zeros(4))
        for run in (
            lambda: mint.distributed.all_gather_into_tensor(out, x),
            lambda: mint.distributed.reduce_scatter_tensor(out, x),
            lambda: mint.distributed.all_to_all_single(out, x),
            lambda: mint.distributed.all_gather([out], x),
            lambda: mint.distributed.gather(x, [out]),
            lambda: mint.distributed.scatter(out, [x]),
        ):
            out[:] = 0
            run()
            np.testing.assert_array_equal(out.asnumpy(), x.asnumpy())
        mint.distributed.all_reduce(x)
        assert comm_func.all_gather_into_tensor(x)[0].asnumpy().tolist() == [0, 1, 2, 3]
        assert comm_func.broadcast(x, 0).asnumpy().tolist() == [0, 1, 2, 3]
    finally:
        communication.release()
    with pytest.raises(RuntimeError, match="Please call `init..` method first"):
        mint.distributed.all_reduce(x)
