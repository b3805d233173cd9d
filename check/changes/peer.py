"""Judges changes of HDF5 and NetCDF-4 files. Each line of standard input is JSON, and each answer a
line of JSON: {"digest": FILE} tells what h5py, netCDF4, h5dump, h5stat and ncdump find, as a hash;
{"apply": FILE, "change": {...}} makes a change with h5py, and tells what went wrong, or ok;
{"keys": FILE} lists the keys of groups and datasets. "make DIR" as arguments makes files instead.
"""

import hashlib
import json
import subprocess
import sys

import h5py
import netCDF4
import numpy as np


def make(where):
    import xarray

    rng = np.random.default_rng(1)
    for name, options in (
        ("earliest", {"libver": "earliest"}),
        ("v110", {"libver": ("v110", "v110")}),
        ("latest", {"libver": "latest"}),
        ("ordered", {"libver": "latest", "track_order": True}),
        ("orderedold", {"track_order": True}),
    ):
        with h5py.File(f"{where}/h5py-{name}.h5", "w", **options) as f:
            hdf5(f, rng, options.get("track_order", False))
    for engine in ("netcdf4", "h5netcdf"):
        ds = xarray.Dataset({"t": (("time", "x"), rng.random((5, 3))), "u": (("time",), np.arange(5))},
                            {"time": np.arange(5.0), "x": [1, 2, 4]}, {"title": "a", "n": 3})
        ds.to_netcdf(f"{where}/xarray-{engine}.nc", engine=engine, unlimited_dims=["time"])
    with netCDF4.Dataset(f"{where}/netcdf4.nc", "w") as n:
        n.title = "of netCDF"
        n.createDimension("time", None)
        n.createDimension("x", 3)
        n.createDimension("unused", 7)
        n.createVariable("time", "f8", ("time",))[:5] = np.arange(5)
        for name in ("a", "b", "c/d/e", "c/f"):
            v = n.createVariable(name, "i2", ("time", "x"), zlib=True)
            v.units = "K"
            for i in range(12 if name == "b" else 2):
                v.setncattr(f"at{i}", np.arange(i + 1))
            v[:5] = rng.integers(0, 99, (5, 3))


def hdf5(f, rng, ordered):
    """Writes objects of many kinds: with dense attributes and links, references, and other names."""
    f.attrs["title"] = "some text"
    f.attrs["numbers"] = np.arange(5)
    for i in range(20):
        d = f.create_dataset(f"many/d{i:02}", data=rng.random(3 + i), **({"track_order": True} if ordered else {}))
        d.attrs["i"] = i
    for i in range(13):
        f["many/d03"].attrs[f"dense{i:02}"] = np.arange(i) if i else "text"
    f.create_dataset("a", data=rng.random((5, 3)), maxshape=(None, 3), chunks=(4, 2), compression="gzip")
    f.create_dataset("b", data=rng.integers(0, 9, 5), maxshape=(None,), chunks=(2,))
    f["b"].attrs["of a"] = f["a"].ref
    f["b"].attrs["texts"] = np.array(["x", "yy", "zzz"], dtype=h5py.string_dtype())
    f.create_dataset("empty", dtype="f4", shape=(3,))
    f.create_dataset("texts", data=["a", "bc"], dtype=h5py.string_dtype())
    f["type"] = np.dtype([("a", "i4"), ("b", "f8")])
    f.create_dataset("typed", shape=(2,), dtype=f["type"])
    f["typed"].attrs.create("of type", np.zeros(1, f["type"].dtype), dtype=f["type"])
    f["g/same"] = f["a"]
    f["g/h/same too"] = f["a"]
    f["g/b"] = h5py.SoftLink("/b")
    f["g/none"] = h5py.SoftLink("/nowhere")
    f["g/other"] = h5py.ExternalLink("other.h5", "/x")
    f["g/h/group"] = f["many"]
    f.create_dataset("scale", data=np.arange(5.0)).make_scale("scale")
    f.create_dataset("free", data=np.arange(4.0)).make_scale("free")
    for name in ("u", "v"):
        f.create_dataset(name, data=rng.random((5, 4)))
        f[name].dims[0].attach_scale(f["scale"])


