"""The tables of operation cases, a module per family."""
from . import (activations, comparison, creation, dtypes, edges, elementwise, indexing, inplace, layers, linear_algebra, losses,
               pooling, reductions, resizing, second_names, shapes, sorting)

TABLES = [module.table for module in (
    elementwise, comparison, reductions, shapes, indexing, linear_algebra, sorting, activations, resizing, pooling,
    layers, losses, dtypes, edges, inplace, second_names, creation)]
