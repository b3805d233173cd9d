# The other side of copies.go: compares a copy of a NetCDF or HDF5 file with the file itself. It
# answers with the differences, each with the path of what differs.
import json
import sys
import traceback
import warnings

import h5py
import hdf5plugin
import netCDF4
import numpy as np
import xarray

warnings.simplefilter("ignore")

# What says how a NetCDF-4 file is made of HDF5, or which scales a dataset has.
HIDDEN = {"DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS", "_NCProperties", "_Netcdf4Dimid", "_Netcdf4Coordinates",
          "_nc3_strict", "CLASS", "NAME"}


def hello(c):
    return {"versions": f"h5py {h5py.__version__}, netCDF4 {netCDF4.__version__}, xarray {xarray.__version__}"}


def equal(a, b):
    """Reports whether values are equal, to the bit. References are by where they lead."""
    if isinstance(a, h5py.Empty) or isinstance(b, h5py.Empty):
        return isinstance(a, h5py.Empty) == isinstance(b, h5py.Empty)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, (str, bytes)):
        return a == b
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    if a.dtype.hasobject:
        return a.shape == () and a[()] == b[()] or a.shape != () and equal(a.ravel().tolist(), b.ravel().tolist())
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


NAMES = {}


def name_of(file, ref):
    """Returns the first of the names of what a reference leads to."""
    if file.id not in NAMES:
        NAMES[file.id] = {}
        file.visititems(lambda name, o: NAMES[file.id].setdefault(h5py.h5o.get_info(o.id).addr, "/" + name) and None)
    return NAMES[file.id].get(h5py.h5o.get_info(file[ref].id).addr, "/")


def value(v, file):
    if isinstance(v, h5py.Reference):
        return name_of(file, v) if v else ""
    if isinstance(v, np.ndarray) and h5py.check_ref_dtype(v.dtype) is h5py.Reference:
        return np.array([value(r, file) for r in v.ravel()], object).reshape(v.shape)
    return v


def text(v):
    """Returns a single text without the zeros that NetCDF does not count, or None."""
    if isinstance(v, h5py.Empty) and v.dtype.kind == "S":
        return b""
    if isinstance(v, (str, bytes)):
        return (v.encode() if isinstance(v, str) else v).rstrip(b"\0")
    return None


def alike(a, b):
    """Reports whether attributes are equal as NetCDF has them: as lists, and texts of any kind."""
    if text(a) is not None:
        return text(a) == text(b)
    return equal(np.ravel(a), np.ravel(b))


def bare(d):
    """Reports whether a dataset is a dimension of NetCDF and no variable: its items mean nothing."""
    return np.bytes_(d.attrs.get("NAME", b"")).startswith(b"This is a netCDF dimension but not a netCDF variable")


def kind(d):
    """Returns all that h5py knows of a datatype."""
    t = d.dtype
    return t, h5py.check_string_dtype(t), h5py.check_enum_dtype(t), h5py.check_ref_dtype(t), h5py.check_vlen_dtype(t)


def fill(d):
    """Returns the fill value, or None if the file says that there is none."""
    try:
        return d.fillvalue
    except RuntimeError:
        return None


def packed(a, b):
    """Reports whether compounds with texts of variable length differ in the places of fields."""
    return a.names is not None and a.hasobject and a.names == b.names and all(a[n] == b[n] for n in a.names)


