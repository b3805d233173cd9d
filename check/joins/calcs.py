"""Draws arrays to calculate with or to stack, and compares the results with xarray's. It follows
files.py."""

# Expressions, as cairn and Python take them.
EXPRESSIONS = ["a + b", "a - b", "a * b", "where(a > x, a, b)", "where(a > b, a, b)", "maximum(a, b)", "minimum(a, b)",
               "abs(a - b)", "(a + b) / 2", "where(isnan(a), b, a)", "where(c > x, a, b)", "a + b - c",
               "where(isnan(a), x, a) + b", "a / (abs(b) + 1)", "a >= b", "a - mean(b, axis='time')"]
CALLS = {"where": xr.where, "maximum": lambda a, b: xr.apply_ufunc(np.maximum, a, b, join="exact"),
         "minimum": lambda a, b: xr.apply_ufunc(np.minimum, a, b, join="exact"), "abs": abs,
         "isnan": lambda a: a.isnull(), "mean": lambda a, axis: a.mean(axis, skipna=False)}
# What makes arrays contradict each other, if they have the dimension; the others only if stacked.
CONTRADICTIONS = ["shifted", "calendar", "other grid"]


def draw(seed, number, folder):
    r = random.Random(f"{seed}/calc {number}")
    verb = r.choice(["calc", "calc", "calc", "job", "stack", "stack"])
    text = r.choice(EXPRESSIONS)
    if verb == "stack":
        names = [f"a{i}" for i in range(r.choice([2, 2, 3, r.randint(4, 9)]))]
    else:
        names = [k for k in "abc" if k in text.replace("abs", "").replace("axis", "")]
    n = len(names)
    dims = r.choice([["time"], ["time", "lat"], ["time", "lat", "lon"], ["lat", "lon"]])
    if "time" not in dims and "mean" in text:
        dims = ["time", *dims]
    flip = [len(dims) > 1 and r.random() < 0.1 for _ in range(n)]
    case = {"times": [r.randint(1, 5)] * n, "first": [0] * n, "lat": r.randint(2, 5), "lon": r.randint(2, 6),
            "along": "stack", "encoding": draw_encoding(r), "keep": r.choice([0, 0.5, 1]),
            "units": [r.randrange(len(TIMES)) for _ in range(n)], "calendar": r.choice(["standard", "noleap", "360_day"]),
            "flip": flip, "victim": r.randint(1, n - 1), "celsius": r.random() < 0.25}
    mischief = r.choice(CONTRADICTIONS * 2 + ["unit", "no unit", "name", "flags", "dims"]) if r.random() < 0.4 else None
    if mischief in ("unit", "no unit"):
        case["celsius"] = False
    if mischief == "dims" and "mean" in text:
        mischief = None  # there is no time then

    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    paths = []
    for i in range(n):
        own = list(dims)
        if verb != "stack" and r.random() < 0.3:  # xarray broadcasts by names
            own = [k for k in dims if r.random() < 0.6 or k == "time" and "mean" in text] or [dims[-1]]
        paths.append(os.path.join(folder, f"{names[i]}.nc"))
        write(r, paths[-1], case | {"dims": own, "bare": r.random() < 0.1}, i, mischief)
    axis = r.randint(-1, len(dims)) if verb == "stack" else 0
    out = "b2nd" if verb == "job" else r.choice(["zarr", "zarr", "zarr 2", "b2nd", "npy"])
    if out == "npy" and verb == "stack":
        out = "zarr"  # a file that can say what items mean
    text = text.replace("x", str(r.choice([0.1234, 20.0321, 290.777])), 1) if "ax" not in text else text
    drawn = {"verb": verb, "out": out, "text": text, "names": names, "paths": paths, "axis": axis,
             "mischief": mischief or ""}
    return drawn | {"refuse": why_not(drawn)}


def arrays(case):
    """Returns the arrays as xarray decodes them, with times that compare equal where they are."""
    all = []
    for p in case["paths"]:
        v = xr.open_dataset(p, decode_times=xr.coders.CFDatetimeCoder(use_cftime=True)).v
        if "time" in v.coords:
            v = v.assign_coords(time=[moment(t) for t in v.time.values])
        all.append(v.assign_coords({k: v[k].astype("f8") for k in ("lat", "lon") if k in v.coords}))
    return all


def moment(t):
    """Returns a text for a time. Since 1582 two calendars are one."""
    calendar = {"proleptic_gregorian": "standard", "gregorian": "standard"}.get(t.calendar, t.calendar)
    seconds = round((t - type(t)(2000, 1, 1, calendar=t.calendar)).total_seconds())
    return f"{calendar} {seconds}"


