"""Compare the losses in two logs of LossMonitor: python compare.py A.log B.log [COUNT]"""

import re
import sys


def losses(path):
    with open(path) as file:
        return [float(text) for text in re.findall(r"loss is (\S+)", file.read())]


a, b = losses(sys.argv[1]), losses(sys.argv[2])
count = min(len(a), len(b), int(sys.argv[3]) if len(sys.argv) > 3 else 6)
largest = max(abs(x - y) / abs(y) for x, y in zip(a[:count], b[:count]))
print(f"{count} losses, largest relative difference {largest:.1e}")
sys.exit(largest > 1e-3)
