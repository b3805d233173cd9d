# The other side of main.go with -whole: writes files with many variables as xarray and netCDF4 do,
# has the verbs work on them as a whole, and compares what xarray decodes from the results with
# what xarray itself makes of the files, and with what CDO and NCO make of them, if they are there.
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import warnings

import h5py
import netCDF4
import numpy as np
import pandas as pd
import xarray as xr

warnings.simplefilter("ignore")
FORMATS = ["NETCDF4", "NETCDF4", "NETCDF4_CLASSIC", "NETCDF3_64BIT", "NETCDF3_CLASSIC"]
CALENDARS = ["standard", "noleap", "360_day", "proleptic_gregorian"]
OLD = "Mon Jan  1 00:00:00 2001: made"
done, skipped, failures = {}, {}, []


def run(*args, codes=(0,)):
    r = subprocess.run(list(map(str, args)), capture_output=True, text=True)
    if r.returncode not in codes:
        raise AssertionError(f"{' '.join(map(str, args))}: exit {r.returncode}: {r.stderr[:400]}")
    return r.stderr


def cairn(*args, codes=(0,)):
    return run(opts.cairn, *args, codes=codes)


# --- files ---


def dataset(rng, format):
    nt, ny, nx = (int(n) for n in rng.integers(3, 14, 3))
    classic = format != "NETCDF4"
    unit = str(rng.choice(["days", "hours"]))
    step = {"days": 1.0, "hours": 6.0}[unit]
    t = (np.arange(nt) + int(rng.integers(0, 50))) * step
    lat = np.linspace(-60, 60, ny) * (1 if rng.random() < 0.5 else -1)
    lon = np.arange(nx) * 360.0 / nx
    v = {}

    def field(name, dims, dtype, missing=0.0, **attrs):
        shape = [{"time": nt, "lat": ny, "lon": nx, "bnds": 2}[d] for d in dims]
        a = rng.normal(280, 10, shape).astype(dtype)
        if missing:
            a[rng.random(shape) < missing] = np.nan
        v[name] = (dims, a, attrs)

    field("tas", ("time", "lat", "lon"), "f4", 0.1, units="K", cell_methods="area: mean", grid_mapping="crs")
    field("pr", ("time", "lat", "lon"), "f8", 0.05, units="mm", ancillary_variables="quality")
    field("zg", ("time", "lat"), "f8", standard_name="geopotential_height")
    field("orog", ("lat", "lon"), "f4", units="m")
    v["count"] = (("time", "lat"), rng.integers(0, 99, (nt, ny)).astype("i4"), {})
    v["quality"] = (("time", "lat", "lon"), rng.integers(0, 4, (nt, ny, nx)).astype("i1"), {})
    v["crs"] = ((), np.int32(0), {"grid_mapping_name": "latitude_longitude"})
    v["time_bnds"] = (("time", "bnds"), np.stack([t, t + step], 1))
    if rng.random() < 0.5:
        v["lat_bnds"] = (("lat", "bnds"), np.stack([lat - 0.5, lat + 0.5], 1))
    if rng.random() < 0.3:
        v["label"] = (("time",), np.array([f"t{i}" for i in range(nt)], dtype=object))
    ds = xr.Dataset(v, {"time": t + step / 2, "lat": lat, "lon": lon, "height": 2.0})
    ds.attrs = {"title": "whole", "history": OLD}
    origin = str(rng.choice(["2000-01-01", "1850-01-01", "1999-12-30 12:00:00"]))
    ds["time"].attrs = {
        "units": f"{unit} since {origin}",
        "calendar": str(rng.choice(CALENDARS)),
        "bounds": "time_bnds",
    }
    ds["lat"].attrs = {"units": "degrees_north", "standard_name": "latitude"}
    ds["lon"].attrs = {"units": "degrees_east"}
    ds["height"].attrs = {"units": "m"}
    if "lat_bnds" in v:
        ds["lat"].attrs["bounds"] = "lat_bnds"
    ds["pr"].encoding = {"dtype": "i2", "scale_factor": 0.01, "add_offset": 280.0, "_FillValue": -32767}
    for name in ("time", "time_bnds"):
        ds[name].encoding["_FillValue"] = None
    if not classic and rng.random() < 0.5:
        for name in ("tas", "pr"):
            ds[name].encoding |= {"zlib": True, "chunksizes": (1, ny, nx)}
    return ds


