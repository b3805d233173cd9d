# The other side of main.go with -groups: writes files with a time axis as xarray does, has reduce
# make one result for each month, season, hour of the day, interval and so on, and compares with
# what xarray makes of groups that are found here by the dates, and with CDO, if that is there.
import cftime

CALENDARS = ["standard", "noleap", "360_day", "proleptic_gregorian", "julian", "all_leap"]
OPS = ["mean", "sum", "min", "max", "std", "var", "median", "count", "first", "last", "prod", "quantile:0.3"]


def dataset(rng):
    unit, step = [("days", 1), ("hours", 6), ("hours", 1), ("days", 5)][int(rng.integers(4))]
    nt, ny, nx = int(rng.integers(30, 900)), int(rng.integers(2, 6)), int(rng.integers(2, 7))
    t = np.arange(nt) * step + int(rng.integers(0, 500))
    if rng.random() < 0.4:  # gaps
        t = t[np.sort(rng.permutation(nt)[: int(nt * 0.7)])]
    nt = len(t)
    origin = str(rng.choice(["2000-01-01", "1850-01-01", "1999-12-30 12:00:00", "1581-02-01", "0001-01-01"]))
    calendar = str(rng.choice(CALENDARS))
    lat, lon = np.linspace(-60, 60, ny), np.arange(nx) * 360.0 / nx
    tas = rng.normal(280, 10, (nt, ny, nx)).astype(str(rng.choice(["f4", "f8"])))
    tas[rng.random(tas.shape) < 0.1] = np.nan
    v = {
        "tas": (("time", "lat", "lon"), tas, {"units": "K"}),
        "n": (("lat", "time"), rng.integers(0, 99, (ny, nt)).astype("i4")),
        "orog": (("lat", "lon"), rng.normal(0, 1, (ny, nx))),
        "zone": (("lat",), rng.integers(1, 4, ny).astype("i2")),
    }
    ds = xr.Dataset(v, {"time": t.astype(str(rng.choice(["i4", "i8", "f8"]))), "lat": lat, "lon": lon})
    ds["time"].attrs = {"units": f"{unit} since {origin}", "calendar": calendar}
    encoding = {}
    if rng.random() < 0.6:
        chunks = tuple(int(rng.integers(1, n + 1)) for n in (nt, ny, nx))
        encoding["tas"] = {"zlib": True, "chunksizes": chunks}
    return ds, encoding


# --- groups, by the dates that cftime has ---


def season(d):
    return (d.year * 12 + d.month) // 3


