"""Writes the files of this folder with h5py, and expected.json with what h5py reads from them.

    python make.py

needs h5py 3 and numpy. main.h5 has links into the other files, and virtual datasets of theirs.
"""

import json
import os
import pathlib

import h5py
import numpy as np
from h5py import ExternalLink, SoftLink, VirtualLayout, VirtualSource, h5d, h5p, h5s, h5t

here = pathlib.Path(__file__).parent
unlimited = h5s.UNLIMITED


def sources():
    for i in range(2):
        with h5py.File(f"s{i}.h5", "w", libver="latest") as f:
            f.create_dataset("d", data=np.arange(24).reshape(6, 4) + 100 * i, maxshape=(None, 4), chunks=(3, 4))
            f[f"b{i}"] = np.arange(4) + 10 * i
            f["again"] = SoftLink("/d")
            if i == 1:
                f["back"] = ExternalLink("main.h5", "/")


def virtual(f, name, shape, maxshape, mappings):
    """A virtual dataset of selections (start, count, stride, block) without bound."""
    p = h5p.create(h5p.DATASET_CREATE)
    p.set_fill_value(np.array(-5))
    for target, file, source, extent, selection in mappings:
        t = h5s.create_simple(shape, maxshape)
        t.select_hyperslab(*target)
        s = h5s.create_simple(extent, (unlimited,) + extent[1:] if selection else extent)
        if selection:
            s.select_hyperslab(*selection)
        p.set_virtual(t, file.encode(), source.encode(), s)
    h5d.create(f.id, name.encode(), h5t.STD_I64LE, h5s.create_simple(shape, maxshape), p)


def datasets(f):
    def stack(shape, parts, **options):
        layout = VirtualLayout(shape, "i8")
        for at, source in parts:
            layout[at] = source
        return layout

    d = [VirtualSource(f"s{i}.h5", "d", (6, 4)) for i in range(3)]  # of which s2.h5 is missing
    rows = [(slice(6 * i, 6 * i + 6), d[i]) for i in range(3)]
    f.create_virtual_dataset("stacked", stack((18, 4), rows), fillvalue=-1)
    f.create_virtual_dataset("interleaved", stack((12, 4), [(slice(i, None, 2), d[i]) for i in range(2)]))
    f.create_virtual_dataset("frames", stack((2, 6, 4), [(i, d[i]) for i in range(2)]))
    f.create_virtual_dataset("last", stack((6, 4, 2), [((slice(None), slice(None), i), d[i]) for i in range(2)]))
    f.create_virtual_dataset("flat", stack((3, 24), [(i, d[i]) for i in range(2)]), fillvalue=-9)
    some = stack((10, 4), [([0, 1, 3, 7], d[1][[0, 2, 3, 5]]), ((slice(8, 10), slice(1, 3)), d[1][::4, 0:4:2])])
    f.create_virtual_dataset("some", some, fillvalue=-9)
    f.create_virtual_dataset("inside", stack((6, 4), [(slice(None), VirtualSource(".", "stacked", (18, 4))[6:12])]))
    f.create_virtual_dataset("nothing", stack((2, 4), [(slice(None), VirtualSource("s0.h5", "none", (2, 4)))]), fillvalue=4)

    rest = (unlimited, 4)
    every = ((0, 0), (1, 1), (1, 1), (unlimited, 4))
    virtual(f, "growing", (1, 4), rest, [(every, "s0.h5", "d", (6, 4), every)])
    by_rows = [(((i, 0), (unlimited, 1), (3, 1), (1, 4)), f"s{i}.h5", "d", (6, 4), every) for i in range(2)]
    virtual(f, "growing_rows", (1, 4), rest, by_rows)
    blocks = ((0, 0), (unlimited, 1), (7, 1), (6, 4))
    virtual(f, "numbered", (1, 4), rest, [(blocks, "s%b.h5", "d", (6, 4), None)])
    virtual(f, "numbered_twice", (1,), (unlimited,), [(((2,), (unlimited,), (5,), (4,)), "s%b.h5", "b%b", (4,), None)])


def main():
    os.chdir(here)
    sources()
    expected = {}
    for libver in "earliest", "latest":
        name = "main.h5" if libver == "latest" else "old.h5"
        with h5py.File(name, "w", libver=libver) as f:
            datasets(f)
            if libver == "latest":
                f["links/one"] = ExternalLink("s0.h5", "/d")
                f["links/soft"] = ExternalLink("s0.h5", "again")
                f["links/group"] = ExternalLink("s1.h5", "/")
                f["links/gone"] = ExternalLink("s2.h5", "/d")
                f["links/outside"] = ExternalLink("../small.h5", "/g/x")
        with h5py.File(name) as f:
            expected[name] = {k: f[k][()].tolist() for k in f if k != "links"}
    json.dump(expected, open("expected.json", "w"), separators=(",", ":"))


main()
