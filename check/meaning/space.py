# The other side of main.go with -space: writes files whose cells have latitudes and longitudes of
# their own, in rows and columns or in a list, has copy, calc and head select of them by these, and
# compares with what xarray's where has inside, with CDO's boxes and nearest points, if that is
# there, and with distances that are computed here.


def turned_pole(rlat, rlon, pole):
    """Latitudes and longitudes of places of a grid whose pole is turned."""
    rlat, rlon, p = np.radians(rlat), np.radians(rlon), np.radians(pole)
    lat = np.arcsin(np.sin(rlat) * np.sin(p) + np.cos(rlat) * np.cos(rlon) * np.cos(p))
    y, x = np.sin(rlon) * np.cos(rlat), np.cos(rlon) * np.cos(rlat) * np.sin(p) - np.sin(rlat) * np.cos(p)
    return np.degrees(lat), np.degrees(np.arctan2(y, x))


def dataset(rng):
    kind = str(rng.choice(["regional", "global", "list"]))
    east = float(rng.uniform(-180, 180))
    twice = 0
    if kind == "list":
        n = int(rng.integers(50, 3000))
        lat, lon = np.degrees(np.arcsin(rng.uniform(-1, 1, n))), rng.uniform(0, 360, n)
        dims = ("cell",)
    elif kind == "regional":
        ny, nx = int(rng.integers(8, 40)), int(rng.integers(8, 40))
        lat, lon = turned_pole(*np.meshgrid(np.linspace(-15, 15, ny), np.linspace(-20, 20, nx), indexing="ij"), rng.uniform(20, 70))
        dims = ("y", "x")
    else:
        ny, nx = int(rng.integers(10, 40)), 4 * int(rng.integers(6, 30))
        lat, lon = np.meshgrid(np.linspace(-70, 75, ny), np.arange(nx) * 360 / nx, indexing="ij")
        lat, lon = lat + np.sin(np.radians(3 * lon)), lon + np.cos(np.radians(2 * lat))
        twice = int(rng.integers(3))  # columns that come again, as in models of the ocean
        if twice:
            lat, lon = (np.concatenate([a, a[:, :twice]], 1) for a in (lat, lon))
        dims = ("y", "x")
    start = float(rng.choice([0, -180]))
    dtype = str(rng.choice(["f4", "f8"]))
    lat, lon = lat.astype(dtype), ((lon + east - start) % 360 + start).astype(dtype)
    names = [("lat", "lon"), ("nav_lat", "nav_lon"), ("clat", "clon")][int(rng.integers(3))]
    t = rng.normal(0, 1, (2, *lat.shape)).astype("f4")
    ds = xr.Dataset({"t": (("time", *dims), t), "mask": (dims, (t[0] > 0).astype("i1"))}, {"time": [0.0, 1.0]})
    ds["t"].attrs["coordinates"] = " ".join(names)
    ds["time"].attrs = {"units": "days since 2000-01-01"}
    radians = kind == "list" and rng.random() < 0.5
    for name, values, standard, unit in zip(names, (lat, lon), ("latitude", "longitude"), ("degrees_north", "degrees_east")):
        values = np.radians(values) if radians else values
        ds[name] = (dims, values, {"standard_name": standard, "units": "radian" if radians else unit, "bounds": name + "_bnds"})
        half = (np.radians(1) if radians else 1) * np.array([-0.1, 0.1, 0.1, -0.1], dtype)
        ds[name + "_bnds"] = ((*dims, "nv"), (values[..., None] + half).astype(dtype))
    return ds, dims, names, twice, radians


def degrees(ds, names):
    lat, lon = (ds[n].values.astype("f8") for n in names)
    if "rad" in ds[names[0]].attrs["units"]:
        lat, lon = np.degrees(lat), np.degrees(lon)
    return lat, lon


