"""Every argument of every operation of the data package given what it does not take: what real MindSpore and ours raise.

    python bad_arguments_program.py OUT.json [part of a name …]     writes {case: [exception type, first sentence] or "ok"}

Run by real MindSpore as it is, and by ours with ``python -m mindspore_compat``.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore.dataset import audio, text, transforms, vision

warnings.simplefilter("ignore")


class Thing:
    """Of no type that anything takes."""

    def __repr__(self) -> str:
        return "a thing"


#: name: value, of every kind
BAD: dict[str, Any] = {
    "None": None,
    "True": True,
    "0": 0,
    "-1": -1,
    "3": 3,
    "300": 300,
    "2**31": 2**31,
    "1.5": 1.5,
    "-0.5": -0.5,
    "1e9": 1e9,
    "nan": float("nan"),
    "str": "wrong",
    "empty str": "",
    "bytes": b"wrong",
    "[]": [],
    "(1,)": (1,),
    "[2, 1]": [2, 1],
    "(0.2, 0.4)": (0.2, 0.4),
    "(-1, -1)": (-1, -1),
    "(300, 300, 300)": (300, 300, 300),
    "[1, 2, 3]": [1, 2, 3],
    "(1, 'a')": (1, "a"),
    "['a']": ["a"],
    "['']": [""],
    "five": (1, 2, 3, 4, 5),
    "dict": {"a": 1},
    "set": {1},
    "thing": Thing(),
    "function": len,
    "class": Thing,
    "border": vision.Border.EDGE,
}

_POINTS = "[[0, 0], [1, 0], [1, 1], [0, 1]]"
#: good values of the arguments that have no default
GOOD = {
    "vision": f"""
        brightness_factor=1.0, contrast_factor=1.0, hue_factor=0.1, saturation_factor=1.0, sharpness_factor=1.0,
        gamma=1.0, size=4, degrees=10, translate=(0.1, 0.1), scale=(0.5, 1.0), shear=(1.0, 1.0), coordinates=(0, 0),
        convert_mode=vision.ConvertMode.COLOR_RGB2BGR, image_batch_format=vision.ImageBatchFormat.NHWC, length=3,
        top=0, left=0, height=2, width=2, kernel_size=3, transformation_matrix=np.eye(2), mean_vector=np.zeros(2),
        batch_size=2, alpha=0.5, mean=[1.0], std=[1.0], padding=1, start_points={_POINTS}, end_points={_POINTS},
        bits=3, degree=1.0, rescale=1.0, shift=0.0, threshold=(1, 2), data_type=np.float32""",
    "vision.Affine": "degrees=10, translate=(0.1, 0.1), scale=0.5, shear=1.0",
    "transforms": "fill_value=3, operator=transforms.Relational.EQ, constant=3, num_classes=3, pad_shape=[4]",
    "transforms.TypeCast": "data_type=np.float32",
    "text": """
        token="a", n=2, delim_pattern="a", pattern="a", replace="b", width=2, data_type=ms.int32, max_seq_len=3,
        max_length=3, tokenizer=str.split""",
    "audio": """
        sample_rate=44100, central_freq=200.0, center_freq=200.0, cutoff_freq=200.0, gain=1.0, b0=1.0, b1=1.0, b2=1.0,
        a0=1.0, a1=1.0, a2=1.0, ref=1.0, power=1.0, shift=1.0, a_coeffs=[1.0, 0.5], b_coeffs=[1.0, 0.5], n_stft=201,
        mask_start=0, mask_width=1, mask_value=0.0, axis=1, mask_param=1, rate=1.0, phase_advance=np.zeros((2, 1)),
        n_steps=1, n_mfcc=4, n_mels=8, n_freqs=10, f_min=0.0, f_max=100.0, n_filter=4""",
}
#: no operations, or with files
_LEFT_OUT = "SentencePiece Jieba Plugin VideoDecoder not_random read_ write_ get_image absolute".split()
_MODULES = {"vision": vision, "transforms": transforms, "text": text, "audio": audio}


def _good(module: str, name: str) -> dict[str, Any]:
    good = {}
    for place in (module, f"{module}.{name}"):
        good |= eval(f"dict({GOOD.get(place, '')})")
    good["vocab"] = text.Vocab.from_list(["a", "b", "[UNK]"])
    if module in ("vision", "transforms"):
        good["transforms"] = [vision.HorizontalFlip(), vision.VerticalFlip()]
    if module == "vision":
        good["transform"] = vision.HorizontalFlip()
        good["policy"] = [[(vision.HorizontalFlip(), 0.5), (vision.VerticalFlip(), 1)]]
    return good


def operations() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """name: the call, and good arguments by name."""
    found = {}
    for module, where in _MODULES.items():
        for name in sorted(where.__all__ if hasattr(where, "__all__") else dir(where)):
            thing = getattr(where, name)
            is_enum = inspect.isclass(thing) and hasattr(thing, "__members__")
            if name.startswith(("_", *_LEFT_OUT)) or not callable(thing) or is_enum or name == "PythonTokenizer":
                continue
            try:
                parameters = inspect.signature(thing).parameters
            except (ValueError, TypeError):
                continue
            if not parameters or any(p.kind == p.VAR_POSITIONAL for p in parameters.values()):
                continue
            good = _good(module, name)
            lacking = [n for n, p in parameters.items() if p.default is p.empty and n not in good]
            if not lacking:
                found[f"{module}.{name}"] = (
                    thing,
                    {n: good[n] if p.default is p.empty else p.default for n, p in parameters.items()},
                )
    return found


def first_sentence(error: BaseException) -> str:
    """What both say alike, without what differs from machine to machine."""
    line = str(error).strip().split("\n")[0].replace("mindspore_compat", "mindspore")
    line = re.sub(r"/tmp/\w+", "/tmp", re.sub(r"0x[0-9a-f]+", "0x", line))
    return re.split(r"[.;](?:\s|\"?$)", line)[0].rstrip(" ")


def outcome(call: Callable[[], Any]) -> Any:
    """ "ok", or the exception's type and first sentence."""
    try:
        call()
    except Exception as error:
        return [type(error).__name__, first_sentence(error)]
    return "ok"


