"""Writes the files of this folder: small NetCDF files, what ncdump -h says of each of them, and
golden.json, what netCDF4-python reads from them.

    python make.py      # needs numpy, scipy, netCDF4, h5netcdf, and ncdump in the PATH
"""

import hashlib
import json
import os
import struct
import subprocess
import sys

import h5netcdf
import netCDF4
import numpy as np
from scipy.io import netcdf_file

os.chdir(os.path.dirname(os.path.abspath(sys.argv[0])))


def items(dtype, shape, seed=1):
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "f":
        return rng.normal(280, 20, shape).astype(dtype)
    if kind == "S":
        return rng.integers(97, 123, shape).astype("u1").view("S1").reshape(shape)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def classic():
    """Fixed and record variables of every type of CDF-1, and attributes of every form."""
    f = netcdf_file("classic.nc", "w", version=1)
    f.createDimension("time", None)
    for name, n in ("lat", 3), ("lon", 5), ("letters", 7):
        f.createDimension(name, n)
    v = f.createVariable("time", "d", ("time",))
    v.units, v.calendar = b"hours since 2020-01-01 00:00:0.0", b"standard"
    v[:] = np.arange(4) * 6.0
    v = f.createVariable("lat", "f", ("lat",))
    v.units = b"degrees_north"
    v[:] = [60, 50.5, 41]
    v = f.createVariable("lon", "f", ("lon",))
    v.units = b"degrees_east"
    v[:] = np.arange(5) * 0.25
    v = f.createVariable("t2m", "h", ("time", "lat", "lon"))
    v.scale_factor, v.add_offset = np.float64(0.01), np.float64(273.15)
    v._FillValue, v.units = np.int16(-32767), b"K"
    v[:] = items("i2", (4, 3, 5))
    f.createVariable("b", "b", ("time", "lat"))[:] = items("i1", (4, 3))
    f.createVariable("name", "c", ("time", "letters"))[:] = items("S1", (4, 7))
    f.createVariable("i", "i", ("lat", "lon"))[:] = items("i4", (3, 5))
    f.title = b"a \"title\"\twith\nlines\\ and \xb0 in Latin-1"
    f.empty = b""
    f.floats = np.array([1, 0.1, 1e10, np.nan, -np.inf, 3.4e38, 1e-5, 123456.7], "f4")
    f.doubles = np.array([1, 1 / 3, 1e300, np.inf, 100, -0.0, 1e15, 1e16], "f8")
    f.bytes = np.array([-128, 127], "i1")
    f.shorts = np.array([-3], "i2")
    f.ints = np.array([1, -2, 3], "i4")
    f.close()


def offset64():
    """Record variables whose parts are padded; names that CDL escapes."""
    with netCDF4.Dataset("offset64.nc", "w", format="NETCDF3_64BIT_OFFSET") as f:
        f.createDimension("record", None)
        f.createDimension("x y", 3)
        f.createDimension("5km", 5)
        for i, t in enumerate(["i1", "S1", "i2", "f4", "f8"]):
            f.createVariable(f"v{i}", t, ("record", "x y"))[:] = items(t, (6, 3), i)
        f.createVariable("température", "i1", ("5km",))[:] = items("i1", (5,))
        f.createVariable("a.b-c+d@e(f)", "f4", ("5km", "x y"))[:] = items("f4", (5, 3))
        f.createVariable("crs", "i4", ())[...] = -7
        f.setncattr("Ünits of", "°C")


def single():
    """A single record variable, whose parts are not padded."""
    f = netcdf_file("single.nc", "w", version=2)
    f.createDimension("t", None)
    f.createDimension("x", 3)
    f.createVariable("b", "b", ("t", "x"))[:] = items("i1", (5, 3))
    f.createVariable("f", "b", ("x",))[:] = items("i1", (3,), 2)
    f.close()


def streaming():
    """The number of records is left open, which the netCDF library does not understand."""
    with open("classic.nc", "rb") as f:
        whole = bytearray(f.read())
    whole[4:8] = struct.pack(">i", -1)
    with open("streaming.nc", "wb") as f:
        f.write(whole)


def empty():
    with netCDF4.Dataset("empty.nc", "w", format="NETCDF3_CLASSIC"):
        pass
    with netCDF4.Dataset("norecords.nc", "w", format="NETCDF3_CLASSIC") as f:
        f.createDimension("t", None)
        f.createVariable("t", "f8", ("t",))
        f.createVariable("n", "f8", ("t",)).units = "m"


def cdf5():
    """Every type of CDF-5."""
    with netCDF4.Dataset("cdf5.nc", "w", format="NETCDF3_64BIT_DATA") as f:
        f.createDimension("t", None)
        f.createDimension("x", 3)
        for t in "i1 u1 i2 u2 i4 u4 i8 u8 f4 f8 S1".split():
            v = f.createVariable("v_" + t, t, ("t", "x"))
            v[:] = items(t, (3, 3))
            if t != "S1":
                v.setncattr("valid_range", items(t, (2,), 3))
                v.setncattr("one", np.dtype(t).type(1))
        f.createVariable("fixed", "u8", ("x",))[:] = items("u8", (3,))


def plain(v):
    """An attribute as JSON has it: numbers with their type."""
    if isinstance(v, str):
        return v
    if isinstance(v, list):
        return [plain(e) for e in v]
    a = np.asarray(v)
    if a.ndim:
        return [plain(e) for e in a]
    return f"{a.dtype.name} {a.item()!r}"


def describe(group, found):
    for v in group.variables.values():
        v.set_auto_maskandscale(False)
        v.set_auto_chartostring(False)
        a = v[...]
        a = np.asarray(a, a.dtype.newbyteorder("<"))
        base = group.path.rstrip("/")
        found[f"{base}/{v.name}"] = {
            "dims": list(v.dimensions),
            "shape": list(a.shape),
            "dtype": a.dtype.str,
            "sha256": hashlib.sha256(a.tobytes()).hexdigest(),
            "attributes": {k: plain(v.getncattr(k)) for k in v.ncattrs()},
        }
    for inner in group.groups.values():
        describe(inner, found)


def golden():
    files = {}
    for name in sorted(n for n in os.listdir(".") if n.endswith(".nc")):
        if name == "streaming.nc":
            files[name] = files["classic.nc"]
            continue
        found = {}
        with netCDF4.Dataset(name) as f:
            describe(f, found)
        files[name] = found
        with open(name[:-3] + ".cdl", "wb") as f:
            f.write(subprocess.run(["ncdump", "-h", name], check=True, capture_output=True).stdout)
    with open("golden.json", "w") as f:
        json.dump(files, f, indent=1, sort_keys=True)
        f.write("\n")


for make in classic, offset64, single, streaming, empty, cdf5:
    make()
golden()
