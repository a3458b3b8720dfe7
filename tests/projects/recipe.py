"""What a recipe consists of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["LOSS", "SHARED_DROPOUT", "UNSTEADY", "Edit", "Project", "Stage", "losses_in"]

LOSS = r"(?i)loss(?!\w*scale)\w*[^\d\n]{0,12}?((?<![\d.])-?\d+\.\d*(?:e[-+]?\d+)?|nan|inf)\b"
"""A number with a point within a few signs after a word that ends in loss: "loss is 2.3", "avg_loss: 2.3", "loss:[2.3/2.3]"."""

SHARED_DROPOUT = "dropout; after some steps real MindSpore's threads share its generator, in another order in each run"
UNSTEADY = "two runs of real MindSpore with this seed differ by as much"


@dataclass(frozen=True)
class Edit:
    """In each file that matches ``glob`` (below the project), what ``pattern`` matches becomes ``new``; a pattern
    without a match is an error.

    ``Project.edits`` are for both sides and only for configuration, which is data; ``Project.real`` are for real
    MindSpore alone.
    """

    glob: str
    pattern: str
    new: str


@dataclass(frozen=True)
class Stage:
    """One run of one of the project's scripts.

    Args:
        name: "train", "eval", "export", "data", or another short word.
        command: script and arguments, relative to the project's folder. ``{data}`` and ``{out}`` are folders,
            ``{newest:GLOB}`` is the file below the project or ``{out}`` that matches and was written last.
        makes: what must exist below the project or ``{out}`` after it and be new, a glob; "" for nothing. Default: by
            the stage's name.
        loss: regular expression, group 1 is the loss.
        says: regular expression that the output must contain, for scripts that end well without having done their work.
        folder: where the command runs, below the project.
    """

    name: str
    command: str
    makes: str | None = None
    loss: str = LOSS
    says: str = ""
    timeout: float = 240
    folder: str = "."

    @property
    def product(self) -> str:
        return {"train": "**/*.ckpt", "export": "**/*.mindir"}.get(self.name, "") if self.makes is None else self.makes


@dataclass(frozen=True)
class Project:
    """A published project.

    Args:
        path: its folder below the checkout of the model zoo.
        kind: what it does, in a word or two.
        data: gets the empty data folder and fills it.
        stages: in order; a stage that fails does not keep the others from being tried.
        edits: changes of configuration files (yaml, json, config.py), for both.
        real: what real MindSpore needs changed: (what and why) in words, and the edits.
        chance: what is drawn at random in the network itself, so that first losses differ even with nothing random in
            the data.
        needs: other folders of the zoo that it reads, kept in their place beside it.
        environment: variables for both.
    """

    name: str
    path: str
    kind: str
    data: Callable[[Path], object]
    stages: tuple[Stage, ...]
    edits: tuple[Edit, ...] = ()
    real: tuple[Edit, ...] = ()
    real_why: str = ""
    chance: str = ""
    needs: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


def losses_in(text: str, pattern: str = LOSS) -> list[float]:
    """The losses in a run's output, in order."""
    return [float(found.group(1)) for found in re.finditer(pattern, text)]
