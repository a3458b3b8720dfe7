"""Every operation against what MindSpore gave for the same input (tests/golden/make_dataset.py)."""

from pathlib import Path

import numpy as np
import pytest
import torch

import mindspore_compat.dataset as ds
import mindspore_compat.dataset.audio as audio
import mindspore_compat.dataset.transforms as T
import mindspore_compat.dataset.vision as V
from mindspore_compat.dataset.transforms import c_transforms, py_transforms
from mindspore_compat.dataset.vision import c_transforms as vision_c
from mindspore_compat.dataset.vision import py_transforms as vision_py
from tests.dataset.exact_solution import exact_lstsq
from tests.golden.dataset_cases import CASES, inputs

GOLDEN = np.load(Path(__file__).parents[1] / "golden" / "dataset.npz")

#: Largest allowed difference, where the numbers are not the same: OpenCV rounds otherwise there (SIMD, 8-bit kernels).
TOLERANCE = {
    "CUBIC": 1,
    "AdjustSaturation": 1,
    "AdjustHue": 1,
    "RandomColor(": 1,
    "RandomSharpness": 1,
    "RandomColorAdjust": 3,
    "BICUBIC": 1,
}
#: Where MindSpore is wrong and we are not.
DIFFERS = {
    "T.OneHot(4,0.1)(np.array([1,2],np.int32))": "upstream loses all but the last label when smoothing a vector",
    "T.PadEnd([2,None],7)(np.arange(3).reshape(1,3))": "upstream refuses to leave an axis as it is, against its text",
    "T.Unique()(np.array([3,1,3,0]))": "upstream refuses int64",
    "V.Resize((7,33), Inter.PILCUBIC)(fimg)": "upstream reads floats as bytes here",
    "V.NormalizePad([121.,115.,100.],[70.,68.,71.])(small)": "upstream mixes up pixels of (H, W, C)",
    "V.NormalizePad([121.,115.,100.],[70.,68.,71.],'float16')(small)": "upstream mixes up pixels of (H, W, C)",
}


class _Types:
    float32, float16, bool_, uint8, int16 = torch.float32, torch.float16, torch.bool, torch.uint8, torch.int16


def names() -> dict:
    files = {"jpeg": GOLDEN["jpeg"], "png": GOLDEN["png"]}
    return {"ms": _Types, "np": np, "T": T, "V": V, "Inter": V.Inter, "Border": V.Border, **inputs(), **files}


def expected(case: str) -> list[np.ndarray]:
    number = GOLDEN["cases"].tolist().index(case)
    parts = []
    while f"{number}.{len(parts)}" in GOLDEN:
        parts.append(GOLDEN[f"{number}.{len(parts)}"])
    return parts


def results(case: str) -> list[np.ndarray]:
    with exact_lstsq():
        result = eval(case, names())
    is_many = isinstance(result, (tuple, list)) and not all(isinstance(r, int) for r in result)
    return [np.asarray(r) for r in (result if is_many else [result])]


@pytest.mark.parametrize("case", [c for c in CASES if c not in DIFFERS])
def test_operation_gives_what_mindspore_gives(case):
    wanted = expected(case)
    if wanted[0].dtype.kind == "U" and str(wanted[0]).startswith("!"):
        with pytest.raises((TypeError, ValueError, RuntimeError, KeyError), match=r"."):
            results(case)
        return
    got = results(case)
    assert len(got) == len(wanted)
    allowed = max((t for key, t in TOLERANCE.items() if key in case), default=0)
    for ours, theirs in zip(got, wanted, strict=True):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        if theirs.dtype.kind in "biufc":
            np.testing.assert_allclose(ours.astype(float), theirs.astype(float), rtol=1e-5, atol=allowed or 1e-5)
        else:
            assert ours.tolist() == theirs.tolist()


def test_onehot_smooths_every_label():
    rows = T.OneHot(4, 0.1)(np.array([1, 2]))
    np.testing.assert_allclose(rows, np.eye(4)[[1, 2]] * 0.9 + 0.025)


def test_normalize_pad_adds_a_channel_of_zeros():
    image = inputs()["small"]
    padded = V.NormalizePad([121.0, 115.0, 100.0], [70.0, 68.0, 71.0])(image)
    np.testing.assert_array_equal(padded[..., :3], V.Normalize([121.0, 115.0, 100.0], [70.0, 68.0, 71.0])(image))
    assert not padded[..., 3].any()


