# The other side of main.go with -stats: writes files with latitudes and longitudes as xarray does,
# and compares weighted means, trends, correlations and runs with what CDO and xarray make of them.

def near(what, want, got, tolerance=1e-9):
    want, got = np.asarray(want, "f8").squeeze(), np.asarray(got, "f8").squeeze()
    assert want.shape == got.shape, f"{what}: shape {got.shape}, want {want.shape}"
    scale = np.nanmax(np.abs(want), initial=1e-30)
    wrong = ~(np.isclose(got, want, rtol=tolerance, atol=tolerance * scale) | (np.isnan(want) & np.isnan(got)))
    assert not wrong.any(), f"{what}: {int(wrong.sum())} of {wrong.size} differ, {got[wrong][0]} and {want[wrong][0]}"
    done[what.split()[0]] = done.get(what.split()[0], 0) + 1


def dataset(rng):
    nt, ny, nx = int(rng.integers(5, 60)), int(rng.integers(3, 12)), int(rng.integers(3, 14))
    lat = np.sort(rng.uniform(-89, 89, ny)) if rng.random() < 0.3 else np.linspace(-1, 1, ny) * rng.uniform(20, 90)
    if rng.random() < 0.5:
        lat = lat[::-1].copy()
    lon = np.arange(nx) * (360.0 / nx if nx > 6 and rng.random() < 0.5 else 3.0)
    tas = rng.normal(280, 10, (nt, ny, nx)) + np.arange(nt)[:, None, None] * rng.normal(0, 0.3)
    if rng.random() < 0.7:
        tas[rng.random(tas.shape) < 0.1] = np.nan
    if rng.random() < 0.3:
        tas[:, 0] = np.nan
    pr = rng.normal(5, 1, (nt, ny, nx)) + tas / 10
    ds = xr.Dataset(
        {
            "tas": (("time", "lat", "lon"), tas, {"units": "K"}),
            "pr": (("time", "lat", "lon"), pr),
            "w": (("lon", "lat"), rng.integers(0, 4, (nx, ny)).astype("f8")),
            "hot": (("time", "lat", "lon"), (rng.random(tas.shape) < 0.6).astype("f8")),
        },
        {"time": np.cumsum(rng.integers(1, 9, nt)).astype("f8"), "lat": lat, "lon": lon},
    )
    ds["time"].attrs = {"units": str(rng.choice(["days", "hours"])) + " since 2001-01-01", "calendar": "standard"}
    ds["lat"].attrs = {"standard_name": "latitude", "units": "degrees_north"}
    ds["lon"].attrs = {"standard_name": "longitude", "units": "degrees_east"}
    encoding = {}
    if rng.random() < 0.6:
        encoding["tas"] = {"zlib": True, "chunksizes": tuple(int(rng.integers(1, n + 1)) for n in tas.shape)}
    return ds, encoding


def load(path):
    with xr.open_dataset(path, decode_times=False, decode_timedelta=False) as ds:
        return ds.load()


def calc(dir, text, **arrays):
    run(opts.cairn, "calc", "-force", "-o", dir / "calc.npy", text, *[f"{k}={v}" for k, v in arrays.items()])
    return np.load(dir / "calc.npy")


def fields(dir, ds, source):
    """Means of fields, and along latitudes, as CDO has them; -by month of them."""
    one = dir / "tas.nc"
    load(source)[["tas"]].to_netcdf(one)
    for op in ("mean", "std", "var"):
        run(opts.cairn, "reduce", "-force", "-weights", "area", "-op", op, "-axis", "lat,lon", source, dir / "a.nc")
        run("cdo", "-s", "-O", f"-fld{op}", one, dir / "b.nc")
        got = load(dir / "a.nc")
        near(f"fld{op} of CDO", load(dir / "b.nc")["tas"].values.ravel(), got["tas"].values, 1e-8)
    run(opts.cairn, "reduce", "-force", "-weights", "area", "-axis", "lat", source, dir / "a.nc")
    run("cdo", "-s", "-O", "-mermean", one, dir / "b.nc")
    near("mermean of CDO", load(dir / "b.nc")["tas"].values, load(dir / "a.nc")["tas"].values, 1e-8)
    if np.allclose(np.diff(ds["lon"].values, 2), 0):
        run(opts.cairn, "reduce", "-force", "-weights", "area", "-axis", "lon", source, dir / "a.nc")
        run("cdo", "-s", "-O", "-zonmean", one, dir / "b.nc")
        near("zonmean of CDO", load(dir / "b.nc")["tas"].values, load(dir / "a.nc")["tas"].values, 1e-8)
    run(opts.cairn, "reduce", "-force", "-weights", "area", "-axis", "lat,lon", "-by", "year", source, dir / "a.nc")
    run(opts.cairn, "reduce", "-force", "-weights", "area", "-axis", "time,lat,lon", source, dir / "c.nc")
    assert load(dir / "a.nc")["tas"].attrs["cell_methods"].endswith("area: mean")