def write(rng, path):
    format = str(rng.choice(FORMATS))
    unlimited = ["time"] if rng.random() < 0.6 else []
    dataset(rng, format).to_netcdf(path, format=format, unlimited_dims=unlimited)
    return format


def opened(path, **how):
    with xr.open_dataset(path, decode_timedelta=False, **how) as ds:
        return ds.load()


# --- comparison ---


def history(ds, verb):
    lines = ds.attrs.get("history", "").split("\n")
    assert verb in lines[0] and lines[1:] == [OLD], f"the history is {lines}"


def without_history(ds):
    ds = ds.copy()
    ds.attrs.pop("history", None)
    return ds


def same(want, got, near=False, methods=False):
    want, got = without_history(want), without_history(got)
    if not near:
        if not want.identical(got):
            raise AssertionError(str(difference(want, got)))
        return
    assert set(want.variables) == set(got.variables), (
        f"variables {sorted(set(want.variables) ^ set(got.variables))} are in one only"
    )
    assert set(want.coords) == set(got.coords), f"coordinates {set(want.coords) ^ set(got.coords)}"
    for n in want.variables:
        a, b = want[n].variable, got[n].variable
        assert a.dims == b.dims and a.shape == b.shape, f"{n}: {a.dims} {a.shape}, got {b.dims} {b.shape}"
        close(n, a.values, b.values)
        if methods:
            x, y = dict(a.attrs), dict(b.attrs)
            x.pop("cell_methods", None), y.pop("cell_methods", None)
            assert x == y, f"{n}: attributes {x}, got {y}"


def close(name, a, b):
    if a.dtype.kind in "OUSMm" or b.dtype.kind in "OUSMm":
        if a.dtype.kind == "M" and b.dtype.kind == "M":
            ok = np.all(np.abs((a - b) / np.timedelta64(1, "ms")) < 2)
        else:
            ok = np.array_equal(a, b)
    else:
        ok = np.allclose(a.astype("f8"), b.astype("f8"), rtol=2e-5, atol=1e-6, equal_nan=True)
    assert ok, f"{name}: {a.ravel()[:4]}, got {b.ravel()[:4]}"


def difference(a, b):
    try:
        xr.testing.assert_identical(a, b)
    except AssertionError as e:
        return str(e)[:900]
    return "?"


# --- the verbs ---


def select(rng, path, ds, out):
    """-s by index and by value, against isel and sel, and ncks."""
    nt, ny = ds.sizes["time"], ds.sizes["lat"]
    a, b = sorted(rng.choice(nt + 1, 2, replace=False))
    c, d = sorted(rng.choice(ny + 1, 2, replace=False))
    cairn("copy", "-q", "-s", f"time[{a}:{b}],lat[{c}:{d}]", path, out)
    got = opened(out)
    history(got, "cairn copy -q -s")
    want = ds.isel(time=slice(a, b), lat=slice(c, d))
    same(want, got)
    if tool("ncks"):
        run("ncks", "-O", "-h", "-d", f"time,{a},{b - 1}", "-d", f"lat,{c},{d - 1}", path, out + "k")
        same(opened(out + "k"), got)
    lats = np.sort(ds["lat"].values)
    low, high = lats[0] + 10, lats[-1]
    cairn("copy", "-q", "-history=false", "-force", "-s", f"lat={low}:{high}", path, out)
    got = opened(out)
    assert got.attrs["history"] == OLD, "a line in spite of -history=false"
    ends = slice(low, high) if ds["lat"][0] < ds["lat"][-1] else slice(high, low)
    same(ds.sel(lat=ends), got)


def around(rng, path, ds, out):
    """Longitudes over the end of what is stored, as cdo sellonlatbox has them."""
    west, east = sorted(int(x) for x in rng.integers(-90, 90, 2))
    cairn("copy", "-q", "-s", f"lon={west}:{east}", path, out, codes=(0, 1))
    lon = np.concatenate([ds["lon"].values - 360, ds["lon"].values])
    want = lon[(lon >= west) & (lon <= east)]
    if not len(want):
        return
    got = opened(out)
    assert np.allclose(got["lon"].values, want), f"{got['lon'].values}, want {want}"
    there = ds["tas"].sel(lon=want % 360, method="nearest").values
    assert np.array_equal(got["tas"].values, there, equal_nan=True)