@pytest.mark.parametrize(
    "operation",
    [
        V.Resize((9, 7)),
        V.Resize((30, 41)),
        V.Resize(10),
        V.Rescale(0.5, 1.0),
        V.Normalize([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
        V.Normalize([1.0], [2.0]),
        V.HWC2CHW(),
        V.ToTensor(),
        T.TypeCast(np.float16),
        T.Fill(3),
        V.RandomHorizontalFlip(1.0),
        V.RandomVerticalFlip(0.0),
        V.RandomCrop((18, 22)),
        V.RandomCrop((22, 26), 2, fill_value=(1, 2, 3)),
        T.Mask(T.Relational.GT, 100),
        T.Duplicate(),
    ],
    ids=lambda op: type(op).__name__,
)
def test_block_gives_the_rows(operation):
    image = inputs()["img"]
    block = np.stack([image, image[::-1], image[:, ::-1]])
    for got, wanted in zip(
        operation._apply_block(block), zip(*(operation._apply(row) for row in block), strict=True), strict=True
    ):
        np.testing.assert_array_equal(got, np.stack(wanted))


def test_block_flips_only_some_rows():
    block = np.arange(400 * 2, dtype=np.uint8).reshape(400, 1, 2, 1)
    (flipped,) = V.RandomHorizontalFlip(0.5)._apply_block(block)
    changed = (flipped != block).any(axis=(1, 2, 3)).mean()
    assert 0.3 < changed < 0.7


def test_random_operations_stay_in_their_ranges():
    image = inputs()["img"]
    crops = {V.RandomCrop(4)(image).tobytes() for _ in range(30)}
    assert len(crops) > 10
    assert {V.RandomResizedCrop((5, 6))(image).shape for _ in range(10)} == {(5, 6, 3)}
    assert {V.RandomErasing(1.0)(inputs()["chw"]).shape for _ in range(10)} == {(3, 8, 10)}


def test_mixed_labels_still_sum_to_one():
    data = inputs()
    for operation in (V.MixUpBatch(0.5), V.CutMixBatch(V.ImageBatchFormat.NHWC)):
        images, labels = operation(data["batch"], data["onehot"])
        assert images.dtype == np.uint8
        np.testing.assert_allclose(labels.sum(-1), 1, rtol=1e-6)


def test_several_columns_get_the_same_random_flip_and_crop():
    image = inputs()["img"]
    for operation in (V.RandomCrop(5), V.RandomHorizontalFlip(), V.RandomResizedCrop(6)):
        first, second = operation(image, image.copy())
        np.testing.assert_array_equal(first, second)


def test_device_is_accepted():
    operation = V.Resize((4, 4))
    assert operation.device("Ascend") is operation


def test_names_of_1x_are_the_operations_of_today():
    assert vision_c.Resize is V.Resize and c_transforms.TypeCast is T.TypeCast
    assert not hasattr(vision_c, "ToTensor")
    assert issubclass(py_transforms.Compose, T.Compose)


def test_old_py_normalize_works_on_channels_first_floats():
    chw = inputs()["chw"]
    np.testing.assert_array_equal(
        vision_py.Normalize([0.5] * 3, [0.2] * 3)(chw), V.Normalize([0.5] * 3, [0.2] * 3, is_hwc=False)(chw)
    )
    for image in ("small", "pil"):
        with pytest.raises(TypeError):
            vision_py.Normalize([0.5] * 3, [0.2] * 3)(inputs()[image])


def test_old_py_pipeline_of_a_jpeg():
    compose = py_transforms.Compose(
        [vision_py.Decode(), vision_py.Resize((8, 9)), vision_py.ToTensor(), vision_py.Normalize([0.5] * 3, [0.5] * 3)]
    )
    (image,) = compose(GOLDEN["jpeg"])
    assert (image.dtype, image.shape) == (np.float32, (3, 8, 9))


def test_own_operation_derived_from_py_tensor_operation():
    class Double(T.PyTensorOperation):
        def __call__(self, image):
            return image * 2

    assert Double()(np.array([2])).tolist() == [4]


def test_encoding_and_files(tmp_path):
    image = inputs()["img"]
    path = str(tmp_path / "a.png")
    V.write_png(path, image)
    np.testing.assert_array_equal(V.read_image(path), image)
    np.testing.assert_array_equal(V.Decode()(V.read_file(path)), image)
    assert V.read_image(path, V.ImageReadMode.GRAYSCALE).shape == (18, 22, 1)
    assert V.Decode()(V.encode_jpeg(image)).shape == image.shape


def _weights(before: int, after: int) -> np.ndarray:
    """Rows of weights of a bicubic filter (a = -1/2) that widens where the size shrinks."""
    step = before / after
    wide = max(step, 1.0)
    rows = np.zeros((after, before))
    for place in range(after):
        middle = (place + 0.5) * step
        low, high = max(int(middle - 2 * wide + 0.5), 0), min(int(middle + 2 * wide + 0.5), before)
        x = np.abs((np.arange(low, high) - middle + 0.5) / wide)
        near, far = (1.5 * x - 2.5) * x * x + 1, (((x - 5) * x + 8) * x - 4) * -0.5
        found = np.where(x < 1, near, np.where(x < 2, far, 0))
        rows[place, low:high] = found / found.sum()
    return rows


def test_numbers_are_upstreams_to_the_last_bit() -> None:
    """What real MindSpore 2.10 gives, as formulas: float32 products, one rounding, across before down."""
    image = np.random.default_rng(3).integers(0, 256, (17, 23, 3)).astype(np.uint8)
    floats = (image / 300).astype(np.float32)
    by_255 = (image.astype(np.float32) * np.float32(1 / 255)).transpose(2, 0, 1)
    assert (V.ToTensor()(image) == by_255).all() and (V.ToTensor(np.float64)(image) == by_255).all()
    assert (V.ToTensor(np.float64)(V.ToPIL()(image)) == image.transpose(2, 0, 1) / 255).all()
    once = (image.astype(np.float64) * np.float64(np.float32(1 / 127.5)) - 1).astype(np.float32)
    assert (V.Rescale(1 / 127.5, -1.0)(image) == once).all()
    data = ds.NumpySlicesDataset([image], "image").map(V.Rescale(1 / 127.5, -1.0), "image").batch(1)
    assert (next(data.create_tuple_iterator(output_numpy=True))[0][0] == once).all()
    powers = np.clip(np.power(floats * 1.1, 0.7), 0, 1).astype(np.float32)
    np.testing.assert_allclose(V.AdjustGamma(0.7, 1.1)(floats), powers, rtol=1e-6)
    across = np.clip(np.floor(np.einsum("ij,yjc->yic", _weights(23, 31), image) + 0.5), 0, 255)
    down = np.clip(np.floor(np.einsum("ij,jxc->ixc", _weights(17, 11), across) + 0.5), 0, 255)
    assert (V.Resize((11, 31), V.Inter.PILCUBIC)(image) == down).all()


def test_mix_up_mixes_each_image_with_the_next_by_its_own_share() -> None:
    images = np.random.default_rng(3).integers(0, 256, (4, 5, 6, 3)).astype(np.uint8)
    labels = np.eye(4, dtype=np.float32)
    mixed, mixed_labels = V.MixUp(4, 0.5)(images, labels)
    share = mixed_labels.diagonal()
    assert mixed.dtype == mixed_labels.dtype == np.float64 and len(set(share)) == 4
    assert np.allclose(mixed_labels[range(4), [1, 2, 3, 0]], 1 - share)
    weight = share[:, None, None, None]
    assert np.allclose(mixed, weight * images + (1 - weight) * np.roll(images, -1, 0))
    over_batches = V.MixUp(4, 0.5, is_single=False)
    first, first_labels = over_batches(images, labels)
    assert np.array_equal(first, images) and np.array_equal(first_labels, labels)
    second, second_labels = over_batches(images + 1, labels[::-1])
    share = second_labels[range(4), [3, 2, 1, 0]][:, None, None, None]
    assert np.allclose(second, share * (images + 1) + (1 - share) * first)


def test_rotation_takes_any_number_of_channels() -> None:
    image = np.random.default_rng(3).random((6, 4, 6)).astype(np.float32)
    turned = V.Rotate(90, expand=True)(image)
    assert turned.shape == (4, 6, 6) and np.array_equal(turned, np.rot90(image))
    with pytest.raises(RuntimeError):
        V.Rotate(90, V.Inter.BICUBIC)(image)


def test_fading_nothing_changes_nothing() -> None:
    wave = np.arange(6, dtype=np.int16)
    assert audio.Fade()(wave).dtype == np.int16 and np.array_equal(audio.Fade()(wave), wave)


@pytest.mark.parametrize(
    ("dtype", "factor", "expected"),
    [
        ("uint16", 1.7, [0, 12, 178, 65535]),
        ("int16", 1.7, [0, 12, 178, 32767]),
        ("int32", 1.7, [0, 12, 179, 102000]),
        ("int8", 1.7, [0, 12, 127, 127]),
        ("bool", 0.35, [0, 0, 0, 0]),
    ],
)
def test_brightness_of_integers_is_rounded_within_their_range(dtype: str, factor: float, expected: list[int]) -> None:
    top = {"int8": 100, "bool": 1, "int16": 30000}.get(dtype, 60000)
    image = np.array([0, 7, min(105, top), top]).astype(dtype).reshape(2, 2, 1).repeat(3, 2)
    assert ds.vision.AdjustBrightness(factor)(image)[..., 0].ravel().astype(int).tolist() == expected