def weighted(dir, ds, source):
    """Any weights, along any axes, as xarray has them."""
    for axes in (["lat", "lon"], ["lat"], ["time", "lon"], ["time", "lat", "lon"]):
        of = ds["tas"].weighted(ds["w"])
        for op in ("mean", "sum", "std", "var"):
            run(opts.cairn, "reduce", "-force", "-weights", "w", "-op", op, "-axis", ",".join(axes), f"{source}::tas", dir / "a.npy")
            near(f"weighted {op} over {axes}", getattr(of, op)(axes).values, np.load(dir / "a.npy"), 1e-8)
    want = ds["tas"].weighted(np.cos(np.deg2rad(ds["lat"]))).mean(["lat", "lon"])
    near("cos mean", want.values, calc(dir, "nanmean(t, ('lat', 'lon'), weights=cos(radians(lat)))", t=f"{source}::tas"))


def related(dir, ds, source):
    t, p = ds["tas"], ds["pr"]
    args = {"t": f"{source}::tas", "p": f"{source}::pr"}
    near("corr along time", xr.corr(t, p, "time").values, calc(dir, "nancorr(t, p, 'time')", **args), 1e-7)
    near("cov along time", xr.cov(t, p, "time").values, calc(dir, "nancov(t, p, 'time')", **args), 1e-7)
    near("corr of all", xr.corr(t, p).values, calc(dir, "nancorr(t, p)", **args), 1e-7)

    series = p.mean(["lat", "lon"])
    near("corr with a series", xr.corr(t, series, "time").values,
         calc(dir, "nancorr(t, nanmean(p, ('lat', 'lon')), 'time')", **args), 1e-6)

    days = ds["time"].values / (24 if ds["time"].attrs["units"].startswith("hours") else 1)
    fit = t.assign_coords(time=days).polyfit("time", 1, skipna=True)["polyfit_coefficients"]
    enough = t.notnull().sum("time").values >= 2
    near("slope along time", fit.sel(degree=1).where(enough).values, calc(dir, "nanslope(t, 'time')", **args), 1e-6)
    near("intercept along time", fit.sel(degree=0).where(enough).values, calc(dir, "nanintercept(t, 'time')", **args), 1e-6)


def trends(dir, ds, source):
    """Trends per step of time, and runs, as CDO has them."""
    steps = ds[["tas"]].assign_coords(time=np.arange(ds.sizes["time"]) * 1.0)
    steps["time"].attrs = {"units": "days since 2001-01-01", "calendar": "standard"}
    steps.to_netcdf(dir / "steps.nc")
    run("cdo", "-s", "-O", "-trend", dir / "steps.nc", dir / "i.nc", dir / "s.nc")
    enough = steps["tas"].notnull().sum("time").values >= 2
    run(opts.cairn, "reduce", "-force", "-op", "slope", "-axis", "time", dir / "steps.nc", dir / "a.nc")
    got = load(dir / "a.nc")["tas"]
    assert got.attrs["units"] == "K day-1", got.attrs
    near("trend of CDO", np.where(enough, load(dir / "s.nc")["tas"].values.squeeze(), np.nan), got.values, 1e-5)

    ds[["hot"]].to_netcdf(dir / "hot.nc")
    run("cdo", "-s", "-O", "-timmax", "-consecsum", dir / "hot.nc", dir / "b.nc")
    near("consecsum of CDO", load(dir / "b.nc")["hot"].values, calc(dir, "longest_run(h > 0, 'time')", h=f"{source}::hot"))


def case(dir, rng):
    ds, encoding = dataset(rng)
    source = dir / "in.nc"
    ds.to_netcdf(source, encoding=encoding)
    weighted(dir, ds, source)
    related(dir, ds, source)
    if shutil.which("cdo"):
        fields(dir, ds, source)
        trends(dir, ds, source)


judge(case, 8)
