"""Networks whose results are sparse tensors, in MINDIR files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindspore_compat import COOTensor, CSRTensor, Tensor, jit, nn
from mindspore_compat._format.proto import mindir as proto
from mindspore_compat.common import dtype as mstype
from mindspore_compat.train._export import export, load
from tests.support.oracle import run_oracle

INDPTR, COLUMNS, PLACES = [0, 1, 3], [0, 1, 3], [[0, 1], [1, 2], [1, 3]]
VALUES = np.array([2, 1, 5], np.float32)


class Rows(nn.Cell):
    def construct(self, indptr: Any, indices: Any, values: Any) -> Any:
        return CSRTensor(indptr, indices, values * 2, (2, 4))


class Places(nn.Cell):
    def construct(self, indices: Any, values: Any) -> Any:
        return {"found": (COOTensor(indices, values * 2, (2, 4)), values.sum())}, values


def _rows() -> Any:
    return Tensor(INDPTR), Tensor(COLUMNS), Tensor(VALUES)


def _same(found: Any, kind: type, places: Any) -> None:
    assert type(found) is kind and found.shape == (2, 4)
    np.testing.assert_array_equal(found.indices.asnumpy(), places)
    np.testing.assert_array_equal(found.values.asnumpy(), 2 * VALUES)


def test_a_sparse_result_is_one_again(tmp_path: Path) -> None:
    path = str(tmp_path / "rows.mindir")
    export(Rows(), *_rows(), file_name=path, file_format="MINDIR")
    found = nn.GraphCell(load(path))(*_rows())
    _same(found, CSRTensor, COLUMNS)
    np.testing.assert_array_equal(found.indptr.asnumpy(), INDPTR)
    model = proto.ModelProto()
    model.ParseFromString(Path(path).read_bytes())
    output = model.graph.output[0]
    assert (output.denotation, output.attr_info.type) == ("CSRTensorType", 30)  # as real MindSpore's files


def test_a_sparse_result_stands_inside_of_tuples(tmp_path: Path) -> None:
    path = str(tmp_path / "places.mindir")
    export(Places(), Tensor(PLACES), Tensor(VALUES), file_name=path, file_format="MINDIR")
    ((sparse, total),), values = nn.GraphCell(load(path))(Tensor(PLACES), Tensor(VALUES))
    _same(sparse, COOTensor, PLACES)
    assert total == 8 and values.shape == (3,)


def test_a_sparse_result_may_have_open_sizes(tmp_path: Path) -> None:
    path = str(tmp_path / "open.mindir")
    opened = Tensor(shape=[None], dtype=mstype.int64), Tensor(shape=[None], dtype=mstype.float32)
    export(Rows(), Tensor(INDPTR), *opened, file_name=path, file_format="MINDIR")
    _same(nn.GraphCell(load(path))(*_rows()), CSRTensor, COLUMNS)


def test_a_file_that_says_sparse_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "rows.mindir"
    export(Rows(), *_rows(), file_name=str(path), file_format="MINDIR")
    model = proto.ModelProto()
    model.ParseFromString(path.read_bytes())
    model.graph.output[0].attr_info.type = 31
    path.chmod(0o600)
    path.write_bytes(model.SerializeToString())
    with pytest.raises(ValueError):
        nn.GraphCell(load(str(path)))(*_rows())


@pytest.mark.oracle
def test_real_mindspore_gives_the_same_from_our_files(tmp_path: Path) -> None:
    export(Rows(), *_rows(), file_name=str(tmp_path / "rows"), file_format="MINDIR")
    export(Places(), Tensor(PLACES), Tensor(VALUES), file_name=str(tmp_path / "places"), file_format="MINDIR")
    program = f"""
import sys, mindspore as ms
rows = ms.nn.GraphCell(ms.load(sys.argv[1] + "/rows.mindir"))
places = ms.nn.GraphCell(ms.load(sys.argv[1] + "/places.mindir"))
v = ms.Tensor({VALUES.tolist()}, ms.float32)
one = rows(ms.Tensor({INDPTR}), ms.Tensor({COLUMNS}), v)
((two, total),), values = places(ms.Tensor({PLACES}), v)
give([str(one), str(two), float(total), values.shape])
"""
    two = COOTensor(Tensor(PLACES), Tensor(2 * VALUES), (2, 4))
    assert run_oracle(program, str(tmp_path)) == [str(Rows()(*_rows())), str(two), 8, [3]]


class Doubled(nn.Cell):
    def __init__(self, grows: int = 0) -> None:
        super().__init__()
        self.grows = grows

    @jit
    def construct(self, rounds: Any, indptr: Any, indices: Any, values: Any) -> Any:
        found = CSRTensor(indptr, indices, values, (2, 4))
        while rounds > 0:
            found = CSRTensor(found.indptr, found.indices, found.values * 2, (2, found.shape[1] + self.grows))
            rounds = rounds - 1
        return found


def test_a_loop_carries_a_sparse_tensor(tmp_path: Path) -> None:
    path = str(tmp_path / "doubled.mindir")
    export(Doubled(), Tensor(3), *_rows(), file_name=path, file_format="MINDIR")
    found = nn.GraphCell(load(path))(Tensor(5), *_rows())
    np.testing.assert_array_equal(found.values.asnumpy(), 32 * VALUES)


@jit
def _tripled(rounds: Any, values: Any) -> Any:
    while rounds > 0:
        values = values * 3
        rounds = rounds - 1
    return values


def test_a_loop_in_a_jitted_function(tmp_path: Path) -> None:
    path = str(tmp_path / "tripled.mindir")
    export(_tripled, Tensor(1), Tensor(VALUES), file_name=path, file_format="MINDIR")
    np.testing.assert_array_equal(nn.GraphCell(load(path))(Tensor(3), Tensor(VALUES)).asnumpy(), 27 * VALUES)


class Grown(nn.Cell):
    factor = 2

    @jit
    def construct(self, rounds: Any, values: Any) -> Any:
        done = rounds - rounds
        while rounds > done:
            values = values * self.factor
            done += 1
        values[0] = 7
        return values


def test_a_jitted_construct_with_a_loop_and_an_element(tmp_path: Path) -> None:
    path = str(tmp_path / "grown.mindir")
    export(Grown(), Tensor(1), Tensor(VALUES), file_name=path, file_format="MINDIR")
    np.testing.assert_array_equal(nn.GraphCell(load(path))(Tensor(3), Tensor(VALUES)).asnumpy(), [7, 8, 40])
