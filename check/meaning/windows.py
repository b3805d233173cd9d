# The other side of main.go with -windows: writes files with a time axis as xarray does, has reduce
# and calc work on windows of it, and compares with what xarray makes of them, and CDO, if that is
# there.

OPS = ["mean", "sum", "min", "max", "std", "var", "median", "count", "prod", "quantile:0.3"]
CDO = {"mean": "runmean", "sum": "runsum", "min": "runmin", "max": "runmax", "std": "runstd", "var": "runvar"}


def dataset(rng):
    nt, ny, nx = int(rng.integers(1, 120)), int(rng.integers(1, 5)), int(rng.integers(1, 6))
    dtype = str(rng.choice(["f4", "f8", "i4"]))
    tas = rng.normal(3, 2, (nt, ny, nx)).astype(dtype)
    if dtype != "i4":
        tas[rng.random(tas.shape) < rng.choice([0, 0.1, 0.6])] = np.nan
    t = np.arange(nt) * 1.0
    if rng.random() < 0.4:  # gaps
        t = np.cumsum(rng.integers(1, 5, nt)) * 1.0
    order = [["time", "lat", "lon"], ["lat", "time", "lon"], ["lat", "lon", "time"]][int(rng.integers(3))]
    ds = xr.Dataset(
        {"tas": (("time", "lat", "lon"), tas, {"units": "K"}), "time_bnds": (("time", "nv"), np.stack([t - 0.5, t + 0.5], 1))},
        {"time": t, "lat": np.linspace(50, -50, ny), "lon": np.arange(nx) * 10.0},
    )
    ds["tas"] = ds["tas"].transpose(*order)
    ds["time"].attrs = {"units": "days since 2001-01-01", "calendar": "noleap", "bounds": "time_bnds"}
    encoding = {}
    if rng.random() < 0.6:
        encoding["tas"] = {"zlib": True, "chunksizes": tuple(int(rng.integers(1, n + 1)) for n in ds["tas"].shape)}
    return ds, encoding


def near(what, want, got, tolerance):
    want, got = np.asarray(want, "f8"), np.asarray(got)
    if got.dtype == "f4":  # which ends earlier
        with np.errstate(over="ignore"):
            want = want.astype("f4").astype("f8")
    got = got.astype("f8")
    assert want.shape == got.shape, f"{what}: shape {got.shape}, want {want.shape}"
    scale = np.nanmax(np.abs(want), initial=1e-30, where=np.isfinite(want))
    wrong = ~(np.isclose(got, want, rtol=tolerance, atol=tolerance * scale) | (np.isnan(want) & np.isnan(got)))
    assert not wrong.any(), f"{what}: {int(wrong.sum())} of {wrong.size} values differ, {got[wrong][0]} and {want[wrong][0]}"


def tolerance(ds):
    return 1e-9 if ds["tas"].dtype == "f8" else 3e-5


