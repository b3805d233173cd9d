"""Writes NetCDF files of packed, unsigned and masked items, says which values xarray has for them,
and writes these as plain numbers. One JSON command per line, one JSON answer per line."""

import json
import math
import random
import sys
import warnings

import netCDF4
import numpy as np
import xarray as xr

warnings.simplefilter("ignore")

DTYPES = ["i1", "i2", "i4", "u1", "u2", "u4", "i8", "f4", "f8"]
SHAPE = (3, 4, 5)


def draw(r, path):
    d = np.dtype(r.choice(DTYPES))
    classic = d.kind != "u" and d != "i8" and r.random() < 0.4
    low, high = (-100, 100) if d.kind != "u" else (0, 200)
    rng = np.random.default_rng(r.getrandbits(32))
    items = rng.integers(low, high, SHAPE).astype(d)
    fills = []
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC" if classic else "NETCDF4") as f:
        for name, n in zip("tyx", SHAPE):
            f.createDimension(name, n)
        kind = r.choice(["none", "fill", "missing", "both", "list", "nan"])
        fill = d.type(r.choice([-1, -99, 7, 0] if d.kind != "u" else [255, 0, 7]))
        if kind == "nan" and d.kind == "f":
            fill = d.type(math.nan)
        fills = [fill]
        v = f.createVariable("v", d, tuple("tyx"), fill_value=fill if kind in ("fill", "both", "nan") else None)
        v.set_auto_maskandscale(False)
        if kind in ("missing", "both"):
            v.missing_value = fill
        if kind == "list":
            fills = [fill, d.type(3)]
            v.missing_value = np.array(fills)
        if kind != "none":
            items[rng.random(SHAPE) < 0.3] = fills[-1]
        real = np.float32 if r.random() < 0.5 else np.float64
        if r.random() < 0.6:
            # xarray compares int32 that it has rounded to float32, and finds no fill.
            scale, shift = r.random() < 0.8, r.random() < 0.6
            if scale:
                v.scale_factor = real(r.choice([0.01, 0.5, -0.1, 2.0]))
            if shift:
                v.add_offset = real(r.choice([273.15, -5.0, 0.1]))
        if d.kind == "i" and d.itemsize <= 4 and kind != "missing" and kind != "list" and r.random() < 0.4:
            v.setncattr("_Unsigned", "true")
        if d.kind == "u" and kind in ("none", "fill") and d.itemsize <= 2 and r.random() < 0.3:
            v.setncattr("_Unsigned", "false")
        v.units = "K"
        if r.random() < 0.3:
            v.valid_min = d.type(1)
        v[:] = items


def plain_files(v, wide, path):
    """Writes values as NetCDF, with the same dimensions and units, and as npy."""
    np.save(path + ".npy", wide.values)
    native = v.values.astype(v.dtype.newbyteorder("="))
    plain = xr.DataArray(native, dims=v.dims, attrs={"units": "K"}, name="v").to_dataset()
    plain.to_netcdf(path + ".nc", encoding={"v": {"_FillValue": None}})


def answer(command):
    if command["op"] == "hello":
        return {"versions": f"xarray {xr.__version__}, netCDF4 {netCDF4.__version__}, numpy {np.__version__}"}
    r = random.Random(f"{command['seed']}/{command['case']}")
    draw(r, command["path"])
    with xr.open_dataset(command["path"], decode_times=False) as d:
        v = d.v.load()
    wide = v.astype("f8")
    plain_files(v, wide, command["plain"])
    some = wide.values[~np.isnan(wide.values)]
    plain = lambda a: [None if math.isnan(x) else x for x in np.asarray(a, "f8").ravel().tolist()]
    return {"values": plain(wide), "dtype": v.dtype.str.lstrip("|<>="), "count": int(some.size),
            "mean": plain(wide.mean("t")), "counts": plain(wide.count("t")),
            "all": plain([some.min(), some.max(), some.mean(), some.std()]) if some.size else [None] * 4}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
