# The other side of main.go with -regrid: writes files on grids as CDO and xarray write them, has
# regrid bring them to other grids, and compares values, weights and integrals with those of CDO,
# which each time also takes the weights that cairn has written, and the other way round.

METHODS = {"bilinear": "bil", "nearest": "nn", "conservative": "con"}


def axis(rng, cyclic):
    ny, nx = int(rng.integers(4, 40)), int(rng.integers(6, 60))
    if cyclic:
        lat, lon = -90 + 90 / ny + np.arange(ny) * 180 / ny, np.arange(nx) * 360 / nx + float(rng.integers(-180, 180))
    else:
        dy, dx = float(rng.uniform(0.5, 3)), float(rng.uniform(0.5, 4))
        lat, lon = float(rng.uniform(-60, -20)) + np.arange(ny) * dy, float(rng.uniform(-170, 100)) + np.arange(nx) * dx
        lat, lon = lat[lat < 75], lon[lon < lon[0] + 200]
    return lat[::-1] if rng.random() < 0.4 else lat, lon


def rotated(rng):
    """A grid with another pole, with corners, as regional models have it: centres and corners."""
    ny, nx = int(rng.integers(5, 20)), int(rng.integers(5, 20))
    step, tilt, turn = rng.uniform(0.5, 3), np.radians(rng.uniform(20, 60)), rng.uniform(0, 360)

    def place(y, x):
        y, x = np.radians(y), np.radians(x)
        a, b, c = np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)
        a, c = a * np.cos(tilt) - c * np.sin(tilt), a * np.sin(tilt) + c * np.cos(tilt)
        return np.degrees(np.arcsin(c)), (np.degrees(np.arctan2(b, a)) + turn) % 360

    y, x = (np.arange(ny) - ny / 2) * step, (np.arange(nx) - nx / 2) * step
    yy, xx = np.meshgrid(y, x, indexing="ij")
    corners = [place(yy + dy * step / 2, xx + dx * step / 2) for dy, dx in ((-1, -1), (-1, 1), (1, 1), (1, -1))]
    return *place(yy, xx), np.stack([c[0] for c in corners], -1), np.stack([c[1] for c in corners], -1)


def dataset(rng, kind):
    nt = int(rng.integers(1, 4))
    attrs = {"units": "K", "cell_methods": "time: mean"}
    if kind in ("globe", "region"):
        lat, lon = axis(rng, kind == "globe")
        coords, dims, shape = {"lat": lat, "lon": lon}, ("lat", "lon"), (len(lat), len(lon))
        ds = xr.Dataset(coords=coords)
    else:
        lat, lon, blat, blon = rotated(rng)
        shape, dims = lat.shape, ("y", "x")
        if kind == "list":
            shape, dims = (lat.size,), ("ncells",)
            lat, lon, blat, blon = lat.ravel(), lon.ravel(), blat.reshape(-1, 4), blon.reshape(-1, 4)
            attrs["CDI_grid_type"] = "unstructured"
        ds = xr.Dataset({"lat_bnds": ((*dims, "nv"), blat), "lon_bnds": ((*dims, "nv"), blon)},
                        coords={"lat": (dims, lat), "lon": (dims, lon)})
        ds.lat.attrs["bounds"], ds.lon.attrs["bounds"] = "lat_bnds", "lon_bnds"
    ds.lat.attrs.update(units="degrees_north", standard_name="latitude")
    ds.lon.attrs.update(units="degrees_east", standard_name="longitude")
    ds["tas"] = (("time", *dims), rng.normal(280, 10, (nt, *shape)), attrs)
    ds["height"] = 2.0
    ds["time"] = ("time", np.arange(nt) * 1.0, {"units": "days since 2000-01-01"})
    return ds


def matrix(path):
    with xr.open_dataset(path, decode_times=False) as w:
        rows, columns = w.dst_address.values.astype(int) - 1, w.src_address.values.astype(int) - 1
        m = np.zeros((w.sizes["dst_grid_size"], w.sizes["src_grid_size"]))
        np.add.at(m, (rows, columns), w.remap_matrix.values[:, 0])
        return m, w.get("src_grid_area"), w.get("dst_grid_area"), w.dst_grid_frac.values


