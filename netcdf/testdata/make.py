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
import h5py
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
    f.title = b"a \"title\"\twith 'some' \nlines\\ and \xb0 in Latin-1"
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


def netcdf4():
    """Dimensions with and without variables, unlimited ones, groups, and every simple type."""
    with netCDF4.Dataset("netcdf4.nc", "w", format="NETCDF4") as f:
        f.createDimension("time", None)
        f.createDimension("lat", 6)
        f.createDimension("lon", 8)
        f.createDimension("bare", 2)
        f.createDimension("late", None)
        v = f.createVariable("time", "f8", ("time",))
        v.units, v.calendar = "days since 2001-01-01", "noleap"
        v[:] = np.arange(5)
        v = f.createVariable("lat", "f4", ("lat",))
        v.units = "degrees_north"
        v[:] = np.linspace(60, 35, 6)
        v = f.createVariable("lon", "f4", ("lon",))
        v.units = "degrees_east"
        v[:] = np.linspace(0, 35, 8)
        v = f.createVariable("t2m", "i2", ("time", "lat", "lon"), zlib=True, chunksizes=(2, 3, 8), fill_value=-32767)
        v.set_auto_maskandscale(False)
        v.scale_factor, v.add_offset, v.units = 0.01, 273.15, "K"
        v.valid_range = np.array([-100, 100], "i2")
        v[:] = items("i2", (5, 6, 8))
        # fewer records than the dimension has
        f.createVariable("short", "f4", ("time", "bare"))[:2] = items("f4", (2, 2))
        f.createVariable("i", "i4", ("late", "bare"))[0] = items("i4", (2,))
        # named like a dimension, but no coordinates of it
        f.createVariable("bare", "i4", ("lat",))[:] = items("i4", (6,))
        f.createVariable("late", "i8", ("late", "bare"))[:3] = items("i8", (3, 2))
        f.createVariable("scalar", "f8", ())[...] = 1.5
        for t in "i1 u1 i2 u2 i4 u4 i8 u8 f4 f8 S1".split():
            v = f.createVariable("v_" + t, t, ("bare",))
            v[:] = items(t, (2,))
            if t != "S1":
                v.setncattr("one", np.dtype(t).type(7))
                v.setncattr("list", items(t, (3,), 3))
        f.title = "NetCDF-4"
        f.lines = "a\nb 'c' \"d\"\\"
        f.setncattr_string("text", "one \t 'text' \"°\"\nline")
        f.texts = ["a", "", "long text"]
        g = f.createGroup("forecast")
        g.note = "of a group\nof lines"
        g.createDimension("level", 3)
        g.createDimension("lat", 2)  # nearer than that of the root
        g.createVariable("level", "f4", ("level",))[:] = [850, 500, 250]
        g.createVariable("z", "f4", ("time", "level", "lat"))[:] = items("f4", (5, 3, 2))
        h = g.createGroup("deep er")
        h.createVariable("x", "u1", ("level", "lon"))[:] = items("u1", (3, 8))


def strings():
    """Text of variable length."""
    with netCDF4.Dataset("strings.nc", "w", format="NETCDF4") as f:
        f.createDimension("station", 3)
        f.createVariable("station", str, ("station",))[:] = np.array(["Kraków", "Oslo", ""], object)
        f.createVariable("t", "f4", ("station",))[:] = [1, 2, 3]
        f.createVariable("one", str, ())[...] = "a text"


def types():
    """Types that the file defines."""
    with netCDF4.Dataset("types.nc", "w", format="NETCDF4") as f:
        f.createDimension("x", 4)
        e = f.createEnumType(np.uint8, "cloud_t", {"Clear": 0, "Cumulus": 2, "Missing": 255})
        v = f.createVariable("cloud", e, ("x",), fill_value=255)
        v[:] = [0, 2, 255, 0]
        v.worst = 7
        inner = f.createCompoundType(np.dtype([("lat", "f4"), ("lon", "f8")]), "place_t")
        d = np.dtype([("id", "i4"), ("where", np.dtype([("lat", "f4"), ("lon", "f8")])), ("v", "i2", (2, 3))])
        c = f.createCompoundType(d, "obs_t")
        v = f.createVariable("obs", c, ("x",))
        a = np.zeros(4, d)
        a["id"], a["where"]["lat"], a["v"] = [1, 2, 3, 4], 5.5, 7
        v[:] = a
        g = f.createGroup("g")
        g.createVariable("inner", inner, ("x",))[:] = a["where"]
        g.createEnumType(np.int16, "sign", {"minus": -1, "plus sign": 1})
        g.createVLType(np.float32, "ragged")


def h5():
    """A file of h5netcdf."""
    with h5netcdf.File("h5netcdf.nc", "w") as f:
        f.dimensions = {"x": 5, "t": None}
        f.resize_dimension("t", 3)
        f.create_variable("x", ("x",), "f8")[:] = np.arange(5) * 2.0
        v = f.create_variable("/grp/v", ("t", "x"), "f4", chunks=(2, 5), fillvalue=np.float32(-1))
        v[:] = items("f4", (3, 5))
        v.attrs["units"] = "m"
        f.attrs["title"] = "of h5netcdf"


def phony():
    """A file without any dimension scales, as h5py writes it."""
    with h5py.File("phony.nc", "w") as f:
        f["a"] = items("f4", (3, 4))
        f["b"] = items("i4", (4, 4, 3))
        f["g/c"] = items("f8", (3,))
        f["g/c"].attrs["units"] = "m"
        f.create_dataset("grows", data=items("i2", (4,)), maxshape=(None,))


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
        if v.dtype is str:  # as wide as the longest
            a = np.array(np.asarray(a, object).astype("U"))
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


for make in classic, offset64, single, streaming, empty, cdf5, netcdf4, strings, types, h5, phony:
    make()
golden()
