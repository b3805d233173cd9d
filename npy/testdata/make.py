"""Write the goldens: arrays of every dtype and layout, as NumPy writes them.

Run with a Python that has NumPy:  python make.py

stored.npz and deflated.npz have one member per case; goldens.json says what they hold.
"""

import base64
import io
import json
import zipfile

import numpy as np
from numpy.lib import format as npy

SCALARS = """
? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 f16 c8 c16 c32 >i2 >i4 >i8 >u2 >u4 >u8 >f2 >f4 >f8 >f16 >c8 >c16 >c32
S1 S7 S0 U1 U5 >U3 U0 V1 V5 M8 m8 M8[Y] M8[M] M8[W] M8[D] M8[h] M8[m] M8[s] M8[ms] M8[us] M8[ns] M8[ps] M8[fs] M8[as]
M8[25ns] >M8[ns] m8[ns] m8[7D] >m8[as]
""".split()
point = [("x", "<f8"), ("y", ">f4")]
STRUCTURES = [
    point,
    [("a", "i1"), ("b", "<f8", (2,)), ("c", ">U3", (2, 1))],
    np.dtype([("a", "i1"), ("b", "<f8"), ("c", "i2")], align=True),
    np.dtype({"names": ["a", "b"], "formats": ["i2", "f4"], "offsets": [1, 8], "itemsize": 20}),
    [(("Title", "a"), ">i4"), ("b", point), ("c", point, (2,))],
    [("p", [("q", [("r", "M8[25ns]")])]), ("漢字", "S3"), ("it's", "?")],
    [("é", "u1")],
]


def opaque(a):
    return a.view(np.dtype((np.void, a.itemsize)))


def items(dtype, shape, seed):
    d = np.dtype(dtype)
    a = np.zeros(shape, d)
    fill(np.random.default_rng(seed), a)
    return a


def fill(rng, a):
    if a.dtype.names:
        for n in a.dtype.names:
            fill(rng, a[n])
    elif a.size and a.itemsize:
        a[...] = np.frombuffer(rng.bytes(a.size * a.itemsize), a.dtype).reshape(a.shape)


def main():
    rows = []
    with zipfile.ZipFile("stored.npz", "w") as stored, zipfile.ZipFile("deflated.npz", "w", zipfile.ZIP_DEFLATED) as deflated:

        def add(name, a, version=None, order="C"):
            if order == "F":
                a = np.array(opaque(a), order="F").view(a.dtype)
            b = io.BytesIO()
            npy.write_array(b, a, version)
            for z in (stored, deflated)[name == "long":]:
                z.writestr(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), b.getvalue(), z.compression)
            rows.append({
                "name": name, "dtype": repr(npy.dtype_to_descr(a.dtype)) if name != "long" else "", "shape": a.shape,
                "fortran": bool(a.flags.f_contiguous and not a.flags.c_contiguous), "own": version is None,
                "data": base64.b64encode(opaque(a).tobytes() if a.itemsize else b"").decode()})

        for i, d in enumerate(SCALARS + STRUCTURES):
            add(f"dtype-{i}", items(d, (2, 3), i))
            add(f"fortran-{i}", items(d, (2, 3), i), order="F")
        for i, shape in enumerate([(), (0,), (1,), (5,), (2, 0, 3), (1, 1, 4), (2, 3, 4), (2,) * 8]):
            add(f"shape-{i}", items("<u2", shape, i))
            add(f"shape-fortran-{i}", items("<u2", shape, i), order="F")
        for version in (1, 2, 3):
            add(f"version-{version}", items("<i4", (4, 2), version), (version, 0))
        add("long", items([(f"a_rather_long_name_of_field_{i}", "i1") for i in range(1500)], (1,), 1))
        for n in range(56, 66):  # every length of the padding
            add(f"padding-{n}", items([("n" * n, "u1")], (1,), n))
    with open("goldens.json", "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(r, ensure_ascii=False) for r in rows) + "\n]\n")
    np.save("object.npy", np.array([{}, []], dtype=object), allow_pickle=True)
    np.save("text.npy", np.array(["variable", "length"], dtype=np.dtypes.StringDType()), allow_pickle=True)


main()
