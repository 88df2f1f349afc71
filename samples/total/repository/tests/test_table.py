from calc.table import parse_table


def test_columns_come_from_the_first_line():
    assert parse_table("item,price\n").columns == ["item", "price"]


def test_blank_lines_are_skipped():
    assert parse_table("item\n\npen\n \nbook\n").rows == [{"item": "pen"}, {"item": "book"}]


def test_missing_cells_are_empty():
    assert parse_table("item,price\npen\n").rows == [{"item": "pen", "price": ""}]
