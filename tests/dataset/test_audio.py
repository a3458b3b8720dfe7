"""Operations on audio: results as real MindSpore's (tests/golden/audio.json), random ones and those that upstream
breaks by what they should do.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.dataset import audio
from tests.dataset.audio_cases import CASES, PHASE_TOLERANCE, PHASES, TOLERANCE, evaluate, same_numbers
from tests.support.oracle import run_oracle

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "audio.json").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def seed_of_before() -> Iterator[None]:
    yield
    ds.config.set_seed(5489)


#: calls that upstream refuses: an int is a frequency, and arguments that are left out have their defaults
TAKEN = ("a.MelSpectrogram(f_min=1)", "a.MFCC(melkwargs={})", "a.LFCC(speckwargs={})")


@pytest.mark.parametrize("case", CASES)
def test_results_and_refusals_are_those_of_mindspore(case: str) -> None:
    found, wanted = evaluate(audio, case), GOLDEN[case]
    if case in TAKEN:
        assert "error" not in found and "error" in wanted
        return
    if not isinstance(wanted, list):
        assert found.keys() == wanted.keys()
        return
    assert isinstance(found, list) and [part[:2] for part in found] == [part[:2] for part in wanted]
    for part, expected in zip(found, wanted, strict=True):
        tolerance = PHASE_TOLERANCE if case.startswith(PHASES) else TOLERANCE.get(part[0], 0)
        assert same_numbers(part[2], expected[2], tolerance)


@pytest.mark.oracle
def test_names_and_arguments_are_those_of_mindspore() -> None:
    theirs = run_oracle(
        "import inspect, mindspore.dataset.audio as a\n"
        "public = {n: getattr(a, n) for n in dir(a) if not n.startswith('_')}\n"
        "give({n: [[p.name, repr(p.default)] for p in inspect.signature(v).parameters.values()] for n, v in "
        "public.items() if callable(v)"
        " and not (isinstance(v, type) and issubclass(v, str))})"
    )
    ours = {
        name: [[p.name, repr(p.default)] for p in inspect.signature(getattr(audio, name)).parameters.values()]
        if hasattr(audio, name)
        else None
        for name in theirs
    }
    assert ours == theirs


def test_a_long_signal_is_filtered_as_by_the_difference_equation() -> None:
    rng = np.random.default_rng(0)
    signal, a, b = rng.standard_normal((3, 1000)), [2.0, -0.5, 0.3, 0.1], [1.0, 0.5, -0.2, 0.3]
    expected = np.zeros((3, 1003))
    wide = np.pad(signal, [(0, 0), (3, 0)])
    for time in range(3, 1003):
        expected[:, time] = (
            sum(b[k] * wide[:, time - k] for k in range(4)) - sum(a[k] * expected[:, time - k] for k in range(1, 4))
        ) / a[0]
    assert np.allclose(audio.LFilter(a, b, False)(signal), expected[:, 3:], atol=1e-6)


@pytest.mark.parametrize("operation", [audio.FrequencyMasking(True, 10, 0, 5.0), audio.MaskAlongAxisIID(10, 5.0, 1)])
def test_random_masks_take_every_width_and_place(operation: object) -> None:
    ds.config.set_seed(2)
    seen = set()
    rows = ds.NumpySlicesDataset({"a": np.zeros((1500, 2, 14, 3), np.float32)}, shuffle=False).map(operation, "a")
    for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True):
        stretch = np.flatnonzero((row[0] == 5)[0, :, 0])
        assert not len(stretch) or stretch[-1] - stretch[0] == len(stretch) - 1
        seen.add((len(stretch), int(stretch[0]) if len(stretch) else 0))
    assert {width for width, _ in seen} == set(range(11)) and {start + width for width, start in seen} == set(range(15))


@pytest.mark.parametrize(
    ("text", "places"),
    [  # (start, width) in a direct call and in four rows of real MindSpore 2.10
        ("FrequencyMasking(True, 7, 0, 5.0)", [(0, 4), (0, 4), (4, 5), (0, 2), (3, 4)]),
        ("TimeMasking(True, 9, 0, 5.0)", [(0, 5), (0, 5), (4, 7), (1, 2), (3, 5)]),
        ("MaskAlongAxisIID(5, 5.0, 1)", [(0, 3), (0, 3), (5, 4), (1, 1), (3, 3)]),
    ],
)
def test_masks_draw_as_upstreams(text: str, places: list[tuple[int, int]]) -> None:
    ds.config.set_seed(3)
    operation, empty = eval("audio." + text), np.zeros((9, 11), np.float32)
    data = ds.GeneratorDataset([empty] * 4, ["a"], shuffle=False).map(operation, ["a"], num_parallel_workers=1)
    rows = [row[0] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    for (start, width), row in zip(places, [operation(empty), *rows], strict=True):
        line = (row == 5).any(0 if "Time" in text else 1)
        assert line[start : start + width].all() and line.sum() == width


@pytest.mark.parametrize(
    ("text", "numbers"),
    [  # of real MindSpore 2.10
        ("Dither(audio.DensityFunction.RPDF)", [1.2, 1.06, -0.09, -0.23, -0.37]),
        ("Dither(audio.DensityFunction.GPDF, True)", [1.2, 2.26, -19658.83, 1.69, -20596.63]),
        ("GriffinLim(8, 1)", [-0.1111, -0.4095, 0.2753, 0.3222, 0.5711]),
        ("InverseMelScale(6, 5, 8000, max_iter=1)", [0.5508, 0.0707, 0.7081, 0.8399, 0.2909]),
    ],
)
def test_sounds_draw_as_upstreams(text: str, numbers: list[float]) -> None:
    ds.config.set_seed(3)
    if "Dither" in text:  # the change, in 1/32768
        sound = (np.arange(60).reshape(2, 30) % 7 / 7 - 0.4).astype(np.float32)
        got = (eval("audio." + text)(sound.copy()) - sound)[0, :5] * 2**15
    else:
        got = eval("audio." + text)((np.arange(45).reshape(5, 9) % 4 / 4 + 0.1).astype(np.float32)).ravel()[:5]
    np.testing.assert_allclose(got, numbers, rtol=1e-5, atol=0.006 if "Dither" in text else 6e-5)


def test_a_sound_in_the_wanted_rate_stays_as_it_is() -> None:
    got = audio.Resample(8000, 8000)(np.arange(5, dtype=np.int16))
    assert got.dtype == np.int16 and got.tolist() == list(range(5))


def test_the_same_seed_masks_the_same() -> None:
    pipe = ds.NumpySlicesDataset({"a": np.ones((20, 8, 30), np.float32)}, shuffle=False).map(
        audio.TimeMasking(True, 12), "a"
    )
    results = []
    for _ in range(2):
        ds.config.set_seed(9)
        results.append(np.stack([row[0] for row in pipe.create_tuple_iterator(num_epochs=1, output_numpy=True)]))
    assert np.array_equal(*results) and len({row.tobytes() for row in results[0]}) > 5


@pytest.mark.parametrize("density", [audio.DensityFunction.RPDF, audio.DensityFunction.GPDF])
def test_random_dither_is_a_constant_below_one_step(density: audio.DensityFunction) -> None:
    signal = np.random.default_rng(0).uniform(-0.5, 0.5, (2, 400))
    difference = audio.Dither(density)(signal) - signal
    assert np.ptp(difference) <= 1.1 / 2**15 + 2 / 2**15 and np.abs(difference).max() < 8 / 2**15


def test_phases_are_found_for_a_spectrogram() -> None:
    signal = np.sin(np.arange(3000) * 0.2)[None] * np.hanning(3000)
    power = audio.Spectrogram(128)(signal)
    ds.config.set_seed(1)
    found = audio.Spectrogram(128)(audio.GriffinLim(128, 60)(power))
    assert found.shape == power.shape and np.abs(found - power).mean() < 0.06 * power.mean()


def test_a_spectrogram_is_found_for_mel_bands() -> None:
    power = np.random.default_rng(0).uniform(0, 1, (33, 5)).astype(np.float32)
    mels = audio.MelScale(6, 8000, n_stft=33)(power)
    ds.config.set_seed(1)  # it begins with drawn numbers, which few of that many steps may leave too far away
    found = audio.InverseMelScale(33, 6, 8000, max_iter=3000)(mels)
    assert (
        found.shape == (1, 33, 5)
        and found.min() >= 0
        and np.abs(audio.MelScale(6, 8000, n_stft=33)(found[0]) - mels).mean() < 0.03
    )


def test_mel_bands_of_float64_are_those_of_float32() -> None:
    """Real MindSpore reads the float64 numbers as float32 ones and gives noise."""
    signal = np.random.default_rng(0).standard_normal((2, 900))
    for operation in (audio.MelSpectrogram(n_mels=12, n_fft=128), audio.MFCC(n_mfcc=8), audio.LFCC(n_lfcc=8)):
        single, double = operation(signal.astype(np.float32)), operation(signal)
        assert np.allclose(single, double, atol=1e-3) and double.dtype == (
            np.float64 if isinstance(operation, audio.MelSpectrogram) else np.float32
        )


def test_silence_before_a_voice_is_cut() -> None:
    """Real MindSpore's detector never hears a voice and keeps the last seconds."""
    rate, rng = 8000, np.random.default_rng(0)
    time = np.arange(rate) / rate
    voice = np.sin(2 * np.pi * 150 * time) + 0.5 * np.sin(2 * np.pi * 300 * time) + 0.4 * np.sin(2 * np.pi * 450 * time)
    signal = rng.standard_normal((1, 4 * rate)) * 1e-3
    signal[0, 2 * rate : 3 * rate] += 0.3 * voice
    start = 4 * rate - audio.Vad(rate)(signal.astype(np.float32)).shape[1]
    assert 1.5 * rate < start < 2.1 * rate
    assert audio.Vad(rate)(signal[:, 2 * rate : 2 * rate + rate]).shape[1] > 0.9 * rate
    quiet = audio.Vad(rate)(rng.standard_normal((1, 4 * rate)) * 1e-3)
    assert quiet.shape == (1, 8800)


def test_operations_run_in_a_pipeline() -> None:
    waves = np.random.default_rng(0).standard_normal((4, 1, 800)).astype(np.float32)
    pipe = (
        ds.NumpySlicesDataset({"wave": waves}, shuffle=False)
        .map([audio.Resample(16000, 8000), audio.MelSpectrogram(8000, 64, n_mels=8)], "wave")
        .batch(2)
    )
    shapes = [row["wave"].shape for row in pipe.create_dict_iterator(num_epochs=1, output_numpy=True)]
    assert shapes == [(2, 1, 8, 13)] * 2


@pytest.mark.parametrize(
    "wrong", [{"n_fft": -1}, {"power": -1}, {"hop_length": -1}, {"pad": 1, "onesided": 1}, {"pad": -1}, {}]
)
def test_wrong_arguments_of_the_spectrum_are_refused(wrong: dict) -> None:
    """The last has fewer mel bands than coefficients."""
    given = {"n_fft": 16, "win_length": 16, "hop_length": 8, "f_min": 0.0, "f_max": 10000.0, "pad": 0, "n_mels": 5}
    given |= {"window": audio.WindowType.HANN, "power": 2.0, "normalized": True, "center": True, "onesided": True}
    given |= {"pad_mode": audio.BorderType.REFLECT, "norm": audio.NormType.NONE, "mel_scale": audio.MelType.HTK}
    with pytest.raises((TypeError, ValueError)):
        audio.MFCC(melkwargs=given | wrong)
    waves = np.sin(np.arange(64.0)).astype(np.float32)
    results = [audio.MFCC(n_mfcc=4, melkwargs=given | {"win_length": length})(waves) for length in (16, 0)]
    assert np.array_equal(*results)
    spectrum = {key: given[key] for key in ("window", "pad_mode", "n_fft", "win_length", "pad", "power")}
    with pytest.raises(ValueError, match="pad"):
        audio.LFCC(speckwargs=spectrum | {"pad": -1})
