# Writes random HDF5 files with h5py, PyTables, netCDF4-python and h5netcdf. main.go runs this file
# together with peer.py.
import h5netcdf
import h5py
import hdf5plugin
import netCDF4
import numpy as np
import tables

LIBVERS = ["earliest", "latest", "v108", "v110", "v112", "v114", "v200", ("earliest", "v110"), ("v108", "v112")]
TEXT = ["", "a", "été", "\u20ac uro", "x" * 40, "\U0001f600", "temperature", "a b\tc"]


def pick(rng, *options):
    return options[int(rng.integers(len(options)))]


def chance(rng, percent):
    return rng.integers(100) < percent


# --- values ---

COMPOUND = np.dtype([("a", "<i4"), ("b", ">f8"), ("name", "S5"), ("inner", [("x", "<u2"), ("y", "<f4", (2, 3))])])
ALIGNED = np.dtype([("flag", "?"), ("n", "<i8"), ("s", "<i2")], align=True)
COLORS = {"red": 0, "green": 1, "blue": 7, "none": 100}


def dtypes(rng, f):
    """Returns a dtype of h5py and its name in the table."""
    while True:
        d, label = any_dtype(rng)
        if label not in ("ref", "refcompound") or sizes(f)[0] == 8:
            return d, label


def sizes(f):
    """Returns the bytes of addresses and of lengths. With other sizes than 8, the HDF5 library writes
    references of the wrong size, and takes dimensions without bound for bounded ones."""
    return f.id.get_create_plist().get_sizes()


def any_dtype(rng):
    kind = pick(rng, "i", "i", "f", "f", "f", "f2", "bool", "enum", "S", "vlS", "vlU", "fixedU", "compound", "compound",
                "complex", "ref", "opaque", "datetime", "array", "vlcompound", "refcompound", "longdouble")
    order = pick(rng, "<", "<", ">")
    if kind == "i":
        return np.dtype(order + pick(rng, "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")), "int" + "LB"[order == ">"]
    if kind == "f":
        return np.dtype(order + pick(rng, "f4", "f8")), "float" + "LB"[order == ">"]
    if kind == "f2":
        return np.dtype(order + "f2"), "f2"
    if kind == "bool":
        return np.dtype(bool), kind
    if kind == "enum":
        return h5py.enum_dtype(COLORS, basetype=pick(rng, "i1", "u1", "<i2", ">i4", "i8")), kind
    if kind == "S":
        return np.dtype("S%d" % rng.integers(1, 20)), kind
    if kind == "vlS":
        return h5py.string_dtype("ascii"), kind
    if kind == "vlU":
        return h5py.string_dtype("utf-8"), kind
    if kind == "fixedU":
        return h5py.string_dtype("utf-8", 12), kind
    if kind == "compound":
        return pick(rng, COMPOUND, ALIGNED), kind
    if kind == "complex":
        return np.dtype(order + pick(rng, "c8", "c16")), kind
    if kind == "ref":
        return h5py.ref_dtype, kind
    if kind == "opaque":
        return np.dtype("V%d" % rng.integers(1, 9)), kind
    if kind == "datetime":
        return h5py.opaque_dtype(np.dtype("<M8[us]")), kind
    if kind == "array":
        return np.dtype((pick(rng, "<i4", ">f8", "u1"), (2, 3))), kind
    if kind == "vlcompound":
        return np.dtype([("n", "<i4"), ("text", h5py.string_dtype("utf-8")), ("word", h5py.string_dtype("ascii"))]), kind
    if kind == "refcompound":
        return np.dtype([("n", "<i4"), ("to", h5py.ref_dtype)]), kind
    return np.dtype(np.longdouble), kind


