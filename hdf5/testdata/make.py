"""Writes the files of this folder with h5py, and expected.json with what h5py reads from them.

    python make.py

needs h5py 3 and numpy. The files are committed; run it again only to add cases.
"""

import ctypes
import hashlib
import json
import pathlib

import h5py
import numpy as np
from h5py import h5d, h5p, h5s, h5t

here = pathlib.Path(__file__).parent
rng = np.random.default_rng(5)


def basic(f):
    """Datasets of every simple dtype, contiguous."""
    for text in "i1 u1 <i2 >i2 <u4 >u4 <i8 >i8 <f2 >f2 <f4 >f4 <f8 >f8 S5 <c8 >c16 ?".split():
        d = np.dtype(text)
        a = rng.integers(0, 100, (3, 5)).astype(d)
        f.create_dataset("type_" + text.strip("<>?") + ("be" if ">" in text else "") + ("bool" if text == "?" else ""), data=a)
    f["scalar"] = np.float64(2.5)
    f["empty"] = np.zeros((0, 3), "i4")
    f["never"] = np.zeros(0)
    f.create_dataset("unwritten", (4, 6), "f4")
    f.create_dataset("filled", (4, 6), "i2", fillvalue=-7)
    f["longdouble"] = np.arange(4, dtype="g")
    f["record"] = np.array([(1, 2.5, b"ab"), (3, 4.5, b"c")], [("a", "<i4"), ("b", ">f8"), ("s", "S3")])
    f["nested"] = np.zeros(3, np.dtype([("x", [("y", "i2"), ("z", "f4", (2, 2))]), ("w", "u1")], align=True))
    f["spaced"] = np.arange(4, dtype="i2").view(np.dtype({"names": ["q"], "formats": ["i2"], "offsets": [0], "itemsize": 2}))
    f.create_dataset("array", (4,), np.dtype(("i4", (2, 3))))[...] = rng.integers(0, 99, (4, 2, 3))
    f.create_dataset("enum", (5,), h5py.enum_dtype({"RED": 1, "GREEN": 2, "BLUE": 77}, "u2"))[...] = [1, 2, 77, 1, 2]
    f["opaque"] = np.array([b"abcde", b"xyz\0\1"], "V5")
    f["when"] = np.array(["2020-01-01", "2021-02-03"], "M8[s]").astype(h5py.opaque_dtype("M8[s]"))
    f["text"] = ["one", "zwölf", "", "three"]
    f["null"] = h5py.Empty("f4")


def strings(f):
    """Strings of all paddings, and those of variable length."""
    for name, pad in ("term", h5t.STR_NULLTERM), ("pad", h5t.STR_NULLPAD), ("space", h5t.STR_SPACEPAD):
        t = h5t.C_S1.copy()
        t.set_size(6)
        t.set_strpad(pad)
        d = h5d.create(f.id, name.encode(), t, h5s.create_simple((4,)))
        raw = np.array([b"ab    ", b"abcdef", b"a\0zz  ", b"      "], "S6")
        d.write(h5s.ALL, h5s.ALL, raw, t)
    f.create_dataset("ascii", data=[b"x", b"four", b""], dtype=h5py.string_dtype("ascii"))
    f.create_dataset("utf8", data=np.array([["é", "日本語"], ["", "long " * 9]], object), dtype=h5py.string_dtype(), chunks=(1, 2), compression="gzip")
    f.create_dataset("fixed_utf8", data=["é".encode(), b"abc"], dtype=h5py.string_dtype("utf-8", 4))
    mixed = np.dtype([("n", "<i4"), ("s", h5py.string_dtype()), ("t", "S3"), ("v", h5py.string_dtype("ascii"))])
    f.create_dataset("mixed", data=np.array([(1, "é", b"x", b"long one"), (2, "abc", b"yz", b"")], mixed))
    f.create_dataset("unset", (3,), h5py.string_dtype())


