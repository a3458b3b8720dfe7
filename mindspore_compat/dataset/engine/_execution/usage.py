"""What Linux tells in ``/proc`` of processors and memory."""

from __future__ import annotations

import os

__all__ = ["machine", "memory", "process_times", "system_memory"]

_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _kilobytes(path: str) -> dict[str, float]:
    """{name: MB} of lines ``name: 12 kB``."""
    words = (line.split() for line in _read(path).splitlines())
    return {line[0].rstrip(":"): int(line[1]) / 1024 for line in words if line[2:] == ["kB"]}


def process_times(number: int) -> tuple[float, float] | None:
    """Seconds of processor time of a process, its own and the system's; None where it is gone."""
    try:
        fields = _read(f"/proc/{number}/stat").rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[11]) / _TICKS, int(fields[12]) / _TICKS


def machine() -> dict[str, int]:
    """Counters of all processors: ticks by what they were spent on, switches between processes; and what runs now."""
    lines = dict(line.split(maxsplit=1) for line in _read("/proc/stat").splitlines())
    ticks = list(map(int, lines["cpu"].split()[:8]))
    return {
        "user": ticks[0] + ticks[1],
        "system": ticks[2] + ticks[5] + ticks[6],
        "idle": ticks[3],
        "waiting": ticks[4],
        "all": sum(ticks),
        "switches": int(lines["ctxt"]),
        "running": int(lines["procs_running"]),
    }


def memory() -> dict[str, float]:
    """MB of this process: its share of what others have too counted by parts (``pss``), in memory, addressed."""
    found = _kilobytes("/proc/self/smaps_rollup")
    return {"pss": found["Pss"], "rss": found["Rss"], "vss": int(_read("/proc/self/statm").split()[0]) * _PAGE / 2**20}


def system_memory() -> dict[str, float]:
    """MB of the machine."""
    found = _kilobytes("/proc/meminfo")
    total, free = found["MemTotal"], found["MemAvailable"]
    return {"total": total, "available": free, "used": total - free}
