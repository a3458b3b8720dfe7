"""TensorBoard's own pages, in headless Chromium, show the demo's run. MSC_SCREENSHOT=FOLDER also takes the pictures of
the documentation.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindspore_compat.train.summary import add_embedding, read_summary
from tests.train.summary.support import tensorboard

selenium = pytest.importorskip("selenium", reason="drives the page")
sklearn_datasets = pytest.importorskip("sklearn.datasets", reason="the demo's digits come with scikit-learn")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("chromium") is None or shutil.which("chromedriver") is None, reason="no chromium and chromedriver"
    ),
]
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1300,1360",
)
_NO_3D = ("--disable-3d-apis",)  # then the page draws curves as SVG, which can be read
_IN_SOFTWARE = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")  # the projector needs 3D
_PATIENCE = 90  # seconds
_SCREENSHOT = "MSC_SCREENSHOT"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the demo's run."""
    folder = tmp_path_factory.mktemp("logs") / "demo"
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "examples")])}
    command = [
        sys.executable,
        "-m",
        "mindspore_compat",
        str(Path(__file__).with_name("demo_program.py")),
        str(folder),
        "20" if _SCREENSHOT in os.environ else "2",
    ]
    done = subprocess.run(command, check=False, timeout=600, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    digits = sklearn_datasets.load_digits()
    add_embedding(str(folder), "digits", digits.data[:300], list(digits.target[:300]), images=digits.images[:300] * 16)
    return folder


@pytest.fixture(scope="module")
def address(run: Path) -> Iterator[str]:
    """Where a TensorBoard serves the run."""
    command = [
        sys.executable,
        "-m",
        "tensorboard.main",
        "--logdir",
        str(run.parent),
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--load_fast",
        "false",
    ]
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


@contextmanager
def _chromium(profile: Path, *more: str) -> Iterator[Any]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for option in (*_OPTIONS, *more, f"--user-data-dir={profile}"):
        options.add_argument(option)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with _chromium(tmp_path_factory.mktemp("profile"), *_NO_3D) as driver:
        yield driver


def _find(browser: Any, script: str) -> Any:
    """What a script returns, once that is something."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, _PATIENCE).until(lambda driver: driver.execute_script(f"return {script}"))


def _card(kind: str, tag: str) -> str:
    """The card of a tag, as JavaScript; the page breaks tags where they may wrap."""
    return (
        f"[...document.querySelectorAll('{kind}-card')].find(card => card.innerText.replace(/\\s/g, "
        f"'').startsWith({tag.replace(' ', '')!r}))"
    )


def test_the_page_shows_the_loss_curve_a_histogram_pictures_and_the_landscape(
    run: Path, address: str, browser: Any
) -> None:
    data = read_summary(run)
    browser.get(f"{address}?smoothing=0&tagFilter=loss/auto|conv2|input_data|landscape#timeseries")
    recorded = tensorboard(run).Scalars(
        "loss/auto"
    )  # a sampled step that ends an epoch is there twice, as in MindSpore's file
    drawn = _find(
        browser,
        f"{_card('scalar', 'loss/auto')}?.querySelector('line-chart .series-view path[d*=L]')?.getAttribute('d')",
    )
    points = np.array(re.findall(r"[ML]([-\d.e]+),([-\d.e]+)", drawn), float)
    assert len(points) == len(recorded) >= 8
    assert np.corrcoef(points[:, 0], [event.step for event in recorded])[0, 1] > 0.9999
    assert np.corrcoef(points[:, 1], [-event.value for event in recorded])[0, 1] > 0.9999  # pixels count downwards
    ridges = _find(browser, f"{_card('histogram', 'conv2.weight/auto')}?.querySelectorAll('path').length")
    assert ridges >= min(len(data.histograms["conv2.weight/auto"]), 50)  # TensorBoard shows 50 steps at most
    for tag, shape in (
        ("input_data/auto", data.images["input_data/auto"][1].shape),
        ("landscape_[1, 37]/contour", (560, 660)),
        ("landscape_[1, 37]/surface", (560, 660)),
    ):
        # the page loads a picture when it scrolls into view
        _find(browser, f"({_card('image', tag)}?.scrollIntoView(), true)")
        size = _find(
            browser,
            f"(image => image?.naturalWidth ? [image.naturalHeight, image.naturalWidth] : null)({_card('image', tag)}"
            "?.querySelector('img'))",
        )
        assert tuple(size) == shape[:2], tag


def test_the_page_offers_graph_text_and_hyperparameters(address: str, browser: Any) -> None:
    browser.get(address)
    tabs = _find(
        browser,
        "(tabs => tabs.length > 6 ? tabs.map(tab => tab.innerText.trim()) : null)"
        "([...document.querySelectorAll('.mat-mdc-tab, .mat-tab-label, [role=tab]')])",
    )
    assert {"TIME SERIES", "SCALARS", "IMAGES", "GRAPHS", "HISTOGRAMS", "TEXT", "HPARAMS"} <= set(tabs)


# --- the older pages, which are made of web components: what they hold is behind shadow roots -------------------------

_DEEP = """(function deep(root, selector) {
  return [...root.querySelectorAll(selector), ...[...root.querySelectorAll('*')].filter(e => e.shadowRoot).flatMap(e => deep(e.shadowRoot, selector))];
})"""


def _open(browser: Any, address: str, page: str) -> None:
    browser.get("about:blank")  # another part of the same page is no new page
    browser.get(f"{address}#{page}")


def _deep(selector: str, then: str) -> str:
    """JavaScript that finds elements behind shadow roots too, and what is to be done with them."""
    return f"({_DEEP})(document, {selector!r}){then}"


def _keep(browser: Any, name: str, tmp_path: Path) -> None:
    """The picture of the documentation, if asked for."""
    if _SCREENSHOT not in os.environ:
        return
    from PIL import Image

    browser.save_screenshot(str(tmp_path / "page.png"))
    Image.open(tmp_path / "page.png").convert("RGB").quantize(128).save(
        Path(os.environ[_SCREENSHOT]) / f"{name}.png", optimize=True
    )


_TICKS = _deep(".x-axis text.tick-label, .tick-label, .x-axis text", ".map(e => e.textContent.trim()).filter(t => t)")


def test_scalars_over_wall_time(address: str, browser: Any, tmp_path: Path) -> None:
    _open(browser, address, "scalars")
    steps = _find(browser, f"(found => found.length > 4 ? found : null)({_TICKS})")
    assert not any(":" in text for text in steps)
    _find(
        browser,
        _deep("paper-button", ".filter(e => e.textContent.trim().toLowerCase() == 'wall').map(e => (e.click(), 1))[0]"),
    )
    times = _find(browser, f"(found => found.some(t => /:[0-9][0-9]|[AP]M/.test(t)) ? found : null)({_TICKS})")
    assert times != steps
    threading.Event().wait(2)
    _keep(browser, "tensorboard_scalars", tmp_path)


def test_the_graph_opens_to_its_layers(address: str, browser: Any, tmp_path: Path) -> None:
    _open(browser, address, "graphs")
    nodes = _deep("g.node", ".map(e => e.dataset.name)")
    assert {"Default", "Parameters"} <= set(_find(browser, f"(found => found.length > 1 ? found : null)({nodes})"))
    for name, inside in (
        ("Default", "Default/network-WithLossCell"),
        ("Default/network-WithLossCell", "Default/network-WithLossCell/_backbone-LeNet5"),
        ("Default/network-WithLossCell/_backbone-LeNet5", "Default/network-WithLossCell/_backbone-LeNet5/conv1-Conv2d"),
    ):
        browser.execute_script(
            _deep(
                "g.node",
                f".filter(e => e.dataset.name == {name!r})"
                ".map(e => e.querySelector('.nodeshape').dispatchEvent(new MouseEvent('dblclick', {bubbles: true})))",
            )
        )
        found = _find(
            browser, f"(found => found.some(name => name.startsWith({name!r} + '/')) ? found : null)({nodes})"
        )
        assert any(node.startswith(inside) for node in found), found
    browser.execute_script(
        _deep("*", ".filter(e => !e.children.length && e.textContent.trim() == 'Fit to screen').map(e => e.click())")
    )
    threading.Event().wait(3)
    _keep(browser, "tensorboard_graph", tmp_path)


def test_hyperparameters_and_results(run: Path, address: str, browser: Any, tmp_path: Path) -> None:
    _open(browser, address, "hparams")
    cells = _deep("[role=gridcell], vaadin-grid-cell-content", ".map(e => e.textContent.trim()).filter(t => t)")
    shown = _find(browser, f"(found => found.includes('batch_size') && found.includes('demo') ? found : null)({cells})")
    assert {"batch_size", "epoch", "loss_function"} <= set(shown) and "32.000" in shown
    _keep(browser, "tensorboard_hparams", tmp_path)


def test_the_projector_shows_the_embedding(address: str, tmp_path: Path) -> None:
    with _chromium(tmp_path / "profile", *_IN_SOFTWARE) as browser:
        _open(browser, address, "projector")
        for _ in range(2):  # the page is a frame in a frame
            browser.switch_to.frame(_find(browser, _deep("iframe", "[0]")))
        texts = _deep(
            "*",
            ".filter(e => !e.children.length).map(e => (e.value || e.textContent || '').toString().trim()).filter(t => "
            "t.length < 60)",
        )
        _find(
            browser,
            "(found => found.some(t => t.includes('300')) && found.some(t => t == '64' || t.includes(': 64')) ? found "
            f": null)({texts})",
        )
        browser.switch_to.default_content()
        threading.Event().wait(3)
        _keep(browser, "tensorboard_projector", tmp_path)


def test_the_screenshot_of_the_documentation(address: str, browser: Any, tmp_path: Path) -> None:
    if _SCREENSHOT not in os.environ:
        pytest.skip(f"taken only with {_SCREENSHOT}")
    browser.get(f"{address}?smoothing=0&tagFilter=loss/auto|conv2|input_data|landscape#timeseries")
    _find(
        browser,
        f"{_card('scalar', 'loss/auto')}?.querySelector('line-chart .series-view path[d*=L]')?.getAttribute('d')",
    )
    browser.execute_script("document.querySelector('[aria-label=\"Toggle settings side pane\"]').click()")
    threading.Event().wait(8)
    _keep(browser, "tensorboard", tmp_path)