class HDF5:
    def __init__(self, a, b, hidden):
        self.a, self.b, self.hidden = a, b, hidden
        self.differences = []
        self.seen = set()

    def note(self, path, text):
        self.differences.append([path, text])

    def values(self, path, x, y):
        names = [n for n in x.attrs if n not in self.hidden]
        for n in names:
            at = f"{path}@{n}"
            if n not in y.attrs:
                self.note(at, "lost")
                continue
            p, q = x.attrs.get_id(n), y.attrs.get_id(n)
            try:
                if self.hidden:
                    if not alike(x.attrs[n], y.attrs[n]):
                        self.note(at, f"{x.attrs[n]!r:.100}, in the copy {y.attrs[n]!r:.100}")
                elif kind(p) != kind(q):
                    self.note(at, f"{p.dtype}, in the copy {q.dtype}")
                elif not equal(value(x.attrs[n], self.a), value(y.attrs[n], self.b)):
                    self.note(at, f"{x.attrs[n]!r:.100}, in the copy {y.attrs[n]!r:.100}")
            except (TypeError, OSError):  # what h5py cannot read
                pass
        for n in set(y.attrs) - set(names) - self.hidden:
            self.note(f"{path}@{n}", "new")

    def dataset(self, path, x, y):
        if not isinstance(y, h5py.Dataset):
            self.note(path, "is no dataset")
            return
        try:
            before = kind(x)
        except TypeError:
            return  # as h5py has no dtype for it
        if x.dtype.subdtype:  # arrays as items become dimensions
            base, dims = x.dtype.subdtype
            if (base, x.shape + dims) != (y.dtype, y.shape) or not equal(x[()], y[()]):
                self.note(path, "other arrays")
            return
        if before != kind(y) and not packed(x.dtype, y.dtype):
            self.note(path, f"{x.dtype}, in the copy {y.dtype}")
        if (x.shape, x.maxshape) != (y.shape, y.maxshape):
            self.note(path, f"shape {x.shape} up to {x.maxshape}, in the copy {y.shape} up to {y.maxshape}")
        elif x.shape is not None:
            try:
                items = x[()]
            except OSError:
                return
            if not equal(value(items, self.a), value(y[()], self.b)):
                self.note(path, "other items")
            if x.dtype.kind in "iufSb" and fill(x) is not None and not equal(fill(x), fill(y)):
                self.note(path, f"fill value {fill(x)!r}, in the copy {fill(y)!r}")

    def group(self, path, x, y):
        self.values(path, x, y)
        for name in x:
            at = path.rstrip("/") + "/" + name
            link = x.get(name, getlink=True)
            if not isinstance(link, h5py.HardLink):
                other = y.get(name, getlink=True)
                if type(other) is not type(link) or (other.path, getattr(other, "filename", 0)) != (link.path, getattr(link, "filename", 0)):
                    self.note(at, f"link to {link.path}: lost")
                continue
            if name not in y:
                self.note(at, "lost")
                continue
            child = x[name]
            if child.id in self.seen:
                continue
            self.seen.add(child.id)
            if isinstance(child, h5py.Group):
                self.group(at, child, y[name])
            elif isinstance(child, h5py.Dataset) and self.hidden and bare(child):
                continue
            elif isinstance(child, h5py.Dataset):
                self.dataset(at, child, y[name])
                self.values(at, child, y[name])
        for name in y:
            if name not in x:
                self.note(path.rstrip("/") + "/" + name, "new")
        if list(x) != list(y) and not self.hidden:
            self.note(path, f"order {list(x)!r:.100}, in the copy {list(y)!r:.100}")


class NetCDF:
    def __init__(self):
        self.differences = []

    def same(self, path, a, b):
        if a != b:
            self.differences.append([path, f"{a!r:.150}, in the copy {b!r:.150}"])

    def values(self, path, x, y):
        self.same(path, x.ncattrs(), y.ncattrs())
        for n in set(x.ncattrs()) & set(y.ncattrs()):
            a, b = x.getncattr(n), y.getncattr(n)
            if type(a) is not type(b) or not equal(a, b):
                self.differences.append([f"{path}@{n}", f"{a!r:.100}, in the copy {b!r:.100}"])

    def group(self, path, x, y):
        self.values(path or "/", x, y)
        self.same(path or "/", [(d.name, len(d), d.isunlimited()) for d in x.dimensions.values()],
                  [(d.name, len(d), d.isunlimited()) for d in y.dimensions.values()])
        for types in "cmptypes", "enumtypes", "vltypes":
            self.same(path or "/", list(getattr(x, types)), list(getattr(y, types)))
        self.same(path or "/", list(x.variables), list(y.variables))
        self.same(path or "/", list(x.groups), list(y.groups))
        for n in set(x.variables) & set(y.variables):
            u, v = x.variables[n], y.variables[n]
            at = f"{path}/{n}"
            self.same(at, u.dimensions, v.dimensions)
            self.same(at, (str(u.dtype), str(u.datatype)), (str(v.dtype), str(v.datatype)))
            if not equal(u[...], v[...]):
                self.differences.append([at, "other items"])
            self.values(at, u, v)
        for n in set(x.groups) & set(y.groups):
            self.group(f"{path}/{n}", x.groups[n], y.groups[n])


