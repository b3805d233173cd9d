"""Opens files that a crash amid an append has left.

Each line of standard input names a file, the one of the last commit before, the one of the next
commit, and whether to append to the file. It must have what the first or the second has, for
netCDF4 and, unless it is a classic file, for h5py. Prints a line for each: ok, partly if some of its
datasets are those of the next commit, or what is wrong. "make DIR" as arguments makes files to
append to instead, "numbers DIR" makes others, and "follow FILE" reads one of these while it grows.
"""

import json
import os
import sys

import h5py
import netCDF4
import numpy as np


def make(where):
    import xarray

    rng = np.random.default_rng(1)
    for deflate in (False, True):
        for kind in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_DATA", "NETCDF4"):
            if deflate and kind != "NETCDF4":
                continue
            with netCDF4.Dataset(f"{where}/nc-{kind}-{deflate}.nc", "w", format=kind) as n:
                n.createDimension("time", None)
                n.createDimension("x", 3)
                n.createVariable("time", "f8", ("time",))[:5] = np.arange(5)
                for name in ("a", "b"):
                    options = {"zlib": True, "chunksizes": (4, 2)} if deflate else {}
                    v = n.createVariable(name, "i2", ("time", "x"), **options)
                    v.comment = "m" * 90
                    v[:5] = rng.integers(0, 99, (5, 3))
        ds = xarray.Dataset({"t": (("time", "x"), rng.random((5, 3)))}, {"time": np.arange(5.0)})
        encoding = {"t": {"zlib": True}} if deflate else {}
        for engine in ("netcdf4", "h5netcdf"):
            ds.to_netcdf(f"{where}/xarray-{engine}-{deflate}.nc", engine=engine, unlimited_dims=["time"],
                         encoding=encoding)
        for version in ("earliest", "v110", "latest"):
            with h5py.File(f"{where}/h5py-{version}-{deflate}.h5", "w", libver=(version, "latest")) as f:
                hdf5(f, rng, {"compression": "gzip"} if deflate else {})
        with h5py.File(f"{where}/h5py-{version}-many-{deflate}.h5", "w", libver=version) as f:
            indexes(f, rng, {"compression": "gzip"} if deflate else {})
    with h5py.File(f"{where}/h5py-earliest-many-True.h5", "w") as f:
        for i in range(12):
            f.create_dataset(f"v{i:02}", data=rng.random((5, 3)), maxshape=(None, 3), chunks=(4, 2), compression="gzip")


def hdf5(f, rng, options):
    """Writes datasets along one dimension, which a sector has room for."""
    f.create_dataset("a", data=rng.random((5, 3)), maxshape=(None, 3), chunks=(4, 2), **options)
    f.create_dataset("b", data=rng.integers(0, 9, 5), maxshape=(None,), chunks=(2,), **options)


def indexes(f, rng, options):
    """Writes datasets with an index of each kind."""
    for name, shape, most, chunks in (
        ("extensible", (3, 5), (3, None), (2, 2)),
        ("extensible new", (0, 3), (None, 3), (1, 1)),
        ("extensible long", (300,), (None,), (1,)),
        ("fixed", (5, 3), (2000, 3), (4, 2)),
        ("fixed pages", (5, 3), (9000, 3), (4, 2)),
        ("fixed new", (0, 3), (2000, 3), (4, 2)),
        ("tree", (40, 9), (None, None), (1, 2)),
        ("tree new", (0, 3), (None, None), (4, 2)),
    ):
        f.create_dataset(name, data=rng.integers(0, 99, shape).astype("i2"), maxshape=most, chunks=chunks, **options)
    if not options:
        made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        made.set_chunk((2, 2))
        made.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        space = h5py.h5s.create_simple((5, 3), (2000, 3))
        d = h5py.Dataset(h5py.h5d.create(f.id, b"implicit", h5py.h5t.STD_I16LE, space, made))
        d[...] = rng.integers(0, 99, (5, 3))


def classic(name):
    with open(name, "rb") as f:
        return f.read(3) == b"CDF"


def arrays(name, of):
    found = {}
    if "latest" not in of:  # which its HDF5 library is too old for
        with netCDF4.Dataset(name) as n:
            n.set_auto_mask(False)
            n.set_auto_scale(False)
            for key, v in n.variables.items():
                found["n " + key] = v[...]
    if not classic(name):
        with h5py.File(name, "r", locking=False) as f:

            def keep(key, d):
                if isinstance(d, h5py.Dataset) and d.dtype.kind in "iuf":
                    found["h " + key] = d[()]

            f.visititems(keep)
    return found


