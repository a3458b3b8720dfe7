"""``mindspore.profiler``: traces hold the operators of the steps that were asked for, in a form that viewers read."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from mindspore_compat import nn, ops, profiler
from mindspore_compat.profiler.schedule import ProfilerAction
from tests.support.oracle import run_oracle
from tests.support.processes import run_python

ROOT = Path(__file__).parents[2]


def traces(folder: Path) -> list[list[str]]:
    """The names in each trace; all that viewers need is there."""
    found = []
    for file in sorted(folder.iterdir()):
        assert file.name.endswith(".pt.trace.json")
        events = json.loads(file.read_text())["traceEvents"]
        assert all("ph" in event and "pid" in event for event in events)
        assert all({"ts", "dur", "tid"} <= event.keys() for event in events if event["ph"] == "X")
        found.append([event["name"] for event in events])
    return found


def test_a_trace_holds_the_operators(tmp_path: Path) -> None:
    dense, x = nn.Dense(3, 4), ops.ones((2, 3))
    with profiler.profile(
        on_trace_ready=profiler.tensorboard_trace_handler(str(tmp_path), "w"), record_shapes=True
    ) as p:
        p.add_metadata("model", "dense")
        number = profiler.mstx.range_start("my range", domain="own")
        dense(x)
        profiler.mstx.range_end(number)
        profiler.mstx.mark("my mark")
    ops.exp(x)
    ((*names,),) = traces(tmp_path)
    assert "aten::addmm" in names and "own: my range" in names and "my mark" in names and "aten::exp" not in names
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("w.") and json.loads(file.read_text())["model"] == "dense"


def test_a_schedule_chooses_steps(tmp_path: Path) -> None:
    x = ops.ones(3)
    plan = profiler.schedule(wait=1, warmup=1, active=1, repeat=2, skip_first=1)
    calls = [ops.exp, ops.sin, ops.cos, ops.tan, ops.log, ops.sqrt, ops.abs, ops.neg, ops.floor]
    handler = profiler.tensorboard_trace_handler(str(tmp_path))
    with profiler.profile(schedule=plan, on_trace_ready=handler) as p:
        for call in calls:
            call(x)
            p.step()
    first, second = traces(tmp_path)
    assert "aten::tan" in first and "aten::abs" in second
    for names, own in ((first, "aten::tan"), (second, "aten::abs")):
        others = {"aten::exp", "aten::sin", "aten::cos", "aten::tan", "aten::log", "aten::sqrt", "aten::abs"} - {own}
        assert not others & set(names)


PLANS = [(1, 2, 1, 2, 3), (0, 1, 0, 0, 0), (2, 3, 0, 1, 0), (0, 2, 2, 3, 1)]


@pytest.mark.oracle
def test_schedules_and_names_are_those_of_real_mindspore(tmp_path: Path) -> None:
    code = (
        "import json, sys\nfrom mindspore import profiler\n"
        "names = [profiler.schedule(wait=a, active=b, warmup=c, repeat=d, skip_first=e) for a, b, c, d, e in "
        "json.loads(sys.argv[1])]\n"
        "kinds = (profiler.ProfilerActivity, profiler.ProfilerLevel, profiler.AicoreMetrics, profiler.ExportType, "
        "profiler.HostSystem)\n"
        "found = [[[plan(step).name for step in range(20)], repr(plan), plan.to_dict()] for plan in names]\n"
        "found.append([{item.name: item.value for item in kind} for kind in kinds])\n"
    )
    real = run_oracle(code + "give(found)", json.dumps(PLANS))
    program = "import mindspore_compat; mindspore_compat.install()\n" + code + "print(json.dumps(found))"
    done = run_python("-c", program, json.dumps(PLANS), cwd=tmp_path)
    assert json.loads(done.stdout) == real


def test_wrong_schedules_are_put_right(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "mindspore_compat"):
        plan = profiler.schedule(wait=-1, active=0, warmup=True)  # type: ignore[arg-type]
    assert plan.to_dict() == {"wait": 0, "active": 1, "warmup": 0, "repeat": 0, "skip_first": 0}
    assert plan(0) is ProfilerAction.RECORD_AND_SAVE and len(caplog.records) == 4
    with pytest.raises(ValueError, match="not less than 0"):
        plan(-1)


def test_the_older_profiler_writes_at_analyse(tmp_path: Path) -> None:
    old = profiler.Profiler(output_path=str(tmp_path), profiler_level=profiler.ProfilerLevel.Level1)
    ops.exp(ops.ones(3))
    old.stop()
    assert not list(tmp_path.iterdir())
    old.analyse()
    old.analyse()
    ((*names,),) = traces(tmp_path)
    assert "aten::exp" in names


def test_start_and_stop_by_hand(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    p = profiler.profile(start_profile=False, on_trace_ready=profiler.tensorboard_trace_handler(str(tmp_path)))
    ops.exp(ops.ones(3))
    with caplog.at_level(logging.WARNING, "mindspore_compat"):
        p.stop()
        p.start()
        p.start()
        p.step()
        p.add_metadata_json("broken", "{")
        ops.sin(ops.ones(3))
        p.stop()
    ((*names,),) = traces(tmp_path)
    assert "aten::sin" in names and "aten::exp" not in names and len(caplog.records) == 4


def test_a_file_starts_a_profile(tmp_path: Path) -> None:
    monitor = profiler.DynamicProfilerMonitor(str(tmp_path), str(tmp_path / "out"), poll_interval=0)
    calls: list[Any] = [ops.exp, ops.sin, ops.cos, ops.tan, ops.sqrt]
    for number, call in enumerate(calls):
        call(ops.ones(3))
        if number == 0:
            (tmp_path / "profiler_config.json").write_text('{"start_step": 2, "stop_step": 3}')
        monitor.step()
    ((*names,),) = traces(tmp_path / "out")
    assert {"aten::cos", "aten::tan"} <= set(names) and not {"aten::sin", "aten::sqrt"} & set(names)
    with pytest.raises(ValueError, match="cfg_path"):
        profiler.DynamicProfilerMonitor()


def test_the_environment_starts_a_profile(tmp_path: Path) -> None:
    options = json.dumps({"start": True, "output_path": str(tmp_path / "out"), "activities": ["CPU"]})
    program = "import mindspore_compat as ms; ms.ops.exp(ms.ops.ones(3))"
    done = run_python("-c", program, cwd=tmp_path, environment={"MS_PROFILER_OPTIONS": options}, fresh=True)
    assert done.returncode == 0, done.stderr
    ((*names,),) = traces(tmp_path / "out")
    assert "aten::exp" in names


def test_traces_need_no_analysis(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from mindspore_compat.profiler.profiler import Profiler, analyse

    assert Profiler is profiler.Profiler
    logging.getLogger("mindspore_compat").propagate = True
    analyse(str(tmp_path))
    assert "holds no trace" in caplog.text
    caplog.clear()
    (tmp_path / "a.pt.trace.json").write_text("{}")
    analyse(str(tmp_path))
    assert not caplog.text and (tmp_path / "a.pt.trace.json").read_text() == "{}"
    with pytest.raises(TypeError):
        analyse(3)  # type: ignore[arg-type]


def test_a_profiler_that_nobody_stops_writes_its_trace_at_the_end(tmp_path: Path) -> None:
    program = (
        "import sys, mindspore_compat as ms\n"
        "profiler = ms.profiler.Profiler(output_path=sys.argv[1])\n"
        "ms.ops.exp(ms.ops.ones(3))"
    )
    # the process of torch's own profiler would end with a segmentation fault
    done = run_python("-c", program, str(tmp_path / "out"), cwd=tmp_path, fresh=True)
    assert done.returncode == 0, done.stderr
    ((*names,),) = traces(tmp_path / "out")
    assert "aten::exp" in names


def test_one_profile_records_at_a_time(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("mindspore_compat").propagate = True
    first = profiler.Profiler(output_path=str(tmp_path / "first"))
    second = profiler.Profiler(output_path=str(tmp_path / "second"))
    assert "Another profile is recording" in caplog.text
    ops.exp(ops.ones(3))
    second.analyse()
    assert "nothing was recorded" in caplog.text
    first.analyse()
    ((*names,),) = traces(tmp_path / "first")
    assert "aten::exp" in names and not (tmp_path / "second").exists()
    third = profiler.Profiler(output_path=str(tmp_path / "third"), start_profile=False)
    third.analyse()
    assert not (tmp_path / "third").exists()
    third.start()
    third.analyse()
    assert len(traces(tmp_path / "third")) == 1