def values(rng, n, d, f=None):
    """Returns n values of a dtype, most of them compressible."""
    text = h5py.check_string_dtype(d)
    if text is not None and text.length is None:
        return np.array([pick(rng, *TEXT).encode("ascii" if text.encoding == "ascii" else "utf-8", "replace") for _ in range(n)], object)
    if text is not None and d.kind == "S" and text.encoding == "utf-8":
        return np.array([pick(rng, "é", "abc", "", "\u20ac\u20ac\u20ac\u20ac").encode() for _ in range(n)], d)
    if h5py.check_ref_dtype(d) is not None:
        keys = [k for k in f if isinstance(f.get(k, getlink=True), h5py.HardLink)]
        return np.array([f[pick(rng, *keys)].ref if keys and chance(rng, 70) else h5py.Reference() for _ in range(n)], object)
    if d.names:
        out = np.zeros(n, d)
        for name in d.names:
            sub = d[name]
            base, shape = sub.subdtype or (sub, ())
            out[name] = values(rng, n * int(np.prod(shape, dtype=int)), base, f).reshape((n, *shape))
        return out
    enum = h5py.check_enum_dtype(d)
    if d.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if enum is not None:
        return np.array(list(enum.values()))[rng.integers(0, len(enum), n)].astype(d)
    if d.kind == "S":
        return np.array([rng.bytes(d.itemsize).replace(b"\0", b"x")[: int(rng.integers(d.itemsize + 1))] for _ in range(n)], d)
    if d.kind in "VM":
        return np.frombuffer(rng.bytes(d.itemsize * n), d.str).astype(d)
    if d.kind == "c":
        return (np.cumsum(rng.integers(-4, 5, n)) / 4 + 1j * rng.integers(0, 9, n)).astype(d)
    if d.kind in "iu":
        if chance(rng, 20) and d.itemsize <= 8:
            return np.frombuffer(rng.bytes(d.itemsize * n), d.str).astype(d)
        a = np.cumsum(rng.integers(-2, 3, n)) + 40
        return (np.abs(a) % 120).astype(d)
    return (np.cumsum(rng.integers(-4, 5, n)) / 4).astype(d)


# --- h5py ---


def shapes(rng, dims=None):
    """Returns a shape of up to six dimensions and a few thousand items."""
    if dims is None:
        dims = pick(rng, 0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6)
    most = [0, 3000, 60, 16, 8, 5, 4][dims] if dims else 0
    shape = [int(rng.integers(1, most + 1)) for _ in range(dims)]
    if dims and chance(rng, 5):
        shape[int(rng.integers(dims))] = 0
    return tuple(shape)


def chunks(rng, shape):
    return tuple(int(rng.integers(1, max(2, n + 1))) for n in shape)


def plugin(rng):
    """Returns options for a compressor of hdf5plugin, and its name."""
    name = pick(rng, "blosc", "blosc2", "lz4", "bitshuffle", "zstd", "bzip2")
    if name == "blosc":
        o = hdf5plugin.Blosc(cname=pick(rng, "blosclz", "lz4", "lz4hc", "zlib", "zstd"), clevel=int(rng.integers(0, 10)), shuffle=int(rng.integers(3)))
    elif name == "blosc2":
        o = hdf5plugin.Blosc2(cname=pick(rng, "blosclz", "lz4", "lz4hc", "zlib", "zstd"), clevel=int(rng.integers(0, 10)), filters=int(rng.integers(4)))
    elif name == "lz4":
        o = hdf5plugin.LZ4(nbytes=int(pick(rng, 0, 0, 100, 1024)))
    elif name == "bitshuffle":
        o = hdf5plugin.Bitshuffle(nelems=int(pick(rng, 0, 0, 8, 64)), cname=pick(rng, "none", "lz4", "zstd"))
    elif name == "zstd":
        o = hdf5plugin.Zstd(clevel=int(rng.integers(1, 20)))
    else:
        o = hdf5plugin.BZip2(blocksize=int(rng.integers(1, 10)))
    return dict(o), name


def filters(rng, d):
    """Returns options for filters of a dtype."""
    o = {}
    if chance(rng, 50):
        o["shuffle"] = True
    if chance(rng, 25):
        o["fletcher32"] = True
    what = pick(rng, "", "gzip", "gzip", "lzf", "scaleoffset", "plugin", "plugin", "plugin", "szip")
    number = d.kind in "iuf" and d.itemsize <= 8 and d.str[1:] != "f2" and h5py.check_enum_dtype(d) is None
    if number and chance(rng, 30):
        what = "scaleoffset"
    if what == "gzip":
        o.update(compression="gzip", compression_opts=int(rng.integers(0, 10)))
    elif what == "lzf":
        o.update(compression="lzf")
    elif what == "szip" and chance(rng, 20) and number:
        o.update(compression="szip", shuffle=False)
    elif what == "scaleoffset" and number:
        o.update(scaleoffset=int(rng.integers(0, 4)) if d.kind == "f" else pick(rng, 0, 0, 5 if d.itemsize == 1 else 11))
        o.pop("fletcher32", None)  # h5py refuses it with this filter
        if chance(rng, 40):
            o.update(compression="gzip")
    elif what == "plugin":
        o.update(plugin(rng)[0])
    return o


