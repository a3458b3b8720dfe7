"""Sound datasets on disk. MindSpore: ``mindspore.dataset.engine.datasets_audio``."""

from __future__ import annotations

import os
import re
import struct
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.arguments import kind_of
from mindspore_compat.dataset.core.validator_helpers import INT32_MAX
from mindspore_compat.dataset.engine._sources.described import (
    ARRAYS,
    FOLDER,
    TRAIN_VALID_TEST,
    Argument,
    FilesDataset,
    choice,
    needed,
)
from mindspore_compat.dataset.engine._sources.files import (
    GTZAN_GENRES,
    files_in,
    folders_in,
    gtzan_numbers,
    lines_of,
    read_bytes,
    reading,
)

__all__ = [
    "CMUArcticDataset",
    "GTZANDataset",
    "LJSpeechDataset",
    "LibriTTSDataset",
    "SpeechCommandsDataset",
    "TedliumDataset",
    "YesNoDataset",
]


class _SoundsDataset(FilesDataset):
    """Rows with the first columns waveform (float32 (1, n), channels interleaved) and sample_rate, from a WAV file."""

    #: The only accepted rate of files.
    _rate: int | None = None

    def _expanded(self, sample: tuple) -> tuple:
        path, *rest = sample
        wave, rate = read_wave(self._inside(path))
        if self._rate is not None and rate != self._rate:
            raise RuntimeError(f"Invalid file, the sampling rate of {path} must be {self._rate}, got {rate}.")
        return (wave, rate, *rest)


class CMUArcticDataset(_SoundsDataset):
    """CMU Arctic: waveform, sample_rate (uint32), transcript and utterance_id.

    Args:
        name: the speaker, such as "aew" (default).
    """

    arguments = (
        FOLDER,
        choice("name", "aew ahw aup awb axb bdl clb eey fem gka jmk ksp ljm lnh rms rxr slp slt", "aew"),
        *ARRAYS,
    )
    columns = "waveform:array sample_rate:uint32 transcript:text utterance_id:text"
    _rate = 16000

    def _find(self) -> list[tuple]:
        folder = os.path.join(self.dataset_dir, f"cmu_us_{self.name}_arctic")
        path = os.path.join(folder, "etc", "txt.done.data")
        found = []
        for line in lines_of(path):
            parts = line.split('"')
            if len(parts) < 3:
                raise RuntimeError(f"Invalid file, the file may not be a CMUArctic dataset file: {path}.")
            utterance = parts[0][2:-1]
            found.append((os.path.join(folder, "wav", f"{utterance}.wav"), parts[1], utterance.rpartition("_")[2]))
        return found


class GTZANDataset(_SoundsDataset):
    """GTZAN's genres of music: waveform, sample_rate (uint32) and label (text: the genre).

    Args:
        usage: "train", "valid" or "test" of the filtered split, or "all" (default).
    """

    arguments = (FOLDER, TRAIN_VALID_TEST, *ARRAYS)
    columns = "waveform:array sample_rate:uint32 label:text"

    def _find(self) -> list[tuple]:
        if self.usage == "all":
            there = [genre for genre in GTZAN_GENRES if os.path.isdir(os.path.join(self.dataset_dir, genre))]
            return [
                (path, genre) for genre in there for path in files_in(os.path.join(self.dataset_dir, genre), ".wav")
            ]
        wanted = [
            (os.path.join(self.dataset_dir, genre, f"{genre}.{i:05d}.wav"), genre)
            for genre in GTZAN_GENRES
            for i in gtzan_numbers(self.usage, genre)
        ]
        return [(path, genre) for path, genre in wanted if os.path.exists(path)]


