"""MindSpore: ``mindspore.compression.common.constant``."""

from __future__ import annotations

import enum

__all__ = ["QuantDtype"]


@enum.unique
class QuantDtype(enum.Enum):
    """Types to quantize to. MindSpore 1.x had this class; 2.x has ``mindspore.QuantDtype``, which is accepted, too."""

    INT2, INT3, INT4, INT5, INT6, INT7, INT8 = (f"INT{bits}" for bits in range(2, 9))
    UINT2, UINT3, UINT4, UINT5, UINT6, UINT7, UINT8 = (f"UINT{bits}" for bits in range(2, 9))
    FLOAT16, FLOAT32 = "FLOAT16", "FLOAT32"

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def is_signed(dtype: QuantDtype) -> bool:
        """Return whether it is an INT type."""
        return dtype.name.startswith("INT")

    @staticmethod
    def switch_signed(dtype: QuantDtype) -> QuantDtype:
        """Return the UINT type of as many bits as an INT type, and vice versa. Raises: KeyError for a float type."""
        name = dtype.name
        return QuantDtype[name[1:] if name.startswith("U") else f"U{name}"]

    @property
    def value(self) -> int:  # type: ignore[override]
        """The number of bits."""
        return int("".join(filter(str.isdigit, self.name)))

    @property
    def num_bits(self) -> int:
        """The number of bits."""
        return self.value