def boxes(rng, dir, ds, source, dims, names, twice, radians):
    lat, lon = degrees(ds, names)
    at = tuple(int(rng.integers(n)) for n in lat.shape)
    if rng.random() < 0.4:
        at = (*at[:-1], -1)  # where rows end
    south, west = (float(np.round(v - rng.uniform(0.3, 25), 3)) for v in (lat[at], lon[at]))
    north, east = (float(np.round(v + rng.uniform(0.3, 25), 3)) for v in (lat[at], lon[at]))
    out = dir / "box.nc"
    run(opts.cairn, "copy", "-force", "-s", f"lat={south}:{north}, lon={west}:{east}", source, out)

    inside = (lat >= south) & (lat <= north) & ((lon - west) % 360 <= (east - west))
    assert inside[at], "the judge lost its own cell"
    with xr.open_dataset(out, decode_times=False) as got, xr.open_dataset(source, decode_times=False) as was:
        theirs = np.asarray(got[names[1]].values, "f8")
        theirs = np.degrees(theirs) if radians else theirs
        kept = (np.asarray(got[names[0]].values, "f8"), theirs)
        kept = (np.degrees(kept[0]) if radians else kept[0], kept[1])
        there = (kept[0] >= south) & (kept[0] <= north) & (kept[1] >= west - 1e-4) & (kept[1] <= east + 1e-4)
        if dims == ("cell",):
            assert np.array_equal(got["t"].values, was["t"].values[:, inside]), "other cells of a list"
            assert there.all(), "longitudes of cells are outside of the range"
        else:
            x = was.assign(inside=(dims, inside))
            want = x.where(x.inside, drop=True)
            rows, columns = (int(np.ptp(np.flatnonzero(inside.any(axis)))) + 1 for axis in (1, 0))
            plain = columns
            n = ds.sizes["x"] - twice
            marks = inside.any(0)[:n] | np.pad(inside.any(0)[n:], (0, n - twice))
            # Around the globe a box may go over the end.
            if ds.sizes["x"] >= 24 and np.ptp(np.asarray(lat)) > 100:
                free = np.flatnonzero(marks)
                columns = n + 1 - np.diff(np.append(free, free[0] + n)).max()
                columns = min(columns, plain) if twice == 0 else columns
            assert (got.sizes["y"], got.sizes["x"]) == (rows, columns), f"box {dict(got.sizes)}, want {rows} and {columns}"
            assert there.any(0)[[0, -1]].all() and there.any(1)[[0, -1]].all(), "a side of the box has no cell inside"
            # xarray leaves out what is empty between others.
            if (rows, columns, plain) == (want.sizes["y"], want.sizes["x"], columns):
                full = want["t"].notnull().values
                assert np.array_equal(got["t"].values[full], want["t"].values[full]), "other items"
                assert np.array_equal(got["mask"].values[full[0]], want["mask"].values[full[0]]), "another mask"
        # bounds stay beside the coordinates that are turned
        for name in names:
            half = np.abs(got[name + "_bnds"].astype("f8") - got[name].astype("f8")).values
            limit = np.radians(0.1) if radians else 0.1
            assert (np.abs(half - limit) < (2e-6 if radians else 1e-4)).all(), f"bounds of {name} are {half.max()} away"
    count("box of " + "-".join(dims))

    if shutil.which("cdo") and not radians and dims != ("cell",) and not twice and np.array_equal(np.sort(marks)[::-1], marks):
        run("cdo", "-s", "-O", f"sellonlatbox,{west},{east},{south},{north}", "-selname,t", source, dir / "cdo.nc")
        with xr.open_dataset(dir / "cdo.nc", decode_times=False) as theirs, xr.open_dataset(out, decode_times=False) as got:
            if theirs["t"].size == got["t"].size:
                assert np.array_equal(theirs["t"].values.ravel(), got["t"].values.ravel()), "other items than CDO"
                count("box of cdo")


