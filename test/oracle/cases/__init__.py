"""The tables of operation cases, a module per family."""
from . import (activations, comparison, dtypes, edges, elementwise, indexing, layers, linear_algebra, losses, pooling,
               reductions, resizing, shapes, sorting)

TABLES = [module.table for module in (
    elementwise, comparison, reductions, shapes, indexing, linear_algebra, sorting, activations, resizing, pooling,
    layers, losses, dtypes, edges)]
