"""Writes jpeg_parts.npz: small JPEG files, and what real MindSpore's RandomCropDecodeResize makes of parts of them.

.venv-oracle/bin/python tests/golden/make_jpeg_parts.py
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import mindspore.dataset as ds
import numpy as np
from PIL import Image

from tests.dataset.jpeg_part_cases import CASES, part

if __name__ == "__main__":
    rng = np.random.default_rng(3)
    rough = Image.fromarray(rng.integers(0, 256, (9, 12, 3)).astype(np.uint8)).resize(
        (61, 43), Image.Resampling.BICUBIC
    )
    found = {}
    for name, options in (
        ("420", {"subsampling": 2}),
        ("progressive", {"subsampling": 2, "progressive": True}),
        ("422", {"subsampling": 1}),
        ("444", {"subsampling": 0}),
    ):
        stream = BytesIO()
        rough.save(stream, "JPEG", quality=60, **options)
        found[name] = np.frombuffer(stream.getvalue(), np.uint8)
    for case in CASES:
        found[case] = part(ds, found, case)
    np.savez_compressed(Path(__file__).parent / "jpeg_parts.npz", **found)
