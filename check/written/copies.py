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


def value(v, file):
    if isinstance(v, h5py.Reference):
        return file[v].name if v else ""
    if isinstance(v, np.ndarray) and v.dtype == h5py.ref_dtype:
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
    try:
        a = xarray.open_dataset(c["path"], engine="netcdf4")
    except Exception:
        return {"differences": n.differences}  # what xarray does not read
    with a, xarray.open_dataset(c["copy"], engine="netcdf4") as b:
        try:
            xarray.testing.assert_identical(a, b)
        except AssertionError as e:
            n.differences.append(["/", f"by xarray: {e!s:.300}"])
    return {"differences": n.differences}


def hdf5(c):
    with h5py.File(c["path"]) as a, h5py.File(c["copy"]) as b:
        h = HDF5(a, b, HIDDEN if c["scales"] else set())
        h.group("/", a["/"], b["/"])
        return {"differences": h.differences}


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
            answer = {"hello": hello, "netcdf": netcdf, "hdf5": hdf5, "scales": scales}[c["op"]](c)
        except Exception as e:
            answer = {"error": repr(e), "trace": traceback.format_exc()}
        print(json.dumps(answer), flush=True)


main()