def rolling(rng, dir, ds, source):
    nt = ds.sizes["time"]
    n = int(rng.integers(1, nt + 3))
    center, complete = bool(rng.integers(2)), bool(rng.integers(2))
    least = int(rng.integers(1, n + 1)) if rng.random() < 0.6 else None
    op = str(rng.choice(OPS))
    name, _, q = op.partition(":")
    out = dir / "rolling.nc"
    if complete and n > nt:
        args = [opts.cairn, "reduce", "-window", f"time={n}", "-complete", source, out]
        r = subprocess.run([str(a) for a in args], capture_output=True, text=True)
        assert r.returncode == 1 and f"time={n}" in r.stderr and f"{nt} items" in r.stderr, f"{n} of {nt}: {r.returncode}, {r.stderr}"
        count("too long")
        return
    flags = ["-center"] * center + ["-complete"] * complete + (["-min-count", least] if least else [])
    run(opts.cairn, "reduce", "-op", op, "-window", f"time={n}", *flags, source, out)

    # what subtracts the items that leave a window keeps their errors: take windows themselves
    x = ds["tas"].astype("f8")
    rolled = x.rolling(time=n, center=center, min_periods=least)
    if name in ("mean", "sum", "min", "max", "count") and not np.isnan(x).all():
        want = getattr(rolled, name)()
    else:
        w = x.rolling(time=n, center=center).construct("w")
        enough = w.notnull().sum("w") >= (least or n)
        want = (w.quantile(float(q), "w", skipna=True).drop_vars("quantile") if q else getattr(w, name)("w", skipna=True)).where(enough)
    first = (n // 2 if center else n - 1) if complete else 0
    last = nt - (n - 1 - n // 2 if center else 0) if complete else nt
    kept = slice(min(first, nt), max(last, min(first, nt)))
    want = want.isel(time=kept).transpose(*ds["tas"].dims)
    with xr.open_dataset(out, decode_times=False) as got:
        near(f"{op} of {n} {flags}", want.values, got["tas"].values, 1e-4 if name == "prod" else tolerance(ds))
        assert np.array_equal(got["time"].values, ds["time"].values[kept]), "other times"
    count(name)

    if not center or not complete or n % 2 == 0 or n > nt or op not in CDO or not shutil.which("cdo"):
        return
    one = ds.drop_vars("tas")
    one["tas"] = x.transpose("time", "lat", "lon")
    one.to_netcdf(dir / "cdo-in.nc")
    if np.isnan(x).any():
        return  # of which CDO takes fewer
    run("cdo", "-s", "-O", f"-{CDO[op]},{n}", dir / "cdo-in.nc", dir / "cdo.nc")
    with xr.open_dataset(dir / "cdo.nc", decode_times=False) as theirs, xr.open_dataset(out, decode_times=False) as got:
        ours = got["tas"].transpose("time", "lat", "lon").values
        near(f"{op} of {n} of CDO", theirs["tas"].values.reshape(ours.shape), ours, tolerance(ds))
        near("times of CDO", theirs["time"].values, got["time"].values, 1e-12)
        near("bounds of CDO", theirs["time_bnds"].values, got["time_bnds"].values, 1e-12)
    count("cdo")


def calculated(dir, source, text):
    out = dir / "calc.npy"
    out.unlink(missing_ok=True)
    run(opts.cairn, "calc", text, f"t={source}::tas", "-o", out)
    return np.load(out)


def placed(rng, dir, source, text, want):
    """Compares the coordinates of a result in a file."""
    kind = str(rng.choice(["nc", "zarr", "b2z"]))
    out, to = dir / f"placed.{kind}", dir / f"placed.{kind}"
    if kind == "b2z":
        to = f"{out}::/group/tas"
    run(opts.cairn, "calc", "-force", text, f"t={source}::tas", "-o", to)
    if kind == "b2z":
        out = dir / "exported.nc"
        run(opts.cairn, "export", "-force", dir / "placed.b2z", out)
    how = {"engine": "zarr"} if kind == "zarr" else {"group": "group"} if kind == "b2z" else {}
    with xr.open_dataset(out, decode_times=False, **how) as got:
        for dim in want.dims:
            assert dim in got.coords, f"{text} in {kind} has no coordinates of {dim}"
            near(f"{dim} of {text} in {kind}", want[dim].values, got[dim].values, 1e-12)
        if "time" in want.dims:
            assert got["time"].attrs["units"] == "days since 2001-01-01", got["time"].attrs
    count(f"coordinates in {kind}")


def filled(x, dim, how, limit):
    """xarray's ffill and bfill, for which it wants bottleneck, are those of pandas."""
    rows = np.moveaxis(x.values, x.dims.index(dim), 0)
    frame = pd.DataFrame(rows.reshape(len(rows), -1))
    values = getattr(frame, how)(limit=limit).values.reshape(rows.shape)
    return xr.DataArray(np.moveaxis(values, 0, x.dims.index(dim)), dims=x.dims, coords=x.coords)


def interpolated(x, dim, at, method):
    """xarray's interp, for which it wants scipy."""
    c = x[dim].values
    order = np.argsort(c)

    def line(y):
        y = y.astype("f8")[order]
        near = y[np.abs(c[order][None] - at[:, None]).argmin(1)]
        near[(at < c.min()) | (at > c.max())] = np.nan
        return near if method == "nearest" else np.interp(at, c[order], y, left=np.nan, right=np.nan)

    coords = {d: at if d == dim else x[d].values for d in x.dims}
    return xr.DataArray(np.apply_along_axis(line, x.dims.index(dim), x.values), dims=x.dims, coords=coords)


def functions(rng, dir, ds, source):
    x, dims = ds["tas"], ds["tas"].dims
    dim = str(rng.choice(dims))
    n, limit = int(rng.integers(-4, 5)), int(rng.integers(1, 4))
    extent = ds.sizes[dim]
    floats = x if x.dtype.kind == "f" else x.astype("f8")
    wide = x if x.dtype.kind == "i" else x.astype("f8")
    cases = {
        f"shift(t, {n}, '{dim}')": lambda: floats.shift({dim: n}),
        # of float32, too, these accumulate in float64
        f"cumsum(t, '{dim}')": lambda: wide.cumsum(dim, skipna=False),
        f"nancumsum(t, '{dim}')": lambda: wide.cumsum(dim),
        f"nancumprod(t, '{dim}')": lambda: wide.cumprod(dim),
    }
    if abs(n) < extent:
        cases[f"diff(t, {abs(n)}, '{dim}')"] = lambda: x.diff(dim, abs(n)) if n else x
    if x.dtype.kind == "f":
        cases[f"ffill(t, '{dim}')"] = lambda: filled(x, dim, "ffill", None)
        cases[f"bfill(t, '{dim}', limit={limit})"] = lambda: filled(x, dim, "bfill", limit)
        if dim != "lat":  # along which xarray wants coordinates that increase
            cases[f"interpolate_na(t, '{dim}')"] = lambda: x.astype("f8").interpolate_na(dim)
        cases[f"interpolate_na(t, '{dim}', use_coordinate=False)"] = lambda: x.astype("f8").interpolate_na(dim, use_coordinate=False)
    if extent > 1:
        c = ds[dim].values
        at = rng.uniform(c.min() - 1, c.max() + 1, 4)
        text = ", ".join(repr(float(v)) for v in at)
        for method in ("linear", "nearest"):
            cases[f"interp(t, '{dim}', ({text}), method='{method}')"] = lambda method=method: interpolated(x, dim, at, method)
    for text in rng.permutation(list(cases))[:4]:
        want = cases[text]()
        summed = "cumprod" in text or "cumsum" in text
        near(text, want.values, calculated(dir, source, str(text)), 1e-3 if summed else 1e-4 if x.dtype == "f4" else 1e-9)
        count(str(text).split("(")[0])
        placed(rng, dir, source, str(text), want)
    first, step = int(rng.integers(0, extent)), int(rng.choice([1, 2, 3]))
    cut = [":"] * len(dims)
    cut[dims.index(dim)] = f"{first}::{step}"
    placed(rng, dir, source, f"(t * 2)[{', '.join(cut)}]", x.isel({dim: slice(first, None, step)}))


def climatology(rng, dir, ds, source):
    """Windows of days of the year, in years without leap days: the items are found here, and by CDO
    for the days whose windows are within a year."""
    nt, n = 365 * 3, int(rng.choice([3, 5, 7]))
    x = rng.normal(280, 10, (nt, 1, 2))
    t = np.arange(nt) * 1.0
    one = xr.Dataset({"tas": (("time", "lat", "lon"), x)}, {"time": t, "lat": [0.0], "lon": [0.0, 1.0]})
    one["time"].attrs = {"units": "days since 2001-01-01", "calendar": "noleap"}
    one.to_netcdf(dir / "days.nc")
    op, of, ydrun = [("quantile:0.9", lambda v: np.quantile(v, 0.9, axis=0), None),
        ("mean", lambda v: v.mean(0), "ydrunmean"), ("max", lambda v: v.max(0), "ydrunmax"),
        ("std", lambda v: v.std(0), "ydrunstd")][int(rng.integers(4))]
    run(opts.cairn, "reduce", "-op", op, "-by", "day-of-year", "-window", n, dir / "days.nc", dir / "clim.nc")
    day = np.arange(nt) % 365
    want = [of(x[(day - d + n // 2) % 365 < n]) for d in range(365)]
    with xr.open_dataset(dir / "clim.nc") as got:
        near(f"{op} of {n} days", want, got["tas"].values, 1e-9)
        if ydrun and shutil.which("cdo"):
            run("cdo", "-s", "-O", f"-{ydrun},{n}", dir / "days.nc", dir / "cdo.nc")
            with xr.open_dataset(dir / "cdo.nc", decode_times=False) as theirs:
                inside = slice(n, 365 - n)
                near(f"{op} of {n} days of CDO", theirs["tas"].values[inside], got["tas"].values[inside], 1e-9)
            count("cdo")
    count("climatology")


def whole(rng, dir):
    """calc on all variables of a file, as CDO has it, with what stands beside them."""
    nt = int(rng.integers(30, 900))
    t = np.arange(nt) + 0.5
    one = xr.Dataset(
        {
            "tas": (("time", "lat", "lon"), rng.normal(280, 10, (nt, 2, 3)), {"units": "K"}),
            "pr": (("time", "lat", "lon"), rng.normal(2, 1, (nt, 2, 3)).astype("f4"), {"units": "mm"}),
            "orog": (("lat", "lon"), rng.normal(100, 10, (2, 3)), {"units": "m"}),
            "time_bnds": (("time", "nv"), np.stack([t - 0.5, t + 0.5], 1)),
        },
        {"time": t, "lat": [-10.0, 10.0], "lon": [0.0, 10.0, 20.0]},
        {"title": "all of it"},
    )
    for name in ("tas", "pr"):
        one[name].values[rng.random(one[name].shape) < 0.1] = np.nan
    one["time"].attrs = {"units": "days since 2001-01-01", "calendar": "noleap", "bounds": "time_bnds"}
    one["lat"].attrs = {"units": "degrees_north", "standard_name": "latitude"}
    one["lon"].attrs = {"units": "degrees_east", "standard_name": "longitude"}
    source = dir / "whole.nc"
    one.to_netcdf(source, encoding={n: {"_FillValue": None} for n in ("time", "lat", "lon", "time_bnds")}, unlimited_dims=["time"])
    month = xr.DataArray((np.digitize(t % 365, np.cumsum([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]))), dims="time")

    def each(of, static=False):
        out = one.copy()
        for name in ("tas", "pr", "orog"):
            if static or name != "orog":
                out[name] = of(one[name].astype("f8"))
        return out

    cases = {
        "x - 273.15": (lambda: each(lambda v: v - 273.15, True), ["-subc,273.15"]),
        "where(isnan(x), -1, x)": (lambda: each(lambda v: v.fillna(-1), True), ["-setmisstoc,-1"]),
        "x - clim(x, 'month-of-year')": (lambda: each(lambda v: (v.groupby(month) - v.groupby(month).mean()).drop_vars("group")), ["-ymonsub", source, "-ymonmean"]),
        "x * 2 - nanmean(x, 'time')": (lambda: each(lambda v: v * 2 - v.mean("time")), None),
        "ffill(x, 'time')": (lambda: each(lambda v: filled(v, "time", "ffill", None)), None),
        "interpolate_na(x, 'time')": (lambda: each(lambda v: v.interpolate_na("time")), None),
        "diff(x, 'time')": (lambda: each(lambda v: v.diff("time")).drop_vars("time_bnds").isel(time=slice(1, None)), None),
    }
    for text in rng.permutation(list(cases))[:3]:
        text, (of, cdo) = str(text), cases[str(text)]
        kind = str(rng.choice(["nc", "zarr"]))
        run(opts.cairn, "calc", "-force", "-o", dir / f"all.{kind}", text, f"x={source}")
        want = of()
        with xr.open_dataset(dir / f"all.{kind}", decode_times=False, **({"engine": "zarr"} if kind == "zarr" else {})) as got:
            got = got.load()
        assert set(got.variables) == set(want.variables), f"{text}: {set(got.variables)}, want {set(want.variables)}"
        for name in want.variables:
            near(f"{name} of {text}", want[name].values, got[name].values, 2e-5 if name == "pr" else 1e-9)
            assert want[name].dims == got[name].dims, f"{name} of {text} is along {got[name].dims}"
        assert got.attrs["title"] == "all of it" and text[:4] in got.attrs["history"], got.attrs
        kept = {"units": "days since 2001-01-01", "calendar": "noleap"} | ({"bounds": "time_bnds"} if "time_bnds" in want else {})
        assert got["time"].attrs == kept, f"{text}: {got['time'].attrs}"
        count("whole file")
        if cdo and shutil.which("cdo"):
            run("cdo", "-s", "-O", *cdo, source, dir / "cdo.nc")
            with xr.open_dataset(dir / "cdo.nc", decode_times=False) as theirs:
                for name in ("tas", "pr"):
                    near(f"{name} of {text} of CDO", theirs[name].values, got[name].values, 3e-5 if name == "pr" else 1e-9)
                near("bounds of CDO", theirs["time_bnds"].values, got["time_bnds"].values, 1e-12)
            count("whole file of CDO")

    series = one[["tas"]].mean("time")
    series.to_netcdf(dir / "mean.nc")
    run(opts.cairn, "calc", "-force", "-o", dir / "all.nc", "x - m", f"x={source}::/", f"m={dir / 'mean.nc'}")
    with xr.open_dataset(dir / "all.nc", decode_times=False) as got:
        near("x - m", (one["tas"] - series["tas"]).values, got["tas"].values, 1e-9)
        near("x - m of another", (one["pr"].astype("f8") - series["tas"]).values, got["pr"].values, 1e-6)


def case(dir, rng):
    ds, encoding = dataset(rng)
    source = dir / "in.nc"
    ds.to_netcdf(source, encoding=encoding)
    rolling(rng, dir, ds, source)
    functions(rng, dir, ds, source)
    if rng.random() < 0.2:
        climatology(rng, dir, ds, source)
    if rng.random() < 0.3:
        whole(rng, dir)


judge(case, 5)
