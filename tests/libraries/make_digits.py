"""Pictures for mindarmour's tests, in place of the MNIST file that its repository stores elsewhere:
``python make_digits.py FILE.npy``, 64 of (1, 32, 32) between 0 and 1.
"""

import sys

import numpy as np

np.save(sys.argv[1], np.random.default_rng(0).random((64, 1, 32, 32), dtype=np.float32))
