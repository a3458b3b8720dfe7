"""Writes NAME.json: what real MindSpore gives for the cases of one module of tests.

    GLOG_v=3 ONEDNN_MAX_CPU_ISA=AVX2 .venv-oracle/bin/python tests/golden/make_json.py NAME [FILE]

Each function below is a NAME, and says which cases it asks for and what of the answers is kept.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path.insert(0, str(TESTS.parent))


def _module(name: str) -> Any:
    """The module of tests/, found as those that import their neighbours by their plain names expect."""
    sys.path.insert(0, str((TESTS / name.replace(".", "/")).parent))
    return importlib.import_module(name.rsplit(".")[-1])


def _pairs(found: dict[str, Any], **options: Any) -> str:
    lines = (f"{json.dumps(key)}: {json.dumps(value, **options)}" for key, value in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _rows(found: Iterable[list[Any]]) -> str:
    return "[" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in found) + "]\n"


def _plain(found: Any, **options: Any) -> str:
    return json.dumps(found, **{"indent": 0, **options}) + "\n"


def audio() -> str:
    import mindspore.dataset.audio as audio

    cases = _module("dataset.audio_cases")
    return _pairs({case: cases.evaluate(audio, case) for case in cases.CASES})


def boxes() -> str:
    import mindspore.dataset.vision as vision

    cases = _module("dataset.box_cases")
    return _pairs({case: cases.evaluate(vision, case) for case in cases.CASES})


def text() -> str:
    import mindspore
    import mindspore.dataset.text

    cases = _module("dataset.text_cases")
    return _plain({case: cases.evaluate(mindspore, case) for case in cases.CASES}, ensure_ascii=False)


def dataset_draws() -> str:
    """What random image operations give with a seed."""
    import mindspore.dataset as ds

    return _module("dataset.draw_cases").give(ds, (0, 4321))


def dataset_orders() -> str:
    """In what order rows come with a seed."""
    import mindspore.dataset as ds
    from mindspore.mindrecord import FileWriter

    with tempfile.TemporaryDirectory() as folder:
        return _module("dataset.order_cases").give(ds, FileWriter, Path(folder), (0, 58, 4294967290))


def pipelines() -> str:
    """What pipelines are serialized to."""
    import mindspore

    cases = _module("dataset.serialized_cases")
    with tempfile.TemporaryDirectory() as folder:
        cases.prepare(Path(folder))
        os.chdir(folder)
        found = cases.serialized(mindspore)
        os.chdir("/")
    return _pairs(found, sort_keys=True)


def hooks() -> str:
    """Which hooks of callbacks are called, with which fields."""
    import mindspore
    import mindspore.dataset

    cases = _module("train.hooks_program")
    found = {name: cases.recorded(mindspore, name) for name in cases.NAMES}
    return _plain({**found, "fields": cases.fields(mindspore)}, indent=None).replace("]], ", "]],\n")


def amp() -> str:
    """Mixed precision and loss scales."""
    import mindspore

    cases = _module("train.amp_program")
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    found = {name: cases.trained(mindspore, name) for name in cases.CASES}
    digests = {
        "manager": cases.manager_digest(mindspore),
        "cell": cases.cell_digest(mindspore, mindspore.nn),
        "scaler": cases.scaler_digest(mindspore, mindspore.amp),
    }
    return _plain({"trained": found, "digests": digests})


def custom_cells() -> str:
    """What training Cells of the model zoo's kind do."""
    import mindspore

    cases = _module("train.custom_cells_program")
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    found = {}
    for name in cases.RUNS:
        try:
            found[name] = cases.record(name)
        except Exception as error:
            print(name, type(error).__name__, str(error)[:300], file=sys.stderr)
    return _plain(found)


def train_errors() -> str:
    """What is raised for bad arguments of the training loop."""
    import mindspore
    import mindspore.dataset

    cases = _module("train.errors_program")
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    for name in """EarlyStopping ReduceLROnPlateau OnRequestExit BackupAndRestore FlopsUtilizationCollector
        RunContext""".split():
        setattr(mindspore, name, getattr(mindspore.train, name))
    return _plain({name: cases.raised(mindspore, name) for name in cases.ERRORS})


def nn_rates() -> str:
    """Learning rates: lists, and schedules at some steps."""
    import mindspore as ms

    cases = _module("nn.rate_cases")
    schedules = []
    for name, arguments in cases.SCHEDULES:
        cell = getattr(ms.nn, name)(**arguments)
        schedules.append([float(cell(ms.Tensor(step, ms.int32)).asnumpy()) for step in cases.STEPS])
    lists = [getattr(ms.nn.dynamic_lr, name)(**arguments) for name, arguments in cases.LISTS]
    return _plain({"lists": lists, "schedules": schedules}, indent=None)


