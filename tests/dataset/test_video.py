"""Videos: what `read_video` and the others give is what MindSpore gives, and what was put into the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.dataset import vision
from tests.support.oracle import run_oracle

av = pytest.importorskip("av")

NAMES = ["sound.mp4", "sound.avi", "silent.mp4"]
RANGES: list[tuple[float, Any]] = [(0.4, 1.0), (0.0, 0.2), (0.2, None), (1.0, 5.0), (0.5, 0.7), (1.8, 1.8), (3, 4)]


def write(path: Path) -> None:
    """Ten gray frames, 5 a second, 20 darker each; a tone with all but the silent one."""
    with av.open(str(path), "w") as container:
        video = container.add_stream("mpeg4", rate=5)
        video.width, video.height, video.pix_fmt = 32, 24, "yuv420p"
        audio = None
        if "sound" in path.name:
            audio = container.add_stream("mp2" if path.suffix == ".avi" else "aac", rate=16000)
        for number in range(10):
            picture = np.full((24, 32, 3), number * 20, np.uint8)
            container.mux(video.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(video.encode())
        for part in range(30 if audio else 0):
            wave = (np.sin(np.arange(part * 1024, part * 1024 + 1024) / 10) * 8000).astype(np.int16)[None]
            frame = av.AudioFrame.from_ndarray(wave, format="s16", layout="mono")
            frame.sample_rate, frame.pts = 16000, part * 1024
            container.mux(audio.encode(frame))
        if audio:
            container.mux(audio.encode())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("videos")
    for name in NAMES:
        write(path / name)
    return path


@pytest.mark.parametrize("name", NAMES)
def test_all_of_a_video(folder: Path, name: str) -> None:
    pictures, sound, info = vision.read_video(str(folder / name))
    assert pictures.shape == (10, 24, 32, 3) and pictures.dtype == np.uint8
    assert np.abs(pictures.astype(int).mean((1, 2, 3)) - np.arange(10) * 20).max() < 4
    assert info == ({"video_fps": 5.0} if "silent" in name else {"video_fps": 5.0, "audio_fps": 16000})
    assert sound.shape[1] == 0 if "silent" in name else sound.shape[1] >= 30 * 1024
    times, rate = vision.read_video_timestamps(str(folder / name), "sec")
    assert rate == 5 and np.allclose(times, np.arange(10) / 5)
    for one, other in zip(vision.DecodeVideo()(np.fromfile(folder / name, np.uint8)), (pictures, sound), strict=True):
        assert np.array_equal(one, other)
    decoder = vision.VideoDecoder(str(folder / name))
    expected = {"width": 32, "height": 24, "duration_seconds": 2.0, "num_frames": 10, "average_fps": 5.0}
    assert decoder.metadata == expected
    assert np.array_equal(decoder.get_frames_at([3, 0]), pictures[[3, 0]])


def test_parts_by_ticks_are_parts_by_seconds(folder: Path) -> None:
    path = str(folder / "sound.mp4")
    ticks = vision.read_video_timestamps(path)[0]
    for one, other in zip(vision.read_video(path, ticks[2], ticks[5]), vision.read_video(path, 0.4, 1.0, "sec")):
        assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other


def test_in_a_pipeline(folder: Path) -> None:
    data = ds.GeneratorDataset([(np.fromfile(folder / name, np.uint8),) for name in NAMES], ["bytes"], shuffle=False)
    rows = list(data.map(vision.DecodeVideo(), "bytes", ["pictures", "sound"]).create_dict_iterator(output_numpy=True))
    assert [row["pictures"].shape for row in rows] == [(10, 24, 32, 3)] * 3


@pytest.mark.oracle
def test_the_oracle_reads_the_same(folder: Path) -> None:
    found = run_oracle(
        f"""
import numpy as np
import mindspore.dataset.vision as V
def shown(pictures, sound, info):
    rows = pictures.reshape(len(pictures), 24 * 32 * 3).astype('f8')
    sums = [float(sound.astype('f8').sum()), float(np.abs(sound.astype('f8')).sum())]
    return [list(pictures.shape), rows.mean(1).tolist(), list(sound.shape), str(sound.dtype), sums, info]
result = dict()
for name in {NAMES!r}:
    ranges = [shown(*V.read_video(name, a, b, 'sec')) for a, b in {RANGES!r}]
    result[name] = [V.read_video_timestamps(name), shown(*V.read_video(name)), ranges, V.VideoDecoder(name).metadata]
give(result)
""",
        cwd=folder,
    )

    def shown(pictures: Any, sound: Any, info: Any) -> list[Any]:
        rows = pictures.reshape(len(pictures), 24 * 32 * 3).astype("f8")
        sums = [float(sound.astype("f8").sum()), float(np.abs(sound.astype("f8")).sum())]
        return [list(pictures.shape), rows.mean(1).tolist(), list(sound.shape), str(sound.dtype), sums, info]

    for name, (times, whole, ranges, metadata) in found.items():
        path = str(folder / name)
        assert list(vision.read_video_timestamps(path)) == times
        assert vision.VideoDecoder(path).metadata == metadata
        ours = [shown(*vision.read_video(path, a, b, "sec")) for a, b in RANGES]
        for one, other in zip([shown(*vision.read_video(path)), *ours], [whole, *ranges], strict=True):
            assert one[0] == other[0] and one[2:4] == other[2:4] and one[5] == other[5]
            assert np.allclose(one[1], other[1], atol=2.5)  # conversions of colours round differently
            assert np.allclose(one[4], other[4], atol=1e-5 * other[4][1]), name


def test_refusals(folder: Path, tmp_path: Path) -> None:
    path = str(folder / "sound.mp4")
    (tmp_path / "x").write_text("no video")
    for call, error in (
        (lambda: vision.read_video(path, pts_unit="x"), ValueError),
        (lambda: vision.read_video(str(tmp_path / "x")), RuntimeError),
        (lambda: vision.read_video_timestamps("nowhere"), RuntimeError),
        (lambda: vision.DecodeVideo()(np.zeros(5, np.float32)), RuntimeError),
        (lambda: vision.DecodeVideo()(np.zeros((5, 2), np.uint8)), RuntimeError),
        (lambda: vision.DecodeVideo()(np.zeros(50, np.uint8)), RuntimeError),
        (lambda: vision.VideoDecoder("nowhere"), ValueError),
        (lambda: vision.VideoDecoder(path).get_frames_at([10]), IndexError),
    ):
        with pytest.raises(error):
            call()
