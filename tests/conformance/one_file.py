"""One upstream test file: pytest runs it in a process of its own, again without the culprit after a crash or a hang."""

import collections
import json
import os
import re
import signal
import subprocess
import time

from tests.conformance.suites import half

HERE = os.path.dirname(os.path.abspath(__file__))


def usage(pgid):
    """(CPU seconds, resident GiB) of a process group: CPU time judges a test the same on a busy machine."""
    ticks = pages = 0
    for pid in os.listdir("/proc"):
        if pid.isdigit():
            try:
                if os.getpgid(int(pid)) == pgid:
                    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as src:
                        fields = src.read().rpartition(")")[2].split()
                    ticks += sum(int(f) for f in fields[11:15])
                    pages += int(fields[21])
            except (OSError, IndexError, ValueError):
                pass
    return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE") / 2**30


def neutral_text(text):
    """A message without the folders of this machine."""
    return re.sub(r"(?<![\w.])/(?:[\w.+@-]+/)+", ".../", text)


def read_events(path, at):
    """Whole new lines since the offset."""
    if not os.path.exists(path):
        return [], at
    with open(path, "rb") as src:
        src.seek(at)
        data = src.read()
    end = data.rfind(b"\n") + 1
    events = []
    for line in data[:end].splitlines():
        try:
            events.append(json.loads(line))
        except ValueError:
            pass
    return events, at + end


