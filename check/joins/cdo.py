"""Joins sets of files along time with CDO, and compares what it makes of them with what cairn does.
It follows files.py.

CDO takes the first file's packing for all, and what does not fit overflows. So it is asked for
float64. These it still does not know (version 2.1.1), each is looked for in every file:

unit      it copies the numbers of files in another unit, and says the first one's
unsigned  it does not know _Unsigned of 16 bits, and takes such items for signed
fill      it copies what stands for missing in a file as a number, if the fill of the first is another;
          and numbers that are the fill, as it is stored in the first, become missing
direction it copies values whose coordinates run the other way as they are, if it sees no grid in them
time      it keeps the unit and the dtype of the first one's times: in integers, parts of a unit go
"""

# What CDO says when it can join files of a set not at all.
CANNOT = {"Time must be the first dimension": "CDO wants time first", "orientation differ": "CDO turns nothing round"}


def by_cdo(cdo, case, folder):
    """Returns the array that CDO makes, as xarray opens it, or why it makes none."""
    out = os.path.join(folder, "cdo.nc")
    operator = "mergetime" if "-sort" in case["args"] or len(case["paths"]) % 2 else "cat"
    if case["mischief"] == "order" and "-sort" not in case["args"]:
        operator = "cat"  # times fall, and mergetime would sort them
    inputs = [p.removesuffix("::v") for p in case["inputs"]]
    done = subprocess.run([cdo, "-s", "-O", "-b", "F64", "-f", "nc4", operator, *inputs, out], capture_output=True,
                          text=True)
    if done.returncode:
        for words, why in CANNOT.items():
            if words in done.stderr:
                return None, why
        raise ValueError(f"cdo {operator}: {done.stderr}")
    return xr.open_dataset(out, decode_times=xr.coders.CFDatetimeCoder(use_cftime=True)).v, operator


def fills_of(path):
    """Returns the numbers that may come of what stands for missing in a file."""
    v = xr.open_dataset(path, decode_cf=False).v
    fill = v.attrs.get("_FillValue", v.attrs.get("missing_value"))
    if fill is None:
        return []
    unsigned = float(fill) + 256**v.dtype.itemsize
    return [float(fill)] + [unsigned] * ("_Unsigned" in v.attrs)


def numbers_of(path, like, unknown):
    """Returns the values of a file, without what CDO does not know of it."""
    raw = xr.open_dataset(path, decode_cf=False)
    if "unsigned" in unknown and raw.v.attrs.pop("_Unsigned", None) and "_FillValue" in raw.v.attrs:
        raw.v.attrs["_FillValue"] = np.array(raw.v.attrs["_FillValue"]).astype(raw.v.dtype)[()]
    v = xr.decode_cf(raw, decode_times=False).v.transpose(*like.dims)
    values = v.values.astype("f8")
    if "unit" not in unknown and v.attrs.get("units") == "degC":
        values = values + 273.15
    if "direction" not in unknown and turned(v, like):
        values = np.flip(values, like.dims.index("lat"))
    return values


def turned(v, like):
    """Reports whether the latitudes of an array run the other way than those of another."""
    return "lat" in v.coords and (v.lat[0] < v.lat[-1]) != (like.lat[0] < like.lat[-1])


def unknown_of(path, like):
    """Returns all that CDO may not know of a file together, from nothing to everything."""
    v = xr.open_dataset(path, decode_cf=False).v
    has = {"unit": v.attrs["units"] == "degC", "unsigned": "_Unsigned" in v.attrs, "direction": turned(v, like)}
    all = [k for k in has if has[k]]
    return [some for n in range(len(all) + 1) for some in itertools.combinations(all, n)]


def differs(have, want, own=(), first=None):
    """Reports whether CDO's numbers differ, apart from what the fills of the file and of the result
    stand for."""
    same = np.isclose(have, want, rtol=3e-7, atol=3e-7 * np.nanmax(np.abs(want), initial=1), equal_nan=True)
    for fill in own:
        same |= np.isnan(want) & np.isclose(have, fill, rtol=1e-6)
    if first is not None:
        same |= np.isnan(have) & np.isclose(want, first, rtol=1e-6)
    return not same.all()


def beside_cdo(cdo, case, folder, got):
    """Compares an array that cairn made with CDO's. Returns a verdict: equal, what CDO does not
    know or cannot do, or what differs."""
    theirs, how = by_cdo(cdo, case, folder)
    if theirs is None:
        return how, ""
    if theirs.attrs.get("units") != got.attrs.get("units"):
        return "differs", f"cdo {how}: units {theirs.attrs.get('units')}"
    like = xr.open_dataset(case["inputs"][0].removesuffix("::v"), decode_times=False).v
    theirs = theirs.squeeze([k for k in theirs.dims if k not in like.dims]).transpose(*like.dims)
    axis = like.dims.index("time")
    if theirs.shape != got.shape:
        return "differs", f"cdo {how}: shape {theirs.shape}, here {got.shape}"
    causes = set()
    if "time" in got.coords:
        off = max(apart(x, y) for x, y in zip(got.time.values, theirs.time.values))
        unit = dict(TIMES)[like.time.attrs["units"]] if like.time.dtype.kind == "i" else 0
        if 1e-3 < off < unit:
            causes.add("time")
        elif off > 1e-3:
            return "differs", f"cdo {how}: times differ by {off} s"

    first, at = theirs.encoding.get("_FillValue"), 0
    for p in case["paths"]:
        n = xr.open_dataset(p, decode_times=False).sizes["time"]
        part = (slice(None),) * axis + (slice(at, at + n),)
        at += n
        a, b = theirs.values[part].astype("f8"), got.values[part].astype("f8")
        if differs(b, numbers_of(p, like, [])):
            return "differs", f"other values than those of {p}: {b.ravel()[:8]}"
        for unknown in unknown_of(p, like):
            model = numbers_of(p, like, unknown)
            if not differs(a, model):
                causes |= set(unknown)
                break
            if not differs(a, model, fills_of(p), first):
                causes |= {"fill", *unknown}
                break
        else:
            return "differs", f"cdo {how} has other values of {p}: {a.ravel()[:8]}, here {b.ravel()[:8]}"
    if causes:
        return "CDO does not know " + ", ".join(sorted(causes)), ""
    return "equal to CDO", ""
