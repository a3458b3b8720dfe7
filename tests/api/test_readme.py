"""What the README shows runs."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.processes import run_script

README = Path(__file__).parents[2] / "README.md"


def test_the_sample_of_the_first_screen_runs(tmp_path: Path) -> None:
    sample = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert sample is not None
    done = run_script(tmp_path, sample.group(1))
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^epoch: (\d) step: 4, loss is \d\.\d+$", done.stdout, re.MULTILINE) == ["1", "2", "3"]