class FileRun:
    """One test file: runs pytest, again without the culprit after a crash or a hang."""

    def __init__(self, args, work, root, job):
        self.args, self.work, self.root = args, work, root
        self.suite, self.ver, self.path, self.read, self.copies = job
        self.outcome, self.message, self.took = {}, {}, {}
        self.known, self.collect_error, self.notes = [], "", []
        self.start, self.cpu, self.spent = time.time(), 0.0, False

    def env(self, events, planfile):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("MSCONF_", "PYTEST_"))}
        scratch = os.path.join(self.work, "tmp")
        os.makedirs(scratch, exist_ok=True)
        path = [os.path.join(HERE, "boot")] + self.args.pythonpath + [self.root]
        env.update(
            PYTHONPATH=os.pathsep.join(path),
            MSCONF_ROOT=self.root,
            MSCONF_EVENTS=events,
            MSCONF_PLAN=planfile,
            MSCONF_APPEND_PATH=os.path.join(self.root, "tests/ut/python"),
            TMPDIR=scratch,
            MSCONF_FORCE_CPU="1",
            PATH=os.pathsep.join([f"{self.work}/bin", os.path.dirname(self.args.python), env.get("PATH", "")]),
            DEVICE_TARGET="CPU",
            GLOG_v="3",
            OMP_NUM_THREADS="1",
            OPENBLAS_NUM_THREADS="1",
            MKL_NUM_THREADS="1",
            MPLBACKEND="Agg",
            PYTHONHASHSEED="0",
            PYTHONDONTWRITEBYTECODE="1",
            PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
        )
        if self.args.hook:
            env["MSCONF_ALIAS_HOOK"] = self.args.hook
        return env

    def once(self, turn):
        """One pytest process. True: over; False: stopped in the middle, go on with what is left."""
        stem = os.path.join(self.work, f"{self.ver}-{self.path.replace('/', '-')}-{turn}")
        events, planfile = stem + ".events", stem + ".plan"
        if os.path.exists(events):  # of an earlier run in a work folder that was kept
            os.remove(events)
        with open(planfile, "w", encoding="utf-8") as out:
            json.dump({"skip_funcs": [f"{self.path}::{f}" for f in self.copies], "done": sorted(self.outcome)}, out)
        cwd = (
            os.path.join(self.root, "tests/ut/python")
            if self.path.startswith("tests/ut/")
            else os.path.dirname(os.path.join(self.root, self.path))
        )
        command = [
            self.args.python,
            "-W",
            "ignore",
            "-m",
            "pytest",
            "-p",
            "msconf_plugin",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:faulthandler",
            "-c",
            os.path.join(self.root, "msconf.ini"),
            "--rootdir",
            self.root,
            "--tb=short",
            "-q",
            "--disable-warnings",
            "--continue-on-collection-errors",
            os.path.join(self.root, self.path),
        ]
        with open(stem + ".log", "wb") as log:
            proc = subprocess.Popen(
                command,
                cwd=cwd,
                env=self.env(events, planfile),
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=lambda: os.nice(10),
            )
        at, running, over, why = 0, None, False, ""
        since, cpu_since, cpu = time.time(), 0.0, 0.0
        phases = collections.defaultdict(dict)
        while True:
            code = proc.poll()
            got, at = read_events(events, at)
            for ev in got:
                since, cpu_since = time.time(), cpu
                kind = ev["ev"]
                if kind == "collected":
                    self.known = sorted(set(self.known) | set(ev["ids"]))
                elif kind in ("collect_error", "collect_skip"):
                    self.collect_error = (kind, ev["msg"])
                elif kind == "import" and not ev["ok"]:
                    self.notes.append("import: " + ev["msg"])
                elif kind == "start":
                    running = ev["id"]
                elif kind == "report":
                    phases[ev["id"]][ev["when"]] = ev
                elif kind == "end":
                    running = None
                    self.settle(ev["id"], phases.pop(ev["id"], {}))
                elif kind == "done":
                    over = True
            if code is not None:
                why = "" if over else f"crash: exit {code}"
                break
            wall = time.time() - since
            cpu, rss = usage(proc.pid)
            limit = self.args.test_timeout
            if over and wall > 20:
                why = ""  # pytest has finished but the interpreter does not end
            elif cpu - cpu_since > limit or wall > 4 * limit or (wall > limit and cpu - cpu_since < wall / 20):
                why = "timeout"
            elif self.cpu + cpu > self.args.timeout or time.time() - self.start > 4 * self.args.timeout:
                why = "timeout"
                self.spent = True
            elif rss > self.args.max_rss:
                why = f"timeout: over {self.args.max_rss} GiB"
            else:
                time.sleep(0.25)
                continue
            break
        try:
            os.killpg(proc.pid, signal.SIGKILL)
        except OSError:
            pass
        proc.wait()
        self.cpu += cpu
        if over or not why:
            return True
        if running:
            self.outcome[running] = "timeout" if why.startswith("timeout") else "error"
            self.message[running] = why
        else:
            self.notes.append(f"{why} outside a test (turn {turn})")
            with open(stem + ".log", "rb") as log:
                tail = log.read()[-300:].decode("utf-8", "replace")
            self.notes.append(tail.replace("\n", " | "))
            return True
        return False

    def settle(self, nodeid, phases):
        took = round(sum(p["dur"] for p in phases.values()), 3)
        for when in ("setup", "call", "teardown"):
            ev = phases.get(when)
            if ev and ev["outcome"] != "passed":
                out = ev["outcome"] if when == "call" or ev["outcome"] == "skipped" else "error"
                self.outcome[nodeid], self.message[nodeid] = out, ev["msg"]
                break
        else:
            self.outcome[nodeid], self.message[nodeid] = ("passed", "") if "call" in phases else ("error", "no call")
        self.took[nodeid] = took

    def run(self):
        """All turns, then one row for each test."""
        wanted = [f for f in self.read.tests if f not in self.copies]
        rows = []
        if self.read.tests and not wanted:
            return rows
        for turn in range(self.args.restarts + 1):
            if self.once(turn) or self.spent:
                break
        for nodeid in self.known:
            if nodeid not in self.outcome:
                self.outcome[nodeid] = "timeout"
                self.message[nodeid] = "not reached: " + "; ".join(self.notes)[:200]
        seen = {n.partition("[")[0] for n in self.outcome}
        collect = {}
        if not self.known:  # nothing collected: name the tests that the text holds
            kind, msg = self.collect_error or ("collect_error", "; ".join(self.notes) or "nothing collected")
            for func in wanted:
                nodeid = f"{self.path}::{func}"
                if nodeid not in seen:
                    collect[nodeid] = True
                    self.outcome[nodeid] = "skipped" if kind == "collect_skip" else "error"
                    self.message[nodeid] = msg
        for nodeid in sorted(self.outcome):
            func = nodeid.partition("[")[0].partition("::")[2]
            info = self.read.tests.get(func, {})
            row = {
                "suite": self.suite,
                "ver": self.ver,
                "file": self.path,
                "nodeid": nodeid,
                "outcome": self.outcome[nodeid],
                "message": neutral_text(self.message.get(nodeid, ""))[:300],
                "tags": info.get("tags", []),
                "half": half(nodeid),
                "dur": self.took.get(nodeid, 0),
            }
            if nodeid in collect:
                row["collect"] = True
            rows.append(row)
        return rows
