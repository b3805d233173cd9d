"""Opens files that a crash amid an append has left.

Each line of standard input names a file and the one of the last commit before. All that the second
has must be in the first, for netCDF4 and, unless it is a classic file, for h5py. Prints a line for
each: ok, or what is wrong. "make DIR" as arguments makes files to append to instead.
"""

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
        with h5py.File(f"{where}/h5py-{deflate}.h5", "w") as f:
            options = {"compression": "gzip"} if deflate else {}
            f.create_dataset("a", data=rng.random((5, 3)), maxshape=(None, 3), chunks=(4, 2), **options)
            f.create_dataset("b", data=rng.integers(0, 9, 5), maxshape=(None,), chunks=(2,), **options)


def arrays(name):
    found = {}
    with open(name, "rb") as f:
        classic = f.read(3) == b"CDF"
    with netCDF4.Dataset(name) as n:
        n.set_auto_mask(False)
        n.set_auto_scale(False)
        for key, v in n.variables.items():
            found["n " + key] = v[...]
    if not classic:
        with h5py.File(name, "r", locking=False) as f:

            def keep(key, d):
                if isinstance(d, h5py.Dataset) and d.dtype.kind in "iuf":
                    found["h " + key] = d[()]

            f.visititems(keep)
    return found


def main():
    bases = {}
    for line in sys.stdin:
        if line == "\n":
            bases.clear()
            continue
        name, base = line.rstrip("\n").split("\t")
        try:
            if base not in bases:
                bases[base] = arrays(base)
            now = arrays(name)
            for key, old in bases[base].items():
                part = now[key][tuple(slice(n) for n in old.shape)]
                if part.shape != old.shape or part.tobytes() != old.tobytes():
                    raise ValueError(f"{key} has lost items")
            text = "ok"
        except Exception as e:
            text = repr(e).replace("\n", " ")
        os.remove(name)
        print(text, flush=True)


if sys.argv[1:2] == ["make"]:
    make(sys.argv[2])
else:
    main()