def chunk(rng, path, ds, out):
    """-chunks and -level, against the file itself, and what netCDF4 says of it."""
    k = int(rng.integers(1, ds.sizes["time"] + 1))
    cairn("copy", "-q", "-chunks", f"time={k}", "-level", rng.integers(0, 9), path, out)
    got = opened(out)
    assert got.attrs["history"] == OLD, "a copy that changes nothing has a history"
    same(ds, got)
    with netCDF4.Dataset(out) as f:
        for v in f.variables.values():
            at = v.dimensions.index("time") if "time" in v.dimensions else -1
            layout = v.chunking()
            if at >= 0 and layout != "contiguous":
                assert layout[at] == k, f"{v.name} has chunks {layout}, want {k} along time"


def some(rng, path, ds, out):
    """Variables by pattern, with what they name."""
    cairn("copy", "-q", f"{path}::t?s,p*", out)
    got = opened(out)
    names = ["tas", "pr", "quality", "crs", "time_bnds", "height"]
    names += ["lat_bnds"] if "lat_bnds" in ds.variables else []
    same(ds[names], got)
    history(got, "cairn copy")


OPS = {"mean": "mean", "min": "min", "max": "max", "sum": "sum", "std": "std", "var": "var", "median": "median"}


def reduce(rng, path, ds, out):
    """Operations over a dimension, against xarray's."""
    op = str(rng.choice(list(OPS)))
    dim = str(rng.choice(["time", "lat", "lon"]))
    said = cairn("reduce", "-q", "-op", op, "-axis", dim, path, out, codes=(0, 3))
    got = opened(out)
    history(got, "cairn reduce")
    kept = ds.drop_vars([n for n in ds.variables if n.endswith("_bnds") and dim in ds[n].dims])
    if dim in kept.coords:
        kept = kept.drop_vars(dim)
    text = [n for n in kept.data_vars if kept[n].dtype.kind in "OSU" and dim in kept[n].dims]
    assert bool(text) == ("cannot be reduced" in said), f"said {said!r} about {text}"
    kept = kept.drop_vars(text)
    have = [n for n in kept.data_vars if dim in kept[n].dims]
    made = getattr(kept[have], op)(dim, keep_attrs=True)
    want = kept.drop_vars(have).assign({n: made[n] for n in have})
    for n in list(want.variables):
        if n in ds.coords and dim in ds[n].dims:
            want = want.drop_vars(n)
    same(want, got, near=True)
    method = {"min": "minimum", "max": "maximum", "std": "standard_deviation", "var": "variance"}.get(op, op)
    for n in have:
        said = got[n].attrs.get("cell_methods", "")
        assert said.endswith(f"{dim}: {method}"), f"{n}: cell_methods {said!r}"
    assert got["tas"].attrs.get("cell_methods", "").startswith("area: mean") or "tas" not in have
    assert "cell_methods" not in got["crs"].attrs


def statistics(rng, path, ds, out):
    """Several operations at once, against xarray's."""
    ops = [str(o) for o in rng.choice(["mean", "min", "max", "sum", "std", "median"], 2, replace=False)]
    ddof = int(rng.integers(0, 2)) if "std" in ops else 0
    cairn("reduce", "-q", "-op", ",".join(ops), "-axis", "time", "-ddof", ddof, path, out, codes=(0, 3))
    got = opened(out)
    have = [n for n in ("tas", "pr", "zg", "count", "quality")]
    for n in have:
        for op in ops:
            how = {"ddof": ddof} if op == "std" else {}
            want = getattr(ds[n], op)("time", **how)
            close(f"{n}_{op}", want.values, got[f"{n}_{op}"].values)
            assert got[f"{n}_{op}"].dims == want.dims
    assert not set(have) & set(got.variables) and "orog" in got.variables and "time" not in got.variables
    assert got["pr_" + ops[0]].attrs.get("ancillary_variables") is None, "a name of what is gone"