class LibriTTSDataset(_SoundsDataset):
    """LibriTTS: waveform, sample_rate (uint32), original_text, normalized_text, speaker_id, chapter_id (uint32) and
    utterance_id.

    Args:
        usage: one of its seven parts, such as "dev-clean", or "all" (default: those that are there).
    """

    _parts = (
        "dev-clean",
        "dev-other",
        "test-clean",
        "test-other",
        "train-clean-100",
        "train-clean-360",
        "train-other-500",
    )
    arguments = (FOLDER, choice("usage", [*_parts, "all"], "all"), *ARRAYS)
    columns = (
        "waveform:array sample_rate:uint32 original_text:text normalized_text:text speaker_id:uint32 "
        "chapter_id:uint32 utterance_id:text"
    )
    _rate = 24000

    def _find(self) -> list[tuple]:
        found = []
        for part in self._parts if self.usage == "all" else (self.usage,):
            folder = os.path.join(self.dataset_dir, part)
            for place, folders, names in os.walk(folder):
                folders.sort()
                for path in (os.path.join(place, name) for name in sorted(names) if name.endswith(".trans.tsv")):
                    found.extend(self._utterances(path, folder))
        return found

    @staticmethod
    def _utterances(path: str, folder: str) -> list[tuple]:
        found = []
        for line in lines_of(path):
            with reading(path):
                utterance, original, normalized = line.split("\t")
                speaker, chapter, _, _ = utterance.split("_")
                found.append(
                    (
                        os.path.join(folder, speaker, chapter, f"{utterance}.wav"),
                        original,
                        normalized,
                        int(speaker),
                        int(chapter),
                        utterance,
                    )
                )
        return found


class LJSpeechDataset(_SoundsDataset):
    """LJSpeech: waveform, sample_rate (int32), transcription and normalized_transcription."""

    arguments = (FOLDER, *ARRAYS)
    columns = "waveform:array sample_rate:int32 transcription:text normalized_transcription:text"
    _rate = 22050

    def _find(self) -> list[tuple]:
        path = os.path.join(self.dataset_dir, "metadata.csv")
        rows = [line.split("|") for line in lines_of(path) if line]
        if any(len(row) != 3 for row in rows):
            raise RuntimeError(f"Invalid file, {path} should have three texts with | between them in each line.")
        return [
            (os.path.join(self.dataset_dir, "wavs", f"{name}.wav"), text, normalized) for name, text, normalized in rows
        ]


class SpeechCommandsDataset(_SoundsDataset):
    """Speech Commands: waveform, sample_rate (int32), label (the word), speaker_id and utterance_number (int32).

    Args:
        usage: "test" and "valid" (what the lists name), "train" (all else) or "all" (default).
    """

    arguments = (FOLDER, choice("usage", "train test valid all", "all"), *ARRAYS)
    columns = "waveform:array sample_rate:int32 label:text speaker_id:text utterance_number:int32"
    _lists = {"test": "testing_list.txt", "valid": "validation_list.txt"}

    def _find(self) -> list[tuple]:
        folder = os.fspath(self.dataset_dir)
        if self.usage in self._lists:
            chosen = self._named(self.usage)
        else:
            words = [name for name in folders_in(folder) if "_background_noise_" not in name]
            chosen = {path for word in words for path in files_in(os.path.join(folder, word), ".wav")}
            if self.usage == "train":
                chosen -= self._named("test") | self._named("valid")
        return [(path, *self._known(path)) for path in sorted(chosen)]

    def _named(self, usage: str) -> set[str]:
        path = os.path.join(self.dataset_dir, self._lists[usage])
        return {os.path.join(self.dataset_dir, line) for line in lines_of(path)} if os.path.exists(path) else set()

    @staticmethod
    def _known(path: str) -> tuple[str, str, int]:
        match = re.fullmatch(r"(.+)_nohash_(\d+)\.wav", os.path.basename(path))
        if match is None:
            raise RuntimeError(f"Invalid file name, failed to get file info: {path}.")
        return os.path.basename(os.path.dirname(path)), match[1], int(match[2])