def chunked(f):
    """Chunks with each filter of h5py, and partial ones at the edges."""
    a = rng.integers(0, 50, (20, 33)).astype("<i4")
    f.create_dataset("plain", data=a, chunks=(7, 10))
    f.create_dataset("gzip", data=a, chunks=(7, 10), compression="gzip", shuffle=True)
    f.create_dataset("lzf", data=a, chunks=(7, 10), compression="lzf", fletcher32=True)
    f.create_dataset("growing", data=a, chunks=(7, 10), maxshape=(None, 40), compression="gzip")
    f.create_dataset("growing1", data=a, chunks=(7, 10), maxshape=(30, None))
    f.create_dataset("both", data=a, chunks=(7, 10), maxshape=(None, None), compression="gzip")
    f.create_dataset("one", data=a, chunks=(20, 33), compression="gzip")
    f.create_dataset("oneplain", data=a, chunks=(20, 33))
    f.create_dataset("larger", data=a, chunks=(30, 40), maxshape=(50, 50), compression="gzip")
    f.create_dataset("big_endian", data=a.astype(">f8"), chunks=(5, 5), compression="gzip", shuffle=True)
    d = f.create_dataset("sparse", (100, 100), "i2", chunks=(10, 10), fillvalue=3, maxshape=(100, None))
    d[45:55, 45:55] = 9
    d = f.create_dataset("grown", (0,), "f4", chunks=(16,), maxshape=(None,))
    for i in range(5):
        d.resize((d.shape[0] + 21,))
        d[-21:] = i
    f.create_dataset("cube", data=rng.integers(0, 9, (9, 8, 7)).astype("u1"), chunks=(4, 4, 4), compression="gzip")
    d = f.create_dataset("many", (3000,), "u1", chunks=(1,), maxshape=(None,), fillvalue=5)
    d[::7] = 1
    d = f.create_dataset("manyfixed", (2500,), "u1", chunks=(1,), fillvalue=5)
    d[1000:1100:37] = 2
    d = f.create_dataset("manyboth", (300, 10), "u1", chunks=(1, 5), maxshape=(None, None), fillvalue=5)
    d[::3, :7] = 4
    d = f.create_dataset("far", (300000,), "u1", chunks=(1,), maxshape=(None,), fillvalue=8)
    d[250000:250010] = 1


def plists(f):
    """What needs the low-level interface."""
    a = rng.integers(0, 50, (10, 11)).astype("<i4")

    def make(name, prepare, chunks=(4, 4), maxshape=None):
        p = h5p.create(h5p.DATASET_CREATE)
        if chunks:
            p.set_chunk(chunks)
        prepare(p)
        d = h5d.create(f.id, name.encode(), h5t.STD_I32LE, h5s.create_simple(a.shape, maxshape or a.shape), p)
        d.write(h5s.ALL, h5s.ALL, a)
        return d

    make("compact", lambda p: p.set_layout(h5d.COMPACT), chunks=None)
    make("implicit", lambda p: p.set_alloc_time(h5d.ALLOC_TIME_EARLY))
    make("scaleoffset", lambda p: p.set_scaleoffset(h5p.SO_INT if hasattr(h5p, "SO_INT") else 2, 0))
    d = make("masked", lambda p: (p.set_shuffle(), p.set_deflate(3)))
    d.write_direct_chunk((4, 4), a[4:8, 4:8].tobytes(), filter_mask=3)


def groups(f):
    """Groups in groups, links of all kinds, and many links."""
    f["a/b/c/deep"] = np.arange(3)
    f["a/alias"] = f["a/b/c/deep"]
    f["soft"] = h5py.SoftLink("/a/b/c/deep")
    f["relative"] = h5py.SoftLink("a/b")
    f["dangling"] = h5py.SoftLink("/nowhere")
    f["loop"] = h5py.SoftLink("/loop")
    f["outside"] = h5py.ExternalLink("other.h5", "/x")
    f["a/circle"] = f["a"]
    g = f.create_group("many")
    for i in range(60):
        g[f"item{i:03}"] = np.int16(i)
    g = f.create_group("ordered", track_order=True)
    for name in "zeta alpha mid".split():
        g[name] = np.int8(1)
    for i in range(20):
        g.create_group(f"g{19 - i}")
    f["type"] = np.dtype("<i4")
    d = f.create_dataset("committed", (2,), f["type"])
    d[...] = [5, 6]


def attributes(f):
    """Attributes of many types, few and many of them."""
    a = f.attrs
    a["int"] = 5
    a["list"] = np.arange(4, dtype=">i2")
    a["matrix"] = np.arange(6, dtype="f4").reshape(2, 3)
    a["text"] = "zwölf"
    a["bytes"] = np.bytes_(b"abc")
    a["texts"] = ["a", "bb"]
    a["bool"] = True
    a["complex"] = 1 + 2j
    a["empty"] = h5py.Empty("i4")
    a["record"] = np.array((1, 2.5), "i4,f8")
    a["big"] = np.uint64(2**63 + 5)
    f["target"] = np.arange(2)
    a["ref"] = f["target"].ref
    a["seq"] = np.array([np.array([1, 2], "i4"), np.array([3], "i4")], h5py.vlen_dtype("i4"))
    a["enum"] = np.array(2, h5py.enum_dtype({"A": 1, "B": 2}, "i1"))
    g = f.create_group("dense", track_order=True)
    for i in range(30):
        g.attrs[f"attr{29 - i}"] = i
    g.attrs["large"] = np.arange(700, dtype="i8") if f.libver[0] != "earliest" else 0
    g = f.create_group("plain")
    for i in range(12):
        g.attrs[f"attr{i}"] = "x" * i