def points(rng, dir, ds, source, dims, names, twice, radians):
    lat, lon = degrees(ds, names)
    here, there = float(np.round(rng.uniform(-85, 85), 3)), float(np.round(rng.uniform(-180, 360), 3))
    out = dir / "point.nc"
    equals = str(rng.choice(["=", "~"]))
    run(opts.cairn, "copy", "-force", "-s", f"lat{equals}{here}, lon{equals}{there}", source, out)

    a, b = np.radians(lat), np.radians(here)
    cosine = np.sin(a) * np.sin(b) + np.cos(a) * np.cos(b) * np.cos(np.radians(lon - there))
    angle = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
    with xr.open_dataset(out, decode_times=False) as got:
        assert got["t"].dims == ("time",), f"dimensions {got['t'].dims}"
        at = np.flatnonzero((ds["t"].values[0] == got["t"].values[0]).ravel())
        assert len(at) and angle.ravel()[at].min() <= angle.min() + 1e-5, f"{angle.ravel()[at]} degrees away, want {angle.min()}"
        ours = got["t"].values
    run(opts.cairn, "calc", "-s", f"lat={here}, lon={there}", "t", f"t={source}::t", "-o", dir / "point.npy")
    assert np.array_equal(np.load(dir / "point.npy"), ours), "calc takes another point"
    count("point of " + "-".join(dims))

    if shutil.which("cdo") and dims != ("cell",):
        run("cdo", "-s", "-O", f"remapnn,lon={there}/lat={here}", "-selname,t", source, dir / "cdo.nc")
        with xr.open_dataset(dir / "cdo.nc", decode_times=False) as theirs:
            if np.sort(angle.ravel())[1 + twice] > angle.min() + 1e-4:  # not two alike
                assert np.array_equal(theirs["t"].values.ravel(), ours), "another point than CDO"
                count("point of cdo")


def seam(rng, dir):
    """Bounds of longitudes of a dimension turn with these, as in CDO."""
    n = 4 * int(rng.integers(3, 40))
    start, step = float(rng.choice([0, -180])), 360 / n
    lon, lat = start + np.arange(n) * step, np.linspace(-80, 80, 9)
    bounds = np.stack([lon - step / 2, lon + step / 2], 1)
    ds = xr.Dataset({"t": (("lat", "lon"), rng.normal(0, 1, (9, n))), "lon_bnds": (("lon", "nv"), bounds)}, {"lat": lat, "lon": lon})
    ds["lat"].attrs = {"units": "degrees_north", "standard_name": "latitude"}
    ds["lon"].attrs = {"units": "degrees_east", "standard_name": "longitude", "bounds": "lon_bnds"}
    source, out = dir / "seam.nc", dir / "turned.nc"
    ds.to_netcdf(source)
    west = float(rng.integers(-300, 300)) + 0.123
    east = west + float(rng.integers(int(step) + 1, 350))
    run(opts.cairn, "copy", "-force", "-s", f"lon={west}:{east}", source, out)
    with xr.open_dataset(out) as got:
        assert ((got["lon"] >= west) & (got["lon"] <= east)).all() and (np.diff(got["lon"]) > 0).all(), "longitudes"
        want = np.stack([got["lon"] - step / 2, got["lon"] + step / 2], 1)
        assert np.allclose(got["lon_bnds"], want, rtol=0, atol=1e-9), "bounds do not turn"
        if shutil.which("cdo"):
            run("cdo", "-s", "-O", f"sellonlatbox,{west},{east},-90,90", source, dir / "cdo.nc")
            with xr.open_dataset(dir / "cdo.nc") as theirs:
                if theirs.sizes["lon"] == got.sizes["lon"]:
                    assert np.array_equal(theirs["t"].values, got["t"].values), "items of CDO"
                    if np.allclose(theirs["lon"], got["lon"]):
                        assert np.allclose(theirs["lon_bnds"], got["lon_bnds"], rtol=0, atol=1e-9), "bounds of CDO"
                        count("bounds of cdo")
    count("seam")


