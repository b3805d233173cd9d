"""Record what NumPy says about many dtypes, for dtype_test.go.

Run with a Python that has numpy:  python gen_dtypes.py > dtypes.json
"""

import json
import sys
import warnings

import numpy as np
from numpy.lib import format as npy

warnings.simplefilter("ignore")

point = [("x", "<f8"), ("y", "<f8")]
mixed = [("flag", "?"), ("n", "i1"), ("s", "S3"), ("u", "U4"), ("v", "V5")]


def aligned(fields):
    return np.dtype(fields, align=True)


SIMPLE = """
? b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 f16 c8 c16 c32 >i1 >i2 >i4 >i8 >u1 >u2 >u4 >u8 >f2 >f4 >f8 >f16 >c8 >c16 >c32 =i4 =f8 |i1 |u1 |b1
S S0 S1 S7 S300 a5 c >S3 U U0 U1 U10 <U10 >U10 >U1 U1000 V V0 V1 V5 V1000
M8 m8 >M8 >m8 M8[Y] M8[M] M8[W] M8[D] M8[h] M8[m] M8[s] M8[ms] M8[us] M8[ns] M8[ps] M8[fs] M8[as] M8[25ns] M8[1ns] M8[2Y] >M8[ns] >M8[25us] M8[generic]
m8[ns] m8[7D] m8[100us] >m8[as] datetime64 datetime64[ns] datetime64[100ms] timedelta64 timedelta64[D]
bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 float128 complex64 complex128 complex256
half single double longdouble csingle cdouble clongdouble byte ubyte short ushort intc uintc int uint intp uintp long ulong longlong ulonglong float complex str bytes void
b h i l q p n B H I L Q P N e f d g F D G >h >d <q
""".split()