def keep(rng, path, ds, out):
    """Means that keep the dimension, against ncra and cdo timmean."""
    said = cairn("reduce", "-q", "-op", "mean", "-axis", "time", "-keepdims", path, out, codes=(0, 3))
    got = opened(out, decode_times=False)
    raw = opened(path, decode_times=False)
    assert got.sizes["time"] == 1
    close("time", np.array([raw["time"].values.mean()]), got["time"].values)
    ends = [[raw["time_bnds"].values[0, 0], raw["time_bnds"].values[-1, 1]]]
    close("time_bnds", np.array(ends), got["time_bnds"].values)
    assert got["time"].attrs == raw["time"].attrs
    others = {}
    if tool("cdo") and "label" not in ds.variables:
        run("cdo", "-s", "-O", "-b", "F64", "timmean", path, out + "c")
        others["cdo"] = opened(out + "c", decode_times=False)
    if tool("ncra") and "label" not in ds.variables:
        run("ncra", "-O", "-h", path, out + "n", codes=(0, 1))
        if os.path.exists(out + "n"):
            others["ncra"] = opened(out + "n", decode_times=False)
    for who, other in others.items():
        for n in ("tas", "zg"):
            if n in other.variables:
                b = other[n].values
                if who == "ncra":  # to which a NaN is missing only if it is first
                    b = np.where(np.isnan(b), got[n].values, b)
                ok = np.allclose(got[n].values, b, rtol=1e-4, atol=1e-3, equal_nan=True)
                assert ok, f"{n} of {who}: {b.ravel()[:4]}, got {got[n].values.ravel()[:4]}"
        done[who] = done.get(who, 0) + 1


def cut(rng, path, ds, out):
    """split, and concat of the parts."""
    k = int(rng.integers(1, ds.sizes["time"] + 1))
    cairn("split", "-q", "-axis", "time", "-size", k, path, out + "%02d.nc")
    parts = sorted(str(p) for p in pathlib.Path(out).parent.glob(pathlib.Path(out).name + "??.nc"))
    for i, p in enumerate(parts):
        same(ds.isel(time=slice(i * k, (i + 1) * k)), opened(p))
    cairn("concat", "-q", "-axis", "time", *parts, out)
    got = opened(out)
    same(ds, got)
    cairn("diff", path, out)
    for p in parts:
        os.remove(p)


def join(rng, path, ds, out):
    """concat of files whose times have other units, against xarray's."""
    n = ds.sizes["time"]
    k = int(rng.integers(1, n))
    raw = opened(path, decode_cf=False).drop_vars("label", errors="ignore")
    ds = ds.drop_vars("label", errors="ignore")
    files = []
    for i, part in enumerate([raw.isel(time=slice(0, k)), raw.isel(time=slice(k, n))]):
        if i == 1 and raw["time"].attrs["units"].startswith("days"):
            part = part.copy()
            part["time"] = part["time"].copy(data=part["time"].values * 24)
            part["time"].attrs = raw["time"].attrs | {
                "units": raw["time"].attrs["units"].replace("days", "hours")
            }
            part["time_bnds"] = part["time_bnds"] * 24
        for v in part.variables:
            part[v].encoding["_FillValue"] = None if "_FillValue" not in part[v].attrs else part[v].attrs.pop("_FillValue")
        files.append(f"{out}.{i}.nc")
        part.to_netcdf(files[-1])
    cairn("concat", "-q", "-axis", "time", *files, out)
    same(ds, opened(out), near=True)


def scales(rng, path, ds, out):
    """HDF5 files, whose dimensions xarray and h5py find by their scales, also after appends."""
    out += ".h5"
    n = ds.sizes["time"]
    k = int(rng.integers(1, n + 1))
    grows = k < n and "label" not in ds.variables  # texts of variable length do not grow
    k = k if grows else n
    cairn("copy", "-q", "-history=false", "-s", f"time[:{k}]", *(["-unlimited", "time"] if grows else []), path, out)
    if grows:
        cairn("copy", "-q", "-history=false", "-s", f"time[{k}:]", path, out + "b.nc")
        cairn("append", "-q", out, out + "b.nc")
    same(ds, opened(out, engine="h5netcdf"))
    with h5py.File(out) as f:
        for name, v in ds.variables.items():
            d = f[name]
            got = [d.dims[i][0].name[1:] if len(d.dims[i]) else name for i in range(d.ndim)]
            assert got[: v.ndim] == list(v.dims), f"{name}: the scales are {got}, want {v.dims}"
            assert d.is_scale == (v.dims == (name,)), f"{name}: a scale, or none"
    cairn("diff", path, out)