def scales(f):
    """Dimension scales, as netCDF-4 has them."""
    f["time"] = np.arange(3.0)
    f["lat"] = np.arange(4.0)
    f["g/x"] = np.arange(5)
    for name in "time", "lat", "g/x":
        f[name].make_scale(name)
    d = f.create_dataset("data", data=np.zeros((3, 4, 5), "f4"))
    d.dims[0].attach_scale(f["time"])
    d.dims[1].attach_scale(f["lat"])
    d.dims[2].label = "ex"
    d.attrs["units"] = "K"
    d = f.create_dataset("g/inner", data=np.zeros((4, 5), "f4"))
    d.dims[0].attach_scale(f["lat"])
    d.dims[1].attach_scale(f["g/x"])


def shared(f):
    """Messages in the table of shared ones."""
    for i in range(4):
        d = f.create_dataset(f"d{i}", data=np.arange(10, dtype="f8"), chunks=(5,), compression="gzip", fillvalue=7.5)
        d.attrs["a long name of an attribute"] = "the same text in all of the datasets" * 3


def odd(f):
    """Datatypes that h5py does not write by itself, and what cannot be read."""

    def make(name, t, memory, a, p=None):
        h5d.create(f.id, name.encode(), t, h5s.create_simple(a.shape), p).write(h5s.ALL, h5s.ALL, a, memory)

    values = np.array([1, 5, -3, 1000], "i4")
    for name, t in ("le", h5t.STD_I32LE), ("be", h5t.STD_I32BE), ("u", h5t.STD_U32LE):
        for precision, offset in (12, 0), (17, 3):
            t = t.copy()
            t.set_precision(precision)
            t.set_offset(offset)
            make(f"{name}{precision}_{offset}", t, h5t.NATIVE_INT32, abs(values) if name == "u" else values)
    p = h5p.create(h5p.DATASET_CREATE)
    p.set_chunk((3,))
    call("H5Pset_nbit", hid(p.id))
    make("nbit", t, h5t.NATIVE_INT32, abs(values), p)
    make("bits", h5t.STD_B16LE, h5t.STD_B16LE, np.arange(5, dtype="u2"))
    space = h5s.create_simple((3,))
    kind = hid.in_dll(library, "H5T_COMPLEX_IEEE_F32LE_g").value
    call("H5Dcreate2", hid(f.id.id), b"complex", hid(kind), hid(space.id), hid(0), hid(0), hid(0))
    f["refused/target"] = np.arange(4)
    g = f["refused"]
    g.create_dataset("region", (2,), h5py.regionref_dtype)
    g.create_dataset("sequence", (2,), h5py.vlen_dtype("i4"))
    layout = h5py.VirtualLayout((4,), "i8")
    layout[:] = h5py.VirtualSource(g["target"])
    g.create_virtual_dataset("virtual", layout)
    g.create_dataset("external", (10,), "u1", external=[("elsewhere", 0, 10)])
    d = g.create_dataset("references", (2,), h5py.ref_dtype)
    d[0] = g["target"].ref


def small(f):
    """Addresses and lengths of four bytes."""
    f["g/x"] = np.arange(5)
    f.create_dataset("c", data=np.arange(100), chunks=(30,), maxshape=(None,))
    f["s"] = ["ab", "cde"]


library = ctypes.CDLL(next(l.split()[-1] for l in open("/proc/self/maps") if "libhdf5-" in l))
hid = ctypes.c_int64


def szip(f):
    """Chunks by szip, which has a generator of its own, so that what is above stays as it is."""
    steps = np.cumsum(np.random.default_rng(6).integers(-3, 4, (20, 40)), axis=1)
    for text in "u1 >i2 <u4 >f4 <f8".split():
        for coder in "nn", "ec":
            f.create_dataset(f"{coder}{text[-2:]}", data=steps.astype(text), chunks=(7, 33), compression="szip", compression_opts=(coder, 8))


def call(name, *arguments):
    """Calls a function of the library that h5py has, but does not offer."""
    if getattr(library, name)(*arguments) < 0:
        raise RuntimeError(name)