def netcdf(c):
    n = NetCDF()
    with netCDF4.Dataset(c["path"]) as a, netCDF4.Dataset(c["copy"]) as b:
        for f in a, b:
            f.set_auto_maskandscale(False)
            f.set_auto_chartostring(False)
        n.group("", a, b)
        ragged = [k for k, v in a.variables.items() if isinstance(v.datatype, netCDF4.VLType) and v.dtype is not str]
    try:
        a = xarray.open_dataset(c["path"], engine="netcdf4", drop_variables=ragged)
    except Exception:
        return {"differences": n.differences}  # what xarray does not read
    with a, xarray.open_dataset(c["copy"], engine="netcdf4", drop_variables=ragged) as b:
        try:
            xarray.testing.assert_identical(a, b)
        except AssertionError as e:
            n.differences.append(["/", f"by xarray: {e!s:.300}"])
    return {"differences": n.differences}


def hdf5(c):
    NAMES.clear()
    with h5py.File(c["path"]) as a, h5py.File(c["copy"]) as b:
        h = HDF5(a, b, HIDDEN if c["scales"] else set())
        h.group("/", a["/"], b["/"])
        return {"differences": h.differences}


# --- files that are made to be copied ---


def pick(rng, *options):
    return options[int(rng.integers(len(options)))]


def data(rng, shape, kind):
    a = (np.cumsum(rng.integers(-3, 4, int(np.prod(shape)))) % 100).reshape(shape)
    return a.astype(kind) if np.dtype(kind).kind != "f" else (a / 8).astype(kind)


def filters(rng):
    o = {"shuffle": bool(rng.integers(2)), "fletcher32": bool(rng.integers(2))}
    o.update(pick(rng, {}, {"compression": "gzip", "compression_opts": int(rng.integers(1, 9))},
                  {"compression": "lzf"}, dict(hdf5plugin.Zstd(clevel=3))))
    return o


def make_hdf5(rng, path):
    with h5py.File(path, "w", track_order=bool(rng.integers(2)), libver=pick(rng, "earliest", "latest", "v110")) as f:
        groups = [f]
        names = rng.permutation(40)[: int(rng.integers(3, 16))]
        arrays = []
        for n in names:
            g = pick(rng, *groups)
            kind = pick(rng, "group", "array", "array", "array", "array", "ragged", "refs", "soft", "hard", "external", "enum")
            name = "n%d" % n
            if kind == "group":
                groups.append(g.create_group(name, track_order=bool(rng.integers(2))))
                groups[-1].attrs["about"] = name
            elif kind == "array":
                shape = tuple(int(rng.integers(1, 40)) for _ in range(int(rng.integers(1, 4))))
                o = {"maxshape": pick(rng, None, (None,) + shape[1:])}
                if rng.integers(5):
                    o.update(filters(rng), chunks=tuple(int(rng.integers(1, s + 1)) for s in shape))
                d = g.create_dataset(name, data=data(rng, shape, pick(rng, "<i2", ">f4", "<f8", "u1", "<i8")), **o)
                d.attrs["z"], d.attrs["a"] = "K", data(rng, (3,), "<i2")
                arrays.append(d.name)
            elif kind == "ragged":
                d = g.create_dataset(name, (4,), h5py.vlen_dtype(np.dtype(pick(rng, "<i4", "<f8", "u1"))))
                for i in range(int(rng.integers(5))):
                    d[i] = data(rng, (int(rng.integers(9)),), "i4")
            elif kind == "enum":
                d = g.create_dataset(name, data=data(rng, (5,), "i2") % 2, dtype=h5py.enum_dtype({"off": 0, "on": 1}, "i2"))
            elif kind == "soft":
                g[name] = h5py.SoftLink("/somewhere")
            elif kind == "external":
                g[name] = h5py.ExternalLink("other.h5", "/x")
            elif arrays and kind == "hard":
                g[name] = f[pick(rng, *arrays)]
            elif arrays:
                d = g.create_dataset(name, (3,), h5py.ref_dtype)
                for i in range(3):
                    d[i] = f[pick(rng, *arrays)].ref


