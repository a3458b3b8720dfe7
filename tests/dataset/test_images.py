"""Images of photographs' size and files of all kinds, beside real MindSpore."""

from __future__ import annotations

import warnings
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds
import mindspore_compat.dataset.vision as V
from mindspore_compat._format.images import decode_rgb, jpeg_frame
from tests.dataset import jpeg_part_cases
from tests.support.oracle import run_oracle
from tests.support.processes import run_python

cv2 = pytest.importorskip("cv2")


@cache
def photograph() -> np.ndarray:
    """(183, 201, 3): slopes, noise and edges."""
    rng = np.random.default_rng(5)
    y, x = np.mgrid[0:183, 0:201]
    image = np.stack([x * 1.2 % 256, y * 1.3 % 256, x * y / 90 % 256], -1) * 0.8 + rng.integers(0, 50, (183, 201, 3))
    return np.clip(image, 0, 255).astype(np.uint8)


@cache
def files() -> dict[str, bytes]:
    """Kinds of files that OpenCV and PIL could take otherwise than upstream."""
    from PIL import Image

    image = Image.fromarray(cv2.GaussianBlur(photograph(), (3, 3), 1.0))
    turned = Image.Exif()
    turned[0x112] = 6
    found = {}
    for name, picture, kind, options in [
        ("rgb.jpg", image, "JPEG", {"quality": 90}),
        ("444.jpg", image, "JPEG", {"quality": 90, "subsampling": 0}),
        ("422.jpg", image, "JPEG", {"quality": 90, "subsampling": 1}),
        ("progressive.jpg", image, "JPEG", {"progressive": True}),
        ("grey.jpg", image.convert("L"), "JPEG", {}),
        ("cmyk.jpg", image.convert("CMYK"), "JPEG", {}),
        ("exif.jpg", image, "JPEG", {"exif": turned}),
        ("exif.png", image, "PNG", {"exif": turned}),
        ("rgb.png", image, "PNG", {}),
        ("rgba.png", image.convert("RGBA").rotate(30), "PNG", {}),
        ("grey.png", image.convert("L"), "PNG", {}),
        ("grey_alpha.png", image.convert("LA").rotate(20), "PNG", {}),
        ("palette.png", image.convert("P"), "PNG", {}),
        ("bits.png", image.convert("1"), "PNG", {}),
        ("rgb.bmp", image, "BMP", {}),
        ("rgb.tif", image, "TIFF", {}),
        ("rgb.ppm", image, "PPM", {}),
    ]:
        stream = BytesIO()
        picture.save(stream, kind, **options)
        found[name] = stream.getvalue()
    deep = photograph().astype(np.int64) * 257
    deep = np.clip(deep + np.random.default_rng(0).integers(-200, 200, deep.shape), 0, 65535).astype(np.uint16)
    found["rgb16.png"] = cv2.imencode(".png", deep)[1].tobytes()
    found["grey16.png"] = cv2.imencode(".png", deep[..., 0])[1].tobytes()
    found["restarts.jpg"] = cv2.imencode(".jpg", photograph(), [cv2.IMWRITE_JPEG_RST_INTERVAL, 4])[1].tobytes()
    found["junk.jpg"] = found["rgb.jpg"] + b"junk" * 100
    found["cut.jpg"], found["cut.png"] = found["rgb.jpg"][:-900], found["rgb.png"][:-900]
    return found


#: operations that make an array of a PIL image, and some that do not
_MAKES_ARRAYS = (
    "HorizontalFlip()|VerticalFlip()|Crop((1, 2), (40, 50))|Rotate(180)|GaussianBlur(3)|"
    "AdjustSharpness(1.2)|SlicePatches()|RandomInvert(1.)|RandomEqualize(0.)|"
    "RandomAutoContrast(0., None, 1.)|RandomAdjustSharpness(1.2, 1.)"
).split("|")
_KEEPS_IMAGES = (
    "RandomHorizontalFlip(1.)|RandomVerticalFlip(0.)|CenterCrop(20)|Invert()|Equalize()|AdjustContrast(1.1)|Pad(1)"
).split("|")
_NAMES = ("NEAREST", "LINEAR", "CUBIC", "AREA")


def _off(inter: str, kind: str) -> float:
    """Of resized floats the last bits."""
    return 0 if inter == "CUBIC" or "int" in kind else 1e-4