def why_not(case):
    """Says why a command must refuse, or ""."""
    all = arrays(case)
    if case["verb"] != "stack":
        try:
            xr.align(*all, join="exact")
        except ValueError as e:
            return str(e)
        return ""
    like = all[0]
    for v in all[1:]:
        if case["mischief"] in ("unit", "no unit", "name", "flags"):
            return case["mischief"]
        if set(v.dims) != set(like.dims):
            return "dims"
        for k in like.dims:
            if k in v.coords and k in like.coords and not same(v[k], like[k]) and not same(v[k][::-1], like[k]):
                return f"coordinates of {k}"
    return ""


def same(a, b):
    return np.array_equal(a.values, b.values)


def expected(case):
    """Returns the array that xarray has, and the largest number that was calculated with."""
    all = arrays(case)
    if case["verb"] == "stack":
        return stacked(case, all)
    with xr.set_options(arithmetic_join="exact", keep_attrs=False):
        whole = eval(case["text"], CALLS | dict(zip(case["names"], all)))
    largest = max([float(np.nanmax(np.abs(v.values.astype("f8")), initial=1)) for v in all])
    return whole, largest ** (2 if "*" in case["text"] else 1)


def stacked(case, all):
    like, turned = all[0], []
    for v in all:
        v = v.transpose(*like.dims)
        if v.attrs.get("units") != like.attrs.get("units"):
            v = v.astype("f8") + (273.15 if v.attrs["units"] == "degC" else -273.15)
        for k in like.dims:
            if k in v.coords and k in like.coords and not same(v[k], like[k]):
                v = v.isel({k: slice(None, None, -1)})
        turned.append(v)
    axis = case["axis"] % (like.ndim + 1)
    dims = list(like.dims)
    dims.insert(axis, "stack")
    coords = {k: like[k].values for k in like.coords}  # the first one's, as its other settings
    whole = xr.DataArray(np.stack([v.values for v in turned], axis), dims=dims, coords=coords)
    return whole, float(np.nanmax(np.abs(whole.values.astype("f8")), initial=1))


def compare(case, out):
    want, largest = expected(case)
    if out.endswith(".npy"):
        # Nothing names its dimensions. They are as NumPy would have them where it could.
        items, orders = np.load(out), [v.dims for v in arrays(case) if set(v.dims) == set(want.dims)]
        said = ""
        for dims in [want.dims, *orders]:
            if items.shape == tuple(want.sizes[k] for k in dims):
                got = xr.DataArray(items, dims=dims).transpose(*want.dims)
                if not (said := wrong_values(case, got, want, largest)):
                    return ""
            else:
                said = f"shape {items.shape}, want {want.shape}"
        return said
    d = opened(case, out)
    got = [v for v in d.data_vars.values()][0]
    if case["verb"] == "stack":
        axis = case["axis"] % want.ndim
        got = got.rename({got.dims[axis]: "stack"})
    if set(got.dims) != set(want.dims):
        return f"dimensions {got.dims}, want {want.dims}"
    if got.dims != want.dims and case["verb"] == "stack":
        return f"order of dimensions {got.dims}, want {want.dims}"
    got = got.transpose(*want.dims)
    return wrong_values(case, got, want, largest) or wrong_labels(case, got, want, out)


def wrong_values(case, got, want, largest):
    if got.shape != want.shape:
        return f"shape {got.shape}, want {want.shape}"
    if case["verb"] != "stack" and got.dtype.newbyteorder("=") != want.dtype.newbyteorder("="):
        return f"dtype {got.dtype}, want {want.dtype}"
    a, b = got.values.astype("f8"), want.values.astype("f8")
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return f"missing values: {np.isnan(a).sum()}, want {np.isnan(b).sum()}"
    tolerance = 1e-14
    if any(v.dtype.newbyteorder("=") == "f4" for v in (got, want)):
        tolerance = 3e-7
    with np.errstate(invalid="ignore"):
        off = np.where(a == b, 0, np.abs(a - b))
    if np.nanmax(off, initial=0) > tolerance * largest:
        return f"values differ by {np.nanmax(off)}"
    return ""


def wrong_labels(case, got, want, out):
    """Compares coordinates and units."""
    for k in want.coords:
        if out.endswith(".zarr") and k in want.dims:
            if k not in got.coords:
                return f"no coordinates of {k}"
            have = [moment(t) for t in got[k].values] if k == "time" else got[k].values
            if not np.array_equal(have, want[k].values):
                return f"other coordinates of {k}"
    all = [xr.open_dataset(p, decode_times=False).v.attrs.get("units") for p in case["paths"]]
    have = got.attrs.get("units")
    if case["verb"] == "stack":
        return "" if have == all[0] else f"units {have}, want {all[0]}"
    if "where(c" in case["text"]:
        all = all[:2]  # the condition has no part in them
    if have is not None and (set(all) != {have} or any(k in case["text"] for k in ("*", "/", ">="))):
        return f"units {have} of {all}"
    return ""


def judge(command):
    return {"difference": compare(command["case"], command["out"])}


serve(answer)
