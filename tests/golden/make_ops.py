"""Writes ops.npz: what real MindSpore gives for the cases of tests/ops. Run with the oracle's Python; takes about two
minutes.

``--new`` runs only the cases that the file lacks.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "ops"))
from cases import cases, evaluate
from golden import load


def main() -> None:
    import mindspore

    known = load() if "--new" in sys.argv else {}
    index, blobs, offset = [], [], 0
    for case in cases():
        found = known[case] if case in known else evaluate(case, mindspore)
        if "error" in found:
            index.append([case, {"error": found["error"], "message": found["message"][:120]}])
            continue
        entry: dict = {}
        for part, arrays in found.items():
            entry[part] = []
            for array in arrays:
                raw = np.ascontiguousarray(array).tobytes()
                entry[part].append([array.dtype.str, list(array.shape), offset])
                blobs.append(raw)
                offset += len(raw)
        index.append([case, entry])
    text = json.dumps(index, separators=(",", ":")).encode()
    np.savez_compressed(
        Path(__file__).with_name("ops.npz"),
        index=np.frombuffer(zlib.compress(text, 9), np.uint8),
        data=np.frombuffer(b"".join(blobs), np.uint8),
    )


if __name__ == "__main__":
    main()
