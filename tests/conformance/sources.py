"""The upstream test files: taken out of the mirrors into a work folder, and which of them a run takes."""

import os
import subprocess

from tests.conformance import scan
from tests.conformance.suites import ORDER, REPOS, SUITES, kept, mirror

# Upstream support modules that only reach into the C++ core: replaced by neutral ones, the same for every package.
NEUTRAL = {
    "tests/vm_impl/__init__.py": "vm = None\n",
    "tests/vm_impl/vm_interface.py": "vm = None\n",
    "tests/vm_impl/array_ops_vm_impl.py": "",
    "tests/vm_impl/math_ops_vm_impl.py": "",
    "tests/vm_impl/nn_ops_vm_impl.py": "",
    "tests/vm_impl/vm_me.py": "",
    "tests/security_utils.py": "def security_off_wrap(func):\n    return func\n",
    # the level and platform marks are ignored (and upstream's own check of them refuses some of upstream's tests)
    "tests/mark_utils.py": "import numpy as np\n\n\ndef arg_mark(*args, **kwargs):\n    def mark(func):\n"
    "        np.random.seed(1967515154)\n        return func\n    return mark\n",
}


# Upstream runs these on a backend that computes nothing: smaller batches make them possible on a real one.
_BIG = (
    ("(32, 3, 224, 224)", "(2, 3, 224, 224)"),
    ("(32, 3)", "(2, 3)"),
    ("batch_size=32", "batch_size=2"),
    ("64 * 222 * 222", "64 * 30 * 30"),
    ("3, 224, 224", "3, 32, 32"),
    ("(32, 10)", "(2, 10)"),
)
SHRINK = {
    "/test_training.py": _BIG,
    "/test_image_summary.py": _BIG,
    "/utils/test_callback.py": _BIG,
    "/utils/test_serialize.py": _BIG,
    "/mix_precision/test_mix_precision.py": _BIG,
    "/mix_precision/test_mix_precision_auto.py": _BIG,
}


UPSTREAM_MNIST = b"/home/workspace/mindspore_dataset/mnist"


def extract(ver, into, mnist):
    """All of tests/ of one mirror's HEAD; blobs that the mirror lacks are left out (git archive would stop there)."""
    git = ["git", "--git-dir", os.path.join(mirror(), REPOS[ver])]
    listing = subprocess.run(
        git + ["ls-tree", "-r", "HEAD", "--", "tests/"], check=True, capture_output=True, text=True
    )
    entries = []
    for line in listing.stdout.splitlines():
        meta, path = line.split("\t", 1)
        _, kind, sha = meta.split()
        if kind == "blob" and not path.startswith('"'):
            entries.append((sha, path))
    head = subprocess.run(git + ["rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    with subprocess.Popen(
        git + ["cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as proc:
        for sha, path in entries:
            proc.stdin.write((sha + "\n").encode())
            proc.stdin.flush()
            head_line = proc.stdout.readline().decode().split()
            if head_line[-1] == "missing":
                continue
            data = proc.stdout.read(int(head_line[2]))
            proc.stdout.read(1)
            if path.endswith(".py"):
                data = data.replace(UPSTREAM_MNIST, mnist.encode())
            for end, pairs in SHRINK.items():
                if path.endswith(end):
                    for old, new in pairs:
                        data = data.replace(old.encode(), new.encode())
            target = os.path.join(into, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as out:
                out.write(data)
        proc.stdin.close()
    for path, text in NEUTRAL.items():
        with open(os.path.join(into, path), "w", encoding="utf-8") as out:
            out.write(text)
    with open(os.path.join(into, "msconf.ini"), "w", encoding="utf-8") as out:
        out.write("[pytest]\naddopts =\n")
    return head


def files_of(source, root):
    """The test files of one source, as paths relative to the root."""
    found = []
    for path in source["paths"]:
        full = os.path.join(root, path)
        if os.path.isfile(full):
            found.append(path)
        for folder, _, names in os.walk(full):
            found += [
                os.path.relpath(os.path.join(folder, n), root)
                for n in names
                if n.startswith("test_") and n.endswith(".py")
            ]
    found = sorted(set(found))
    found = [p for p in found if not any(s in "/" + p for s in source.get("skip", ()))]
    if "sample" in source:
        found = [p for p in found if kept(p, source["sample"])]
    if "need" in source:
        keep = []
        for p in found:
            with open(os.path.join(root, p), encoding="utf-8", errors="replace") as src:
                if source["need"] in src.read():
                    keep.append(p)
        found = keep
    return found


def plan(roots):
    """[(suite, ver, path, scan.File, functions left out as unchanged copies)], the same whatever is selected."""
    jobs, owner = [], {}
    for ver in REPOS:  # newest first
        taken = set()
        for suite in ORDER:
            for source in SUITES[suite]:
                if source["ver"] != ver:
                    continue
                for path in files_of(source, roots[ver]):
                    if path in taken:
                        continue
                    taken.add(path)
                    read = scan.File(roots[ver], path)
                    copies = set()
                    for func, info in read.tests.items():
                        key = (func, info["key"])
                        if key in owner and owner[key] != (ver, path):
                            copies.add(func)
                        else:
                            owner[key] = (ver, path)
                    jobs.append((suite, ver, path, read, copies))
    rank = {s: i for i, s in enumerate(ORDER)}
    vers = list(REPOS)
    return sorted(jobs, key=lambda j: (rank[j[0]], vers.index(j[1]), j[2]))
