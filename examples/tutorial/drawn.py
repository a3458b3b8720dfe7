"""Drawn digits: 16 x 16 pictures of a seven-segment display, shifted and with noise."""

import numpy as np

SEGMENTS = ["abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcdfg"]
BARS = {
    "a": (0, 1, 0, 6),
    "b": (0, 6, 5, 6),
    "c": (5, 11, 5, 6),
    "d": (10, 11, 0, 6),
    "e": (5, 11, 0, 1),
    "f": (0, 6, 0, 1),
    "g": (5, 6, 0, 6),
}


def draw(digit, random):
    """Draw one digit as an array of uint8, (16, 16, 1)."""
    image = random.uniform(0, 30, (16, 16))
    top, left = random.randint(1, 4), random.randint(3, 6)
    for name in SEGMENTS[digit]:
        y0, y1, x0, x1 = BARS[name]
        image[top + y0 : top + y1 + 1, left + x0 : left + x1 + 1] += random.uniform(80, 160)
    return image.clip(0, 255).astype(np.uint8)[..., None]


class Digits:
    """Source of GeneratorDataset."""

    def __init__(self, count, seed):
        random = np.random.RandomState(seed)
        self.labels = random.randint(0, 10, count)
        self.images = [draw(label, random) for label in self.labels]

    def __getitem__(self, index):
        return self.images[index], self.labels[index]

    def __len__(self):
        return len(self.labels)
