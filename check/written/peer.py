# The other side of main.go: reads a JSON command per line, and answers with one. Compares a file
# with what it should have.
import json
import sys
import traceback
import warnings

import h5netcdf
import h5py
import hdf5plugin
import netCDF4
import numpy as np
import scipy.io
import xarray

warnings.simplefilter("ignore")

KINDS = {"byte": "<i1", "char": "S1", "short": "<i2", "int": "<i4", "float": "<f4", "double": "<f8", "ubyte": "<u1",
         "ushort": "<u2", "uint": "<u4", "int64": "<i8", "uint64": "<u8"}


def hello(c):
    return {"versions": f"netCDF4 {netCDF4.__version__} ({netCDF4.getlibversion().split()[0]}), "
                        f"scipy {scipy.__version__}, xarray {xarray.__version__}, numpy {np.__version__}"}


def little(values, kind):
    """Returns numbers of a dtype as little-endian bytes, or None if they have another dtype."""
    a = np.asarray(values)
    if a.dtype.newbyteorder("<") != np.dtype(kind):
        return None
    return np.ascontiguousarray(a.astype(kind)).tobytes()


def same(where, got, want, differences):
    if got != want:
        differences.append(f"{where}: {got!r:.300}, want {want!r:.300}")


def attributes(where, have, wants, differences):
    same(where + " names", list(have), [a["Name"] for a in wants], differences)
    for a in wants:
        value = have.get(a["Name"])
        at = f"{where} attribute {a['Name']}"
        want = bytes.fromhex(a["Values"])
        if a["Type"] == "string":
            got = [value] if isinstance(value, str) else list(value)
            same(at, got, a["Texts"], differences)
        elif a["Type"] == "char":
            if isinstance(value, str):
                value = value.encode()
            same(at, value.rstrip(b"\0"), want.rstrip(b"\0"), differences)
        else:
            same(at, little(value, KINDS[a["Type"]]), want, differences)


def filled(v):
    """Returns the items of a variable that were never written."""
    kind = KINDS[v["Type"]]
    fill = [a for a in v["Attributes"] or [] if a["Name"] == "_FillValue"]
    if fill:
        return bytes.fromhex(fill[0]["Values"])
    fills = {"i1": -127, "S1": b"\0", "i2": -32767, "i4": -2147483647, "f4": 9.9692099683868690e+36,
             "f8": 9.9692099683868690e+36, "u1": 255, "u2": 65535, "u4": 4294967295, "i8": -9223372036854775806,
             "u8": 18446744073709551614}
    return np.array(fills[kind.strip("<")], kind).tobytes()


def items(v, shape):
    if v["Written"]:
        return bytes.fromhex(v["Items"])
    return filled(v) * int(np.prod(shape, dtype=np.int64))


def texts(v, got):
    """Returns the texts that a variable has."""
    return v["Texts"] if v["Written"] else [""] * np.asarray(got).size


def used(g):
    """Returns the names of the dimensions that variables of a group and those in it have."""
    return set().union(*(v["Dims"] or [] for v in g["Variables"] or []), *map(used, g["Groups"] or []))


def group_by_netcdf4(f, want, where, differences):
    # An unlimited dimension is as long as its variables.
    length = {d["Name"]: d["Len"] for d in want["Dimensions"] or []} if f.data_model.startswith("NETCDF3") else {}
    for d in want["Dimensions"] or []:
        length.setdefault(d["Name"], 0 if d["Unlimited"] and d["Name"] not in used(want) else d["Len"])
    same(where + " dimensions", [[d.name, len(d), d.isunlimited()] for d in f.dimensions.values()],
         [[d["Name"], length[d["Name"]], d["Unlimited"]] for d in want["Dimensions"] or []], differences)
    attributes(where, {n: f.getncattr(n) for n in f.ncattrs()}, want["Attributes"] or [], differences)
    wants = want["Variables"] or []
    same(where + " variables", list(f.variables), [v["Name"] for v in wants], differences)
    for v in wants:
        have = f.variables[v["Name"]]
        at = f"{where} variable {v['Name']}"
        same(at + " dimensions", list(have.dimensions), v["Dims"] or [], differences)
        attributes(at, {n: have.getncattr(n) for n in have.ncattrs()}, v["Attributes"] or [], differences)
        got = have[...]
        if v["User"]:
            by_user(at, v, have, got, differences)
        elif v["Type"] == "string":
            same(at, np.asarray(got, object).ravel().tolist(), texts(v, got), differences)
        else:
            same(at, little(got, KINDS[v["Type"]]), items(v, got.shape), differences)
    same(where + " groups", list(f.groups), [g["Name"] for g in want["Groups"] or []], differences)
    for g in want["Groups"] or []:
        group_by_netcdf4(f.groups[g["Name"]], g, f"{where}/{g['Name']}", differences)