def changed(rng, ds):
    """A file that differs in some way, or in none."""
    other = ds.copy(deep=True)
    name = str(rng.choice(["tas", "pr", "zg", "orog", "count", "lat"]))
    what = int(rng.integers(0, 7))
    if what == 0:
        other[name].attrs["comment"] = "changed"
    elif what == 1:
        other = other.drop_vars("zg")
    elif what == 2:
        other["more"] = ("lat", np.arange(other.sizes["lat"]))
    elif what == 3:
        other = other.isel(time=slice(0, -1))
    elif what == 4:
        other.attrs["title"] = "other"
    elif what == 5:
        name = str(rng.choice(["tas", "zg", "orog", "count"]))
        a = other[name].values
        flat = a.reshape(-1)
        for i in rng.choice(flat.size, int(rng.integers(1, 5))):
            flat[i] = rng.choice([flat[i] + 1, 7, 0])
    return other


def differ(rng, path, ds, out):
    """diff, against identical of xarray, counts of NumPy, and cdo diffn."""
    other = changed(rng, ds)
    other.to_netcdf(out)
    r = subprocess.run([opts.cairn, "diff", "-json", path, out], capture_output=True, text=True)
    assert r.returncode < 2, r.stderr
    said = json.loads(r.stdout)
    a, b = without_history(ds), without_history(opened(out))
    assert said["equal"] == (r.returncode == 0) == a.identical(b), f"said {r.stdout[:300]}, {difference(a, b)}"

    both = set(a.variables) & set(b.variables)
    want = {"/" + n for n in both if not a[n].variable.identical(b[n].variable)}
    assert {d["key"] for d in said["arrays"]} == want, f"arrays {want}, got {r.stdout[:500]}"
    for side, x, y in (("only_a", a, b), ("only_b", b, a)):
        assert {d["key"] for d in said[side]} == {"/" + n for n in set(x.variables) - set(y.variables)}, side
    sizes = {n: (a.sizes.get(n), b.sizes.get(n)) for n in set(a.sizes) | set(b.sizes)}
    wanted = {n: v for n, v in sizes.items() if v[0] != v[1]}
    assert {d["name"].removeprefix("dimension "): (d["a"], d["b"]) for d in said["dimensions"]} == wanted

    for d in said["arrays"]:
        x, y = a[d["key"][1:]].values, b[d["key"][1:]].values
        if x.shape != y.shape:
            assert "items" not in d
            continue
        off = ~((x == y) | (x != x) & (y != y))
        items = d["items"]
        assert items["differ"] == off.sum(), f"{d['key']}: {items}, want {off.sum()}"
        if off.any():
            assert items["first"]["at"] == [int(i) for i in np.argwhere(off)[0]]
            by = np.abs(x.astype("f8") - y)
            if np.isfinite(by[off]).any():
                largest = np.nanmax(np.where(off, by, 0))
                assert abs(items["largest"]["by"]) == largest, f"{items}, want {largest}"
                code = subprocess.run([opts.cairn, "diff", "-q", "-atol", str(largest), path, out]).returncode
                assert code == (1 if np.isnan(by[off]).any() else 0), f"exit {code} within the tolerance"
    with netCDF4.Dataset(path) as f:
        new = not f.data_model.startswith("NETCDF3")
    if tool("cdo") and new and all("items" in d for d in said["arrays"]) and not said["only_a"] + said["only_b"]:
        r = subprocess.run(["cdo", "diffn", path, out], capture_output=True, text=True)
        data = {"/" + n for n in ("tas", "zg", "orog", "count", "quality", "pr")}
        have = {d["key"][1:] for d in said["arrays"] if d["items"]["differ"] and d["key"] in data}
        lines = [line.split() for line in r.stdout.splitlines() if line.strip()[:1].isdigit() and " : " in line]
        assert {line[-1] for line in lines} == have, f"cdo: {r.stdout[:500]}, {have}"
        done["cdo"] = done.get("cdo", 0) + 1


