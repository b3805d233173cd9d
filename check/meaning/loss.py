"""Has cairn round what netCDF4 and xarray wrote, and xarray, zarr and python-blosc2 read it.

Outputs with several variables must tell how, as section 8.4 of the CF conventions has it.

    loss.py     ends with 1 if an item is outside of its bound, or is not what it was where it must be

The items are compared by NumPy. Rounding to bits of the mantissa is compared with netCDF's own.
"""

import os
import subprocess
import sys
import tempfile

import blosc2
import netCDF4
import numpy as np
import xarray as xr

FILL = np.float32(-999)
BOUND = 0.01
failures = 0


def check(what, ok):
    global failures
    if not ok:
        failures += 1
        print("FAILED:", what)


def temperatures():
    """A smooth field, with missing items, zeros, infinities and NaN."""
    t, y, x = np.meshgrid(np.arange(12), np.arange(40), np.arange(50), indexing="ij")
    noise = np.random.default_rng(3).normal(0, 0.3, t.shape)
    items = (280 + 12 * np.sin(y / 9) * np.cos(x / 13 + t / 5) + noise).astype("f4")
    items[0, :2, :5] = FILL
    items[1, 3, :4] = [0, np.nan, np.inf, -np.inf]
    return items


def write(path, items):
    """Writes items as they are, packed, and beside integers and coordinates."""
    with netCDF4.Dataset(path, "w") as d:
        for name, n in zip(("time", "lat", "lon"), items.shape):
            d.createDimension(name, n)
            d.createVariable(name, "f8", (name,))[:] = np.linspace(0, 1, n) * np.pi
        d["time"].units = "days since 2000-01-01"
        dims = ("time", "lat", "lon")

        plain = d.createVariable("t", "f4", dims, fill_value=FILL)
        plain.units = "K"
        plain.set_auto_mask(False)
        plain[:] = items

        packed = d.createVariable("p", "i2", dims, fill_value=-32768)
        packed.scale_factor = 0.001
        packed.add_offset = 280.0
        packed[:] = np.ma.masked_invalid(np.where(items == FILL, np.nan, items))
        d.createVariable("levels", "i4", ("lat", "lon"))[:] = np.arange(2000).reshape(40, 50)


def compare(what, was, now):
    """Compares two datasets: data within the bound, and all others equal."""
    check(f"{what}: names {sorted(now.variables)}", set(was.variables) <= set(now.variables))
    for name in was.variables:
        a, b = was[name].values, now[name].values
        if name not in ("t", "p"):
            check(f"{what}: {name} differs", np.array_equal(a, b))
            continue

        finite = np.isfinite(a)
        check(f"{what}: {name} has other missing items", np.array_equal(a[~finite], b[~finite], equal_nan=True))
        off = np.abs(a[finite].astype("f8") - b[finite].astype("f8")).max()
        # xarray computes packed items in floats of 32 bits.
        check(f"{what}: {name} is off by {off}", 0 < off <= BOUND + (3e-5 if name == "p" else 0))
        bound = now[name].attrs.get("quantization_maximum_absolute_error")
        check(f"{what}: {name} tells the bound {bound}", bound == BOUND)


def told(run, was):
    """Checks what tells how variables were rounded, and that what another program tells is kept."""
    for flags, attribute, value, algorithm in (("-keepbits", "nsb", 7, "bitround"),
                                               ("-digits", "nsd", 3, "granular_bitround")):
        run("export", "-force", flags, str(value), "in.nc", "told.zarr")
        run("import", "-force", flags, str(value), "in.nc", "told.b2z")
        run("export", "-force", "told.b2z", "store.zarr")
        for name in "told.zarr", "store.zarr":
            d = xr.open_zarr(name)
            attrs = d["t"].attrs
            check(f"{name}: {attrs}", attrs["quantization_" + attribute] == value)
            told = d[attrs["quantization"]].attrs
            check(f"{name}: {told}", told["algorithm"] == algorithm and told["implementation"].startswith("cairn "))
            check(f"{name}: packed items are told", "quantization" not in d["p"].attrs)
            check(f"{name}: names {sorted(d.variables)}", len(d.variables) == len(was.variables) + 1)

    with netCDF4.Dataset("nco.nc", "w") as d:
        d.createDimension("x", 8)
        d.createVariable("t", "f4", ("x",))[:] = np.arange(8)
        d["t"].setncatts({"quantization": "quantization_info", "quantization_nsb": np.int32(9)})
        d.createVariable("quantization_info", "S1").setncatts(
            {"algorithm": "bitround", "implementation": "NCO version 5.2.7"})
    run("export", "nco.nc", "nco.zarr")
    run("import", "nco.nc", "nco.b2z")
    run("export", "-force", "nco.b2z", "nco2.zarr")
    for name in "nco.zarr", "nco2.zarr":
        d = xr.open_zarr(name)
        check(f"{name}: {d}", d[d["t"].attrs["quantization"]].attrs["implementation"] == "NCO version 5.2.7")


def main():
    source = os.getcwd()
    items = temperatures()
    with tempfile.TemporaryDirectory() as folder:
        cairn = os.path.join(folder, "cairn")
        subprocess.run(["go", "build", "-o", cairn, "./cmd/cairn"], cwd=source, check=True)

        def run(*args):
            subprocess.run([cairn, *args], cwd=folder, check=True, capture_output=True, text=True)

        os.chdir(folder)
        write("in.nc", items)
        with xr.open_dataset("in.nc") as d:
            was = d.load()
        was.drop_encoding().to_zarr("in.zarr")

        run("export", "-maxerror", str(BOUND), "in.nc", "direct.zarr")
        run("import", "-maxerror", str(BOUND), "in.nc", "in.b2z")
        run("export", "in.b2z", "store.zarr")
        run("copy", "-maxerror", str(BOUND), "-codec", "numeric", "in.b2z", "numeric.b2z")
        run("export", "-codec", "pcodec", "numeric.b2z", "numeric.zarr")
        for name in "direct.zarr", "store.zarr", "numeric.zarr":
            compare(name, was, xr.open_zarr(name).load())
        run("export", "-maxerror", str(BOUND), "in.zarr::t", "t.zarr")
        got = xr.open_zarr("t.zarr")
        off = np.nanmax(np.abs((got["t"] - was["t"]).where(np.isfinite(was["t"]))))
        check(f"t.zarr is off by {off}", 0 < off <= BOUND)

        told(run, was)

        with netCDF4.Dataset("own.nc", "w") as d:
            for name, n in zip("abc", items.shape):
                d.createDimension(name, n)
            v = d.createVariable("t", "f4", tuple("abc"), fill_value=FILL, compression="zlib",
                                 significant_digits=9, quantize_mode="BitRound")
            v.set_auto_mask(False)
            v[:] = items
            theirs = v[:].view("u4")
        run("import", "-keepbits", "9", "in.nc::t", "bits.b2nd")
        ours = blosc2.open("bits.b2nd")[:].view("u4")
        halves = items.view("u4") & 0x3FFF == 0x2000
        check("bits are netCDF's", np.array_equal(ours[~halves], theirs[~halves]))
        check("some are rounded", (ours != items.view("u4")).any())
        # netCDF rounds halves up, and cairn to the even one of both.
        check("halves are even", not (ours[halves] & 0x4000).any())

    print("losses: %d failures" % failures)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
