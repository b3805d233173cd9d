"""Writes the files of this folder with h5py: what is rare, and what h5py itself does not read.

    python make.py

needs h5py 3 and numpy. The files are committed; run it again only to add cases.
"""

import pathlib
import subprocess
import sys

import h5py
import numpy as np
from h5py import h5a, h5d, h5s, h5t

here = pathlib.Path(__file__).parent
zurich = "Zürich".encode("latin-1")


def latin(f):
    """Text that is not UTF-8, whatever the datatype says."""
    d = f.create_dataset("x", data=np.arange(6.0).reshape(2, 3))
    for attrs in f.attrs, d.attrs:
        attrs["fixed"] = np.bytes_(zurich)
        attrs["list"] = np.array([zurich, b"abc"])
        attrs.create("ascii", zurich, dtype=h5py.string_dtype("ascii"))
        attrs.create("utf8", zurich, dtype=h5py.string_dtype("utf-8"))
        attrs["right"] = "Zürich"
    f.create_dataset("texts", data=[zurich, "Zürich".encode(), b"abc"], dtype=h5py.string_dtype("utf-8"))
    f.create_dataset("bytes", data=[zurich, b"abc"], dtype=h5py.string_dtype("ascii"))


def damaged(f):
    """Three datasets, of which the second has a chunk with a changed bit."""
    for name in "abc":
        f.create_dataset(name, data=np.arange(400).reshape(20, 20), chunks=(5, 20), compression="gzip", fletcher32=True)
    chunk = f["b"].id.get_chunk_info(2)
    return chunk.byte_offset + chunk.size // 2


def times(f):
    """A table with times, as PyTables has them, and integers of 16 bytes; h5py reads neither."""
    t = h5t.create(h5t.COMPOUND, 20)
    fields = ("n", h5t.STD_I32LE), ("second", h5t.UNIX_D32BE), ("time", h5t.UNIX_D64LE), ("last", h5t.STD_U32LE)
    at = 0
    for name, member in fields:
        t.insert(name.encode(), at, member)
        at += member.get_size()
    raw = np.array([(1, 10**9, b"\1\2\3\4\5\6\7\x08", 7), (2, -1, b"", 8)], "<i4,>i4,V8,<u4")
    d = h5d.create(f.id, b"table", t, h5s.create_simple((2,)))
    d.write(h5s.ALL, h5s.ALL, raw, t)
    for name, kind, text in ("zero", h5t.STD_U64BE, 0), ("minus", h5t.STD_I64LE, -5), ("large", h5t.STD_U64LE, 2**64 + 1):
        wide = kind.copy()
        wide.set_size(16)
        wide.set_precision(128)
        order = "big" if name == "zero" else "little"
        a = h5a.create(f.id, name.encode(), wide, h5s.create(h5s.SCALAR))
        a.write(np.frombuffer(text.to_bytes(16, order, signed=text < 0), "V16").reshape(()), wide)


def matlab(f):
    """Cell arrays as MATLAB keeps them: references to what is in a group of its own."""
    cells = [np.array([[1.0, 2.0]]), np.frombuffer("text".encode("utf-16-le"), "u2")[:, None], np.ones((2, 2), "u1")]
    refs = f.create_group("#refs#")
    c = f.create_dataset("c", (2, 2), h5py.ref_dtype)
    c.attrs["MATLAB_class"] = np.bytes_(b"cell")
    for i, cell in enumerate(cells):
        refs["abc"[i]] = cell
        c[i // 2, i % 2] = refs["abc"[i]].ref
    refs["gone"] = 1.0
    t = f.create_dataset("table", (2,), [("n", "<i4"), ("to", h5py.ref_dtype), ("word", h5py.string_dtype("ascii"))])
    t[...] = np.array([(1, refs.ref, b"Oslo"), (2, refs["gone"].ref, b"")], t.dtype)
    del refs["gone"]


def large(f):
    """A chunk that is small in the file only."""
    a = np.zeros(33 << 20, "u1")
    a[:: 1 << 20] = np.arange(1, 34)
    f.create_dataset("x", data=a, chunks=a.shape, compression="gzip", compression_opts=9)


def orders(f):
    """Virtual datasets of sources in the other byte order."""
    for virtual, source in ("<i4", ">i4"), (">f8", "<f8"), (">c8", "<c8"), ("<u2", ">u2"):
        d = f.create_dataset("source " + virtual[1:], data=(np.arange(12).reshape(3, 4) + 1).astype(source))
        layout = h5py.VirtualLayout((4, 6), virtual)
        layout[:3, :4] = h5py.VirtualSource(d)
        layout[3, 2:5] = h5py.VirtualSource(d)[1, 1:4]
        f.create_virtual_dataset("virtual " + virtual[1:], layout)


# A writer that never closes its file.
crash = """
import os, sys, h5py
f = h5py.File(sys.argv[1], "w", libver="latest")
d = f.create_dataset("x", (0, 2), "i4", maxshape=(None, 2), chunks=(5, 2), compression="gzip", fillvalue=-1)
if sys.argv[2] == "swmr":
    f.swmr_mode = True
for i in range(8):
    d.resize((5 * (i + 1), 2))
    d[5 * i :] = i
    d.flush()
f.flush()
os._exit(0)
"""


def sequences(f):
    """Sequences of variable length."""
    d = f.create_dataset("rows", (2, 2), h5py.vlen_dtype("<i4"), chunks=(1, 2), compression="gzip")
    d[0, 0] = [1, -2, 3]
    d[0, 1] = []
    d[1, 1] = [7]
    f.create_dataset("scalar", (), h5py.vlen_dtype(">f4"))[()] = np.array([0.5, 2], ">f4")


def main():
    for name in "swmr", "unclosed":
        subprocess.run([sys.executable, "-c", crash, here / f"{name}.h5", name], check=True)
    for maker in latin, damaged, times, matlab, large, orders, sequences:
        path = here / f"{maker.__name__}.h5"
        with h5py.File(path, "w") as f:
            at = maker(f)
        if at:
            b = bytearray(path.read_bytes())
            b[at] ^= 1
            path.write_bytes(b)


main()