class TedliumDataset(FilesDataset):
    """TED-LIUM: waveform, sample_rate (int32), transcript, talk_id, speaker_id and identifier.

    Args:
        release: "release1", "release2" or "release3". usage: "train", "test", "dev" or "all" (default; the third
            release has no other).
        extensions: what names of sound files end with, default ".sph".
    """

    arguments = (
        FOLDER,
        needed(choice("release", "release1 release2 release3")),
        choice("usage", "train test dev all", "all"),
        Argument("extensions", None, kind_of(str), ".sph"),
        *ARRAYS,
    )
    columns = "waveform:array sample_rate:int32 transcript:text talk_id:text speaker_id:text identifier:text"
    release: str
    extensions: str

    def _check(self, values: dict[str, Any]) -> None:
        super()._check(values)
        if values["release"] == "release3":
            choice("usage", "all").taken(values["usage"])

    def _find(self) -> list[tuple]:
        parts = (
            ["data"]
            if self.release == "release3"
            else ["train", "test", "dev"]
            if self.usage == "all"
            else [self.usage]
        )
        rows: list[tuple[str, str, str, str]] = []
        for part in parts:
            for path in files_in(os.path.join(self.dataset_dir, part, "stm"), ".stm"):
                rows.extend((str(i), line.partition(" ")[0], part, line) for i, line in enumerate(lines_of(path)))
        # MindSpore sorts by the number of the line, as text
        return [(name, part, line) for _, name, part, line in sorted(rows)]

    def _expanded(self, sample: tuple) -> tuple:
        name, part, line = sample
        fields = line.split(" ", 6)
        if len(fields) != 7:
            raise RuntimeError(f"Invalid data, stm data was broken: {line!r} of {name} under {self.dataset_dir}.")
        talk, _, speaker, start, end, identifier, transcript = fields
        wave, rate = _read_sphere(
            self._inside(os.path.join(self.dataset_dir, part, "sph", name + self.extensions)), start, end
        )
        return wave, rate, transcript, talk, speaker, identifier


class YesNoDataset(_SoundsDataset):
    """YesNo: waveform, sample_rate (int32) and label (int32 (8,): 1 for each yes)."""

    arguments = (FOLDER, *ARRAYS)
    columns = "waveform:array sample_rate:int32 label:int32"

    def _find(self) -> list[tuple]:
        found = []
        for path in files_in(os.fspath(self.dataset_dir), ".wav"):
            words = os.path.splitext(os.path.basename(path))[0].split("_")
            if len(words) != 8 or not all(word in ("0", "1") for word in words):
                raise RuntimeError(f"Invalid file name, {path} should have eight times 0 or 1 with _ between them.")
            found.append((path, [int(word) for word in words]))
        return found


def read_wave(path: str) -> tuple[np.ndarray, int]:
    """Return (1, n) float32 within [-1, 1] and the rate of a WAV file of 8 or 16 bits. Raises: RuntimeError."""
    content = read_bytes(path)
    if content[:4] != b"RIFF" or content[8:12] != b"WAVE":
        raise RuntimeError(f"Invalid file, {path} is no WAV file.")
    place, form, data = 12, None, None
    while place + 8 <= len(content) and data is None:
        name, size = content[place : place + 4], struct.unpack_from("<I", content, place + 4)[0]
        body = content[place + 8 : place + 8 + size]
        if name == b"fmt " and len(body) >= 16:
            form = struct.unpack_from("<HHIIHH", body)
        elif name == b"data":
            data = body
        place += 8 + size + size % 2
    if form is None or data is None or form[0] not in (1, 0xFFFE) or form[5] not in (8, 16):
        raise RuntimeError(f"Invalid file, {path} is no uncompressed WAV file of 8 or 16 bits: {form}.")
    if form[2] > INT32_MAX:
        raise RuntimeError(f"Invalid file, {path} has {form[2]} samples a second.")
    if form[5] == 16:
        wave = np.frombuffer(data, "<i2", len(data) // 2).astype(np.float32) / np.float32(32767)
    else:
        wave = (np.frombuffer(data, np.uint8).astype(np.float32) - np.float32(128)) / np.float32(128)
    return wave[None], form[2]


def _read_sphere(path: str, start: str, end: str) -> tuple[np.ndarray, int]:
    """Return (1, n) float32 between two times in seconds, and the rate, of a NIST SPHERE file of 16 bits."""
    content = read_bytes(path)
    words = content[:1024].split()
    with reading(path):
        rate = int(words[words.index(b"sample_rate") + 2])
        first, last = (int(float(time) * rate) for time in (start, end))
    data = np.frombuffer(content, ">i2", (len(content) - 1024) // 2, 1024)
    if not 0 <= first <= last <= len(data):
        raise RuntimeError(f"Invalid data, {path} has {len(data)} samples, {first} to {last} are asked for.")
    return (data[first:last].astype(np.float32) / np.float32(32767))[None], rate
