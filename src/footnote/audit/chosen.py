"""A set of sequences as a bitmap: a million records take 125 KB, so that a selection never costs what the log does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


class Chosen:
    """Sequences from 1 to `size`; in order, whatever the order they were added in."""

    def __init__(self, size: int, members: Iterable[int] = ()) -> None:
        self._bits = bytearray(size // 8 + 1)
        self.size = size
        self.count = 0
        for sequence in members:
            self.add(sequence)

    def add(self, sequence: int) -> None:
        """Put a sequence in; once is enough.

        Raises IndexError if it is not from 1 to `size`.
        """
        if not 1 <= sequence <= self.size:
            raise IndexError(f"{sequence} is not a sequence from 1 to {self.size}")
        byte, bit = divmod(sequence, 8)
        if not self._bits[byte] >> bit & 1:
            self._bits[byte] |= 1 << bit
            self.count += 1

    def __contains__(self, sequence: int) -> bool:
        return 1 <= sequence <= self.size and bool(self._bits[sequence // 8] >> sequence % 8 & 1)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[int]:
        for byte, bits in enumerate(self._bits):
            if bits:
                yield from (byte * 8 + bit for bit in range(8) if bits >> bit & 1)

    def runs(self) -> Iterator[tuple[int, int]]:
        """Stretches without a gap, as stores read them: behind the first number, up to the second."""
        after = upto = -1
        for sequence in self:
            if sequence != upto + 1 or after < 0:
                if after >= 0:
                    yield after, upto
                after = sequence - 1
            upto = sequence
        if after >= 0:
            yield after, upto
