"""Writes audio.json: what real MindSpore's operations on audio give. Run with its Python."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "dataset"))
import mindspore.dataset.audio as audio
from audio_cases import CASES, evaluate

results = {case: evaluate(audio, case) for case in CASES}
Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("audio.json")).write_text(
    "{\n" + ",\n".join(f"{json.dumps(case)}: {json.dumps(value)}" for case, value in results.items()) + "\n}\n",
    encoding="utf-8",
)