#: expression of V, Inter, Border, `big`, `small` and `file(name)` -> grey levels that it may be off, and the part of
# pixels that may be
CASES: dict[str, tuple[float, float]] = {
    **{f"V.Decode()(file({name!r}))": (0, 0) for name in files() if not name.startswith("cut")},
    **{
        f"V.RandomCropDecodeResize((50, 60), (1, 1), {ratio}, Inter.{inter}, 1)(file({name!r}))": (0, 0)
        for name in "rgb.jpg 444.jpg 422.jpg progressive.jpg grey.jpg cmyk.jpg exif.jpg restarts.jpg rgb.png".split()
        for inter in _NAMES
        for ratio in ("(3, 3)", "(0.2, 0.2)")
    },
    **{
        f"V.Resize({size}, Inter.{inter})({image})": (0, 0)
        for inter in _NAMES
        for size in ("(112, 112)", "(256, 347)", "(91, 100)", "(366, 402)", "(61, 67)", "(183, 90)", "70")
        for image in ("big", "big[..., 0]", "big[..., :1]")
    },
    **{
        f"V.Resize((30, 40), Inter.{inter})(small.astype('{kind}'))": (_off(inter, kind), 0.2)
        for inter in _NAMES
        for kind in ("float32", "float64", "int16", "uint16")
    },
    **{
        f"V.Resize((30, 40), Inter.NEAREST)(small.astype('{kind}'))": (0, 0)
        for kind in ("int8", "int32", "float16", "bool")
    },
    "V.Resize((30, 40))(small > 99)": (0, 0),
    **{
        f"V.Rotate({angle}, Inter.{inter}, {expand}, None, (9, 8, 7))(big)": (0, 0)
        for inter in _NAMES
        for angle in (0, 30, 90, -17.5)
        for expand in (False, True)
    },
    **{f"V.Affine(15, (0.1, -0.1), 1.1, (10., 5.), Inter.{inter}, 7)(big)": (0, 0) for inter in _NAMES},
    **{
        f"V.Perspective([[0,0],[200,0],[200,182],[0,182]], [[9,12],[190,4],[180,170],[4,175]], Inter.{inter})(big)": (
            0,
            0,
        )
        for inter in _NAMES
    },
    **{
        f"V.Adjust{what}({factor})(big)": (0, 0)
        for what in ("Brightness", "Contrast", "Saturation", "Sharpness")
        for factor in (0.0, 0.1, 0.3, 0.9, 1.3, 1.7)
    },
    **{
        f"V.{call}(big[:60, :80].reshape({shape}))": (0, 0)
        for shape in ("3, 20, 80, 3", "2, 3, 10, 80, 3", "5, 12, 80, 3")
        for call in (
            "Resize((8, 30))",
            "Resize(7)",
            "HorizontalFlip()",
            "VerticalFlip()",
            "RandomHorizontalFlip(1.)",
            "RandomHorizontalFlip(0.)",
            "CenterCrop(6)",
            "CenterCrop((25, 83))",
            "RandomCrop((10, 80), (0, 0, 0, 0), True)" if shape[0] == "2" else "AdjustGamma(1.2)",
            "RandomResizedCrop((5, 7), (1., 1.), (4., 4.))" if "20" in shape else "Rotate(90)",
        )
    },
    "V.Normalize([121., 115., 100.], [70., 68., 71.])(big[:60].reshape(3, 20, 201, 3))": (1e-5, 1),
    "V.Normalize([121., 115., 100.], [70., 68., 71.], is_hwc=False)(big[:60].reshape(20, 3, 67, 9))": (1e-5, 1),
    **{f"V.Resize((20, 30))(V.{call}(pil(big)))": (1 if "Sharp" in call else 0, 0.02) for call in _MAKES_ARRAYS},
    **{f"np.array(hasattr(V.{call}(pil(big)), 'getbands'))": (0, 0) for call in _MAKES_ARRAYS + _KEEPS_IMAGES},
    **{
        f"V.CenterCrop({size})({image})": (0, 0)
        for size in ((186, 204), (185, 203), (90, 204), (186, 80), 181)
        for image in ("big", "big[..., 0]")
    },
    **{
        f"V.{call}(big[..., {part}])": (0, 0)
        for call in ("AdjustGamma(1.2)", "AdjustBrightness(1.2)")
        for part in ("0", ":1")
    },
    **{f"V.AdjustHue({factor})(big)": (0, 0) for factor in (-0.5, 0.0, 0.1, 0.37)},
    **{
        f"V.GaussianBlur({arguments})(big)": (0, 0)
        for arguments in ("3", "5", "(3, 7)", "3, 0.7", "5, (1.5, 0.6)", "9, 2.5")
    },
    "V.GaussianBlur((3, 7))(small.astype('float32'))": (1e-4, 1),
    "V.Equalize()(big)": (0, 0),
    "V.AutoContrast(3.)(big)": (0, 0),
    "V.AdjustGamma(0.7, 1.1)(big)": (0, 0),
    "V.HorizontalFlip()(big)": (0, 0),
    "V.VerticalFlip()(big)": (0, 0),
    "V.ConvertColor(V.ConvertMode.COLOR_RGB2GRAY)(big)": (0, 0),
    "V.Normalize([121., 115., 100.], [70., 68., 71.])(big)": (1e-5, 1),
}
REFUSED = [
    "V.Decode()(file('cut.jpg'))",
    "V.Decode()(file('cut.png'))",
    "V.Resize((30, 40))(small.astype('int8'))",
    "V.Resize((30, 40))(small.astype('int32'))",
    "V.Resize((30, 40))(small.astype('float16'))",
]

