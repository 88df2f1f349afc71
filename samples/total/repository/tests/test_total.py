import pytest

from calc.table import parse_table
from calc.total import total


def test_first_row():
    table = parse_table("item,price\npen,2.50\nbook,12.00\n")
    assert total(table, "price") == 14.5


def test_no_rows():
    assert total(parse_table("item,price\n"), "price") == 0


def test_unknown_column():
    with pytest.raises(KeyError):
        total(parse_table("item,price\npen,2.50\n"), "weight")
