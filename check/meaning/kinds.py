# The other side of main.go with -kinds: draws what the other themes draw rarely, as axes in any
# order, of one item or none, descending coordinates, packed, unsigned and masked items, whole
# groups that are missing, and several axes at once, has reduce and calc work on these, and compares
# with what xarray makes of the items that it decodes.
import cftime

CALENDARS = ["standard", "proleptic_gregorian", "noleap", "360_day", "julian", "all_leap"]
OPS = ["mean", "sum", "min", "max", "std", "var", "median", "count", "prod"]
KINDS = ["f4", "f8", "packed", "packed u1", "unsigned", "i4", "range", "missing"]


def variable(rng, kind, shape):
    """Items as they are stored, attributes and what decoding makes of them."""
    gaps = rng.random(shape) < rng.choice([0.05, 0.5])
    if kind in ("f4", "f8"):
        x = rng.normal(3, 2, shape).astype(kind)
        x[gaps] = np.nan
        return x, {"_FillValue": np.array(np.nan, kind)}
    if kind in ("range", "missing"):
        x = rng.normal(3, 2, shape).astype("f8")
        x[gaps] = 9e9 if kind == "range" else -999.0
        return x, {"valid_range": np.array([-90.0, 90.0])} if kind == "range" else {"missing_value": -999.0}
    if kind == "i4":
        return rng.integers(-50, 50, shape).astype("i4"), {}
    if kind == "packed":
        x = rng.integers(-3000, 3000, shape).astype("i2")
        x[gaps] = -32768
        return x, {"scale_factor": 0.01, "add_offset": 3.0, "_FillValue": np.int16(-32768)}
    x = rng.integers(0, 250, shape).astype("u1")
    x[gaps] = 255
    if kind == "packed u1":
        return x, {"scale_factor": np.float32(0.5), "_FillValue": np.uint8(255)}
    return x.view("i1"), {"_Unsigned": "true", "_FillValue": np.int8(-1)}


