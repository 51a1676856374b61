"""The caller's memory, borrowed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class _Borrowed:
    def __init__(self, array: NDArray[Any]) -> None:
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}
        self.owner = array


def writable(array: NDArray[Any]) -> NDArray[Any]:
    """A view that Numba takes for writable: a read-only one (a memory map, say) would compile every loop again."""
    return array if array.flags.writeable else np.asarray(_Borrowed(array))