def place_of(path, side):
    with xr.open_dataset(path, decode_times=False) as w:
        lat, lon = w[f"{side}_grid_center_lat"], w[f"{side}_grid_center_lon"]
        if lat.units.startswith("degree"):
            lat, lon = np.radians(lat), np.radians(lon)
        return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], -1)


def weights(dir, method, kind, rows, poles):
    """Weights equal those of CDO: nearest ones but for ties, bilinear ones but beyond rows, and not
    those of rows that reach to the poles only here."""
    ours, areas, target, frac = matrix(dir / "ours.nc")
    theirs, _, _, theirfrac = matrix(dir / "theirs.nc")
    assert ours.shape == theirs.shape, f"weights {ours.shape}, CDO {theirs.shape}"
    if method == "nearest":
        to, src = place_of(dir / "ours.nc", "dst"), place_of(dir / "ours.nc", "src")
        a = np.linalg.norm(to - src[ours.argmax(1)], axis=1)
        b = np.linalg.norm(to - src[theirs.argmax(1)], axis=1)
        assert np.all(a <= b + 1e-7), f"{(a > b + 1e-7).sum()} are nearer in CDO"
    else:
        keep = ~poles
        if method == "bilinear":
            # Where only CDO extrapolates beyond rows, there is nothing to compare.
            keep = rows & (np.abs(ours).sum(1) > 0) & (np.abs(theirs).sum(1) > 0)
        d = np.abs(ours - theirs)[keep]
        limit = 1e-9 if kind in ("globe", "region") else 2e-7
        assert d.size == 0 or d.max() < limit, f"weights differ from CDO's by {d.max():.3g}"
        count(f"weights of {kind}, {method}")
    # CDO takes 1 for cells that a region covers in part.
    if method == "conservative" and kind == "globe":
        assert np.abs(frac - theirfrac)[~poles].max() < 1e-6, "other fractions than CDO's"


def conserved(dir, values, whole):
    m, areas, target, frac = matrix(dir / "ours.nc")
    before = (areas.values * values.reshape(-1, areas.size)).sum(1)
    after = (target.values * frac * (m @ values.reshape(-1, areas.size).T).T).sum(1)
    size = (areas.values * np.abs(values.reshape(-1, areas.size))).sum(1)
    assert not whole or (np.abs(after - before) <= 1e-12 * size).all(), f"integrals differ by {np.abs((after - before) / size).max():.3g}"
    count("integrals")


def applied(dir, nc, flags, values):
    """Weights in ESMF's form, taken as xESMF takes them, have the values that regrid writes."""
    run(opts.cairn, "regrid", "-force", *flags, "-form", "esmf", "-save-weights", dir / "esmf.nc", nc, dir / "c.nc")
    with xr.open_dataset(dir / "esmf.nc") as w, xr.open_dataset(dir / "c.nc") as got:
        m = np.zeros((w.sizes["n_b"], w.sizes["n_a"]))
        np.add.at(m, (w.row.values - 1, w.col.values - 1), w.S.values)
        sums = m.sum(1)
        if "conservative" in flags:
            assert np.allclose(sums, w.frac_b, atol=1e-12), "sums of weights are not what is covered"
        with np.errstate(invalid="ignore"):
            want = (values.reshape(len(values), -1) @ m.T) / np.where(sums == 0, np.nan, sums)
        assert np.allclose(got.tas.values.reshape(want.shape), want, rtol=1e-12, equal_nan=True), "values of ESMF's weights differ"
    count("weights in ESMF's form")