def tables(rng, path, ds, out):
    """Tables of text, against pandas, and back."""
    n = int(rng.integers(1, 40))
    kinds = {"f4": rng.normal(0, 9, n).astype("f4"), "f8": rng.normal(0, 1e9, n), "i4": rng.integers(-99, 99, n).astype("i4")}
    kinds["f8"][rng.random(n) < 0.2] = np.nan
    kinds["text"] = np.array([str(rng.choice(["a", "b,c", 'd"e', "=f", "line\nbreak", "é"])) for _ in range(n)], object)
    frame = xr.Dataset({k: ("time", v) for k, v in kinds.items()})
    step = str(rng.choice(["D", "h", "min", "s"]))
    times = np.datetime64("1999-12-31T00:00:00") + np.arange(n) * np.timedelta64(1, {"min": "m"}.get(step, step))
    frame = frame.assign_coords(time=times.astype("datetime64[ns]"))
    frame["packed"] = ("time", rng.integers(0, 99, n) * 0.5)
    frame["packed"].encoding = {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -1}
    frame.to_netcdf(out)
    cairn("export", "-q", out, out + ".csv")
    got = pd.read_csv(out + ".csv", parse_dates=["time"], index_col="time")
    for name in list(kinds) + ["packed"]:
        a, b = frame[name].values, got[name].values
        ok = list(a) == list(b) if name == "text" else np.array_equal(a, b.astype(a.dtype), equal_nan=True)
        assert ok, f"{name}: {a[:4]}, pandas reads {b[:4]}"
    assert np.array_equal(got.index.values.astype("datetime64[ns]"), frame["time"].values)
    cairn("import", "-q", "-columns", out + ".csv", out + "b.nc")
    back = opened(out + "b.nc")
    for name in list(kinds) + ["packed", "time"]:
        close(name, frame[name].values, back[name].values)

    cairn("export", "-q", path + "::zg", out + ".tsv")
    got = pd.read_csv(out + ".tsv", sep="\t")
    assert list(got.columns) == ["time", "lat", "zg"] and len(got) == ds["zg"].size
    assert np.array_equal(got["zg"].values, ds["zg"].values.ravel(), equal_nan=True)
    assert np.array_equal(got["lat"].values, np.tile(ds["lat"].values, ds.sizes["time"]))


VERBS = [tables, around, differ, select, chunk, some, reduce, statistics, keep, cut, join, scales]


def tool(name):
    if shutil.which(name):
        return True
    skipped[name] = skipped.get(name, 0) + 1
    return False


def main():
    work = tempfile.mkdtemp(prefix="cairn-whole-")
    try:
        for k in range(opts.cases):
            if opts.case >= 0 and k != opts.case:
                continue
            rng = np.random.default_rng([opts.seed, k])
            path = f"{work}/c{k}.nc"
            format = write(rng, path)
            ds = opened(path)
            for verb in VERBS if opts.all else [VERBS[k % len(VERBS)]]:
                try:
                    out = f"{work}/{verb.__name__}{k}.nc"
                    verb(rng, path, ds, out)
                    done[verb.__name__] = done.get(verb.__name__, 0) + 1
                except Exception as e:
                    failures.append(f"case {k} ({format}) {verb.__name__}: {type(e).__name__}: {e}"[:1500])
            for p in pathlib.Path(work).glob("*"):
                if opts.case < 0 and p.is_file():
                    p.unlink()
    finally:
        if opts.case < 0:
            shutil.rmtree(work)
    found = {"Seed": opts.seed, "Done": done, "WithoutTool": skipped, "Failed": len(failures)}
    print(json.dumps(found | {"Failures": failures[:10]}, indent=1, ensure_ascii=False))
    sys.exit(1 if failures else 0)


parser = argparse.ArgumentParser()
parser.add_argument("--cairn")
parser.add_argument("--cases", type=int)
parser.add_argument("--case", type=int, default=-1)
parser.add_argument("--seed", type=int)
parser.add_argument("--all", action="store_true")
opts = parser.parse_args()
main()
