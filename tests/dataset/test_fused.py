"""What is done together gives what is done one after another."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mindspore_compat.dataset.transforms as T
import mindspore_compat.dataset.vision as V
from mindspore_compat.dataset import text
from mindspore_compat.dataset.engine._nodes.map import apply_to_columns
from mindspore_compat.dataset.transforms._compound import Pointwise, Texts, fuse
from mindspore_compat.dataset.transforms._operation import apply_operations

pytest.importorskip("cv2")
IMAGES = np.random.default_rng(0).integers(0, 256, (5, 9, 7, 3), np.uint8)
CHAINS: list[list[Any]] = [
    [V.Normalize([121.0, 115.0, 100.0], [70.0, 68.0, 71.0]), V.HWC2CHW()],
    [V.Rescale(1 / 255, 0.0), V.Normalize([0.5, 0.4, 0.3], [0.2, 0.3, 0.4]), V.HWC2CHW()],
    [V.ToTensor(), V.Normalize([0.5, 0.4, 0.3], [0.2, 0.3, 0.4], is_hwc=False)],
    [V.HWC2CHW(), T.TypeCast(np.float16)],
    [V.Invert()],
    [V.Invert(), V.HWC2CHW()],
    [V.ToTensor(np.float64)],
    [V.ToTensor(np.float16)],
    [V.Rescale(3.0, -9.0), T.TypeCast(np.int32)],
    [V.Normalize([9.0], [2.0])],
]


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: "-".join(type(op).__name__ for op in chain))
@pytest.mark.parametrize("channels", [3, 1])
def test_tables_give_what_the_operations_give(chain: list[Any], channels: int) -> None:
    images = IMAGES[..., :channels]
    try:
        wanted = np.stack([apply_operations(chain, (image,))[0] for image in images])
    except RuntimeError as error:  # as many means as channels
        with pytest.raises(RuntimeError, match="channels"):
            apply_to_columns(fuse(chain), [images])
        assert "channels" in str(error)
        return
    fused = fuse(chain)
    assert isinstance(fused[0], Pointwise) and len(fused) == 1
    views = np.concatenate([images, images], 2)[:, :, : images.shape[2]]
    for column in (images, list(images), views, [view[::1] for view in views]):
        (found,) = apply_to_columns(fused, [column])
        assert isinstance(found, np.ndarray) and found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "images",
    [
        list(IMAGES.astype(np.float32)),
        [IMAGES[0], IMAGES[1, :4]],
        list(IMAGES[..., 0]),
        IMAGES.astype(np.float32),
        [IMAGES[0], IMAGES[1].astype(np.float32)],
    ],
)
def test_other_images_go_through_the_operations(images: Any) -> None:
    chain = CHAINS[0]
    if np.asarray(images[0]).ndim == 2:
        chain = [V.Normalize([9.0], [2.0]), V.HWC2CHW()]
    (found,) = apply_to_columns(fuse(chain), [images])
    for image, result in zip(images, found, strict=True):
        np.testing.assert_array_equal(result, apply_operations(chain, (image,))[0])


def test_only_pointwise_operations_of_ours_are_fused() -> None:
    class Own(V.Normalize):
        pass

    own, cast, decode = Own([1.0], [2.0]), T.TypeCast(np.float32), V.Decode()
    assert fuse([own, cast, decode]) == [own, cast, decode]
    assert [type(op) for op in fuse([decode, V.HWC2CHW(), cast, own])] == [V.Decode, Pointwise, Own]


LETTERS = string.ascii_letters + string.digits + " " * 9 + "\t\n\0[],.;'#" + "é中Ａ\u0301"
VOCAB = text.Vocab.from_list(["a", "b", "##b", "aa", "##c", "[UNK]", "[CLS]", ",", "1", "##1", "é"])
TEXTS = st.one_of(
    st.text(LETTERS[: 26 + 26 + 10 + 9 + 10], max_size=30),
    st.text(LETTERS, max_size=30),
    st.text("ab,1 [CLS]", max_size=30),
)


@given(TEXTS, st.booleans(), st.booleans(), st.booleans())
def test_tokens_without_offsets_are_those_with(line: str, lower: bool, spaces: bool, whole: bool) -> None:
    """The way with offsets goes letter by letter. A NUL at the end is lost in any array of texts."""
    line = line.replace("\0", "\1")
    arguments: dict[str, Any] = {"lower_case": lower, "keep_whitespace": spaces, "preserve_unused_token": whole}
    for make in (
        lambda **more: text.BasicTokenizer(**arguments, **more),
        lambda **more: text.BertTokenizer(VOCAB, **arguments, **more),
        lambda **more: text.WhitespaceTokenizer(**more),
    ):
        assert make()(line).tolist() == make(with_offsets=True)(line)[0].tolist()


def test_a_tokenizer_and_a_lookup_hand_lists_on() -> None:
    chain = fuse([text.WhitespaceTokenizer(), text.Lookup(VOCAB, "[UNK]"), T.PadEnd([4], -1)])
    assert isinstance(chain[0], Texts) and len(chain) == 2
    lines = [np.array(line) for line in ("a b zz", "", "1 1 1 1 1")]
    (found,) = apply_to_columns(chain, [lines])
    assert np.stack(found).tolist() == [[0, 1, 5, -1], [5, -1, -1, -1], [8, 8, 8, 8]]
    with pytest.raises(RuntimeError):
        apply_to_columns(fuse([text.WhitespaceTokenizer(), text.Lookup(VOCAB)]), [lines[:1]])
    (found,) = apply_to_columns(chain, [[np.array(b"a b")]])
    assert found[0].tolist() == [0, 1, -1, -1]
