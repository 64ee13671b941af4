"""Lineage: which rows made a figure, what each contributed, and whether they add up to it.

`analyse` reads one SELECT and says how each output column is made; `witness` writes the statement that returns the
contributing rows; `tie_out` recomputes every figure from them in exact arithmetic and compares. Pure: no I/O.
"""

from footnote.lineage.shape import Aggregate, BaseColumn, Block, Output, RowCheck, SourceTable
from footnote.lineage.tied import TiedOut, TiedRow
from footnote.lineage.tieout import tie_out_groups, tie_out_rows

__all__ = [
    "Aggregate",
    "BaseColumn",
    "Block",
    "Output",
    "RowCheck",
    "SourceTable",
    "TiedOut",
    "TiedRow",
    "tie_out_groups",
    "tie_out_rows",
]
