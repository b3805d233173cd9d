# The other side of main.go with -names: writes files with coordinates of many kinds as xarray and
# netCDF4 do by default, has calc compute with names of them, with times, texts and selections, and
# compares with what xarray makes of the same.
import cftime

CALENDARS = ["standard", "noleap", "360_day", "proleptic_gregorian", "julian", "all_leap"]
PLACES = ["Oslo", "Roma", "Århus", "Lima", "Quito", "Bern"]


def dataset(rng):
    unit, step = [("days", 1), ("hours", 6), ("minutes", 90), ("days", 5), ("seconds", 40000)][int(rng.integers(5))]
    nt, ny, nx = int(rng.integers(20, 500)), int(rng.integers(2, 7)), int(rng.integers(2, 7))
    origin = str(rng.choice(["2000-01-01", "1850-01-01", "1999-12-30 12:00:00", "1600-02-01", "0001-01-01"]))
    kind = str(rng.choice(["i4", "i8", "f8"]))
    time = np.arange(nt) * step + int(rng.integers(0, 500))
    if kind == "f8" and unit == "days":
        time = time + int(rng.integers(24)) / 24
    t = rng.normal(280, 10, (nt, ny, nx)).astype(str(rng.choice(["f4", "f8"])))
    t[rng.random(t.shape) < 0.1] = np.nan
    order = ["lat", "lon"] if rng.random() < 0.5 else ["lon", "lat"]
    size = {"lat": ny, "lon": nx}
    ds = xr.Dataset(
        {"t": (("time", "lat", "lon"), t, {"units": "K"})},
        {
            "time": ("time", time.astype(kind), {"units": f"{unit} since {origin}", "calendar": str(rng.choice(CALENDARS))}),
            "lat": ("lat", np.linspace(-60, 60, ny), {"units": "degrees_north"}),
            "lon": ("lon", np.arange(nx) * 360.0 / nx),
            "area": (order, rng.random([size[d] for d in order])),
            "place": ("lat", np.array(PLACES[:ny])),
            "code": ("lon", np.array([p.encode()[:4] for p in PLACES[:nx]])),
            "height": ((), float(rng.integers(1, 100))),
            "qc": ("time", rng.integers(0, 3, nt).astype("i1"),
                   {"flag_values": np.array([0, 1, 2], "i1"), "flag_meanings": "good bad ugly"}),
        },
    )
    encoding = {}
    if rng.random() < 0.5:
        encoding["t"] = {"zlib": True, "chunksizes": tuple(int(rng.integers(1, n + 1)) for n in t.shape)}
    return ds, encoding


PARTS = ["year", "month", "day", "hour", "minute", "second", "dayofyear", "days_in_month"]


def expressions(ds, dates, rng):
    """The text of an expression, and what xarray makes of it, by kind."""
    at = dates[int(rng.integers(len(dates)))]
    at = at.replace(microsecond=0)
    text = at.strftime("%Y-%m-%dT%H:%M:%S")
    if rng.random() < 0.4:
        at = at.replace(hour=0, minute=0, second=0)
        text = at.strftime("%Y-%m-%d")
    if rng.random() < 0.3:
        at = at.replace(day=1, hour=0, minute=0, second=0)
        text = at.strftime("%Y-%m")
    text = text.replace(" ", "0")
    op = str(rng.choice(["<", "<=", ">", ">=", "==", "!="]))
    compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal}[op]
    when = xr.DataArray(compare(dates, at).astype(bool), dims="time")
    part = str(rng.choice(PARTS))
    place = str(rng.choice(PLACES))
    season = str(rng.choice(["DJF", "MAM", "JJA", "SON"]))
    days = xr.DataArray([(d - at).total_seconds() / 86400 for d in dates], dims="time")
    per = {"days": 1, "hours": 24, "minutes": 1440, "seconds": 86400}[ds.time.encoding["units"].split()[0]]
    return {
        "weights": ("t * cos(radians(lat))", ds.t * np.cos(np.radians(ds.lat))),
        "auxiliary": ("t * area - lon", ds.t * ds.area - ds.lon),
        "first": ("lat * t + area", ds.lat * ds.t + ds.area),
        "scalar": ("t / height", ds.t / ds.height),
        "mean": ("nansum(t * area, ('lat', 'lon'))", (ds.t * ds.area).sum(("lat", "lon"))),
        "part": (f"{part}(time)", getattr(ds.time.dt, part)),
        "accessor": (f"t - time.dt.{part}", ds.t - getattr(ds.time.dt, part)),
        "season": (f"where(season(time) == '{season}', t, nan)", ds.t.where(ds.time.dt.season == season)),
        "date": (f"where(time {op} '{text}', t, nan)", ds.t.where(when)),
        "since": (f"t * 0 + (time - '{text}')", ds.t * 0 + days * per),
        "place": (f"where(place == '{place}', t, nan)", ds.t.where(ds.place == place)),
        "flag": ("where(qc == 'bad', t, nan)", ds.t.where(ds.qc == 1)),
        "named": ("lat + t", ds.lon + ds.t),  # lat=FILE::lon
    }


def near(what, want, got, tolerance):
    want = np.asarray(want, "f8")
    got = np.asarray(got, "f8")
    assert want.shape == got.shape, f"{what}: shape {got.shape}, want {want.shape}"
    wrong = ~(np.isclose(got, want, rtol=tolerance, atol=tolerance) | (np.isnan(want) & np.isnan(got)))
    assert not wrong.any(), f"{what}: {int(wrong.sum())} of {wrong.size} values differ, {got[wrong][0]} and {want[wrong][0]}"


def case(dir, rng):
    raw, encoding = dataset(rng)
    source, out = dir / "in.nc", dir / "out.nc"
    raw.to_netcdf(source, encoding=encoding)
    with xr.open_dataset(source, use_cftime=True) as ds:
        ds = ds.load()
    dates = ds.time.values
    flags = []
    if rng.random() < 0.4 and len(dates) > 3:
        first, last = sorted(rng.choice(len(dates), 2, replace=False))
        ends = [d.strftime("%Y-%m-%d").replace(" ", "0") for d in (dates[first], dates[last])]
        flags = ["-s", f"time={ends[0]}:{ends[1]},lat=-30:90"]
        if not ((ds.lat >= -30) & (ds.lat <= 90)).any():
            return
        ds = ds.sel(time=slice(*ends), lat=slice(-30, 90))
        dates = ds.time.values
    drawn = list(expressions(ds, dates, rng).items())
    kind, (text, want) = drawn[int(rng.integers(len(drawn)))]
    operands = [f"t={source}::t"] + ([f"lat={source}::lon"] if kind == "named" else [])
    run(opts.cairn, "calc", "-force", "-o", out, *flags, text, *operands)

    with xr.open_dataset(out, decode_times=False, decode_timedelta=False) as got:
        v = got[list(got.data_vars)[0]] if got.data_vars else got[list(got.variables)[0]]
        assert set(v.dims) == set(want.dims), f"{text} has dimensions {v.dims}, want {want.dims}"
        near(text, want.transpose(*v.dims).values, v.values, 2e-5 if raw.t.dtype == "f4" else 1e-9)
        if "lat" in v.dims:
            assert np.array_equal(got["lat"].values, ds["lat"].values), f"{text}: the coordinates are {got['lat'].values}"
    done[kind] = done.get(kind, 0) + 1
    if flags:
        done["selections"] = done.get("selections", 0) + 1


judge(case, 11)
