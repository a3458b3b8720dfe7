"""Columns behind a ``per_batch_map`` that gives more or fewer than it takes: in the order of real MindSpore 2.10, which is
that of its hash maps (names that share buckets, maps that have grown).
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Signature, signature
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds


def source(names: list[str]) -> Any:
    return ds.NumpySlicesDataset(tuple(np.arange(4) + i for i in range(len(names))), column_names=names, shuffle=False)


def batch(dataset: Any, inputs: list[str], outputs: list[str], size: int = 2) -> Any:
    def given(first: Any, second: Any, info: Any = None) -> Any:
        return (first,) * len(outputs)

    given.__signature__ = Signature(list(signature(given).parameters.values())[: len(inputs) + 1])  # type: ignore[attr-defined]
    return dataset.batch(size, per_batch_map=given, input_columns=inputs, output_columns=outputs)


def twice(x: Any) -> Any:
    return x, x


PQ, RS = ["p", "q"], ["r", "s"]
PIPELINES: dict[str, Callable[[list[str]], Any]] = {
    "map12": lambda n: source(n).map(twice, [n[0]], PQ),
    "bat12": lambda n: batch(source(n), [n[0]], PQ),
    "bat12same": lambda n: batch(source(n), [n[1]], [n[1], "q"]),
    "bat21": lambda n: batch(source(n), [n[0], n[2]], ["p"]),
    "bat22": lambda n: batch(source(n), [n[2], n[0]], PQ),
    "bat12map": lambda n: batch(source(n).map(lambda x: x, [n[1]], ["k"]), [n[0]], PQ),
    "bat12ren": lambda n: batch(source(n).rename([n[1]], ["k"]), [n[0]], PQ),
    "bat12zip": lambda n: batch(ds.zip((source(n), source(n).rename(n, ["z" + c for c in n]))), [n[0]], PQ),
    "bat12proj": lambda n: batch(source(n).project(n[::-1]), [n[0]], PQ),
    "bat12map12": lambda n: batch(source(n).map(twice, [n[0]], PQ), ["p"], RS),
    "bat12bat": lambda n: batch(source(n).batch(1), [n[0]], PQ),
    "bat12bat12": lambda n: batch(batch(source(n), [n[0]], PQ, 1), [n[1]], RS),
}
ORDERS: dict[str, dict[str, str]] = {
    "a b c d e f": {
        "map12": "p q b c d e f",
        "bat12": "p q f e c b d",
        "bat12same": "b q f e c d a",
        "bat21": "p f e b d",
        "bat22": "q b p d e f",
        "bat12map": "p q k f e c d",
        "bat12ren": "p q d k c e f",
        "bat12zip": "p q zf zc zb d b zd c e ze za f",
        "bat12proj": "p q b c d e f",
        "bat12map12": "r s d b c e f q",
        "bat12bat": "p q f e c b d",
        "bat12bat12": "r s d c e f q p",
    },
    "image label id box mask size": {
        "map12": "p q label id box mask size",
        "bat12": "p q size mask id box label",
        "bat12same": "label q size mask id box image",
        "bat21": "p size mask box label",
        "bat22": "q label p box mask size",
        "bat12map": "p q size k mask id box",
        "bat12ren": "p q box id k mask size",
        "bat12zip": "p q zid zlabel zsize zbox label box zimage id zmask mask size",
        "bat12proj": "p q id label box mask size",
        "bat12map12": "r s label box mask size id q",
        "bat12bat": "p q size mask id box label",
        "bat12bat12": "r s box mask size id q p",
    },
    "col0 col1 col2 col3 col4 col5 col6 col7 col8 col9 col10 col11 col12 col13 col14 col15": {
        "map12": "p q col1 col2 col3 col4 col5 col6 col7 col8 col9 col10 col11 col12 col13 col14 col15",
        "bat12": "p q col15 col14 col13 col9 col1 col2 col4 col7 col12 col6 col3 col8 col5 col10 col11",
        "bat12same": "col1 q col15 col14 col13 col9 col2 col4 col7 col12 col0 col6 col3 col8 col5 col10 col11",
        "bat21": "p col15 col14 col13 col9 col1 col4 col7 col12 col6 col3 col8 col5 col10 col11",
        "bat22": "q col1 p col3 col4 col5 col6 col7 col8 col9 col10 col11 col12 col13 col14 col15",
        "bat12map": "p q k col15 col14 col13 col9 col2 col4 col7 col12 col6 col3 col8 col5 col10 col11",
        "bat12ren": "p q col11 col10 col5 col15 col4 col7 col12 col14 col13 col9 k col2 col6 col3 col8",
        "bat12zip": "p q zcol8 zcol3 zcol6 col3 col6 col2 col9 col13 zcol14 col12 col8 zcol2 col7 zcol15 col1 zcol0 col4 col15 col5 col10 col11 zcol10 zcol11 zcol7 zcol13 col14 zcol5 zcol4 zcol1 zcol12 zcol9",
        "bat12proj": "p q col1 col2 col15 col12 col7 col4 col14 col13 col11 col5 col10 col9 col3 col8 col6",
        "bat12map12": "r s col11 col10 col5 q col15 col4 col7 col12 col14 col13 col8 col3 col9 col1 col2 col6",
        "bat12bat": "p q col15 col14 col13 col9 col1 col2 col4 col7 col12 col6 col3 col8 col5 col10 col11",
        "bat12bat12": "r s col11 col10 col5 p q col15 col4 col7 col12 col14 col13 col8 col3 col9 col2 col6",
    },
}


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("names", ORDERS, ids=lambda names: names.split()[0])
def test_columns_stand_in_the_order_of_hash_maps(names: str, pipeline: str) -> None:
    columns = names.split()
    dataset = PIPELINES[pipeline](columns)
    expected = ORDERS[names][pipeline].split()
    assert dataset.get_col_names() == expected
    row = next(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert len(row) == len(expected)
    for name, value in zip(expected, row, strict=True):
        if name in columns:
            assert value.flat[0] == columns.index(name)