def make_netcdf(rng, path):
    with netCDF4.Dataset(path, "w") as f:
        sizes = {"time": None, "y": int(rng.integers(2, 30)), "x": int(rng.integers(2, 40))}
        for n, size in sizes.items():
            f.createDimension(n, size)
        f.title = "made to be copied"
        pair = f.createCompoundType(np.dtype([("a", "<i4"), ("b", "<f8")]), "pair")
        ragged = f.createVLType(np.int16, "ragged")
        colour = f.createEnumType("u1", "colour", {"red": 0, "blue": 7})
        for k in range(int(rng.integers(2, 7))):
            dims = pick(rng, ("time", "y", "x"), ("y", "x"), ("time", "x"))
            shape = tuple(sizes[d] or 5 for d in dims)
            kind = pick(rng, "i2", "f4", "f8", "u1", "f4", "pair", "ragged", "colour")
            o = {"shuffle": bool(rng.integers(2)), "fletcher32": bool(rng.integers(2)),
                 "chunksizes": [int(rng.integers(1, n + 1)) for n in shape]}
            o.update(pick(rng, {}, {"compression": "zlib", "complevel": 3}, {"compression": "zstd"}))
            if kind == "ragged":
                v = f.createVariable("v%d" % k, ragged, dims[:1])
                for i in range(shape[0]):
                    v[i] = data(rng, (int(rng.integers(1, 9)),), "i2")
            elif kind == "pair":
                v = f.createVariable("v%d" % k, pair, dims[:1])
                a = np.zeros(shape[:1], [("a", "<i4"), ("b", "<f8")])
                a["a"] = data(rng, shape[:1], "i4")
                v[:] = a
            elif kind == "colour":
                f.createVariable("v%d" % k, colour, dims, fill_value=0)[:] = data(rng, shape, "u1") % 2 * 7
            else:
                v = f.createVariable("v%d" % k, kind, dims, **o)
                v[:] = data(rng, shape, kind)
                v.units, v.valid_max = "K", np.array(99, kind)


def make(c):
    rng = np.random.default_rng([c["seed"], c["case"]])
    (make_netcdf if c["path"].endswith(".nc") else make_hdf5)(rng, c["path"])
    return {}


def stored(c):
    """Counts the filtered chunks of a file, and those that a copy has as they are. Small arrays are
    copied in one piece."""
    chunks = same = 0
    with h5py.File(c["path"]) as a, h5py.File(c["copy"]) as b:
        found = []
        a.visititems(lambda name, o: found.append(name) if isinstance(o, h5py.Dataset) else None)
        for name in found:
            x, y = a[name], b.get(name)
            if not isinstance(y, h5py.Dataset) or not x.chunks or x.dtype.hasobject or x.nbytes < 16 << 10 and None not in x.maxshape:
                continue
            if not x.id.get_create_plist().get_nfilters():
                continue
            for i in range(x.id.get_num_chunks()):
                at = x.id.get_chunk_info(i).chunk_offset
                chunks += 1
                same += x.chunks == y.chunks and x.id.read_direct_chunk(at) == y.id.read_direct_chunk(at)
    return {"chunks": chunks, "same": same}


def scales(c):
    """Reports whether an HDF5 file has dimension scales, whose attributes are made anew."""
    found = []
    with h5py.File(c["path"]) as f:
        f.visititems(lambda name, o: found.append(name) if "DIMENSION_LIST" in o.attrs or o.attrs.get("CLASS") == b"DIMENSION_SCALE" else None)
    return {"scales": bool(found)}


def main():
    for line in sys.stdin:
        c = json.loads(line)
        try:
            answer = {"hello": hello, "netcdf": netcdf, "hdf5": hdf5, "scales": scales, "make": make, "stored": stored}[c["op"]](c)
        except Exception as e:
            answer = {"error": repr(e), "trace": traceback.format_exc()}
        print(json.dumps(answer), flush=True)


main()