def plain(v, f, first):
    """Returns a value as text."""
    if isinstance(v, h5py.Empty):
        return f"empty {v.dtype}"
    if isinstance(v, h5py.Reference):
        return f"-> {first.get(h5py.h5o.get_info(f[v].id).addr, 'no key')}" if v else "-> nothing"
    if isinstance(v, np.ndarray):
        return f"[{', '.join(plain(x, f, first) for x in v)}]" if v.ndim else plain(v[()], f, first)
    if isinstance(v, np.void) and v.dtype.names:
        return f"({', '.join(plain(x, f, first) for x in v)})"
    return f"{type(v).__name__} {v!r}"


def attributes(o, f, first):
    made = []
    for name in sorted(o.attrs):
        a = o.attrs.get_id(name)
        value = plain(o.attrs[name], f, first)
        if name == "REFERENCE_LIST":
            value = str(sorted(plain(x, f, first) for x in o.attrs[name]))
            made.append((name, value))
            continue
        made.append((name, str(a.dtype), a.shape, value))
    assert len(made) == h5py.h5a.get_num_attrs(o.id)
    return made


def describe(f, counts):
    """Returns all that h5py finds, with or without counts of links."""
    made, first, seen = [], {}, set()

    def name(key, o):
        at = h5py.h5o.get_info(o.id).addr
        if at not in first:
            first[at] = key
            if isinstance(o, h5py.Group):
                for n in sorted(o):
                    if isinstance(o.get(n, getlink=True), h5py.HardLink):
                        name(f"{key.rstrip('/')}/{n}", o[n])

    def visit(key, o):
        info = h5py.h5o.get_info(o.id)
        if info.addr in seen:
            made.append((key, "is", first[info.addr]))
            return
        seen.add(info.addr)
        # Those who use a committed datatype count, too, and a change leaves that.
        links = info.rc if counts and not isinstance(o, h5py.Datatype) else 0
        made.append((key, type(o).__name__, links, attributes(o, f, first)))
        if isinstance(o, h5py.Dataset):
            made.append((str(o.dtype), o.shape, o.maxshape, o.chunks, o.compression, str(o.fillvalue), plain(np.asarray(o[()]), f, first)))
        if isinstance(o, h5py.Group):
            assert len(o) == len(list(o))
            for name in sorted(o):
                link = o.get(name, getlink=True)
                if isinstance(link, h5py.HardLink):
                    visit(f"{key.rstrip('/')}/{name}", o[name])
                else:
                    made.append((key, name, type(link).__name__, link.path, getattr(link, "filename", "")))

    name("/", f["/"])
    visit("/", f["/"])
    return made


def describe_netcdf(g, path="/"):
    # the library numbers dimensions that have no scales as it comes to them
    dims = sorted(("phony" if n.startswith("phony") else n, len(d)) for n, d in g.dimensions.items())
    made = [(path, sorted((k, str(v)) for k, v in g.__dict__.items()), dims)]
    for name, v in sorted(g.variables.items()):
        over = ["phony" if n.startswith("phony") else n for n in v.dimensions]
        made.append((name, str(v.dtype), over, sorted((k, str(x)) for k, x in v.__dict__.items()), v[:].tolist()))
    for name, sub in sorted(g.groups.items()):
        made += describe_netcdf(sub, f"{path}{name}/")
    return made


def digest(name, tools=False, counts=True):
    with h5py.File(name, "r") as f:
        made = [describe(f, counts)]
    if name.endswith(".nc"):
        with netCDF4.Dataset(name) as n:
            made.append(describe_netcdf(n))
    if tools:
        for tool in ["h5dump"], ["h5stat"], *([["ncdump"]] if name.endswith(".nc") else []):
            done = subprocess.run([*tool, name], capture_output=True)
            if done.returncode:
                raise ValueError(f"{tool[0]}: {done.stderr.decode()[:300]}")
        if name.endswith(".nc"):
            import xarray

            xarray.open_dataset(name, engine="netcdf4").load().close()
            xarray.open_dataset(name, engine="h5netcdf").load().close()
    return hashlib.sha256(repr(made).encode()).hexdigest(), made


