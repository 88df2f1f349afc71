"""Reading tables: a line of names, then one line for each row."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """Names of the columns, and the rows below them."""

    columns: list[str]
    rows: list[dict[str, str]]


def parse_table(text):
    """Read a table from text. Blank lines are skipped, missing cells at the end of a row are empty."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return Table([], [])
    columns = [cell.strip() for cell in lines[0].split(",")]
    return Table(columns, [parse_row(columns, line) for line in lines[1:]])


def parse_row(columns, line):
    """Read one row as a mapping from column to text."""
    cells = [cell.strip() for cell in line.split(",")]
    cells += [""] * (len(columns) - len(cells))
    return dict(zip(columns, cells))