def share(create, _):
    call("H5Pset_shared_mesg_nindexes", hid(create.id), ctypes.c_uint(1))
    call("H5Pset_shared_mesg_index", hid(create.id), ctypes.c_uint(0), ctypes.c_uint(0x1F), ctypes.c_uint(20))


def relax(_, access):
    call("H5Pset_relax_file_integrity_checks", hid(access.id), ctypes.c_uint64(1))


def shorten(create, _):
    call("H5Pset_sizes", hid(create.id), ctypes.c_size_t(4), ctypes.c_size_t(4))


lowest = {"shared": (share, shared), "odd": (relax, odd), "small": (shorten, small)}


def plain(value):
    """The value of an attribute as JSON has it."""
    if isinstance(value, h5py.Reference):
        return {"ref": True}
    if isinstance(value, h5py.Empty):
        return None
    if isinstance(value, (bytes, np.bytes_)):
        return value.decode()
    if isinstance(value, (np.void,)):
        return {n: plain(value[n]) for n in value.dtype.names}
    if isinstance(value, (complex, np.complexfloating)):
        return {"r": value.real, "i": value.imag}
    if isinstance(value, np.ndarray) and value.size > 100:
        return {"total": float(value.sum())}
    if isinstance(value, np.ndarray):
        return [plain(v) for v in value]
    if isinstance(value, (np.generic,)):
        return value.item()
    return value


def fixed(ds):
    """The items of a dataset, with strings of a fixed width."""
    d = ds.dtype

    def wide(values):
        values = [v.decode() if isinstance(v, bytes) else v or "" for v in values]
        return np.array(values, f"<U{max([1] + [len(v) for v in values])}")

    a = ds[()]
    if d.names and any(d[n].kind == "O" for n in d.names):
        parts = {n: wide(a[n].ravel()).reshape(a.shape) if d[n].kind == "O" else a[n] for n in d.names}
        out = np.zeros(a.shape, [(n, parts[n].dtype) for n in d.names])
        for n in d.names:
            out[n] = parts[n]
        return out
    if d.kind == "O" and h5py.check_string_dtype(d):
        return wide(np.asarray(a, object).ravel()).reshape(ds.shape)
    return np.asarray(a)


def expected(f):
    """What h5py reads from a file."""
    out = {"datasets": {}, "attributes": {}}

    def visit(name, o):
        key = "/" + name if name else "/"
        out["attributes"][key] = {n: plain(v) for n, v in o.attrs.items() if not n.isupper()}
        if not isinstance(o, h5py.Dataset) or o.shape is None or name.startswith("refused/"):
            return
        a = fixed(o)
        out["datasets"][key] = {
            "dtype": str(a.dtype) if a.dtype.names else a.dtype.str, "shape": list(a.shape),
            "sum": hashlib.sha256(a.tobytes()).hexdigest(),
        }

    visit("", f)
    f.visititems(visit)
    return out


def main():
    wanted = {}
    makers = [basic, strings, chunked, plists, groups, attributes, scales]
    for libver in "earliest", "latest":
        for maker in makers:
            path = here / f"{maker.__name__}-{libver}.h5"
            with h5py.File(path, "w", libver=libver, fs_strategy=None) as f:
                maker(f)
            with h5py.File(path) as f:
                wanted[path.name] = expected(f)
    for name, options in {"userblock": {"userblock_size": 1024}, "v108": {"libver": ("v108", "v108")}, "v110": {"libver": ("v110", "v110")}}.items():
        path = here / f"{name}.h5"
        with h5py.File(path, "w", **options) as f:
            f["a/b"] = np.arange(12).reshape(3, 4)
            f.create_dataset("z", data=np.arange(100), chunks=(30,), compression="gzip")
        with h5py.File(path) as f:
            wanted[path.name] = expected(f)
    for name, (prepare, maker) in lowest.items():
        path = here / f"{name}.h5"
        create, access = h5p.create(h5p.FILE_CREATE), h5p.create(h5p.FILE_ACCESS)
        prepare(create, access)
        with h5py.File(h5py.h5f.create(str(path).encode(), h5py.h5f.ACC_TRUNC, create, access)) as f:
            maker(f)
        with h5py.File(path) as f:
            wanted[path.name] = expected(f)
    path = here / "szip.h5"
    with h5py.File(path, "w") as f:
        szip(f)
    with h5py.File(path) as f:
        wanted[path.name] = expected(f)
    (here / "expected.json").write_text(json.dumps(wanted, indent=0, sort_keys=True) + "\n")


main()