_ORACLE = """
import sys
import numpy as np
from PIL import Image
import mindspore.dataset.vision as V
folder = sys.argv[1]
names = {"V": V, "Inter": V.Inter, "big": np.load(folder + "/big.npy"), "small": np.load(folder + "/big.npy")[:60, :80],
         "file": lambda name: np.fromfile(folder + "/" + name, np.uint8), "np": np, "pil": Image.fromarray}
found = {}
for number, case in enumerate(open(folder + "/cases").read().splitlines()):
    try:
        found[str(number)] = eval(case, names)
    except RuntimeError as error:
        found[str(number)] = np.array("!")
np.savez(folder + "/found.npz", **found)
"""


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """What real MindSpore gives, by case."""
    folder = tmp_path_factory.mktemp("images")
    for name, content in files().items():
        (folder / name).write_bytes(content)
    np.save(folder / "big.npy", photograph())
    cases = [*CASES, *REFUSED]
    (folder / "cases").write_text("\n".join(cases))
    run_oracle(_ORACLE, str(folder))
    found = np.load(folder / "found.npz")
    return {case: found[str(number)] for number, case in enumerate(cases)}


def ours(case: str) -> np.ndarray:
    from PIL import Image

    names: dict[str, Any] = {
        "V": V,
        "Inter": V.Inter,
        "big": photograph(),
        "small": photograph()[:60, :80],
        "file": lambda name: np.frombuffer(files()[name], np.uint8),
        "np": np,
        "pil": Image.fromarray,
    }
    return eval(case, names)


@pytest.mark.oracle
def test_images_are_as_upstreams(real: dict[str, np.ndarray]) -> None:
    wrong = []
    for case, (most, part) in CASES.items():
        got, wanted = ours(case), real[case]
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), case
        off = np.abs(got.astype(np.float64) - wanted.astype(np.float64))
        if off.max() > most * (1 + 1e-6) or (off > 0).mean() > part:
            wrong.append((case, off.max(), (off > 0).mean()))
    assert not wrong, wrong


@pytest.mark.oracle
def test_what_upstream_refuses(real: dict[str, np.ndarray]) -> None:
    for case in REFUSED:
        assert real[case].dtype.kind == "U", case
        with pytest.raises(RuntimeError):
            ours(case)


@pytest.mark.parametrize("case", jpeg_part_cases.CASES)
def test_a_part_of_a_jpeg_has_the_colours_of_a_part_decoded_alone(case: str) -> None:
    stored = np.load(Path(__file__).parents[1] / "golden/jpeg_parts.npz")
    seed = ds.config.get_seed()
    try:
        off = np.abs(jpeg_part_cases.part(ds, stored, case).astype(int) - stored[case])
    finally:
        ds.config.set_seed(seed)
    assert off.max() <= (3 if case.startswith("422") else 0)


@pytest.mark.parametrize("name", [name for name in files() if name.endswith(".jpg")])
def test_frame_headers(name: str) -> None:
    frame = jpeg_frame(np.frombuffer(files()[name], np.uint8))
    assert frame is not None and (frame.height, frame.width) == (183, 201)
    assert frame.components == {"grey.jpg": 1, "cmyk.jpg": 4}.get(name, 3)


def test_frame_headers_of_anything() -> None:
    content = np.frombuffer(files()["rgb.jpg"], np.uint8)
    for stop in range(0, 700, 3):
        jpeg_frame(content[:stop])
    rng = np.random.default_rng(0)
    for _ in range(300):
        damaged = content[:700].copy()
        damaged[rng.integers(2, 700, 4)] = rng.integers(0, 256, 4)
        jpeg_frame(damaged)
    assert jpeg_frame(np.frombuffer(files()["rgb.png"], np.uint8)) is None


def test_a_jpeg_of_more_pixels_than_its_bytes_can_hold() -> None:
    content = np.frombuffer(files()["rgb.jpg"], np.uint8).copy()
    place = content.tobytes().index(b"\xff\xc0") + 5
    content[place : place + 4] = 0xFF
    with pytest.raises(RuntimeError, match="65535 by 65535 pixels in"):
        decode_rgb(content)


def test_importing_opencv_leaves_the_environment(tmp_path: Path) -> None:
    code = (
        "import os; before = dict(os.environ)\nfrom mindspore_compat.dataset.vision._operation import opencv\nopencv(); "
        "assert os.environ == before"
    )
    done = run_python("-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_nothing_is_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, content in files().items():
            if not name.startswith("cut"):
                decode_rgb(np.frombuffer(content, np.uint8))


def test_opencv_before_4_11_gives_the_same_image(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = [np.frombuffer(item, np.uint8) for name, item in files().items() if not name.startswith("cut")]
    today = [decode_rgb(item) for item in pictures]
    monkeypatch.delattr(cv2, "IMREAD_COLOR_RGB", raising=False)
    assert all(np.array_equal(decode_rgb(item), image) for item, image in zip(pictures, today, strict=True))
