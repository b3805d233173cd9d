"""Writes the files of this folder with h5py: what is rare, and what h5py itself does not read.

    python make.py

needs h5py 3 and numpy. The files are committed; run it again only to add cases.
"""

import pathlib
import subprocess
import sys

import h5py
import numpy as np

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


def main():
    for name in "swmr", "unclosed":
        subprocess.run([sys.executable, "-c", crash, here / f"{name}.h5", name], check=True)
    for maker in latin, damaged:
        path = here / f"{maker.__name__}.h5"
        with h5py.File(path, "w") as f:
            at = maker(f)
        if at:
            b = bytearray(path.read_bytes())
            b[at] ^= 1
            path.write_bytes(b)


main()