def regions(rng, dir):
    """Groups by an array of latitudes and longitudes, as xarray has them."""
    ny, nx, nt = (int(n) for n in rng.integers(3, 15, 3))
    t = rng.normal(0, 1, (nt, ny, nx)).astype("f8")
    t[rng.random(t.shape) < 0.1] = np.nan
    labels = rng.integers(0, 4, (ny, nx)).astype(str(rng.choice(["i1", "i4"]))) * 3
    ds = xr.Dataset(
        {"t": (("time", "lat", "lon"), t), "region": (("lat", "lon"), labels)},
        {"time": np.arange(nt) * 20.0, "lat": np.linspace(-60, 60, ny), "lon": np.arange(nx) * 360 / nx},
    )
    ds["time"].attrs = {"units": "days since 2000-01-01"}
    ds["lat"].attrs = {"units": "degrees_north", "standard_name": "latitude"}
    ds["lon"].attrs = {"units": "degrees_east", "standard_name": "longitude"}
    ds["region"].attrs = {"flag_values": np.arange(0, 10, 3).astype(labels.dtype), "flag_meanings": "sea north south pole"}
    source, out = dir / "regions.nc", dir / "reduced.nc"
    ds.to_netcdf(source)

    op = str(rng.choice(["mean", "sum", "max", "std", "median", "count"]))
    weights = op in ("mean", "sum") and rng.random() < 0.5
    flags = ["-weights", "cos"] if weights else []
    with xr.open_dataset(source) as was:
        x, w = was["t"], np.cos(np.radians(was["lat"]))
        if weights:
            each = [getattr(x.where(was["region"] == r).weighted(w), op)(["lat", "lon"]) for r in np.unique(labels)]
            want = xr.concat(each, "region").transpose("time", "region")
        else:
            want = getattr(x.stack(z=("lat", "lon")).groupby(was["region"].stack(z=("lat", "lon"))), op)()
        want = want.transpose("time", "region").values
        run(opts.cairn, "reduce", "-op", op, "-by", "region", *flags, f"{source}::t", out)
        with xr.open_dataset(out) as got:
            assert got["t"].dims == ("time", "region"), f"dimensions {got['t'].dims}"
            assert np.array_equal(got["region"], np.unique(labels)), "other regions"
            assert got["region"].attrs["flag_meanings"] == "sea north south pole", "flags are lost"
            a, b = np.asarray(got["t"], "f8"), np.asarray(want, "f8")
            bad = ~(np.isclose(a, b, rtol=1e-9, atol=1e-12) | (np.isnan(a) & np.isnan(b)) | np.isnan(b))
            assert not bad.any(), f"{op} of regions {flags}: {a[bad][:3]}, want {b[bad][:3]}"
        if not weights and op in ("mean", "sum", "max"):
            month = was["time"].dt.month
            both = "month-of-year,region"
            run(opts.cairn, "reduce", "-force", "-op", op, "-by", both, f"{source}::t", out)
            with xr.open_dataset(out) as got:
                for m in np.unique(month):
                    for k, r in enumerate(np.unique(labels)):
                        one = getattr(x[month.values == m].where(was["region"] == r), op)().item()
                        mine = got["t"].sel(month=m).values[k]
                        assert np.isclose(mine, one, rtol=1e-9) or np.isnan(one), f"month {m}, region {r}: {mine}, want {one}"
            count("regions of months")
    count("regions" + " weighted" * weights)


def case(dir, rng):
    ds, dims, names, twice, radians = dataset(rng)
    source = dir / "in.nc"
    ds.to_netcdf(source)
    boxes(rng, dir, ds, source, dims, names, twice, radians)
    points(rng, dir, ds, source, dims, names, twice, radians)
    seam(rng, dir)
    regions(rng, dir)


judge(case, 47)