def apply(name, c):
    """Makes a change."""
    key = c["key"]
    with h5py.File(name, "r+") as f:
        match c["op"]:
            case "set":
                f[key].attrs[c["name"]] = c["value"] if isinstance(c["value"], str) else np.asarray(c.get("value", []), "f8")[()]
            case "unset":
                del f[key].attrs[c["name"]]
            case "delete":
                detach(f, key)
                del f[key]
            case "replace" | "put":
                if c["op"] == "replace":
                    detach(f, key)
                    del f[key]
                items = np.arange(c["n"] * 3, dtype="f8").reshape(-1, 3)
                options = {"chunks": (4, 3), "compression": "gzip", "maxshape": (None, 3)} if c["chunked"] else {}
                d = f.create_dataset(key, data=items, **options)
                d.attrs["made"] = "by the change"
                if c.get("scale"):
                    d.dims[0].attach_scale(f[c["scale"]])
            case "group":
                f.create_group(key).attrs["n"] = np.int64(c["n"])


def detach(f, key):
    """Detaches scales of what is deleted with a key, unless it has another name."""
    if not isinstance(f.get(key, getlink=True), h5py.HardLink):
        return
    def reached(skip):
        """Returns the objects to which hard links lead, but for one."""
        found = {}

        def visit(path, o):
            at = h5py.h5o.get_info(o.id).addr
            if at in found:
                return
            found[at] = o
            if isinstance(o, h5py.Group):
                for n in o:
                    if f"{path}/{n}" != skip and isinstance(o.get(n, getlink=True), h5py.HardLink):
                        visit(f"{path}/{n}", o[n])

        visit("", f["/"])
        return found

    stays = reached(key)
    for at, o in reached(None).items():
        if isinstance(o, h5py.Dataset) and at not in stays and "DIMENSION_LIST" in o.attrs:
            for dim in o.dims:
                for scale in list(dim.values()):
                    if h5py.h5o.get_info(scale.id).addr in stays:
                        dim.detach_scale(scale)


def keys(name):
    made = []
    with h5py.File(name, "r") as f:
        def visit(key, g):
            for n in g:
                path = f"{key}/{n}"
                link = g.get(n, getlink=True)
                hard = isinstance(link, h5py.HardLink)
                o = g[n] if hard else None
                made.append({"key": path, "hard": hard, "group": isinstance(o, h5py.Group),
                             "attributes": sorted(o.attrs) if hard else []})
                if isinstance(o, h5py.Group) and path.count("/") < 4:
                    visit(path, o)
        made.append({"key": "/", "hard": True, "group": True, "attributes": sorted(f.attrs)})
        visit("", f)
    return made


def main():
    last = {}
    for line in sys.stdin:
        q = json.loads(line)
        if q.get("op") == "hello":
            print(json.dumps({"versions": f"h5py {h5py.__version__}, HDF5 {h5py.version.hdf5_version}, netCDF4 {netCDF4.__version__}"}), flush=True)
            continue
        try:
            if "digest" in q:
                a, made = digest(q["digest"], q.get("tools", False), q.get("counts", True))
                last[a] = made
                answer = {"digest": a}
            elif "differ" in q:
                flat = [[str(y) for part in last[x] for y in part] for x in q["differ"]]
                answer = {"text": str([p for p in flat[0] if p not in flat[1]][:3]) + " WANT " +
                          str([p for p in flat[1] if p not in flat[0]][:3])}
            elif "keys" in q:
                answer = {"keys": keys(q["keys"])}
            else:
                apply(q["apply"], q["change"])
                answer = {}
        except Exception as e:
            answer = {"wrong": f"{type(e).__name__}: {e}"}
        if len(last) > 400:
            last.clear()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make(sys.argv[2])
    else:
        main()
