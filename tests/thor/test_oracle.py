"""Real MindSpore still computes what tests/golden/thor.npz says, which test_golden.py compares ours with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.oracle import run_oracle

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.oracle
@pytest.mark.slow
def test_the_golden_file_is_what_real_mindspore_computes(tmp_path: Path) -> None:
    script = GOLDEN / "make_thor.py"
    run_oracle(
        f"import runpy, sys\nsys.argv = [{str(script)!r}, sys.argv[1]]\nrunpy.run_path(sys.argv[0], "
        "run_name='__main__')",
        str(tmp_path / "thor.npz"),
        timeout=600,
        cwd=tmp_path,
    )
    kept, made = np.load(GOLDEN / "thor.npz"), np.load(tmp_path / "thor.npz")
    assert set(kept.files) == set(made.files)
    for name in kept.files:
        if name == "index":
            assert kept[name].tobytes() == made[name].tobytes()
        else:
            np.testing.assert_allclose(made[name], kept[name], rtol=1e-5, atol=1e-6, err_msg=name)