def same(a, b):
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def compare(now, old, new):
    """Returns ok or partly, or raises an error."""
    votes = set()
    for key, before in old.items():
        part = now[key][tuple(slice(n) for n in before.shape)]
        if not same(part, before):
            raise ValueError(f"{key} has lost items")
        if any(n > m for n, m in zip(now[key].shape, new[key].shape)):
            raise ValueError(f"{key} has the shape {now[key].shape}")
        if same(before, new[key]):
            continue
        votes.add("old" if same(now[key], before) else "new" if same(now[key], new[key]) else "between")
    return "ok" if votes <= {"old"} or votes == {"new"} else "partly"


def go_on(name, had):
    """Appends to a file as its own library does, and reads it again."""
    want = {}
    if name.endswith(".nc"):
        with netCDF4.Dataset(name, "a") as n:
            n.set_auto_mask(False)
            size = len(n.dimensions["time"])
            for key, v in n.variables.items():
                if v.dimensions[:1] == ("time",):
                    more = np.ones((2, *v.shape[1:]), v.dtype)
                    v[size:] = more
                    want["n " + key] = np.concatenate([had["n " + key], more])
    else:
        with h5py.File(name, "r+", libver="latest", locking=False) as f:
            for key, d in f.items():
                axis = next(i for i in range(d.ndim) if d.maxshape[i] != d.shape[i])
                size = d.shape[axis]
                shape = list(d.shape)
                shape[axis] = 2
                more = np.ones(shape, d.dtype)
                shape[axis] = size + 2
                d.resize(shape)
                d[(slice(None),) * axis + (slice(size, None),)] = more
                want["h " + key] = np.concatenate([had["h " + key], more], axis)
    now = arrays(name, name + "latest" if name.endswith(".h5") else name)
    for key, w in want.items():
        if not same(now[key], w):
            raise ValueError(f"{key} has other items after it was appended to")


def main():
    bases = {}
    for line in sys.stdin:
        if line == "\n":
            bases.clear()
            continue
        name, base, following, on = line.rstrip("\n").split("\t")
        try:
            for key in (base, following):
                if key not in bases:
                    bases[key] = arrays(key, name)
            now = arrays(name, name)
            text = compare(now, bases[base], bases[following])
            if on == "true":
                go_on(name, now)
        except Exception as e:
            text = repr(e).replace("\n", " ")
        os.remove(name)
        print(text, flush=True)


def make_numbers(where):
    """Makes files of rows whose items are their numbers, for follow."""
    for version in ("earliest", "v110", "latest"):
        for deflate in (False, True):
            options = {"compression": "gzip"} if deflate else {}
            with h5py.File(f"{where}/numbers-{version}-{deflate}.h5", "w", libver=(version, "latest")) as f:
                for name, shape in (("a", (3,)), ("b", (3, 4)), ("c", (3, 5))):
                    data = np.repeat(np.arange(3, dtype="i4"), int(np.prod(shape[1:]))).reshape(shape)
                    f.create_dataset(name, data=data, maxshape=(None, *shape[1:]), chunks=(4, 2)[: len(shape)], **options)


def rows_of(d):
    items = d[()]
    if not (items.reshape(len(items), -1) == np.arange(len(items))[:, None]).all():
        raise ValueError(f"{d.name} has other items in {len(items)} rows")
    return len(items)


def follow(name):
    """Reads a file that is appended to, in new handles and, with SWMR, in one that stays open."""
    counts = {"opens": 0, "follows": 0, "late": 0, "rows": 0}
    with open(name, "rb") as f:
        swmr = f.read(9)[8] >= 3
    stays = h5py.File(name, "r", libver="latest", swmr=True) if swmr else None
    while not os.path.exists(name + ".end"):
        try:
            with h5py.File(name, "r") as f:
                rows = [rows_of(f[key]) for key in "abc"]
        except (OSError, KeyError) as e:
            # The library goes by the end of the file from when it was opened.
            if not any(text in str(e) for text in ("overflow", "eoa", "truncated file")):
                raise
            counts["late"] += 1
            continue
        if rows != sorted(rows) or rows[0] < counts["rows"]:
            raise ValueError(f"{rows} rows after {counts['rows']}")
        counts["rows"] = rows[0]
        counts["opens"] += 1
        if stays:
            for key in "abc":
                stays[key].id.refresh()
                if rows_of(stays[key]) < rows[0]:
                    raise ValueError(f"{len(stays[key])} rows after a refresh, {rows[0]} in another handle before")
            counts["follows"] += 1
    print(json.dumps(counts))


if sys.argv[1:2] == ["make"]:
    make(sys.argv[2])
elif sys.argv[1:2] == ["numbers"]:
    make_numbers(sys.argv[2])
elif sys.argv[1:2] == ["follow"]:
    follow(sys.argv[2])
else:
    main()
