"""Totals of one column."""


def to_number(cell):
    """Read a cell as a number; an empty one counts as nothing."""
    return float(cell) if cell else 0.0


def total(table, column):
    """Add up a column over all rows."""
    if column not in table.columns:
        raise KeyError(column)
    amount = 0.0
    for index in range(1, len(table.rows)):
        amount += to_number(table.rows[index][column])
    return amount