def case(dir, rng):
    kind = str(rng.choice(["globe", "globe", "region", "rotated", "list"]))
    method = str(rng.choice(list(METHODS)))
    if kind == "list" and method == "bilinear":
        method = "conservative"
    ds = dataset(rng, kind)
    values = ds.tas.values.copy()
    nc = dir / "in.nc"
    encoding = {"tas": {"dtype": "f8", "_FillValue": -1e20}}
    missing = kind in ("globe", "region") and method == "conservative" and rng.random() < 0.4
    if missing:
        ds.tas.values[rng.random(ds.tas.shape) < 0.2] = np.nan
    ds.to_netcdf(nc, encoding=encoding)

    target = str(rng.choice(["r36x18", "r50x21", "n8", "global_12", "r17x40"]))
    ours, theirs = dir / "out.nc", dir / "cdo.nc"
    flags = ["-method", method, "-to", target]
    r = subprocess.run([opts.cairn, "regrid", *flags, "-save-weights", dir / "ours.nc", nc, ours], capture_output=True, text=True)
    if r.returncode and "do not overlap" in r.stderr:
        count("grids that do not overlap")
        return
    run(opts.cairn, "regrid", "-force", *flags, "-save-weights", dir / "ours.nc", nc, ours)
    if not shutil.which("cdo"):
        if method == "conservative" and not missing:
            conserved(dir, values, kind != "region")
        count("without CDO")
        return

    op, cdo_target = METHODS[method], target
    one = dir / "one.nc"
    run("cdo", "-s", "-selname,tas", nc, one)
    run("cdo", "-s", f"remap{op},{cdo_target}", one, theirs)
    if not missing:
        run("cdo", "-s", f"gen{op},{cdo_target}", one, dir / "theirs.nc")

    with xr.open_dataset(ours) as a, xr.open_dataset(theirs) as b:
        x, y = a.tas.values, b.tas.transpose(*a.tas.dims).values
        assert a.tas.attrs["cell_methods"] == "time: mean" and a.tas.attrs["units"] == "K"
        assert float(a.height) == 2 and "cairn regrid" in a.attrs["history"].splitlines()[0]
        assert np.allclose(a.lat, b.lat) and np.allclose(a.lon % 360, b.lon % 360), "other coordinates than CDO's"
        assert {"lat_bnds", "lon_bnds"} <= set(a.variables), "there are no bounds"
        lat = ds.lat.values
        inside = (a.lat.values >= lat.min() - 1e-9) & (a.lat.values <= lat.max() + 1e-9)
        rows = np.repeat(inside, a.sizes["lon"])
        part = np.broadcast_to(rows.reshape(a.tas.shape[1:]), x.shape)
        both = part & ~np.isnan(x) & ~np.isnan(y) if method == "bilinear" else np.ones(x.shape, bool)
        if method == "conservative":
            assert (np.isnan(x) == np.isnan(y)).mean() > 0.995, f"{(np.isnan(x) != np.isnan(y)).sum()} missing items differ"
            both = ~np.isnan(x) & ~np.isnan(y)
        # In CDO, the outer rows of a Gaussian grid end at their edges, unless these are beyond 88
        # degrees. Here they reach to the poles, so that the grid covers the globe.
        poles = np.zeros(x.shape[1:], bool)
        if target == "n8" and method == "conservative":
            poles[[0, -1]] = True
        both = both & ~poles
        if method != "nearest":
            d = np.abs(x - y)[both]
            tolerance = 1e-5 if kind in ("globe", "region") else 5e-3
            assert d.size == 0 or d.max() < tolerance, f"values differ from CDO's by {d.max():.3g}"
        count(f"{kind}, {method}")
    if missing:
        count("missing items")
        return

    weights(dir, method, kind, rows, poles.ravel())
    if method == "conservative":
        conserved(dir, values, kind == "globe" or kind == "rotated" or kind == "list")

    applied(dir, nc, flags, values)

    # CDO takes our weights, and we take those of CDO.
    run("cdo", "-s", f"remap,{cdo_target},{dir / 'ours.nc'}", one, dir / "a.nc")
    run(opts.cairn, "regrid", "-force", "-to", target, "-weights", dir / "theirs.nc", nc, dir / "b.nc")
    for got, want, what in ((dir / "a.nc", ours, "CDO with weights of cairn"), (dir / "b.nc", theirs, "cairn with weights of CDO")):
        with xr.open_dataset(got) as a, xr.open_dataset(want) as b:
            x, y = a.tas.values, b.tas.transpose(*a.tas.dims).values
            assert np.allclose(x, y, rtol=1e-9, atol=1e-9, equal_nan=True), f"{what}: {np.nanmax(np.abs(x - y)):.3g}"
        count(what)


judge(case, 11)