def times(rng, nt):
    """Times of a calendar, with whole months left out."""
    unit, step = [("days", 1), ("days", 9), ("hours", 7)][int(rng.integers(3))]
    t = np.arange(nt) * step
    if nt > 20 and rng.random() < 0.6:
        t[nt // 3 :] += 100 * (24 if unit == "hours" else 1)
    units = f"{unit} since {rng.choice(['2000-01-01', '1999-11-30 06:00', '1581-03-01', '0004-02-27', '2400-02-28'])}"
    return t.astype(str(rng.choice(["i4", "i8", "f8"]))), units, str(rng.choice(CALENDARS))


def dataset(rng, path):
    size = {"time": int(rng.choice([1, 2, 40, 150])), "lat": int(rng.choice([1, 3, 6])), "lon": int(rng.choice([1, 4, 5])), "lev": int(rng.choice([1, 2]))}
    dims = [str(d) for d in rng.permutation(["time", "lat", "lon", "lev"] if rng.random() < 0.3 else ["time", "lat", "lon"])]
    kind = str(rng.choice(KINDS))
    if rng.random() < 0.05:
        size[str(rng.choice(dims))] = 0
    items, attrs = variable(rng, kind, [size[d] for d in dims])
    t, units, calendar = times(rng, size["time"])
    lat = np.sort(rng.uniform(-80, 80, size["lat"]))
    if rng.random() < 0.5:
        lat = lat[::-1].copy()
    ds = xr.Dataset({"x": (dims, items, attrs), "zone": ("lat", rng.integers(0, 3, size["lat"]).astype("i2")),
                     "w": (("lat", "lon"), rng.random((size["lat"], size["lon"])).astype("f8"))},
                    {"time": ("time", t, {"units": units, "calendar": calendar}), "lat": ("lat", lat, {"units": "degrees_north"}),
                     "lon": ("lon", np.arange(size["lon"]) * 11.0), "lev": ("lev", np.arange(size["lev"]) * 100.0)})
    if rng.random() < 0.5:
        step = t[1] - t[0] if len(t) > 1 else 1
        ds["time"].attrs["bounds"] = "time_bnds"
        ds["time_bnds"] = ("time", "nv"), np.stack([t, t + step], 1).astype(t.dtype)
    encoding = {"zone": {"_FillValue": None}, "w": {"_FillValue": None}, **{c: {"_FillValue": None} for c in ds.coords}}
    if rng.random() < 0.6 and all(size[d] for d in dims):
        encoding["x"] = {"zlib": True, "chunksizes": tuple(int(rng.integers(1, size[d] + 1)) for d in dims)}
    if "_FillValue" not in attrs:
        encoding.setdefault("x", {})["_FillValue"] = None
    ds.to_netcdf(path, encoding=encoding)
    with xr.open_dataset(path, decode_times=False) as read:
        read = read.load()
    x = read["x"]
    if kind == "range":
        x = x.where((x >= -90) & (x <= 90))
    dates = cftime.num2date(read["time"].values, units, calendar) if len(t) else np.array([], object)
    return read.assign(x=x), dates, kind


def near(what, want, got, dtype):
    want, got = np.asarray(want, "f8"), np.asarray(got, "f8")
    assert want.shape == got.shape, f"{what}: shape {got.shape}, want {want.shape}"
    tolerance = 1e-9 if dtype.itemsize > 4 or dtype.kind != "f" else 3e-5
    scale = np.nanmax(np.abs(want), initial=1e-3, where=np.isfinite(want))  # of items of about 1
    with np.errstate(over="ignore", invalid="ignore"):
        single = np.isinf(got) & (np.abs(want) > 3e38)  # float32 has no more
        wrong = ~(np.isclose(got, want, rtol=tolerance, atol=tolerance * scale) | (np.isnan(want) & np.isnan(got)) | single)
    assert not wrong.any(), f"{what}: {int(wrong.sum())} of {wrong.size} values differ, {got[wrong][0]} and {want[wrong][0]}"


# --- groups ---


def keys(rng, dates, ds):
    """A key of some dimension: the flags, the group of each index, and the name of the groups."""
    midnight = min(dates).replace(hour=0, minute=0, second=0, microsecond=0)
    since = lambda n: [int((d - midnight).total_seconds() // (86400 * n)) for d in dates]
    cases = {
        "-by month": ("time", [d.year * 12 + d.month for d in dates], "time"),
        "-by season": ("time", [(d.year * 12 + d.month) // 3 for d in dates], "time"),
        "-by month-of-year": ("time", [d.month for d in dates], "month"),
        "-by season-of-year": ("time", [d.month % 12 // 3 for d in dates], "season"),
        "-by day": ("time", since(1), "time"),
        "-every 4d": ("time", since(4), "time"),
        "-every 2w": ("time", since(14), "time"),
        "-every time=7": ("time", np.arange(len(dates)) // 7, "time"),
        "-every lat=2": ("lat", np.arange(ds.sizes["lat"]) // 2, "lat"),
        "-by zone": ("lat", ds["zone"].values, "zone"),
    }
    name = str(rng.choice(list(cases)))
    return name.split(), *cases[name]


def of(x, axes, op):
    if op == "count":
        return x.notnull().sum(axes)
    if op in ("sum", "prod") and x.dtype.kind in "iu":
        return getattr(x.astype("i8"), op)(axes)  # which wraps around, as in NumPy
    with np.errstate(all="ignore"):
        return getattr(x.astype("f8"), op)(axes, skipna=True)


def enough(x, want, axes, op, least):
    return want if least is None else want.where(x.notnull().sum(axes) >= least)


def grouped(rng, dir, source, ds, dates, kind):
    x, op = ds["x"], str(rng.choice(OPS))
    flags, dim, key, name = keys(rng, dates, ds)
    axes = [dim] + [str(d) for d in x.dims if d != dim and rng.random() < 0.3]
    least = int(rng.integers(1, 6)) if rng.random() < 0.4 else None
    key = np.asarray(key)
    label = str(rng.choice(["start", "middle", "end"]))
    more = (["-axis", ",".join(axes)] if len(axes) > 1 else []) + (["-min-count", least] if least else []) + (["-label", label] if name == "time" and flags[1] != "time=7" else [])
    more += ["-valid"] if kind == "range" else []
    parts = []
    for k in sorted(set(key)):
        part = x.isel({dim: key == k})
        parts.append(enough(part, of(part, axes, op), axes, op, least))
    want = xr.concat(parts, name)
    run(opts.cairn, "reduce", "-op", op, *flags, *more, source, dir / "groups.nc")
    with xr.open_dataset(dir / "groups.nc", decode_times=False) as got:
        order = [name if d == dim else d for d in x.dims if d == dim or d not in axes]
        assert list(got["x"].dims) == order, f"{flags}: dimensions {got['x'].dims}, want {order}"
        near(f"{op} {flags} {more} of {kind}", want.transpose(*order).values, got["x"].values, x.dtype)
        if "-label" in more:
            c, n = got["time"].values.astype("f8"), got["time_bnds"].values.astype("f8")
            at = {"start": n[:, 0], "middle": n.mean(1), "end": n[:, 1]}[label]
            assert np.allclose(c, at), f"{flags}: coordinates {c[:3]}, {label} of {n[:3]}"
            # bounds hold the times, in the units of the result
            dated = cftime.num2date(n, got["time"].attrs["units"], got["time"].attrs["calendar"])
            for i, k in enumerate(sorted(set(key))):
                own = [d for d, g in zip(dates, key) if g == k]
                assert dated[i, 0] <= min(own) and max(own) < dated[i, 1], f"{flags}: bounds {dated[i]} of {min(own)} to {max(own)}"
    count("groups, " + flags[1].lstrip("0123456789") if flags[0] == "-by" else "groups, every")
    count(f"{kind}")


def coarsened(rng, dir, source, ds, dates, kind):
    """Blocks along several axes, the last ones shorter."""
    x, op = ds["x"], str(rng.choice([o for o in OPS if o != "count"]))
    over = {str(d): int(rng.integers(1, 4)) for d in rng.permutation([d for d in x.dims if d != "time"])[:2]}
    if rng.random() < 0.5:
        over["time"] = int(rng.integers(1, 9))
    if op == "prod" and x.dtype.kind == "i":
        op = "sum"
    want = getattr(x.astype("f8").coarsen(over, boundary="pad"), op)()
    if op in ("sum", "prod"):  # of nothing but what pads
        want = want.fillna(0 if op == "sum" else 1)
    flags = ["-valid"] if kind == "range" else []
    run(opts.cairn, "reduce", "-op", op, *flags, "-every", ",".join(f"{d}={n}" for d, n in over.items()), source, dir / "coarse.nc")
    with xr.open_dataset(dir / "coarse.nc", decode_times=False) as got:
        near(f"{op} of blocks {over} of {kind}", want.transpose(*x.dims).values, got["x"].transpose(*x.dims).values, x.dtype)
        for d in over:
            if d != "time":
                near(f"{d} of blocks {over}", want[d].values, got[d].values, np.dtype("f8"))
    count("coarsen")


def weighted(rng, dir, source, ds, dates, kind):
    """Weights along one or more axes, of groups too."""
    x, op = ds["x"], str(rng.choice(["mean", "sum", "std", "var"]))
    flags, w = [("cos", np.cos(np.deg2rad(ds["lat"]))), ("w", ds["w"])][int(rng.integers(2))]
    axes = [str(d) for d in rng.permutation([d for d in x.dims if d != "time"])[:int(rng.integers(1, 3))]]
    if not set(axes) & set(w.dims):
        axes.append("lat")
    by, key = [], np.zeros(len(dates))
    if rng.random() < 0.5:
        by, dim, key, name = keys(rng, dates, ds)
        if dim != "time":
            return
        axes.append("time")
    key = np.asarray(key)
    w = w.drop_vars(list(w.coords))
    bare = x.astype("f8").drop_vars(list(x.coords))
    parts = [getattr(bare.isel(time=key == k).weighted(w), op)(axes) for k in sorted(set(key))] if by else [getattr(bare.weighted(w), op)(axes)]
    if op == "sum":
        parts = [p.fillna(0) for p in parts]
    want = xr.concat(parts, "group") if by else parts[0]
    more = ["-valid"] if kind == "range" else []
    run(opts.cairn, "reduce", "-op", op, "-weights", flags, "-axis", ",".join(axes), *by, *more, source, dir / "weighted.nc")
    with xr.open_dataset(dir / "weighted.nc", decode_times=False) as got:
        order = ["group" if d == "time" and by else d for d in x.dims if d not in axes or d == "time" and by]
        near(f"weighted {op} along {axes} {by} of {kind}", want.transpose(*order).values, got["x"].values, x.dtype if x.dtype.itemsize > 4 else np.dtype("f4"))
        if {"lat", "lon"} <= set(axes) or flags == "cos":  # what has only some of the dimensions
            zone = ds["zone"].astype("f8").drop_vars("lat").weighted(w)
            near(f"weighted {op} of rows", getattr(zone, op)(w.dims).values, got["zone"].values, np.dtype("f8"))
    count("weighted groups" if by else "weighted")


def interpolated(rng, dir, source, ds, dates, kind):
    """Points between the coordinates of an axis, in any order."""
    x = ds["x"].astype("f8")
    dim = str(rng.choice([d for d in x.dims]))
    if x.sizes[dim] < 2 or kind == "range":
        return
    c = ds[dim].values.astype("f8")
    at = np.round(rng.uniform(c.min() - 1, c.max() + 1, 5), 3)
    try:
        import scipy  # noqa: F401

        want = x.interp({dim: at}).values
    except ImportError:
        order = np.argsort(c)
        want = np.apply_along_axis(lambda y: np.interp(at, c[order], y[order], left=np.nan, right=np.nan), x.dims.index(dim), x.values)
    text = f"interp(t, '{dim}', ({', '.join(map(repr, at.tolist()))}))"
    run(opts.cairn, "calc", text, f"t={source}::x", "-o", dir / "interp.nc")
    with xr.open_dataset(dir / "interp.nc", decode_times=False) as got:
        v = got[[n for n in got.data_vars if got[n].ndim == x.ndim][0]]
        near(f"coordinates of {text}", at, got[dim].values, np.dtype("f8"))
        near(f"{text} of {kind}", want, v.values, np.dtype("f4") if ds["x"].dtype.itemsize <= 4 else ds["x"].dtype)
    count("interp")


def case(dir, rng):
    source = dir / "in.nc"
    ds, dates, kind = dataset(rng, source)
    if not all(ds["x"].sizes.values()):
        # nothing to compare with: it must be told, or be an array of nothing
        for flags in (["-by", "month"], ["-every", "lat=2"], ["-axis", "lat"], ["-window", "lat=3"]):
            r = subprocess.run([opts.cairn, "reduce", "-force", *flags, source, dir / "none.nc"], capture_output=True, text=True)
            assert r.returncode in (0, 1, 3) and "goroutine" not in r.stderr, f"{flags}: exit {r.returncode}: {r.stderr}"
        count("no items")
        return
    for judged in (grouped, coarsened, weighted, interpolated):
        judged(rng, dir, source, ds, dates, kind)


judge(case, 13)
