"""MindInsight's own pages, in headless Chromium, show our runs. MSC_SCREENSHOT=FOLDER also takes the pictures of the
documentation.

Needs what `test_mindinsight` and `test_tensorboard_page` need; MindInsight's environment with ``marshmallow<4``, or its
lineage pages stay empty.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat import Model, nn
from mindspore_compat.dataset import vision
from mindspore_compat.train.callback import SummaryCollector, SummaryLandscape
from tests.support.ranks import free_port
from tests.train.summary.collector_program import run
from tests.train.summary.support import copy_landscape_checkpoints
from tests.train.summary.test_landscape import make
from tests.train.summary.test_mindinsight import _python
from tests.train.summary.test_tensorboard_page import _IN_SOFTWARE, _chromium, _find, _keep

pytest.importorskip("selenium", reason="drives the pages")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(_python() is None, reason="no MindInsight installed (MINDINSIGHT_PYTHON)"),
    pytest.mark.skipif(
        shutil.which("chromium") is None or shutil.which("chromedriver") is None, reason="no chromium and chromedriver"
    ),
]


def _train(folder: Path) -> None:
    """A training with a Normalize in its pipeline and what the user says of it."""
    images = np.random.RandomState(0).randint(0, 255, (16, 8, 8, 3)).astype(np.uint8)
    data = ds.NumpySlicesDataset((images, np.arange(16, dtype=np.int32) % 3), ["image", "label"], shuffle=False)
    data = data.map(
        [
            vision.Rescale(1 / 255.0, 0.0),
            vision.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
            vision.HWC2CHW(),
        ],
        "image",
    ).batch(4)
    net = nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Dense(256, 3))
    model = Model(
        net,
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        nn.Momentum(net.trainable_params(), 0.01, 0.9),
        {"acc"},
    )
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)  # the graph has operators
    model.train(3, data, callbacks=SummaryCollector(str(folder), 1, custom_lineage_data={"dataset_version": "v7"}))
    model.eval(data, callbacks=SummaryCollector(str(folder)))
    ms.set_context(mode=before)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    base, workspace = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("workspace")
    for name in ("normalized", "collected", "landscape"):
        (base / name).mkdir()
    _train(base / "normalized")
    run(ms, SummaryCollector, str(base / "collected"))
    copy_landscape_checkpoints(base / "landscape")
    SummaryLandscape(str(base / "landscape")).gen_landscapes_with_multi_process(make)
    python = Path(str(_python()))
    environment = {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(workspace)}
    command = [str(python.parent / "mindinsight")]
    where = ["--port", str(port := free_port()), "--workspace", str(workspace)]
    subprocess.run(
        [*command, "start", "--summary-base-dir", str(base), *where],
        env=environment,
        check=True,
        capture_output=True,
        timeout=120,
    )
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        subprocess.run([*command, "stop", "--port", port], env=environment, check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def browser(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with _chromium(tmp_path_factory.mktemp("profile"), *_IN_SOFTWARE) as driver:
        driver.set_window_size(1400, 900)
        driver.get(address)
        _find(driver, "document.body.innerText.length > 20")
        driver.execute_script("localStorage.setItem('milang', 'en-us')")
        yield driver


_TEXT = "document.body.innerText"


_OPEN = """
const name = arguments[0], found = [...document.querySelectorAll('svg g.node')].find(item => item.id === name)
for (const kind of ['mousedown', 'mouseup', 'click', 'mousedown', 'mouseup', 'click', 'dblclick'])
    found.querySelector('rect, polygon, ellipse, path, text').dispatchEvent(new MouseEvent(kind, {bubbles: true, cancelable: true, view: window}))"""


def _open_scopes(browser: Any) -> None:
    """Down to the operators of a layer."""
    scope = ""
    for part in ("Default", "network-WithLossCell", "_backbone-SequentialCell", "3-Dense"):
        scope = f"{scope}/{part}".lstrip("/")
        _find(browser, f"[...document.querySelectorAll('svg g.node')].some(item => item.id === {scope!r})")
        threading.Event().wait(3)  # it moves first
        browser.execute_script(_OPEN, scope)
    for operator in ("MatMul-op0", "BiasAdd-op0", "3.weight"):
        _find(
            browser,
            f"[...document.querySelectorAll('svg g.node')].some(item => item.id === {scope + '/' + operator!r})",
        )


@pytest.mark.parametrize(
    ("name", "page", "texts"),
    [
        ("lineage", "model-traceback", ["dataset_version", "v7", "acc", "Momentum", "SoftmaxCrossEntropyWithLogits"]),
        ("dataset", "data-traceback", ["Normalize", "0.48500001430511475", "0.2290000021457672", "HwcToChw", "Batch"]),
        (
            "dashboard",
            "train-manage/training-dashboard?id=.%2Fnormalized",
            ["loss/auto/scalar", "Parameter Distribution", "Default"],
        ),
        ("graph", "train-manage/graph?train_id=.%2Fnormalized", ["Computational Graph", "Default"]),
        ("tensor", "train-manage/tensor?train_id=.%2Fcollected", ["/tensor", "Step"]),
        ("landscape", "train-manage/loss-analysis?train_id=.%2Flandscape", ["Isoline Map", "3D Map", "5x5x5", "3/1"]),
    ],
)
def test_a_page_shows_our_files(
    name: str, page: str, texts: list[str], address: str, browser: Any, tmp_path: Path
) -> None:
    mixed = ("dashboard", "landscape")  # they also have parts for what these runs did not collect
    for _ in range(
        8
        # the server loads a run when it is first asked for, and a page of the first visit stands behind its
        # introduction
    ):
        browser.get("about:blank")
        browser.get(f"{address}#/{page}")
        _find(browser, f"{_TEXT}.includes({texts[0]!r})")
        threading.Event().wait(3)
        browser.execute_script(
            "document.querySelectorAll('.el-dialog__headerbtn, .el-icon-close').forEach(element => element.click())"
        )
        shown = browser.execute_script(f"return {_TEXT}")
        if (
            all(text in shown for text in texts)
            and "Introduction 1" not in shown
            and (name in mixed or "No data" not in shown)
        ):
            break
    assert all(text in shown for text in texts) and (name in mixed or "No data" not in shown), shown
    if name == "graph":
        _open_scopes(browser)
    threading.Event().wait(4)
    _keep(browser, f"mindinsight_{name}", tmp_path)