def draw_attributes(rng, f, o, many):
    for i in range(int(rng.integers(20, 60)) if many else int(rng.integers(0, 5))):
        d, _ = dtypes(rng, f)
        if chance(rng, 30):
            o.attrs["text%d" % i] = pick(rng, *TEXT)
        elif chance(rng, 10):
            o.attrs["empty%d" % i] = h5py.Empty("f4")
        elif d.kind == "V" and d.names is None and d.subdtype is None:
            o.attrs["void%d" % i] = np.void(rng.bytes(d.itemsize))
        else:
            shape = pick(rng, (), (int(rng.integers(1, 5)),), (2, 3))
            base, tail = d.subdtype or (d, ())
            shape = shape + tail if chance(rng, 50) else shape
            d = base if shape[len(shape) - len(tail):] == tail else d
            data = values(rng, int(np.prod(shape, dtype=int)) * (1 if d is base else int(np.prod(tail))), base, f)
            o.attrs.create("é%d" % i if chance(rng, 10) else "a%d" % i, data.reshape(shape if d is base else shape + tail), shape if d is base else shape + tail, d)


def draw_dataset(rng, f, parent, name):
    d, label = dtypes(rng, f)
    shape = shapes(rng)
    kind = pick(rng, "contiguous", "compact", "chunked", "chunked", "chunked", "chunked", "chunked", "chunked", "single", "implicit", "many", "direct")
    o, small = {}, int(np.prod(shape, dtype=int)) * d.itemsize < 60000
    variable = label.startswith("vl")
    if kind in ("many", "direct") and (variable or label in ("ref", "refcompound", "array")):
        kind = "chunked"
    if kind == "many":
        shape = pick(rng, (int(rng.integers(1100, 6000)),), (int(rng.integers(30, 70)), int(rng.integers(30, 70))))
        o["chunks"] = (1,) * len(shape)
    elif shape and kind in ("chunked", "direct"):
        o["chunks"] = chunks(rng, shape)
    elif shape and kind in ("single", "implicit"):
        o["chunks"] = tuple(max(1, n) for n in shape) if kind == "single" else chunks(rng, shape)
    if "chunks" in o and kind not in ("single", "implicit"):
        most = pick(rng, "none", "fixed", "one", "one", "all", "some")
        if sizes(f)[1] != 8:
            most = pick(rng, "none", "fixed")
        if most == "fixed":
            o["maxshape"] = tuple(n + int(rng.integers(1, 9)) for n in shape)
        elif most == "one":
            k = int(rng.integers(len(shape)))
            o["maxshape"] = tuple(None if i == k else max(n, 1) for i, n in enumerate(shape))
        elif most == "all":
            o["maxshape"] = (None,) * len(shape)
        elif most == "some":
            o["maxshape"] = tuple(pick(rng, None, max(n, 1)) for n in shape)
    if 0 in shape and "chunks" in o:
        o["maxshape"] = tuple(m if n else 5 for n, m in zip(shape, o.get("maxshape", shape)))
    number = d.kind in "iufcb" and d.names is None
    if number and chance(rng, 40) and label not in ("bool", "array"):
        o["fillvalue"] = values(rng, 1, d)[0]
    elif number and label not in ("array",) and chance(rng, 10):
        o["fillvalue"] = None
    if kind in ("chunked", "single", "direct", "many") and shape and chance(rng, 75):
        o.update(filters(rng, d))
        if variable and isinstance(o.get("compression"), int):
            o = {k: v for k, v in o.items() if not k.startswith("compression")}  # plugins crash
    if kind == "implicit" and "chunks" in o:
        base, tail = d.subdtype or (d, ())
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk(o["chunks"])
        plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        raw = h5py.h5d.create(parent.id, name.encode(), h5py.h5t.py_create(d, logical=True), h5py.h5s.create_simple(shape), plist)
        x = h5py.Dataset(raw)
    elif kind == "compact" and small and not variable:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple(shape) if shape else h5py.h5s.create(h5py.h5s.SCALAR)
        x = h5py.Dataset(h5py.h5d.create(parent.id, name.encode(), h5py.h5t.py_create(d, logical=True), space, plist))
    else:
        try:
            x = parent.create_dataset(name, shape, d, track_times=chance(rng, 10), **o)
        except ValueError:  # a filter that does not suit the datatype or the chunk
            for k in ("compression", "compression_opts", "scaleoffset", "shuffle", "fletcher32"):
                o.pop(k, None)
            if name in parent:
                del parent[name]
            x = parent.create_dataset(name, shape, d, **o)
    base, tail = d.subdtype or (d, ())
    if kind == "direct" and "chunks" in o:
        direct(rng, f, x, base)
    elif kind == "many":
        for _ in range(int(rng.integers(1, 30))):
            box = tuple(slice(a, a + int(rng.integers(1, 40))) for a in (int(rng.integers(n)) for n in shape))
            part = x[box].shape[: len(shape)]
            x[box] = values(rng, int(np.prod(part, dtype=int)), base, f).reshape(part)
        if chance(rng, 50):
            x[...] = values(rng, int(np.prod(shape, dtype=int)), base, f).reshape(shape)
    elif chance(rng, 70) or label in ("ref", "refcompound") or variable:
        data = values(rng, int(np.prod(shape + tail, dtype=int)), base, f).reshape(shape + tail)
        if shape or not tail:
            x[...] = data if shape else data.reshape(())[()]
    elif all(shape) and shape:
        box = tuple(slice(int(rng.integers(n)), None) for n in shape)
        part = x[box].shape[: len(shape)]
        x[box] = values(rng, int(np.prod(part + tail, dtype=int)), base, f).reshape(part + tail)
    if "maxshape" in o and chance(rng, 40):
        try:
            x.resize(tuple(int(min(m or 10**9, max(0, n + rng.integers(-3, 6)))) for n, m in zip(shape, o["maxshape"])))
        except RuntimeError:  # the library fails with some filters, and where the bound is 0
            pass
    return x