def keys(dates, by):
    start = min(dates)
    midnight = start - (start - start.replace(hour=0, minute=0, second=0, microsecond=0))
    elapsed = lambda d, seconds: int((d - midnight).total_seconds() // seconds)
    months = lambda d, n: (d.year * 12 + d.month - start.year * 12 - start.month) // n
    of = {
        "year": lambda d: d.year,
        "month": lambda d: d.year * 12 + d.month,
        "season": season,
        "day": lambda d: elapsed(d, 86400),
        "hour": lambda d: elapsed(d, 3600),
        "month-of-year": lambda d: d.month,
        "season-of-year": lambda d: d.month % 12 // 3,
        # cftime counts on over the days that 1582 did not have, and cairn those that there were
        "day-of-year": lambda d: (d - d.replace(month=1, day=1)).days + 1,
        "hour-of-day": lambda d: d.hour,
        "6h": lambda d: elapsed(d, 6 * 3600),
        "10d": lambda d: elapsed(d, 10 * 86400),
        "3mon": lambda d: months(d, 3),
        "2y": lambda d: months(d, 24),
    }[by]
    return np.array([of(d) for d in dates])


def grouped(ds, key, dim, op):
    name, _, q = op.partition(":")
    by = ds.drop_vars([k for k in ds.coords if k != dim]).groupby(xr.DataArray(key, dims=dim, name="key"))
    if name == "quantile":
        return by.quantile(float(q), skipna=True).drop_vars("quantile")
    if name in ("first", "last"):
        return getattr(by, name)(skipna=False)
    if name == "count":
        return by.count()
    return getattr(by, name)(skipna=True)


def near(what, want, got, tolerance):
    want = np.asarray(want, "f8")
    got = np.asarray(got, "f8")
    assert want.shape == got.shape, f"{what}: shape {got.shape}, want {want.shape}"
    scale = np.nanmax(np.abs(want), initial=1e-30)
    wrong = ~(np.isclose(got, want, rtol=tolerance, atol=tolerance * scale) | (np.isnan(want) & np.isnan(got)))
    assert not wrong.any(), f"{what}: {int(wrong.sum())} of {wrong.size} values differ, {got[wrong][0]} and {want[wrong][0]}"


def compare(ds, got, key, dim, name, op):
    part = ds[[v for v in ds.data_vars if dim in ds[v].dims and ds[v].dtype.kind in "iuf" and v != name]]
    want = grouped(part, key, dim, op)
    for v in part.data_vars:
        order = [name if d == dim else d for d in part[v].dims]
        assert list(got[v].dims) == order, f"{v} has dimensions {got[v].dims}, want {order}"
        tolerance = 2e-5 if ds[v].dtype == "f4" or op == "prod" else 1e-9
        near(f"{v} {op}", want[v].transpose(*["key" if d == dim else d for d in part[v].dims]).values, got[v].values, tolerance)
    for v in set(ds.data_vars) - set(part.data_vars) - {name}:
        assert np.array_equal(ds[v].values, got[v].values), f"{v} has changed"


def times(ds, got, dates, key, by):
    """The coordinates are starts of periods, within bounds that have the times of the group."""
    c, units = ds["time"].attrs["calendar"], got["time"].attrs["units"]
    starts = cftime.num2date(got["time"].values, units, c)
    bounds = cftime.num2date(got["time_bnds"].values, units, c)
    for i, k in enumerate(sorted(set(key))):
        of = [d for d, own in zip(dates, key) if own == k]
        assert starts[i] == bounds[i][0] <= min(of) and max(of) < bounds[i][1], f"{by}: {bounds[i]} for {min(of)} to {max(of)}"
        if by in ("month", "season", "year", "3mon", "2y"):
            assert all(d.day == 1 and d.hour == 0 for d in bounds[i]), f"{by}: {bounds[i]}"


CDO = {"month": "mon", "year": "year", "season": "seas", "day": "day", "month-of-year": "ymon", "hour": "hour"}
CDO_OPS = {"mean": "mean", "min": "min", "max": "max", "sum": "sum", "std": "std", "var": "var"}


def with_cdo(dir, source, got, by, op):
    """CDO makes the same of what it can read, of the calendars that it has."""
    if by not in CDO or op not in CDO_OPS or not shutil.which("cdo"):
        return
    ours = dir / "cdo-in.nc"
    one = xr.open_dataset(source, decode_times=False)
    if one["time"].attrs["calendar"] in ("julian", "all_leap") or int(one["time"].attrs["units"].split()[2][:4]) < 1600:
        return
    one[["tas"]].astype({"tas": "f8"}).to_netcdf(ours)
    run("cdo", "-s", "-O", f"-{CDO[by]}{CDO_OPS[op]}", ours, dir / "cdo.nc")
    with xr.open_dataset(dir / "cdo.nc", decode_times=False) as theirs:
        want = theirs["tas"].values
        if op == "sum":  # of no values: 0 for NumPy and xarray, and for cairn, but missing for CDO
            want = np.nan_to_num(want, nan=0.0)
        near(f"tas {op} by {by} of CDO", want, got["tas"].values, 2e-5)
    done["cdo"] = done.get("cdo", 0) + 1


def case(dir, rng):
    ds, encoding = dataset(rng)
    source, out = dir / "in.nc", dir / "out.nc"
    ds.to_netcdf(source, encoding=encoding)
    dates = cftime.num2date(ds["time"].values, ds["time"].attrs["units"], ds["time"].attrs["calendar"])
    op = str(rng.choice(OPS))
    kind = str(rng.choice(["runs", "runs", "every", "parts", "bins", "zone", "count"]))
    flags, key, dim, name = [], None, "time", "time"

    if kind in ("runs", "parts"):
        names = ["year", "month", "season", "day", "hour"]
        if kind == "parts":
            names = ["month-of-year", "season-of-year", "day-of-year", "hour-of-day"]
        by = str(rng.choice(names))
        flags, key = ["-by", by], keys(dates, by)
        name = {"month-of-year": "month", "season-of-year": "season", "day-of-year": "dayofyear", "hour-of-day": "hour"}.get(by, "time")
    elif kind == "every":
        by = str(rng.choice(["6h", "10d", "3mon", "2y"]))
        flags, key = ["-every", by], keys(dates, by)
    elif kind == "bins":
        by, dim, name = "bins", "lat", "lat"
        flags = ["-by", "bins(lat, -90, -20, 20, 90)"]
        key = np.digitize(ds["lat"].values, [-20, 20])
        if len(set(key)) < 3:
            return  # xarray has no results of intervals without items
    elif kind == "zone":
        by, dim, name = "zone", "lat", "zone"
        flags, key = ["-by", "zone"], ds["zone"].values
    else:
        by, dim, name = "count", "lon", "lon"
        n = int(rng.integers(2, 4))
        flags, key = ["-every", f"lon={n}"], np.arange(ds.sizes["lon"]) // n

    run(opts.cairn, "reduce", "-force", "-op", op, *flags, source, out)
    with xr.open_dataset(out, decode_times=False, decode_timedelta=False, mask_and_scale=True) as got:
        compare(ds, got, key, dim, name, op)
        if name == "time":
            times(ds, got, dates, key, by)
            with_cdo(dir, source, got, by, op)
        elif by == "month-of-year":
            with_cdo(dir, source, got, by, op)
        if kind == "parts" and by != "season-of-year":
            assert list(got[name].values) == sorted(set(key)), f"{name} is {got[name].values}"
        if kind == "parts" and by == "season-of-year":
            assert list(got[name].values) == [["DJF", "MAM", "JJA", "SON"][k] for k in sorted(set(key))]
        if kind == "zone":
            assert list(got["zone"].values) == sorted(set(key))
    xr.open_dataset(out, decode_timedelta=False).close()  # with times
    done[by] = done.get(by, 0) + 1
    done[op] = done.get(op, 0) + 1

    # An anomaly of a single array keeps its shape and coordinates.
    if kind == "parts" and op == "mean":
        run(opts.cairn, "calc", "-force", "-o", out, f"t - clim(t, '{by}')", f"t={source}::tas")
        with xr.open_dataset(out, decode_times=False) as got:
            groups = ds["tas"].drop_vars(["lat", "lon"]).groupby(xr.DataArray(key, dims="time", name="key"))
            want = groups - groups.mean(skipna=True)
            v = next(iter(got.data_vars))
            near(f"anomaly by {by}", want.transpose("time", "lat", "lon").values, got[v].values, 1e-4)
            assert np.array_equal(got["time"].values, ds["time"].values)
        done["anomalies"] = done.get("anomalies", 0) + 1


judge(case, 7)
