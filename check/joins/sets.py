"""Draws sets of files to be joined, and compares what others make of them with xarray and CDO. It
follows files.py and cdo.py."""


def draw(seed, number, folder):
    r = random.Random(f"{seed}/{number}")
    n = r.choice([2, 2, 3, 4, 5, r.randint(6, 20)])
    along = r.choice(["time", "time", "time", "lat", "stack"])
    dims = r.choice([["time"], ["time", "lat"], ["time", "lat", "lon"]])
    if along == "lat" and "lat" not in dims:
        dims = ["time", "lat"]
    lengths = [r.randint(1, 5) for _ in range(n)]
    if along == "stack":
        lengths = [lengths[0]] * n
    first = np.concatenate([[0], np.cumsum(lengths)])[:-1] * (6 if along == "time" else 1)
    if along != "time" and along != "lat":
        first = first * 0
    case = {"times": lengths, "first": [int(x) for x in first], "lat": r.randint(2, 5), "lon": r.randint(2, 6),
            "along": along, "dims": dims, "encoding": draw_encoding(r), "keep": r.choice([0, 0.5, 1]),
            "units": [r.randrange(len(TIMES)) for _ in range(n)], "calendar": r.choice(["standard", "noleap", "360_day"]),
            "flip": [r.random() < 0.15 for _ in range(n)], "victim": r.randint(1, n - 1)}
    if r.random() < 0.4:
        case["units"] = [case["units"][0]] * n
    if r.random() < 0.5:
        case["flip"] = [False] * n
    mischief = r.choice(MISCHIEF) if r.random() < 0.35 else None
    others = random.Random(f"{seed}/{number}/others")
    case["celsius"] = mischief is None and others.random() < 0.2
    out = others.choice(["zarr", "zarr", "zarr 2", "b2nd"])
    verb = others.choice(["concat", "concat", "append", "job"])
    needs = {"order": along in ("time", "lat"), "calendar": True, "shifted": along != "time" and "time" in dims
             or along != "lat" and "lat" in dims, "overlap": along in ("time", "lat"), "other grid": "lon" in dims}
    if mischief and not needs.get(mischief, True):
        mischief = None
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    paths = []
    for i in range(n):
        paths.append(os.path.join(folder, f"{i:02d}.nc"))
        write(r, paths[-1], case, i, mischief)
    names, sort = list(paths), False
    if mischief == "order":
        names[0], names[-1] = names[-1], names[0]
        sort = r.random() < 0.5
    falls = mischief == "order" and not sort and n == 2 and lengths == [1, 1]
    if falls:  # as sorted as the other way, and compared in this order
        paths = list(names)
    args = ["-axis", "0" if along == "stack" else along]
    if along == "stack":
        args.append("-stack")
    if sort:
        args.append("-sort")
    if verb == "append" and along == "stack" or verb == "job" and along == "stack" or sort:
        verb = "concat"
    if verb == "job":
        out = "b2nd"
    refuse = mischief is not None and not sort and not falls
    return {"verb": verb, "out": out, "args": args, "inputs": [f"{p}::v" for p in names], "paths": paths, "refuse": refuse,
            "mischief": mischief or "", "along": along}


def expected(case):
    """Joins the files with xarray, in the order of the first."""
    parts = [xr.open_dataset(p, decode_times=xr.coders.CFDatetimeCoder(use_cftime=True)) for p in case["paths"]]
    like = parts[case["paths"].index(case["inputs"][0].removesuffix("::v"))].v
    aligned = []
    for p in parts:
        v = p.v.transpose(*like.dims)
        if v.attrs.get("units") == "degC":
            v = v.astype("f8") + 273.15
        for k in like.dims:
            if k != case["along"] and k in like.coords:
                both = like[k].astype("f4") if like[k].dtype.kind == "f" else like[k]
                mine = v[k].astype("f4") if v[k].dtype.kind == "f" else v[k]
                if not np.array_equal(both.values, mine.values):
                    v = v.isel({k: slice(None, None, -1)})
                v = v.assign_coords({k: like[k]})
        aligned.append(v)
    if case["along"] == "stack":
        return np.stack([v.values for v in aligned]), None, like
    whole = xr.concat(aligned, case["along"])
    return whole.values, whole[case["along"]].values, like


def narrow(case):
    """Reports whether a file has a float32 factor. In the JSON of Zarr it has no width, so that xarray
    takes it for float64, also in what it writes itself."""
    raw = [xr.open_dataset(p, decode_cf=False).v for p in case["paths"]]
    return any(isinstance(v.attrs.get("scale_factor"), np.float32) for v in raw)


def compare(case, out):
    got = opened(case, out)
    name = [k for k in got.data_vars if got[k].ndim == len(case["dims"]) or True][0]
    values, along, like = expected(case)
    v = got[name]
    if v.shape != values.shape:
        return f"shape {v.shape}, want {values.shape}"
    a, b = v.values.astype("f8"), values.astype("f8")
    tolerance = 3e-7 if "f4" in (v.values.dtype.str[1:], values.dtype.str[1:]) or narrow(case) else 1e-14
    scale = np.nanmax(np.abs(b)) if np.isfinite(b).any() else 1
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return f"missing values: {np.isnan(a).sum()}, want {np.isnan(b).sum()}"
    if np.nanmax(np.abs(a - b), initial=0) > tolerance * scale:
        return f"values differ by {np.nanmax(np.abs(a - b))}"
    if along is not None and (case["along"] in v.coords or not out.endswith(".b2nd")):
        have = v[case["along"]].values
        if case["along"] == "time":
            off = max(apart(x, y) for x, y in zip(have, along))
            if off > 1e-3:
                return f"times differ by {off} s"
        elif not np.allclose(have, along, rtol=0, atol=1e-5):
            return "coordinates differ"
    if v.attrs.get("units") != like.attrs.get("units"):
        return f"units {v.attrs.get('units')}"
    return ""


def judge(command):
    case = command["set"] | {"dims": []}
    reply = {"difference": compare(case, command["out"])}
    if command["cdo"] and case["along"] == "time" and not reply["difference"]:
        got = list(opened(case, command["out"]).data_vars.values())[0]
        reply["cdo"], reply["other"] = beside_cdo(command["cdo"], case, command["folder"], got)
    return reply


serve(answer)