def draw_nbit(rng, parent, name):
    """Writes integers of which the datatype has fewer bits, with the filter nbit."""
    d = np.dtype(pick(rng, "<i4", ">i4", "<u2", ">u2", "<i8", "<u8"))
    bits = 8 * d.itemsize
    kind = h5py.h5t.py_create(d).copy()
    kind.set_precision(int(rng.integers(bits // 2 + 1, bits + 1)))
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    shape = (int(rng.integers(1, 90)), int(rng.integers(1, 30)))
    plist.set_chunk(chunks(rng, shape))
    plist.set_filter(h5py.h5z.FILTER_NBIT, h5py.h5z.FLAG_OPTIONAL)
    if chance(rng, 50):
        plist.set_deflate(5)
    x = h5py.Dataset(h5py.h5d.create(parent.id, name.encode(), kind, h5py.h5s.create_simple(shape), plist))
    x[...] = rng.integers(-90 if d.kind == "i" else 0, 100, shape)
    return x


def direct(rng, f, x, d):
    """Writes chunks whose filters are all left out."""
    plist = x.id.get_create_plist()
    all_out = (1 << plist.get_nfilters()) - 1
    for at in np.ndindex(*[-(-n // c) for n, c in zip(x.shape, x.chunks)]):
        offset = tuple(a * c for a, c in zip(at, x.chunks))
        data = values(rng, int(np.prod(x.chunks, dtype=int)), d, f).astype(d).tobytes()
        if chance(rng, 60):
            x.id.write_direct_chunk(offset, data, filter_mask=all_out)
        elif chance(rng, 50):
            box = tuple(slice(o, min(o + c, n)) for o, c, n in zip(offset, x.chunks, x.shape))
            part = tuple(s.stop - s.start for s in box)
            x[box] = values(rng, int(np.prod(part, dtype=int)), d, f).reshape(part)


def write_h5py(rng, path):
    libver = pick(rng, *LIBVERS)
    o = {"libver": libver, "track_order": chance(rng, 30), "userblock_size": pick(rng, 0, 0, 0, 512, 1024, 4096)}
    if chance(rng, 15) and not o["userblock_size"]:
        o.update(fs_strategy="page", fs_page_size=4096)
    elif chance(rng, 15):
        o.update(fs_strategy=pick(rng, "fsm", "aggregate", "none"), fs_persist=False)
    if chance(rng, 10) and not o["userblock_size"]:
        o.update(alignment_threshold=1, alignment_interval=512)
    if chance(rng, 10):
        small_sizes(rng, path)
        o = {"libver": libver}
        f = h5py.File(path, "r+", **o)
    else:
        f = h5py.File(path, "w", **o)
    with f:
        draw_attributes(rng, f, f, chance(rng, 15))
        groups = [f]
        for i in range(int(rng.integers(0, 5))):
            groups.append(pick(rng, *groups).create_group(pick(rng, "g%d", "été%d", "a b%d") % i, track_order=chance(rng, 30)))
            draw_attributes(rng, f, groups[-1], chance(rng, 15))
        if chance(rng, 20):
            g = pick(rng, *groups)
            for i in range(int(rng.integers(10, 400))):
                if chance(rng, 10):
                    g["member%d" % i] = h5py.SoftLink("/nowhere%d" % i)
                else:
                    g.create_group("member%d" % i)
        if chance(rng, 10):
            f["committed"] = COMPOUND
            f.create_dataset("with committed", data=values(rng, 7, COMPOUND), dtype=f["committed"])
        if chance(rng, 15):
            f["gone"] = np.arange(1000)
            del f["gone"]
        for i in range(int(rng.integers(1, 9))):
            if chance(rng, 4):
                x = draw_nbit(rng, pick(rng, *groups), "d%d" % i)
            else:
                x = draw_dataset(rng, f, pick(rng, *groups), "d%d" % i)
            draw_attributes(rng, f, x, chance(rng, 10))
            if chance(rng, 10):
                pick(rng, *groups)["soft%d" % i] = h5py.SoftLink(x.name)
            if chance(rng, 5):
                pick(rng, *groups)["hard%d" % i] = x
        refused(rng, f)
        variable(rng, f)
        if chance(rng, 10):
            pick(rng, *groups)["loop"] = f
        if chance(rng, 20) and sizes(f)[0] == 8:
            scales(rng, f)
    return str(libver)


def small_sizes(rng, path):
    """Makes an empty file with other sizes of addresses and lengths."""
    plist = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    plist.set_sizes(*pick(rng, (4, 4), (8, 4), (4, 8), (8, 8)))
    h5py.h5f.create(path.encode(), h5py.h5f.ACC_TRUNC, plist).close()


# h5py takes big-endian elements of sequences for little-endian ones.
BASES = ["i4", "f4", "f8", "u1", "i8", "f2", "?", "S3", "V2", "c8", "text", "enum", "compound", "ref"]


def sequence_of(rng, f, base):
    """Returns a datatype of sequences, and a function that draws one."""
    kinds = {"text": h5py.string_dtype("utf-8"), "enum": h5py.enum_dtype(COLORS, "i2"), "ref": h5py.ref_dtype,
             "compound": np.dtype([("n", "<i4"), ("x", ">f8", (2,))])}
    d = kinds.get(base) or np.dtype(base)

    def draw():
        n = int(pick(rng, 0, 1, 2, 3, 9, 60))
        if base in ("f8", "f4", "f2") and chance(rng, 50):
            odd = [np.nan, np.inf, -np.inf, -0.0, 1e-5, 1e20, 1e21, 12345678.9, 1 / 3, 5e-324]
            with np.errstate(all="ignore"):
                return np.array([pick(rng, *odd) for _ in range(n)]).astype(d)
        return values(rng, n, d, f)

    return h5py.vlen_dtype(d), draw


def variable(rng, f):
    """Adds sequences of variable length and references to regions, now and then."""
    if chance(rng, 40):
        base = pick(rng, *[b for b in BASES if b != "ref" or sizes(f) == (8, 8)])
        d, draw = sequence_of(rng, f, base)
        shape = pick(rng, (), (4,), (3, 5))
        x = f.create_dataset("ragged", shape, d, chunks=pick(rng, None, (2,) * len(shape)) if shape else None)
        for at in np.ndindex(*shape):
            if chance(rng, 80):
                x[at] = draw()
        if chance(rng, 50):
            x.attrs["also"] = "lists"
    if chance(rng, 30) and sizes(f) == (8, 8):
        to = f.create_dataset("looked at", (20, 30), "u1")
        x = f.create_dataset("regions", (6,), h5py.regionref_dtype)
        for i in range(6):
            # h5py fails for those that lead nowhere.
            kind = pick(rng, "box", "box", "step", "points", "all", "rows")
            if kind == "box":
                x[i] = to.regionref[int(rng.integers(9)):int(rng.integers(10, 20)), int(rng.integers(30))]
            elif kind == "step":
                x[i] = to.regionref[int(rng.integers(9)):int(rng.integers(12, 20)):int(rng.integers(2, 5)), 3:7]
            elif kind == "points":
                x[i] = to.regionref[rng.integers(0, 10, (20, 30)) == 0]
            elif kind == "all":
                x[i] = to.regionref[...]
            elif kind == "rows":
                x[i] = to.regionref[[1, 4, 5, int(rng.integers(7, 20))], :]
        if chance(rng, 50):
            x.attrs.create("region", to.regionref[1:2, 3:5], (), h5py.regionref_dtype)


def refused(rng, f):
    """Adds what is to be refused by name, now and then."""
    if chance(rng, 5):
        f.create_dataset("null", data=h5py.Empty("f4"))
    if chance(rng, 5):
        f.create_dataset("external", (10,), "<i4", external=[("other.bin", 0, 40)])
    if chance(rng, 5) and "d0" in f:
        layout = h5py.VirtualLayout((4,), "<i4")
        layout[0:2] = h5py.VirtualSource("other.h5", "x", (2,))
        f.create_virtual_dataset("virtual", layout)
    if chance(rng, 5):
        f["elsewhere"] = h5py.ExternalLink("other.h5", "/x")


def scales(rng, f):
    f["lat"] = np.arange(4.0)
    f["lat"].make_scale("latitude" if chance(rng, 50) else "")
    f["field"] = np.zeros((4, 3), "<f4")
    f["field"].dims[0].attach_scale(f["lat"])
    f["field"].dims[1].label = "x"


# --- PyTables ---


class Row(tables.IsDescription):
    n = tables.Int32Col()
    x = tables.Float64Col(shape=(2,))
    s = tables.StringCol(7)
    flag = tables.BoolCol()

    class nested(tables.IsDescription):
        u = tables.UInt8Col()
        c = tables.ComplexCol(itemsize=16)


def write_tables(rng, path):
    with tables.open_file(path, "w", title=pick(rng, *TEXT)) as f:
        parents = ["/"]
        for i in range(int(rng.integers(0, 3))):
            parents.append(f.create_group(pick(rng, *parents), "g%d" % i, title="t")._v_pathname)
        for i in range(int(rng.integers(1, 7))):
            lib = pick(rng, "zlib", "zlib", "bzip2", "blosc", "blosc:lz4", "blosc:zstd", "blosc2", "blosc2:lz4", "blosc2:zstd", "blosc2:zlib", "blosc2:lz4hc")
            shuffle = int(rng.integers(3))
            fs = tables.Filters(complevel=int(rng.integers(0, 10)), complib=lib, shuffle=shuffle == 1, bitshuffle=shuffle == 2 and lib.startswith("blosc"), fletcher32=chance(rng, 25))
            d = np.dtype(pick(rng, "<i4", ">i4", "i1", "u1", "<u2", "<i8", "<f4", ">f8", "<f8", "<f2", "bool", "S9", "<c8", "<c16"))
            shape = shapes(rng, int(rng.integers(1, 6)))
            shape = tuple(max(1, n) for n in shape)
            data = values(rng, int(np.prod(shape)), d).reshape(shape)
            where, kind = pick(rng, *parents), pick(rng, "array", "carray", "carray", "carray", "earray", "table", "vlarray", "big")
            if kind == "array":
                x = f.create_array(where, "d%d" % i, obj=data)
            elif kind == "big":
                data = values(rng, 300 * 170, d).reshape(300, 170)
                x = f.create_carray(where, "d%d" % i, obj=data, chunkshape=(97, 101), filters=fs)
            elif kind == "carray":
                x = f.create_carray(where, "d%d" % i, obj=data, chunkshape=chunks(rng, shape), filters=fs)
            elif kind == "earray":
                x = f.create_earray(where, "d%d" % i, tables.Atom.from_dtype(d.newbyteorder("=")), (0, *shape[1:]), chunkshape=chunks(rng, shape), filters=fs)
                x.append(data)
            elif kind == "table":
                x = f.create_table(where, "d%d" % i, Row, filters=fs, chunkshape=int(rng.integers(1, 40)), byteorder=pick(rng, "little", "big"))
                for k in range(int(rng.integers(0, 90))):
                    r = x.row
                    r["n"], r["x"], r["s"], r["flag"], r["nested/u"], r["nested/c"] = k, (k / 2, -k), b"abc"[: k % 4], k % 3 == 0, k, k + 1j
                    r.append()
            else:
                x = f.create_vlarray(where, "d%d" % i, tables.Int32Atom())
                x.append([1, 2, 3])
            x.attrs.number, x.attrs.text, x.attrs.list = np.int32(7), pick(rng, *TEXT), [1, "two"]
            x.attrs.array = np.arange(3.0)
    return "default"


# --- netCDF4 and h5netcdf ---


def write_classic(rng, path):
    """Writes a file of a classic format, with records in some variables."""
    kind = pick(rng, "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA")
    with netCDF4.Dataset(path, "w", format=kind) as f:
        f.title, f.levels, f.empty = pick(rng, *TEXT), np.arange(3, dtype="i4"), ""
        sizes = {"y": int(rng.integers(1, 9)), "x": int(rng.integers(1, 12)), "z": int(rng.integers(1, 5))}
        for name, n in sizes.items():
            f.createDimension(name, n)
        records = int(rng.integers(0, 6))
        if chance(rng, 70):
            f.createDimension("time", None)
        for i in range(int(rng.integers(0, 9))):
            names = (["time"] if "time" in f.dimensions and chance(rng, 50) else []) + [n for n in sizes if chance(rng, 40)]
            d = pick(rng, "i1", "i2", "i4", "f4", "f8", "S1", *(("u1", "u2", "u4", "i8", "u8") if kind.endswith("DATA") else ()))
            o = {"fill_value": 9} if d != "S1" and chance(rng, 30) else {}
            v = f.createVariable("v%d" % i, d, names, **o)
            v.set_auto_maskandscale(False)
            shape = tuple(sizes.get(n, records) for n in names)
            if chance(rng, 80):
                v[...] = values(rng, int(np.prod(shape, dtype=int)), np.dtype(d)).reshape(shape)
            if chance(rng, 60):
                v.units, v.scale_factor, v.valid_range = "K", 0.5, np.array([1, 2], "f4")
    return kind


def write_netcdf4(rng, path):
    if chance(rng, 35):
        return write_classic(rng, path)
    kind = pick(rng, "NETCDF4", "NETCDF4", "NETCDF4_CLASSIC")
    with netCDF4.Dataset(path, "w", format=kind) as f:
        f.title, f.levels = pick(rng, *TEXT), np.arange(3, dtype="i4")
        groups = [f]
        if kind == "NETCDF4":
            for i in range(int(rng.integers(0, 3))):
                groups.append(pick(rng, *groups).createGroup("g%d" % i))
        sizes = {"time": None, "y": int(rng.integers(1, 9)), "x": int(rng.integers(1, 12)), "z": int(rng.integers(1, 5))}
        for name, n in sizes.items():
            f.createDimension(name, n)
        if kind == "NETCDF4" and chance(rng, 30):
            f.createDimension("more", None)
            sizes["more"] = None
        if chance(rng, 60):
            v = f.createVariable("y", "f8", ("y",))
            v[:], v.units = np.arange(sizes["y"]), "degrees_north"
        if chance(rng, 60):
            v = f.createVariable("time", "f8", ("time",))
            v.units = "days since 2000-01-01"
        for i in range(int(rng.integers(1, 7))):
            g = pick(rng, *groups)
            names = [n for n in sizes if chance(rng, 50)]
            d = pick(rng, "i1", "i2", "i4", "f4", "f8", *(("u1", "u2", "i8", "u8", "S1", str, "enum", "compound", "vlen") if kind == "NETCDF4" else ("S1",)))
            o = {}
            if names and d not in (str, "vlen"):
                o["fletcher32"], o["shuffle"] = chance(rng, 25), chance(rng, 60)
                lib = pick(rng, None, "zlib", "zlib", "zstd", "bzip2")
                if lib:
                    o.update(compression=lib, complevel=int(rng.integers(1, 8)))
                if chance(rng, 40):
                    o["chunksizes"] = [int(rng.integers(1, (sizes[n] or 5) + 1)) for n in names]
                if d in ("f4", "f8") and lib == "zlib" and chance(rng, 30):
                    o.update(significant_digits=int(rng.integers(1, 4)), quantize_mode=pick(rng, "BitGroom", "GranularBitRound"))
                if d not in ("S1", "enum", "compound") and d[1] != "1" and chance(rng, 30):
                    o["endian"] = pick(rng, "big", "little")
            if d in ("i2", "i4", "f4", "f8") and chance(rng, 40):
                o["fill_value"] = 99
            shape = tuple(sizes[n] or 3 for n in names)
            if d == "enum":
                v = g.createVariable("v%d" % i, g.createEnumType(np.int8, "colors%d" % i, COLORS), names, **o, fill_value=100)
                data = values(rng, int(np.prod(shape, dtype=int)), h5py.enum_dtype(COLORS, "i1")).reshape(shape)
            elif d == "compound":
                t = np.dtype([("a", "<i4"), ("b", "<f8", (2,))])
                v = g.createVariable("v%d" % i, g.createCompoundType(t, "pair%d" % i), names, **o)
                data = values(rng, int(np.prod(shape, dtype=int)), t).reshape(shape)
            elif d == "vlen":
                base = pick(rng, np.int32, np.float64, np.uint8, np.float32)
                v = g.createVariable("v%d" % i, g.createVLType(base, "ragged%d" % i), names)
                data = None
                if names:
                    for at in np.ndindex(*shape):
                        v[at] = values(rng, int(rng.integers(1, 9)), np.dtype(base))
            else:
                v = g.createVariable("v%d" % i, d, names, **o)
                data = np.array([pick(rng, *TEXT) for _ in range(int(np.prod(shape, dtype=int)))], object).reshape(shape) if d is str else values(rng, int(np.prod(shape, dtype=int)), np.dtype(d)).reshape(shape)
            if data is not None and chance(rng, 85):
                v.set_auto_maskandscale(False)
                v[...] = data
            if kind == "NETCDF4" and "wide" not in f.dimensions and chance(rng, 10):
                # Blosc fails for chunks that do not become smaller
                f.createDimension("wide", 120)
                w = f.createVariable("blosc", "f4", ("wide", "wide"), compression="blosc_" + pick(rng, "lz4", "zstd", "zlib"), chunksizes=(60, 70))
                w[:] = np.arange(120.0)
            if chance(rng, 60):
                v.units, v.scale_factor, v.valid_range = "K", 0.5, np.array([1, 2], "f4")
    return kind


def write_h5netcdf(rng, path):
    with h5netcdf.File(path, "w") as f:
        f.attrs["title"] = pick(rng, "a", "été")
        f.dimensions = {"x": int(rng.integers(1, 12)), "y": int(rng.integers(1, 9)), "t": None}
        g = f.create_group("group") if chance(rng, 50) else f
        for i in range(int(rng.integers(1, 6))):
            names = tuple(n for n in ("t", "x", "y") if chance(rng, 60))
            d = np.dtype(pick(rng, "<i4", "<f8", "<i2", "u1", "<f4", ">f4"))
            o = {}
            if names:
                o = filters(rng, d)
                o.pop("scaleoffset", None)
                if o.get("compression") == "szip":
                    o = {}
                o["chunks"] = tuple(int(rng.integers(1, 1 + (f.dimensions[n].size or 5))) for n in names)
            if chance(rng, 40):
                o["fillvalue"] = d.type(9)
            v = pick(rng, f, g).create_variable("v%d" % i, names, d, **o)
            if "t" in names:
                f.resize_dimension("t", 3)
            shape = tuple(3 if n == "t" else f.dimensions[n].size for n in names)
            v[...] = values(rng, int(np.prod(shape, dtype=int)), d).reshape(shape)
            v.attrs["units"] = "m"
            v.attrs["range"] = np.array([1.5, 2], "f4")
    return "default"


WRITERS = {"h5py": write_h5py, "PyTables": write_tables, "netCDF4": write_netcdf4, "h5netcdf": write_h5netcdf}