def by_user(at, v, have, got, differences):
    """Compares items of a type that the file defines."""
    same(at + " type", have.datatype.name, v["Type"], differences)
    if isinstance(have.datatype, netCDF4.VLType):
        flat = [got] if have.ndim == 0 else np.asarray(got, object).ravel()
        lists = [np.atleast_1d(np.asarray(x)).tolist() for x in flat]
        same(at, lists, v["Lists"] or [] if v["Written"] else [[]] * len(lists), differences)
        return
    want = np.dtype(eval(v["DType"])) if v["Written"] else have.dtype
    size = int(np.prod(got.shape, dtype=int))
    data = np.frombuffer(bytes.fromhex(v["Items"]) if v["Written"] else bytes(size * want.itemsize), want)
    same_items(at, np.asarray(got).reshape(-1), data, differences)


def by_netcdf4(c, differences):
    with netCDF4.Dataset(c["path"]) as f:
        f.set_auto_maskandscale(False)
        f.set_auto_chartostring(False)
        group_by_netcdf4(f, c["want"], "", differences)


def by_h5netcdf(f, want, where, differences):
    same(where + " h5netcdf dimensions", sorted([d.name, d.size] for d in f.dimensions.values()),
         sorted([d["Name"], d["Len"]] for d in want["Dimensions"] or []), differences)
    for v in want["Variables"] or []:
        if v["User"]:
            continue
        have = f.variables[v["Name"]]
        same(f"{where} h5netcdf {v['Name']} dimensions", [d.rpartition("/")[2] for d in have.dimensions], v["Dims"] or [], differences)
        got = have[...]
        if v["Type"] == "string":
            flat = [t.decode() if isinstance(t, bytes) else t for t in np.asarray(got, object).ravel().tolist()]
            same(f"{where} h5netcdf {v['Name']}", flat, texts(v, got), differences)
        else:
            same(f"{where} h5netcdf {v['Name']}", little(got, KINDS[v["Type"]]), items(v, got.shape), differences)
    for g in want["Groups"] or []:
        by_h5netcdf(f.groups[g["Name"]], g, f"{where}/{g['Name']}", differences)


def by_scipy(c, differences):
    with scipy.io.netcdf_file(c["path"], mmap=False, maskandscale=False) as f:
        for v in c["want"]["Variables"] or []:
            got = f.variables[v["Name"].encode().decode("latin-1")].data
            kind = KINDS[v["Type"]]
            same("scipy " + v["Name"], np.asarray(got).astype(kind).tobytes(), items(v, got.shape), differences)


def by_xarray(c, engine, differences):
    users = [v["Name"] for v in c["want"]["Variables"] or [] if v["User"]]
    with xarray.open_dataset(c["path"], engine=engine, decode_cf=False, drop_variables=users) as ds:
        for v in c["want"]["Variables"] or []:
            if v["User"]:
                continue
            name = v["Name"]
            if engine == "scipy":
                name = name.encode().decode("latin-1")  # as scipy has names
            got = ds[name].values
            if v["Type"] == "string":
                same(f"xarray {engine} {v['Name']}", got.ravel().tolist(), texts(v, got), differences)
                continue
            same(f"xarray {engine} {v['Name']}", np.asarray(got).astype(KINDS[v["Type"]]).tobytes(), items(v, got.shape),
                 differences)


def read(c):
    differences = []
    by_netcdf4(c, differences)
    dims = {d["Name"] for d in c["want"]["Dimensions"] or []}
    # what xarray refuses
    repeated = any(len(set(v["Dims"] or [])) < len(v["Dims"] or []) or v["Name"] in dims and (v["Dims"] or []) != [v["Name"]]
                   for v in c["want"]["Variables"] or [])
    if not repeated:
        by_xarray(c, "netcdf4", differences)
    if c["want"]["Opaque"]:
        pass  # h5netcdf fails for opaque types
    elif c["format"] == "netCDF-4":
        with h5netcdf.File(c["path"]) as f:
            by_h5netcdf(f, c["want"], "", differences)
        if not repeated:
            by_xarray(c, "h5netcdf", differences)
    elif c["format"] != "cdf5":
        by_scipy(c, differences)
        if not repeated:
            by_xarray(c, "scipy", differences)
    return {"differences": differences}


# --- HDF5 ---


def columns(a, path=""):
    """Returns the arrays of the fields of items, texts as such."""
    if a.dtype.names:
        return [c for n in a.dtype.names for c in columns(a[n], f"{path}/{n}")]
    if a.dtype == object:
        flat = [v.decode() if isinstance(v, bytes) else v for v in a.ravel()]
        return [(path, np.array(flat, "U%d" % max([1, *map(len, flat)])).reshape(a.shape))]
    return [(path, a)]