STRUCTURED = [
    [],
    [("a", "<i4")],
    point,
    mixed,
    [("a", "<i4"), ("b", "<f8", (2,))],
    [("a", ">i4"), ("b", ">f8", (2, 3)), ("c", ">U3"), ("d", ">M8[ns]")],
    [("a", "i4", 1)],
    [("a", "i4", (1,))],
    [("a", "i4", ())],
    [("a", "i4", (0,))],
    [("a", ("i4", (2,)), (3,))],
    [("a", (("i4", (2,)), (3,)))],
    [("", "i4"), ("", "f8")],
    [("p", point), ("q", point, (4,))],
    [("p", [("q", [("r", [("s", "i2"), ("t", mixed)])])])],
    [("a", "V0")],
    [("a", "S0"), ("b", "U0")],
    [("a", "S")],
    [("a", "M8"), ("b", "m8"), ("c", "M8[25ns]"), ("d", "m8[D]")],
    [("a", "f2"), ("b", "g"), ("c", "F"), ("d", "G")],
    [("a", []), ("b", "i1")],
    [("a", [], (2,))],
    [(("Title", "a"), ">f4"), ("b", "i2")],
    [(("T1", "a"), "f4"), (("T2", "b"), "i2", (2,))],
    [(("T1", "a"), point)],
    [("a'", "i4")],
    [('a"', "i4")],
    [("a'\"\\", "i4")],
    [("a\nb\tc\rd", "i4")],
    [("\x00\x01\x7f\x80\xa0\xad", "i4")],
    [("\u00e9\u6f22\u200b\ue000\U0001f600\U000e0001", "i4")],
    [("a b", "i4"), ("(c", "i4"), ("d]", "i4"), ("{'e':", "i4")],
    [("f1", "i4"), ("\N{GREEK SMALL LETTER MU}", "i4")],
    aligned([("a", "i1"), ("b", "i4")]),
    aligned([("a", "i1"), ("b", "f8"), ("c", "i1")]),
    aligned([("a", "i4"), ("b", "i4")]),
    aligned([("a", "i1"), ("b", "g")]),
    aligned([("a", "i1"), ("b", "c16"), ("c", "c8")]),
    aligned([("a", "i1"), ("b", "U1"), ("c", "S3"), ("d", "M8[s]"), ("e", "?")]),
    aligned([("a", "i1"), ("b", "i4", (3,))]),
    aligned([("a", "i1"), ("b", point)]),
    aligned([(("T", "a"), "i1"), ("b", "i8")]),
    aligned([]),
    [("a", aligned([("x", "i1"), ("y", "f8")]))],
    [("p", "i1"), ("a", aligned([("x", "i1"), ("y", "f8")]), (2,))],
    aligned([("p", "i1"), ("a", aligned([("x", "i1"), ("y", "f8")]))]),
    {"names": ["a", "b"], "formats": ["i4", "i1"], "offsets": [0, 4]},
    {"names": ["a", "b"], "formats": ["i4", "i1"], "offsets": [4, 0]},
    {"names": ["a", "b"], "formats": ["i4", "i1"], "offsets": [0, 0]},
    {"names": ["a", "b"], "formats": ["i4", "i1"], "offsets": [0, 8], "itemsize": 16},
    {"names": ["a"], "formats": ["?"], "itemsize": 8},
    {"names": ["a"], "formats": ["<U3"], "offsets": [5], "itemsize": 100},
    {"names": [], "formats": [], "offsets": [], "itemsize": 12},
    {"names": ["a", "b"], "formats": ["i4", "i4"], "titles": ["x", None]},
    {"names": ["a", "b"], "formats": ["i4", "i4"], "titles": ["x", None], "offsets": [2, 8]},
    {"names": ["a", "b"], "formats": ["i1", "i4"], "aligned": True},
    {"names": ["a", "b"], "formats": ["i1", "i4"], "offsets": [0, 8], "itemsize": 16, "aligned": True},
    {"names": ["p"], "formats": [{"names": ["a"], "formats": ["i2"], "offsets": [2]}], "offsets": [1]},
    {"names": ["p"], "formats": [({"names": ["a"], "formats": [">i2"], "offsets": [2]}, (2, 2))]},
    [("p", {"names": ["a"], "formats": ["i2"], "offsets": [2]}), ("q", {"names": ["a", "b"], "formats": ["i2", "i2"], "offsets": [2, 0]})],
    ("<i4", (2,)),
    (">f8", (2, 3)),
    ("i4", 1),
    (("i4", (2,)), (3,)),
    (point, (2,)),
    ("S3", (4,)),
    ("?", (8,)),
    (np.record, [("a", "i4"), ("b", "S2")]),
    (np.record, {"names": ["a"], "formats": ["i2"], "offsets": [2]}),
    [("r", np.dtype((np.record, [("a", "i4")])))],
]


def stored(dtype):
    """What python-blosc2 puts into the b2nd metalayer."""
    return str(dtype) if dtype.kind == "V" else dtype.str


def describe(dtype):
    if dtype.names is None and dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return {"elem": stored(base), "shape": list(shape)}
    if dtype.names is None:
        return {}
    fields = []
    for name in dtype.names:
        kind, offset, *title = dtype.fields[name]
        fields.append([name, title[0] if title else "", offset, stored(kind)])
    return {"fields": fields, "aligned": dtype.isalignedstruct}


def reread(text):
    """The dtype as python-blosc2 reads it back, or None."""
    import ast

    try:
        return np.dtype(text)
    except (ValueError, TypeError, SyntaxError):
        pass
    try:
        return np.dtype(ast.literal_eval(text))
    except (ValueError, TypeError, SyntaxError):
        return None


def row(spec):
    dtype = np.dtype(spec)
    try:
        descr = repr(npy.dtype_to_descr(dtype))
    except ValueError:
        descr = ""
    back = reread(stored(dtype))
    out = {
        "in": spec if isinstance(spec, str) else "",
        "repr": repr(dtype),
        "str": str(dtype),
        "short": dtype.str,
        "stored": stored(dtype),
        "descr": descr,
        "kind": dtype.kind,
        "size": dtype.itemsize,
        # Does the stored text keep the layout? NumPy loses gaps of nested aligned structures.
        "lossless": back is None or back.itemsize == dtype.itemsize,
        **describe(dtype),
    }
    return {k: v for k, v in out.items() if v not in ("", False)}


def main():
    rows = [row(spec) for spec in SIMPLE + STRUCTURED]
    sys.stdout.write("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")


main()