def attributes() -> str:
    """What layers compute after an attribute was set."""
    import mindspore

    from tests.nn.attribute_cases import LAYERS, Under

    under, rows = Under(mindspore), []
    for line in LAYERS:
        before = under.computed(line)
        if before is None:
            continue
        rows.append([line, "", None, before])
        for name, value in under.settings(line):
            found = under.computed(line, name, value)
            if found is not None:
                rows.append([line, name, value, found])
    return _rows(rows)


def primitive_attributes() -> str:
    """What operators compute after an attribute was set."""
    import mindspore

    from tests.ops.primitive_attributes import LINES, Under

    under, rows = Under(mindspore), []
    for line in LINES:
        rows.append([line, "", "", None, under.computed(line)])
        rows += [
            [line, how, name, value, under.computed(line, how, name, value)]
            for name, value in under.settings(line)
            for how in ("set", "added")
        ]
    return _rows(row for row in rows if row[-1] is not None)


def axis_calls() -> str:
    """ValueError or TypeError, for axes and shapes that are not there. Calls that are refused otherwise (no kernel, an
    overload that has no such argument) are left out.
    """
    import mindspore

    cases, found = _module("ops.axis_calls"), {}
    for call in cases.calls():
        error = cases.refusal(call, mindspore)
        if isinstance(error, (ValueError, TypeError)) and not str(error).startswith("Failed calling"):
            found[call] = "ValueError" if isinstance(error, ValueError) else "TypeError"
    return _plain(found)


def option_calls() -> str:
    """The exception's type or "", for one more argument of a wrong type or value. Functions whose plain call is
    refused, and calls for which there is no kernel, are left out.
    """
    import mindspore

    cases, found = _module("ops.option_calls"), {}
    for name, expression in cases.expressions().items():
        if cases.refusal(expression, mindspore) is not None:
            continue
        for call in cases.with_wrong_options(expression, getattr(mindspore.ops, name)):
            error = cases.refusal(call, mindspore)
            if "unregistered" not in str(error):
                found[call] = "" if error is None else type(error).__name__
    return _plain(found)


def refusals() -> str:
    """Types of exceptions. Left out are calls that run, such as the CPU has no kernel for, and absent names."""
    import mindspore as ms

    lacks = ("unregistered", "Not found op", "Init Failed", "not supported on this device", "only supports Ascend")
    cases = _module("ops.refusal_cases")
    ms.set_context(pynative_synchronize=True)  # else a call raises what the one before it did
    found = {case: cases.raised(ms, case) for case in cases.CASES}
    return _plain(
        {
            case: type(error).__name__
            for case, error in found.items()
            if error is not None
            and not isinstance(error, (AttributeError, UnicodeError))
            and not any(words in str(error) for words in lacks)
        }
    )


def op_info() -> str:
    """Descriptions of operators, and what a call of one that is only described raises."""
    import mindspore

    cases = _module("ops.op_info_program")
    register = importlib.import_module("mindspore.ops.op_info_register")
    found = {"version": mindspore.__version__, **cases.run(register)}
    for mode in (mindspore.PYNATIVE_MODE, mindspore.GRAPH_MODE):
        mindspore.set_context(mode=mode)
        found[f"call in mode {mode}"] = cases.call_an_operator(mindspore, mindspore.ops, register)
    return _plain(found, indent=1)


def zoo_programs() -> str:
    """What tests/integration/programs print."""
    env = {**os.environ, "GLOG_v": "3", "ONEDNN_MAX_CPU_ISA": "AVX2", "DNNL_MAX_CPU_ISA": "AVX2"}
    found = {}
    for name in "resnet_smooth lstm_sentiment wide_and_deep dcgan yolo bert_pretrain".split():
        command = [sys.executable, "-W", "ignore", str(TESTS / "integration" / "programs" / f"{name}.py")]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        found[name] = json.loads(done.stdout.strip().splitlines()[-1])
    return _plain(found)


NAMES: dict[str, Callable[[], str]] = {
    function.__name__: function
    for function in (
        *(audio, boxes, text, dataset_draws, dataset_orders, pipelines, hooks, amp, custom_cells, train_errors),
        *(nn_rates, attributes, primitive_attributes, axis_calls, option_calls, refusals, op_info, zoo_programs),
    )
}

if __name__ == "__main__":
    os.environ.setdefault("GLOG_v", "3")
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else HERE / f"{sys.argv[1]}.json"
    target.write_text(NAMES[sys.argv[1]](), encoding="utf-8")