def same_items(where, got, want, differences):
    got, want = columns(np.asarray(got)), columns(want)
    same(where + " fields", [p for p, _ in got], [p for p, _ in want], differences)
    for (path, g), (_, w) in zip(got, want):
        if w.dtype.kind == "U":
            same(where + path, g.tolist(), w.tolist(), differences)
        else:
            same(where + path + " dtype", g.dtype, w.dtype, differences)
            same(where + path, (g.shape, g.tobytes()), (w.shape, w.tobytes()), differences)


def value(v, f):
    """Returns the value of an attribute as JSON has it."""
    if isinstance(v, h5py.Empty):
        return None
    if isinstance(v, h5py.Reference):
        return "ref:%d" % h5py.h5o.get_info(f[v].id).addr if v else None
    if isinstance(v, bytes):
        return v.decode()
    if isinstance(v, np.void) and v.dtype.names:
        return {n: value(v[n], f) for n in v.dtype.names}
    if isinstance(v, np.ndarray):
        return [value(e, f) for e in v] if v.ndim else value(v[()], f)
    return v.item() if isinstance(v, np.generic) else v


def addressed(want, f):
    """Returns a value with the addresses of objects for their keys: they may have several names."""
    if isinstance(want, str) and want.startswith("ref:"):
        return "ref:%d" % h5py.h5o.get_info(f[want[4:]].id).addr
    return [addressed(w, f) for w in want] if isinstance(want, list) else want


def same_values(where, attrs, wants, f, differences):
    same(where + " attributes", sorted(attrs), sorted(a["Name"] for a in wants), differences)
    for a in wants:
        at = f"{where} attribute {a['Name']}"
        got = value(attrs[a["Name"]], f)
        same(at, got, float(a["Value"]) if isinstance(got, float) else addressed(a["Value"], f), differences)
        if a["DType"]:
            same(at + " dtype", attrs.get_id(a["Name"]).dtype, np.dtype(a["DType"]), differences)


def by_h5py(c, differences):
    with h5py.File(c["path"]) as f:
        names = {}
        for o in c["want"]:
            key, kind = o["Key"], o["Kind"]
            if key != "/":
                names.setdefault(key.rpartition("/")[0] or "/", []).append(key.rpartition("/")[2])
            if kind == "link":
                same(key, f.get(key, getlink=True).path, o["Target"], differences)
                continue
            if kind == "external":
                link = f.get(key, getlink=True)
                same(key, [link.path, link.filename], [o["Target"], o["File"]], differences)
                continue
            if kind == "hard":
                same(key, f[key] == f[o["Target"]] and h5py.h5o.get_info(f[key].id).rc > 1, True, differences)
                continue
            if kind == "type":
                same(key, [isinstance(f[key], h5py.Datatype), f[key].dtype], [True, np.dtype(eval(o["DType"]))], differences)
                continue
            same_values(key, f[key].attrs, o["Attributes"] or [], f, differences)
            if kind == "group":
                same(key, isinstance(f[key], h5py.Group), True, differences)
                continue
            d = f[key]
            if o["HasValues"]:
                same(key + " shape", list(d.shape), o["Shape"], differences)
                got = [] if not d.size else [d[()]] if not d.shape else d[...].ravel()
                same(key, [value(x, f) for x in got], addressed(o["Values"] or [], f), differences)
                continue
            if o["Enum"]:
                same(key + " names", h5py.check_enum_dtype(d.dtype), o["Enum"], differences)
            dtype = np.dtype(eval(o["DType"]))
            same(key + " shape", list(d.shape), o["Shape"], differences)
            if o["Max"] is not None:
                same(key + " maxshape", [-1 if n is None else n for n in d.maxshape], o["Max"], differences)
            if o["Chunks"] is not None:
                same(key + " chunks", list(d.chunks), o["Chunks"], differences)
            if o["Fill"]:
                fill = np.frombuffer(bytes.fromhex(o["Fill"]), dtype)
                if dtype.kind not in "MmV" or dtype.names:
                    same_items(key + " fill", np.asarray(d.fillvalue, d.dtype).reshape(1), fill, differences)
            want = np.frombuffer(bytes.fromhex(o["Items"]), dtype).reshape(o["Shape"])
            same_items(key, d[...] if d.size else np.empty(d.shape, d.dtype), want, differences)
        for group, children in names.items():
            same(group + " names", list(f[group]), children, differences)


def hdf5(c):
    differences = []
    by_h5py(c, differences)
    return {"differences": differences}


def main():
    for line in sys.stdin:
        c = json.loads(line)
        try:
            answer = {"hello": hello, "read": read, "hdf5": hdf5}[c["op"]](c)
        except Exception as e:
            answer = {"error": repr(e), "trace": traceback.format_exc()}
        print(json.dumps(answer), flush=True)


main()
