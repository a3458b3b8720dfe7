"""A pytest plugin: ``pytest -p outcomes`` writes one JSON line a test to the file that OUTCOMES names; with OUTCOMES_OURS
set, ``mindspore`` is this package. With OUTCOMES_CPU set, real MindSpore takes every device for the CPU, as this package
does where there is no other. With OUTCOMES_NUMPY set, NumPy has the names that it dropped (`np.int`). OUTCOMES_ONLY names
a file with the tests to run, one a line; pytest itself runs none where one of those named cannot be collected.
"""

import json
import os

if os.environ.get("OUTCOMES_OURS"):
    import mindspore_compat

    mindspore_compat.install()
elif os.environ.get("OUTCOMES_LOST"):  # modules that real MindSpore 2.10 no longer has
    import sys

    from seeded import LOST, Lost

    sys.modules.update({name: Lost(name) for name in LOST[os.environ["OUTCOMES_LOST"]]})

if os.environ.get("OUTCOMES_CPU") and not os.environ.get("OUTCOMES_OURS"):
    import mindspore

    def _on_cpu(change):
        def changed(*args, **keys):
            return change(*args, **{key: "CPU" if key == "device_target" else value for key, value in keys.items()})

        return changed

    mindspore.set_context = mindspore.context.set_context = _on_cpu(mindspore.context.set_context)

if os.environ.get("OUTCOMES_NUMPY"):
    import numpy

    for _type in (bool, int, float, complex, object, str):
        setattr(numpy, _type.__name__, _type)


def _write(test, outcome, text):
    with open(os.environ["OUTCOMES"], "a", encoding="utf-8") as file:
        file.write(json.dumps({"test": test, "outcome": outcome, "text": text}) + "\n")


def _error(report):
    lines = [line for line in str(report.longrepr).splitlines() if line.startswith("E ")]
    return " ".join((lines or [str(report.longrepr)[-300:]])[0].split())[2:300]


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        _write(report.nodeid, report.outcome, _error(report) if report.failed else "")


def pytest_collectreport(report):
    if report.failed:
        _write(report.nodeid, "failed", _error(report))


def pytest_collection_modifyitems(config, items):
    if os.environ.get("OUTCOMES_ONLY"):
        with open(os.environ["OUTCOMES_ONLY"], encoding="utf-8") as file:
            wanted = set(file.read().splitlines())
        kept = [item for item in items if item.nodeid in wanted or item.nodeid.partition("::")[0] in wanted]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept
