"""Writes answers.json with what real MindSpore answers to tests/answers: `ORACLE_PYTHON make_answers.py [--new]`.

A program that crashes it is left out; --new asks only what the file does not hold yet.
"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILE = HERE / "answers.json"
sys.path.insert(0, str(HERE.parents[1]))


def main():
    from tests.answers.programs import PROGRAMS, answer

    if "--run" in sys.argv:
        import mindspore

        mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
        for name in json.loads(sys.stdin.read()):
            print("ASKED " + json.dumps(name), flush=True)
            print("ANSWER " + json.dumps([name, answer(name)]), flush=True)
            for _ in range(3):  # an error of its asynchronous execution must not show up in the next program
                try:
                    (mindspore.Tensor([1.0]) + 1).asnumpy()
                except Exception:
                    pass
        return
    known = json.loads(FILE.read_text()) if "--new" in sys.argv and FILE.exists() else {}
    found = {name: known[name] for name in PROGRAMS if name in known}
    left = [name for name in PROGRAMS if name not in found]
    while left:
        done = subprocess.run(
            [sys.executable, __file__, "--run"], input=json.dumps(left), capture_output=True, text=True, check=False
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith(("ASKED ", "ANSWER "))]
        found.update(json.loads(line.removeprefix("ANSWER ")) for line in lines if line.startswith("ANSWER "))
        asked = [json.loads(line.removeprefix("ASKED ")) for line in lines if line.startswith("ASKED ")]
        if not asked:
            raise RuntimeError(done.stderr[-2000:])
        print(f"{len(found)} answers; ended after {asked[-1]!r}")
        left = left[left.index(asked[-1]) + 1 :]
    lines = [f"{json.dumps(name)}: {json.dumps(found[name])}" for name in PROGRAMS if name in found]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
