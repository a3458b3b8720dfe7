"""Videos, read with PyAV (the package ``av``, imported on first use)."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.validator_helpers import check_file
from mindspore_compat.dataset.transforms._operation import TensorOperation

__all__ = ["DecodeVideo", "VideoDecoder", "read_video", "read_video_timestamps"]


def _av(what: str) -> Any:
    try:
        import av
    except ImportError as error:
        raise ImportError(f"{what} needs the package PyAV: pip install av.") from error
    return av


@contextmanager
def _opened(source: Any, what: str, name: str) -> Iterator[Any]:
    """Open a video. Raises: RuntimeError for other files."""
    av = _av(what)
    try:
        container = av.open(source)
    except (av.error.FFmpegError, ValueError) as error:
        raise RuntimeError(f"{what}: Failed to open the file {name}: {error}.") from error
    with container:
        try:
            yield container
        except av.error.FFmpegError as error:
            raise RuntimeError(f"{what}: Failed to decode the file {name}: {error}.") from error


def _round(value: float) -> int:
    """Round halves away from zero."""
    return math.floor(value + 0.5)


def _frames(container: Any) -> tuple[list[Any], Any]:
    """Return (the first video stream's frames by their times, the stream)."""
    if not container.streams.video:
        return [], None
    stream = container.streams.video[0]
    frames = [frame for frame in container.decode(stream) if frame.pts is not None]
    return sorted(frames, key=lambda frame: frame.pts), stream


def _pictures(frames: Iterable[Any], height: int, width: int) -> np.ndarray:
    found = [frame.to_ndarray(format="rgb24") for frame in frames]
    return np.stack(found) if found else np.empty((0, height, width, 3), np.uint8)


def _sound(container: Any) -> tuple[np.ndarray, int | None]:
    """Return ((channels, samples), samples a second), (1, 0) and None without an audio stream. ``container`` has to be
    fresh: after a seek the first samples differ.
    """
    if not container.streams.audio:
        return np.empty((1, 0), np.float32), None
    stream = container.streams.audio[0]
    channels = max(stream.channels, 1)
    parts = []
    for frame in container.decode(stream):
        values = frame.to_ndarray()
        parts.append(values if values.shape[0] == channels else values.reshape(-1, channels).T)
    sound = np.concatenate(parts, 1) if parts else np.empty((channels, 0), np.float32)
    return sound, stream.rate


def _check_unit(pts_unit: Any) -> None:
    if pts_unit not in ("pts", "sec"):
        raise ValueError(f"Not supported pts_unit for {pts_unit}")


def read_video(
    filename: str, start_pts: float = 0, end_pts: float | None = None, pts_unit: str = "pts"
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Return the pictures and the sound of a video.

    Args:
        filename: the file.
        start_pts, end_pts: from when, until when (both count); None: to the end.
        pts_unit: "pts": in ticks of the video stream; "sec": in seconds.

    Returns:
        (pictures (frames, H, W, 3) uint8, sound (channels, samples) in the stream's dtype, {"video_fps": float,
        "audio_fps": int}). The sound is as large a part of all of it as the pictures are of theirs.

    Raises:
        ValueError: for another unit. RuntimeError: for what is no video, or not there. ImportError: without PyAV.
    """
    _check_unit(pts_unit)
    with _opened(filename, "read_video", filename) as container:
        frames, stream = _frames(container)
        with _opened(filename, "read_video", filename) as again:
            sound, rate = _sound(again)
        info: dict[str, Any] = {} if stream is None else {"video_fps": float(stream.average_rate)}
        if rate is not None:
            info["audio_fps"] = rate
        ticks = float(1 / stream.time_base) if stream is not None and pts_unit == "sec" else 1.0
        first = _round(start_pts * ticks)
        last = math.inf if end_pts is None or math.isinf(end_pts) else _round(end_pts * ticks)
        chosen = [number for number, frame in enumerate(frames) if first <= frame.pts <= last]
        if frames:
            begin = _round(sound.shape[1] * (chosen[0] if chosen else 0) / len(frames))
            sound = sound[:, begin : begin + _round(sound.shape[1] * len(chosen) / len(frames))]
        size = (stream.height, stream.width) if stream is not None else (1, 1)
        return _pictures((frames[number] for number in chosen), *size), sound, info


def read_video_timestamps(filename: str, pts_unit: str = "pts") -> tuple[list[Any], float | None]:
    """Return (presentation time of each frame, frames a second); the unit as for `read_video`. None: no pictures.

    Raises:
        ValueError: for another unit. RuntimeError: for what is no video, or not there. ImportError: without PyAV.
    """
    _check_unit(pts_unit)
    with _opened(filename, "read_video_timestamps", filename) as container:
        frames, stream = _frames(container)
        if stream is None:
            return [], None
        ticks = [frame.pts for frame in frames]
        times = ticks if pts_unit == "pts" else [float(tick * stream.time_base) for tick in ticks]
        return times, float(stream.average_rate)


class DecodeVideo(TensorOperation):
    """Decoder of a video's bytes, a uint8 array of one axis, to (pictures (frames, H, W, 3) uint8, sound (channels,
    samples)).

    Raises:
        RuntimeError: for other input, and what is no video. ImportError: without PyAV.
    """

    def _apply(self, *values: Any) -> tuple:
        self._check_count(values)
        return self._compute(values[0])

    def _compute(self, data: Any) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[override]
        if data.dtype != np.uint8 or data.ndim != 1:
            raise RuntimeError(f"DecodeVideo: expected bytes in one axis, but got {data.dtype} of shape {data.shape}.")
        with _opened(io.BytesIO(data.tobytes()), "DecodeVideo", "of these bytes") as container:
            frames, stream = _frames(container)
            size = (stream.height, stream.width) if stream is not None else (1, 1)
            pictures = _pictures(frames, *size)
        with _opened(io.BytesIO(data.tobytes()), "DecodeVideo", "of these bytes") as container:
            return pictures, _sound(container)[0]


class VideoDecoder:
    """The first video stream of a file.

    Attributes:
        source: the file.

    Raises:
        ValueError: if there is no such file. RuntimeError: if it is no video.
    """

    def __init__(self, source: str) -> None:
        check_file(source)
        self.source = source
        self._metadata = self.metadata

    @property
    def metadata(self) -> dict[str, Any]:
        """{"width", "height", "duration_seconds", "num_frames", "average_fps"}."""
        with _opened(self.source, "VideoDecoder", self.source) as container:
            if not container.streams.video:
                raise RuntimeError(f"VideoDecoder: there is no video stream in {self.source}.")
            stream = container.streams.video[0]
            return {
                "width": stream.width,
                "height": stream.height,
                "duration_seconds": round(float((stream.duration or 0) * stream.time_base), 6),
                "num_frames": stream.frames,
                "average_fps": float(stream.average_rate),
            }

    def get_frames_at(self, indices: list[int]) -> np.ndarray:
        """Return the frames of these numbers, (T, H, W, 3) uint8. MindSpore has it on Ascend only.

        Raises:
            IndexError: for a number that there is not.
        """
        if not indices:
            return np.empty(0, np.uint8)
        with _opened(self.source, "VideoDecoder", self.source) as container:
            frames, _ = _frames(container)
            return _pictures((frames[index] for index in indices), 0, 0)