def special_cases() -> dict[str, tuple[Callable[..., Any], Any]]:
    """Values that only one argument refuses, as (call, value)."""
    flip = vision.HorizontalFlip()
    enum = vision.Inter.AREA
    return {
        "vision.RandomSelectSubpolicy:no pair": (vision.RandomSelectSubpolicy, [[flip]]),
        "vision.RandomSelectSubpolicy:three": (vision.RandomSelectSubpolicy, [[(flip, 1, 2)]]),
        "vision.RandomSelectSubpolicy:empty": (vision.RandomSelectSubpolicy, [[]]),
        "vision.RandomSelectSubpolicy:prob": (vision.RandomSelectSubpolicy, [[(flip, 2)]]),
        "vision.RandomSelectSubpolicy:operation": (vision.RandomSelectSubpolicy, [[(1, 0.5)]]),
        "vision.UniformAugment:few": (vision.UniformAugment, [flip]),
        "vision.UniformAugment:none": (vision.UniformAugment, []),
        "vision.UniformAugment:numbers": (vision.UniformAugment, [1, 2]),
        "vision.Normalize:zero": (lambda v: vision.Normalize([1.0], v), [0.0]),
        "vision.Normalize:lengths": (lambda v: vision.Normalize([1.0], v), [1.0, 2.0]),
        "vision.GaussianBlur:even": (vision.GaussianBlur, 2),
        "vision.GaussianBlur:pair": (vision.GaussianBlur, (3, 2)),
        "vision.Perspective:points": (lambda v: vision.Perspective(v, [[0, 0]] * 4), [[0, 0], [1], [1, 1], [0, 1]]),
        "vision.Perspective:number": (
            lambda v: vision.Perspective(v, [[0, 0]] * 4),
            [[0, 0], [1, 0.5], [1, 1], [0, 1]],
        ),
        "vision.LinearTransformation:square": (lambda v: vision.LinearTransformation(v, np.zeros(2)), np.zeros((2, 3))),
        "vision.LinearTransformation:mean": (lambda v: vision.LinearTransformation(np.eye(2), v), np.zeros(3)),
        "vision.RandAugment:magnitude": (lambda v: vision.RandAugment(magnitude=v), 31),
        "vision.Resize:area": (lambda v: vision.Resize(4, v), enum),
        "vision.device": (lambda v: vision.Resize(4).device(v), "GPU"),
        "vision.device type": (lambda v: vision.Resize(4).device(v), 1),
        "transforms.Compose:mixed": (transforms.Compose, [flip, 3]),
        "transforms.Slice:text": (lambda v: transforms.Slice(v), "a"),
        "transforms.Slice:float": (lambda v: transforms.Slice(v), 1.5),
        "transforms.Slice:list": (lambda v: transforms.Slice(v), [1, "a"]),
        "audio.MelScale:f_max": (lambda v: audio.MelScale(f_min=v, f_max=10.0), 20.0),
        "audio.MelScale:f_min": (lambda v: audio.MelScale(f_min=v), 9000.0),
        "audio.Spectrogram:window": (lambda v: audio.Spectrogram(n_fft=10, win_length=v), 11),
        "audio.DeemphBiquad:rate": (audio.DeemphBiquad, 16000),
        "text.Ngram:pad": (lambda v: text.Ngram(2, left_pad=v), ("a", -1)),
        "text.Vocab:twice": (text.Vocab.from_list, ["a", "a"]),
        "text.Vocab:type": (text.Vocab.from_list, ("a",)),
        "text.Vocab:number": (text.Vocab.from_list, [1]),
        "text.Vocab:special": (lambda v: text.Vocab.from_list(["a"], v), ["a"]),
        "text.Vocab:specials": (lambda v: text.Vocab.from_list(["a"], v), ["b", "b"]),
        "text.Vocab:first": (lambda v: text.Vocab.from_list(["a"], ["b"], v), 1),
        "text.Vocab:dict": (text.Vocab.from_dict, {"a": -1}),
        "text.Vocab:dict value": (text.Vocab.from_dict, {"a": 1.5}),
        "text.Vocab:dict key": (text.Vocab.from_dict, {1: 1}),
        "text.Vocab:no file": (text.Vocab.from_file, "nowhere.txt"),
        "text.Vocab:tokens": (text.Vocab.from_list(["a"]).tokens_to_ids, [1]),
        "text.Vocab:tokens type": (text.Vocab.from_list(["a"]).tokens_to_ids, 1),
        "text.Vocab:ids": (text.Vocab.from_list(["a"]).ids_to_tokens, [-1]),
        "text.Vocab:ids type": (text.Vocab.from_list(["a"]).ids_to_tokens, ["a"]),
        "text.Vocab:id": (text.Vocab.from_list(["a"]).ids_to_tokens, -1),
        "text.Ngram:pads": (lambda v: text.Ngram(2, left_pad=v), ("a",)),
    }


def results(wanted: list[str]) -> dict[str, Any]:
    """{case: outcome} of all operations, or of those whose name holds one of the texts."""
    found: dict[str, Any] = {}
    for name, (call, good) in operations().items():
        if wanted and not any(part in name for part in wanted):
            continue
        found[f"{name}:"] = outcome(lambda: call(**good))
        for argument in good:
            for kind, value in BAD.items():
                if kind == "2**31" and not inspect.isclass(call):
                    continue  # a table of so many numbers
                arguments = {**good, argument: value}
                found[f"{name}:{argument}={kind}"] = outcome(lambda: call(**arguments))
    if not wanted:
        for name, (call, value) in special_cases().items():
            found[name] = outcome(lambda: call(value))
    return found


if __name__ == "__main__":
    out, parts = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        ms.set_seed(1)
        ds.config.set_seed(1)
        answers = results(parts)
        os.chdir("/")
    with open(out, "w", encoding="utf-8") as file:
        json.dump(answers, file, indent=0, sort_keys=True)
