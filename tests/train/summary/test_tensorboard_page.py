"""TensorBoard's own page, in headless Chromium, shows the demo's run. MSC_SCREENSHOT=FILE also takes the picture of the documentation."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindspore_compat.train.summary import read_summary
from tests.train.summary.support import tensorboard

pytest.importorskip("sklearn", reason="the demo's digits come with scikit-learn")
selenium = pytest.importorskip("selenium", reason="drives the page")
pytestmark = [pytest.mark.browser, pytest.mark.slow,
              pytest.mark.skipif(shutil.which("chromium") is None or shutil.which("chromedriver") is None, reason="no chromium and chromedriver")]
_OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--window-size=1300,1360",
            "--disable-3d-apis")  # then the page draws curves as SVG, which can be read
_PATIENCE = 90  # seconds
_SCREENSHOT = "MSC_SCREENSHOT"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the demo's run."""
    folder = tmp_path_factory.mktemp("logs") / "demo"
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "examples")])}
    command = [sys.executable, "-m", "mindspore_compat", str(Path(__file__).with_name("demo_program.py")), str(folder),
               "20" if _SCREENSHOT in os.environ else "2"]
    done = subprocess.run(command, check=False, timeout=600, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.fixture(scope="module")
def address(run: Path) -> Iterator[str]:
    """Where a TensorBoard serves the run."""
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(run.parent), "--host", "127.0.0.1", "--port", "0", "--load_fast", "false"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        found = next((match.group() for line in server.stderr if (match := re.search(r"http://127\S+", line))), None)
        assert found, "TensorBoard did not start"
        threading.Thread(target=server.stderr.read, daemon=True).start()  # its pipe must not fill
        yield found
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for option in (*_OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(option)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


def _find(browser: Any, script: str) -> Any:
    """What a script returns, once that is something."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, _PATIENCE).until(lambda driver: driver.execute_script(f"return {script}"))


def _card(kind: str, tag: str) -> str:
    """The card of a tag, as JavaScript; the page breaks tags where they may wrap."""
    return f"[...document.querySelectorAll('{kind}-card')].find(card => card.innerText.replace(/\\s/g, '').startsWith({tag.replace(' ', '')!r}))"


def test_the_page_shows_the_loss_curve_a_histogram_pictures_and_the_landscape(run: Path, address: str, browser: Any) -> None:
    data = read_summary(run)
    browser.get(f"{address}?smoothing=0&tagFilter=loss/auto|conv2|input_data|landscape#timeseries")
    recorded = tensorboard(run).Scalars("loss/auto")  # a sampled step that ends an epoch is there twice, as in MindSpore's file
    drawn = _find(browser, f"{_card('scalar', 'loss/auto')}?.querySelector('line-chart .series-view path[d*=L]')?.getAttribute('d')")
    points = np.array(re.findall(r"[ML]([-\d.e]+),([-\d.e]+)", drawn), float)
    assert len(points) == len(recorded) >= 8
    assert np.corrcoef(points[:, 0], [event.step for event in recorded])[0, 1] > 0.9999
    assert np.corrcoef(points[:, 1], [-event.value for event in recorded])[0, 1] > 0.9999  # pixels count downwards
    ridges = _find(browser, f"{_card('histogram', 'conv2.weight/auto')}?.querySelectorAll('path').length")
    assert ridges >= min(len(data.histograms["conv2.weight/auto"]), 50)  # TensorBoard shows 50 steps at most
    for tag, shape in (("input_data/auto", data.images["input_data/auto"][1].shape), ("landscape_[1, 37]/contour", (560, 660)),
                       ("landscape_[1, 37]/surface", (560, 660))):
        # the page loads a picture when it scrolls into view
        _find(browser, f"({_card('image', tag)}?.scrollIntoView(), true)")
        size = _find(browser, f"(image => image?.naturalWidth ? [image.naturalHeight, image.naturalWidth] : null)({_card('image', tag)}"
                              "?.querySelector('img'))")
        assert tuple(size) == shape[:2], tag


def test_the_page_offers_graph_text_and_hyperparameters(address: str, browser: Any) -> None:
    browser.get(address)
    tabs = _find(browser, "(tabs => tabs.length > 6 ? tabs.map(tab => tab.innerText.trim()) : null)"
                          "([...document.querySelectorAll('.mat-mdc-tab, .mat-tab-label, [role=tab]')])")
    assert {"TIME SERIES", "SCALARS", "IMAGES", "GRAPHS", "HISTOGRAMS", "TEXT", "HPARAMS"} <= set(tabs)


def test_the_screenshot_of_the_documentation(address: str, browser: Any, tmp_path: Path) -> None:
    if _SCREENSHOT not in os.environ:
        pytest.skip(f"taken only with {_SCREENSHOT}")
    from PIL import Image

    browser.get(f"{address}?smoothing=0&tagFilter=loss/auto|conv2|input_data|landscape#timeseries")
    _find(browser, f"{_card('scalar', 'loss/auto')}?.querySelector('line-chart .series-view path[d*=L]')?.getAttribute('d')")
    browser.execute_script("document.querySelector('[aria-label=\"Toggle settings side pane\"]').click()")
    threading.Event().wait(8)
    browser.save_screenshot(str(tmp_path / "page.png"))
    Image.open(tmp_path / "page.png").convert("RGB").quantize(128).save(os.environ[_SCREENSHOT], optimize=True)
