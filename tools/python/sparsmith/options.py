"""The options of a conversion, under the names that spconv's flags have."""

import operator
import re

from . import _sparsmith
from .errors import InputError

ORDERS = ("morton", "row", "diagonal")
HOLDINGS = ("coo", "ell", "hybrid")
RENUMBERINGS = ("auto", "length", "none")
LAYOUTS = ("blocks", "tile", "thesis")
SYMMETRIC = ("full", "half")
NAMES = (
    "max_fill slice sigma width symmetric diagonals block beta group window layout order index holding tile renumber rest"
).split()


def settled(format, given):
    """What is made in the end, and with which options: a layout with other arrays is a format of its own."""
    names = _sparsmith.format_names()
    if not isinstance(format, str):
        raise TypeError(f"format: expected a name such as 'bsr', not {type(format).__name__}")
    if format not in names:
        raise InputError(f"there is no format {format!r}, only {', '.join(names)}")
    for name in given:
        if name not in NAMES:
            raise TypeError(f"there is no option {name!r}, only {', '.join(NAMES)}")
    made = _format_made(format, given)
    for name in given:
        meant = _sparsmith.formats_with("--" + name.replace("_", "-"))
        if meant and made not in meant:
            raise InputError(f"{name} means nothing for {made} (it is for {', '.join(meant)})")
    options = _sparsmith.Options()
    for name, value in given.items():
        _set(options, name, value)
    return made, options


def _format_made(format, given):
    layout = _word("layout", given.get("layout", "blocks"), LAYOUTS)
    symmetric = _word("symmetric", given.get("symmetric", "full"), SYMMETRIC)
    in_tiles = format in ("gcsb_tile", "gcsb_tile_half")
    if in_tiles and given.get("layout", "tile") != "tile":
        raise InputError(f"{format} is layout 'tile': leave layout out")
    if format.endswith("_half") and given.get("symmetric") == "full":
        raise InputError(f"{format} stores half of the matrix: leave symmetric='full' out")
    if layout == "tile" and not in_tiles:
        if format != "gcsb":
            raise InputError(f"layout='tile' is one of gcsb, not of {format}")
        format = "gcsb_tile"
    if symmetric == "half" and not format.endswith("_half"):
        halves = [name.removesuffix("_half") for name in _sparsmith.format_names() if name.endswith("_half")]
        if format not in halves:
            raise InputError(f"symmetric='half' is for {', '.join(halves)}, not for {format}")
        return format + "_half"
    return format


def _set(options, name, value):
    if name in ("slice", "sigma", "width", "beta", "window", "rest"):
        setattr(options, name, whole(name, value))
    elif name == "max_fill":
        options.max_fill = number(name, value)
    elif name == "diagonals":
        options.diagonals = {"auto": -1.0, "all": 0.0}[value] if value in ("auto", "all") else _share(value)
    elif name == "group":
        options.set_group(whole(name, value))
    elif name == "index":
        options.set_index(0 if value == "auto" else whole(name, value))
    elif name == "block":
        options.set_block(*_sides(name, value))
    elif name == "tile":
        if value != "auto":
            options.set_tile(*_sides(name, value))
    elif name == "order":
        options.set_order(ORDERS.index(_word(name, value, ORDERS)))
    elif name == "holding":
        if value != "auto":
            options.set_holding(HOLDINGS.index(_word(name, value, (*HOLDINGS, "auto"))))
    elif name == "renumber":
        options.set_renumber(RENUMBERINGS.index(_word(name, value, RENUMBERINGS)))
    elif name == "layout":
        options.thesis = value == "thesis"


def _word(name, value, words):
    if value not in words:
        raise InputError(f"{name}: expected {', '.join(map(repr, words))}, not {value!r}")
    return value


def whole(name, value, most=2**31 - 1):
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, not {value!r}") from None
    if not 0 <= found <= most:
        raise InputError(f"{name}: {found} is not in 0..{most}")
    return found


def number(name, value):
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name}: expected a number, not {value!r}")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{name}: expected a number, not {value!r}") from None


def _share(value):
    share = number("diagonals", value)
    if not 0 < share <= 1:
        raise InputError(f"diagonals: expected 'auto', 'all' or a share of the rows such as 0.5, not {value!r}")
    return share


def _sides(name, value):
    """Rows and columns: 4, (4, 2), '4' or '4x2'."""
    if isinstance(value, str):
        typed = re.fullmatch(r"(\d+)(?:x(\d+))?", value)
        if not typed:
            raise InputError(f"{name}: expected sides such as 4, (4, 2) or '4x2', not {value!r}")
        rows, cols = typed[1], typed[2] or typed[1]
        return whole(name, int(rows)), whole(name, int(cols))
    if isinstance(value, (tuple, list)):
        if len(value) != 2:
            raise InputError(f"{name}: expected two sides, not {value!r}")
        return whole(name, value[0]), whole(name, value[1])
    side = whole(name, value)
    return side, side
