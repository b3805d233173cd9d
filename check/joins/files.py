"""Writes NetCDF files that store the same in different ways. What follows it, sets.py or calcs.py, says
what is to become of them. One JSON command per line, one JSON answer per line."""

import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import warnings

import netCDF4
import numpy as np
import xarray as xr

warnings.simplefilter("ignore")

TIMES = [("days since 2000-01-01", 86400), ("hours since 1990-06-01 06:00:00", 3600),
         ("seconds since 1970-01-01", 1), ("minutes since 2000-03-01 12:00", 60), ("days since 1850-01-01", 86400),
         ("hours since 2000-01-01T00:00:00Z", 3600)]
FORMATS = ["NETCDF4", "NETCDF4", "NETCDF4_CLASSIC", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET"]
# What must be refused, unless -sort is given for the first.
MISCHIEF = ["order", "unit", "no unit", "calendar", "shifted", "overlap", "name", "flags", "other grid", "dims"]


def draw_encoding(r):
    """Returns dtype, attributes and the range of stored items."""
    kind = r.choice(["f4", "f8", "i2", "i4", "u1", "packed", "packed", "packed4", "unsigned", "i1"])
    a = {}
    if kind in ("f4", "f8"):
        dtype, fill, low, high = kind, r.choice([None, np.nan, 1e20, -999.0]), -1000, 1000
    elif kind == "packed":
        dtype, fill, low, high = r.choice(["i2", "i1", "u1"]), r.choice([None, "low", 99]), 0, 100
        a["scale_factor"] = r.choice([0.1, 0.5, 0.01, 10.0, np.float32(0.1), -0.25])
        if r.random() < 0.6:
            a["add_offset"] = r.choice([0.0, 5.0, 273.15, -10.0, np.float32(100)])
    elif kind == "packed4":
        dtype, fill, low, high = "i4", r.choice([None, "low"]), -100000, 100000
        a["scale_factor"] = r.choice([0.001, 1e-5])
    elif kind == "unsigned":
        dtype, fill, low, high = r.choice(["i1", "i2"]), r.choice([None, -1]), -100, 100
        a["_Unsigned"] = "true"
    else:
        dtype, fill, low, high = kind, r.choice([None, "low", 99]), 0, 100
    if fill == "low":
        fill = np.iinfo(dtype).min if dtype != "u1" else 255
    if fill is not None:
        key = r.choice(["_FillValue", "missing_value"])
        if kind == "unsigned":
            key = "_FillValue"  # xarray does not take a missing_value for unsigned
        a[key] = np.dtype(dtype).type(fill)
    return dtype, a, low, high


def write(r, path, case, i, mischief):
    dtype, attributes, low, high = case["encoding"] if r.random() < case["keep"] else draw_encoding(r)
    fmt = r.choice(FORMATS)
    if fmt != "NETCDF4" and dtype == "u1":
        fmt = "NETCDF4"
    endian = "native" if fmt.startswith("NETCDF3") else r.choice(["little", "big"])
    d = netCDF4.Dataset(path, "w", format=fmt)
    d.set_auto_maskandscale(False)
    sizes = {"time": case["times"][i], "lat": case["lat"], "lon": case["lon"]}
    if case["along"] == "lat":
        sizes = {"time": case["times"][0], "lat": case["times"][i], "lon": case["lon"]}
    dims = [k for k in ("time", "lat", "lon") if k in case["dims"]]
    if r.random() < 0.1 and len(dims) > 1 and i > 0:
        dims = dims[::-1]
    if mischief == "dims" and i == case["victim"]:
        dims = [{"lon": "x"}.get(k, k) for k in dims] if "lon" in dims else ["t" if k == "time" else k for k in dims]
        sizes.update(x=sizes["lon"], t=sizes["time"])
    for k in dims:
        d.createDimension(k, None if k == dims[0] == "time" and r.random() < 0.5 else sizes[k])

    if not case.get("bare"):
        coordinates(r, d, dims, case, i, mischief, sizes, endian, fmt)
    fill = attributes.get("_FillValue", False)
    v = d.createVariable("v", dtype, dims, fill_value=fill, endian=endian)
    for key, value in attributes.items():
        if key != "_FillValue":
            v.setncattr(key, value)
    v.setncattr("units", "K")
    v.setncattr("standard_name", "air_temperature")
    if case["celsius"] and i == case["victim"]:
        v.units = "degC"
    if i == case["victim"]:
        if mischief == "unit":
            v.units = r.choice(["Pa s", "hPa"])
        if mischief == "no unit":
            v.delncattr("units")
        if mischief == "name":
            v.standard_name = "sea_surface_temperature"
        if mischief == "flags":
            v.flag_values = np.array([0, 1], dtype)
            v.flag_meanings = "no yes"
    shape = [sizes[k] for k in dims]
    if dtype in ("f4", "f8"):
        items = np.array([r.randint(low, high) * 0.25 for _ in range(int(np.prod(shape)))])
    else:
        items = np.array([r.randint(low, high) for _ in range(int(np.prod(shape)))])
    items = items.astype(dtype).reshape(shape)
    missing = attributes.get("_FillValue", attributes.get("missing_value"))
    if missing is not None and items.size:
        items.ravel()[:: r.randint(2, 7)] = missing
    v[:] = items
    d.close()


def coordinates(r, d, dims, case, i, mischief, sizes, endian, fmt):
    victim = i == case["victim"]
    if "time" in dims:
        units, seconds = TIMES[case["units"][i]]
        first = case["first"][i if case["along"] == "time" else 0]
        hours = first + np.arange(sizes["time"]) * 6
        if mischief == "overlap" and victim and case["along"] == "time":
            hours = hours - 6
        if mischief == "shifted" and victim and case["along"] != "time":
            hours = hours + 1
        calendar = case["calendar"]
        if mischief == "calendar" and victim:
            calendar = {"noleap": "standard"}.get(calendar, "noleap")
        elif calendar == "standard" and r.random() < 0.3:
            calendar = "proleptic_gregorian"
        base = netCDF4.num2date(hours, "hours since 2000-01-01", calendar=calendar)
        numbers = netCDF4.date2num(base, units, calendar=calendar)
        whole = np.all(np.asarray(numbers) == np.round(numbers))
        dtype = r.choice(["i4", "f8", "i8"] if whole else ["f8"])
        if dtype == "i8" and fmt != "NETCDF4":
            dtype = "f8"
        t = d.createVariable("time", dtype, ("time",), endian=endian)
        t.units, t.calendar, t.standard_name = units, calendar, "time"
        t[:] = np.round(numbers) if dtype[0] == "i" else numbers
    if "lat" in dims:
        lat = d.createVariable("lat", r.choice(["f4", "f8"]), ("lat",), endian=endian)
        lat.units, lat.standard_name = r.choice(["degrees_north", "degree_north"]), "latitude"
        start = case["first"][i] if case["along"] == "lat" else 0
        values = -60 + 0.5 * (start + np.arange(sizes["lat"]))
        if case["along"] == "lat":
            if mischief == "overlap" and victim:
                values = values - 0.5
        elif mischief == "shifted" and victim and case["along"] != "lat":
            values = values + 0.25
        if case["flip"][i] and case["along"] != "lat":
            values = values[::-1]
        lat[:] = values
    if "lon" in dims:
        lon = d.createVariable("lon", r.choice(["f4", "f8"]), ("lon",), endian=endian)
        lon.units = "degrees_east"
        values = np.arange(sizes["lon"]) * 10.0
        if mischief == "other grid" and victim:
            values = values - 180
        lon[:] = values


def opened(case, out):
    """Opens what cairn wrote as xarray does. Arrays that are no part of a group are put into one."""
    if out.endswith(".b2nd"):
        import blosc2
        a = blosc2.open(out)
        attributes = dict(a.schunk.vlmeta[:])
        dims = attributes.pop("_ARRAY_DIMENSIONS", None) or [f"d{k}" for k in range(a.ndim)]
        attributes |= attributes.pop("_attributes", {})
        return xr.decode_cf(xr.Dataset({"v": (dims, a[()], attributes)}), decode_times=False)
    import zarr
    if isinstance(alone := zarr.open(out, mode="r"), zarr.Array):
        group = out + ".group"
        shutil.rmtree(group, ignore_errors=True)
        zarr.open_group(group, mode="w", zarr_format=alone.metadata.zarr_format)
        shutil.copytree(out, os.path.join(group, "v"))
        out = group
    return xr.open_zarr(out, consolidated=False, decode_times=xr.coders.CFDatetimeCoder(use_cftime=True))


def apart(x, y):
    """Returns the seconds between times, of standard and proleptic_gregorian too."""
    if x.calendar == y.calendar:
        return abs((x - y).total_seconds())
    return abs((x - type(x)(*y.timetuple()[:6])).total_seconds())


def serve(answer):
    """Answers commands until there are no more."""
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except Exception as e:
            import traceback
            reply = {"error": repr(e), "trace": traceback.format_exc()}
        print(json.dumps(reply), flush=True)


def versions():
    return {"versions": f"xarray {xr.__version__}, netCDF4 {netCDF4.__version__}, numpy {np.__version__}"}


def answer(command):
    """Answers a request. What is drawn, and how it is judged, the file that follows says."""
    if command["op"] == "hello":
        return versions()
    if command["op"] == "draw":
        return draw(command["seed"], command["case"], command["folder"])
    return judge(command)
