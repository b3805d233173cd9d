"""The libraries of the workload "compute": reductions, expressions and conversions, as each library's manual shows.

Every function gets the request and the number of threads from it, reads arrays "a" and "b" from files, and returns the result: an array,
or the path of one that it stored.
"""

import os
import shutil

import numpy as np

libraries = {}  # functions by library and operation
versions = {}


def operation(library, name):
    def add(f):
        libraries.setdefault(library, {})[name] = f
        return f

    return add


try:
    import blosc2
except ImportError:
    blosc2 = None

if blosc2:
    name = "python-blosc2"

    def b2(r, key):
        return blosc2.open(os.path.join(r["dir"], key + ".b2nd"), mode="r", dparams=dict(nthreads=r["threads"]))

    def b2_target(r):
        codec = blosc2.Codec[r["codec"].upper()]
        path = os.path.join(r["dir"], "out-blosc2.b2nd")
        cparams = dict(codec=codec, clevel=r["level"], nthreads=r["threads"], filters=[blosc2.Filter.SHUFFLE], filters_meta=[0])
        return dict(urlpath=path, mode="w", chunks=r["chunks"], blocks=r["blocks"], cparams=cparams)

    def b2_reduce(op, **kw):
        return lambda r: getattr(b2(r, "a"), op)(**kw)

    for op, f in {
        "mean over axis 0": b2_reduce("mean", axis=0),
        "mean over the other axes": b2_reduce("mean", axis=(1, 2)),
        "sum of all": b2_reduce("sum"),
        "maximum over axis 0": b2_reduce("max", axis=0),
        "deviation over axis 0": b2_reduce("std", axis=0),
    }.items():
        operation(name, op)(f)

    @operation(name, "four statistics")
    def _(r):
        a = b2(r, "a")
        return np.array([a.min(), a.max(), a.mean(), a.std()])

    @operation(name, "sum of a selection")
    def _(r):
        return blosc2.lazyexpr("sum(where(a > b, a, b))", dict(a=b2(r, "a"), b=b2(r, "b"))).compute()

    @operation(name, "anomaly, stored")
    def _(r):
        a = b2(r, "a")
        mean = a.mean(axis=0, keepdims=True)
        return blosc2.lazyexpr("a - m", dict(a=a, m=mean)).compute(**b2_target(r))

    @operation(name, "wind speed, stored")
    def _(r):
        return blosc2.lazyexpr("sqrt(a * a + b * b)", dict(a=b2(r, "a"), b=b2(r, "b"))).compute(**b2_target(r))


try:
    import dask
    import xarray

    versions["xarray"], versions["dask"] = xarray.__version__, dask.__version__
except ImportError:
    xarray = None

if xarray:
    name = "xarray"

    def compute(r, *lazy):
        with dask.config.set(scheduler="threads" if r["threads"] > 1 else "sync", num_workers=r["threads"]):
            return dask.compute(*lazy)

    def data_set(r):
        return xarray.open_zarr(os.path.join(r["dir"], "ab.zarr"), chunks={}, consolidated=False)

    def xarray_reduce(op, dims=None):
        return lambda r: compute(r, getattr(data_set(r)["a"], op)(dims))[0].values

    for op, f in {
        "mean over axis 0": xarray_reduce("mean", "d0"),
        "mean over the other axes": xarray_reduce("mean", ["d1", "d2"]),
        "sum of all": xarray_reduce("sum"),
        "maximum over axis 0": xarray_reduce("max", "d0"),
        "deviation over axis 0": xarray_reduce("std", "d0"),
    }.items():
        operation(name, op)(f)

    def xarray_store(r, lazy):
        path = os.path.join(r["dir"], "out-xarray.zarr")
        shutil.rmtree(path, ignore_errors=True)
        task = lazy.to_dataset(name="out").to_zarr(path, compute=False, consolidated=False, zarr_format=2, encoding={"out": {"compressors": r["compressor"]}})
        compute(r, task)
        return xarray.open_zarr(path, chunks=None, consolidated=False)["out"]

    @operation(name, "four statistics")
    def _(r):
        a = data_set(r)["a"]
        return np.array(compute(r, a.min(), a.max(), a.mean(), a.std()))

    @operation(name, "sum of a selection")
    def _(r):
        d = data_set(r)
        return compute(r, xarray.where(d["a"] > d["b"], d["a"], d["b"]).sum())[0].values

    @operation(name, "anomaly, stored")
    def _(r):
        a = data_set(r)["a"]
        return xarray_store(r, a - a.mean("d0"))

    @operation(name, "wind speed, stored")
    def _(r):
        d = data_set(r)
        return xarray_store(r, np.sqrt(d["a"] * d["a"] + d["b"] * d["b"]))


def zarr_compressor(r):
    """The compressor of xarray's results."""
    if not xarray:
        return None
    import numcodecs

    return numcodecs.Blosc(cname=r["codec"], clevel=r["level"], shuffle=numcodecs.Blosc.SHUFFLE)


def netcdf(r):
    """Writes "a" as an uncompressed NetCDF file for cdo and NCO, with the axis 0 as time."""
    d = xarray.open_zarr(os.path.join(r["dir"], "ab.zarr"), chunks={}, consolidated=False)[["a"]].rename(d0="time")
    d = d.assign_coords(time=("time", np.arange(len(d["time"])), {"units": "days since 2000-01-01", "calendar": "standard"}))
    d.to_netcdf(os.path.join(r["dir"], "a.nc"), engine="scipy", format="NETCDF3_64BIT", unlimited_dims=["time"])
    return {}
