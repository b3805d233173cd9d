# Random datasets as netCDF4, xarray, h5py and h5netcdf leave them.
import datetime
import warnings

import cftime
import h5netcdf
import h5py
import netCDF4
import numpy as np
import xarray as xr

warnings.simplefilter("ignore")

NUMBERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
CLASSIC = ["i1", "i2", "i4", "f4", "f8"]
CALENDARS = [
    "standard",
    "gregorian",
    "proleptic_gregorian",
    "noleap",
    "365_day",
    "all_leap",
    "366_day",
    "360_day",
    "julian",
]
UNITS = [
    "days since 1850-01-01",
    "hours since 2000-01-01 06:00:00",
    "seconds since 1970-01-01T00:00:00Z",
    "minutes since 1999-12-31 12:30",
    "days since 0001-01-01",
]
TIMES_PLUS = [
    "days since 1990-1-1",
    "hours since 1900-01-01 00:00:0.0",
    "microseconds since 2000-01-01",
    "days since 2000-01-01 00:00:00 +01:00",
]
NAMES = ["Höhe", "t2m.max", "wind speed", "T-2", "été_1", "x+y", "2m", "名前", "_hidden"]
WORDS = ["", "a", "Oslo", "Ærø", "längere Wörter", "東京", "x y"]


def pick(rng, *of):
    return of[int(rng.integers(len(of)))]


def chance(rng, p):
    return rng.random() < p


def items(rng, dtype, shape):
    d = np.dtype(dtype)
    if d.kind == "f":
        a = np.round(rng.normal(0, 100, shape), int(rng.integers(0, 6)))
    else:
        low, high = (0, 100) if d.kind == "u" else (-100, 100)
        a = rng.integers(low, high, shape)
    return np.asarray(a).astype(d)


def fill_of(rng, dtype):
    d = np.dtype(dtype)
    if d.kind == "f":
        return d.type(pick(rng, np.nan, -999.0, 1e20, 9.96921e36, -9999.9, 0.0, np.inf, -32767))
    i = np.iinfo(d)
    return d.type(pick(rng, i.min, i.max, 0, 99, -99 if d.kind == "i" else 9))


# Attributes that any variable or group may have.
def common(rng, set):
    if chance(rng, 0.5):
        set("units", pick(rng, "K", "m s-1", "1", "%", "°C", ""))
    if chance(rng, 0.4):
        set(
            "long_name",
            pick(rng, "air temperature", "Luftdruck in Höhe", "a\nb", 'with "quotes" \\ & <tags>'),
        )
    for name, values in (
        ("valid_max", [np.float32(1e20), np.inf, 5, np.float64(0.1)]),
        ("comment_n", [np.float32(0.1), np.nan, np.int8(-3), np.uint8(200), np.int64(2**53)]),
        ("levels", [np.array([1.5, np.nan, 3], "f4"), np.array([1, 2, 3], "i2"), np.arange(4) / 3]),
        ("flag_extra", ["", "yes", np.float64(-np.inf)]),
        ("valid_range", [np.array([-5, 5], "i2"), np.array([0, 1e20], "f4")]),
        ("institution", ["Météo-France", "x" * 300, " spaces  ", "tab\tand\x01"]),
        ("cell_methods", ["time: mean (interval: 1 hour)"]),
        ("big", [np.int32(-(2**31)), np.float64(5e-324), np.float32(1e-40), np.float64(-0.0)]),
        ("date:made", ["2020-01-01T00:00:00Z"]),
    ):
        if chance(rng, 0.25):
            set(name, values[int(rng.integers(len(values)))])


def mark(rng, dtype, set):
    """Sets marks of missing items, apart from _FillValue, and returns values to strew."""
    found = []
    d = np.dtype(dtype)
    if chance(rng, 0.3):
        if d.kind == "f":
            v = pick(rng, np.nan, 1e20, -999.0, [-999.0, 1e20], [np.nan, -1.0])
            v = np.array(v, d)
        else:
            v = np.array(pick(rng, 98, [97, 96]), d)
        set("missing_value", v if v.ndim else v[()])
        found = [x for x in np.ravel(v)]
    return found


def packing(rng, dtype, set):
    d = np.dtype(dtype)
    if not chance(rng, 0.4):
        return
    t = pick(rng, np.float32, np.float64)
    if chance(rng, 0.9):
        set("scale_factor", t(pick(rng, 0.01, 0.5, 1.0, 2.0, 1e-3)))
    if chance(rng, 0.7):
        set("add_offset", t(pick(rng, 273.15, 0.0, -10.0, 1e4)))
    if d.kind in "iu" and d.itemsize < 8 and chance(rng, 0.4):
        set("_Unsigned", pick(rng, "true", "false"))


def strew(rng, a, values):
    a = np.array(a)
    for v in values:
        if a.ndim == 0:
            return np.asarray(v if chance(rng, 0.5) else a, a.dtype)
        if a.size:
            a.reshape(-1)[rng.integers(0, a.size, max(1, a.size // 7))] = v
    return a


# One group through an interface: dim(name, n), attribute(name, value) and
# var(name, dtype, dims, data, fill, attributes).
def group(rng, w, deep, above=None):
    n = above if above and chance(rng, 0.5) else None
    if n is None:
        n = {k: int(rng.integers(1, 7)) for k in ("time", "lat", "lon")}
        if chance(rng, 0.1):
            n["time"] = 0
        for k, v in n.items():
            w.dim(k, v)
    common(rng, w.attribute)
    if chance(rng, 0.5):
        w.attribute("Conventions", "CF-1.8")

    if chance(rng, 0.8):
        # Of no times, xarray decodes only those of NumPy's calendar.
        calendar = pick(rng, *CALENDARS) if n["time"] else "standard"
        a = {
            "units": pick(
                rng, *UNITS[:4] if calendar in ("standard", "gregorian", "julian") else UNITS
            ),
            "standard_name": "time",
        }
        if calendar != "standard" or chance(rng, 0.5):
            a["calendar"] = calendar
        bounds = chance(rng, 0.4)
        if bounds:
            a["bounds"] = "time_bnds"
        elif chance(rng, 0.3):
            a["units"] = pick(rng, *TIMES_PLUS)
        t = pick(rng, "f8", "i4", "f4", *(["i8"] if "i8" in w.numbers else []))
        steps = np.sort(rng.integers(1, 5000, n["time"])).astype(t)
        fill = None
        if chance(rng, 0.2) and not bounds:
            fill = fill_of(rng, t)
            steps = strew(rng, steps, [fill])
        w.var("time", t, ("time",), steps, fill, a)
        if bounds:
            w.dim("nv", 2)
            w.var(
                "time_bnds", t, ("time", "nv"), np.stack([steps, steps + 1], 1).astype(t), None, {}
            )
    for k in ("lat", "lon"):
        if chance(rng, 0.8):
            t = pick(rng, "f4", "f8")
            w.var(
                k,
                t,
                (k,),
                np.linspace(-10, 50, n[k]).astype(t),
                pick(rng, None, np.dtype(t).type(np.nan)),
                {"units": "degrees_north" if k == "lat" else "degrees_east"},
            )
    if chance(rng, 0.5):
        w.var("height", pick(rng, *w.numbers), (), np.asarray(2), None, {"units": "m"})
    if chance(rng, 0.3):
        w.var(
            "crs",
            "i4",
            (),
            np.asarray(0),
            None,
            {"grid_mapping_name": "latitude_longitude", "semi_major_axis": 6378137.0},
        )
    if chance(rng, 0.3):
        kind = {"coordinates": "lat2d lon2d", "grid_mapping": "crs"}
        for name, t, a in (
            ("lat2d", "f8", {"units": "degrees_north"}),
            ("lon2d", "f4", {"units": "degrees_east"}),
            ("on2d", "f4", kind),
        ):
            w.var(name, t, ("lat", "lon"), items(rng, t, (n["lat"], n["lon"])), None, a)
    if chance(rng, 0.2):
        # A length of time: decoded as such by its unit.
        a = {"units": pick(rng, "days", "hours", "s")}
        w.var("lead", pick(rng, "f8", "i4"), ("time",), np.arange(n["time"]), None, a)
    for i in range(int(rng.integers(1, 5))):
        dtype = pick(rng, *w.numbers)
        dims = pick(rng, ("time", "lat", "lon"), ("lat", "lon"), ("time",), (), ("lon",))
        a = {}
        common(rng, a.__setitem__)
        values = mark(rng, dtype, a.__setitem__)
        packing(rng, dtype, a.__setitem__)
        fill = fill_of(rng, dtype) if chance(rng, 0.6) else None
        if fill is not None:
            values.append(fill)
        if chance(rng, 0.2):
            a["coordinates"] = "height"
        data = strew(rng, items(rng, dtype, [n[d] for d in dims]), values)
        name = f"{pick(rng, *NAMES)}{i}" if chance(rng, 0.2) else f"v{i}"
        w.var(name, dtype, dims, data, fill, a)
    if chance(rng, 0.3):
        w.var(
            "flags",
            "i1",
            ("lat", "lon"),
            items(rng, "u1", (n["lat"], n["lon"])).astype("i1") % 3,
            None,
            {"flag_values": np.array([0, 1, 2], "i1"), "flag_meanings": "a b c"},
        )
    if chance(rng, 0.3):
        w.var("ok", "i1", ("lat",), np.ones(n["lat"], "i1"), None, {"dtype": "bool"})
    if chance(rng, 0.4):
        w.text(rng, n)
    if deep > 0 and chance(rng, 0.4):
        group(rng, w.group(pick(rng, "forecast", "g_1", "Größe 2")), deep - 1, n)


class NC:
    """Writes with netCDF4-python."""

    def __init__(self, g, numbers, classic):
        self.g, self.numbers, self.classic = g, numbers, classic
        self.sizes = {}

    def dim(self, name, n):
        self.g.createDimension(name, None if name == "time" and self.classic is not None else n)

    def attribute(self, name, value):
        if self.classic and isinstance(value, (np.unsignedinteger, np.int64, int)):
            value = np.int32(min(int(value), 2**31 - 1))
        self.g.setncattr(name, value)

    def var(self, name, dtype, dims, data, fill, attributes):
        kind = {} if fill is None else {"fill_value": fill}
        # By the length of the name: the same for all writers, and no draw of its own.
        if self.g.data_model.startswith("NETCDF4"):
            kind |= [{}, {"endian": "big"}, {"zlib": True}, {"fletcher32": True}][len(name) % 4]
        v = self.g.createVariable(name, dtype, dims, **kind)
        v.set_auto_maskandscale(False)
        for k, x in attributes.items():
            if self.classic and isinstance(x, (np.unsignedinteger, np.int64, int)):
                x = np.int32(min(int(x), 2**31 - 1))
            v.setncattr(k, x)
        v[...] = data

    def text(self, rng, n):
        if self.g.data_model == "NETCDF4" and chance(rng, 0.7):
            self.types(rng, n)
        if chance(rng, 0.3):
            fill = pick(rng, None, b"b", b"-", b"\0", b" ")
            v = self.g.createVariable("station", "S1", ("lat",), fill_value=fill)
            v[:] = np.array(list("abcdefgh"), "S1")[: n["lat"]]
        if self.classic or self.g.data_model != "NETCDF4" or chance(rng, 0.5):
            self.g.createDimension("string8", 8)
            fill = pick(rng, None, None, b"a", b"\0", b" ")
            v = self.g.createVariable("name", "S1", ("lat", "string8"), fill_value=fill)
            if chance(rng, 0.5):
                v.setncattr("_Encoding", "utf-8")
            b = np.array(
                [
                    w.encode()[:8].decode(errors="ignore").encode()
                    for w in rng.choice(WORDS, n["lat"])
                ],
                "S8",
            )
            v.set_auto_chartostring(False)
            v[:] = b.view("S1").reshape(-1, 8)
        else:
            v = self.g.createVariable("name", str, ("lat",), fill_value=pick(rng, None, None, "a", ""))
            for i, w in enumerate(rng.choice(WORDS, n["lat"])):
                v[i] = str(w)

    def types(self, rng, n):
        """Writes an enumeration, and a compound type."""
        e = self.g.createEnumType(np.int8, "cloud_t", {"clear": 0, "rain": 1, "unknown": 127})
        v = self.g.createVariable("cloud", e, ("lat",), fill_value=pick(rng, None, 127))
        v[:] = rng.choice([0, 1, 127], n["lat"]).astype("i1")
        of = np.dtype([("a", "f4"), ("b", "i2")], align=chance(rng, 0.5))
        c = self.g.createCompoundType(of, "pair_t")
        v = self.g.createVariable("pair", c, ("lon",))
        v[:] = np.zeros(n["lon"], of)
        if chance(rng, 0.4):
            t = pick(rng, "i4", "f8", "u1")
            v = self.g.createVariable("ragged", self.g.createVLType(t, "ragged_t"), ("lat",))
            for i in range(n["lat"]):
                v[i] = items(rng, t, int(rng.integers(0, 4)))

    def group(self, name):
        return NC(self.g.createGroup(name), self.numbers, self.classic)


def netcdf4(rng, path):
    form = pick(
        rng,
        "NETCDF4",
        "NETCDF4",
        "NETCDF3_CLASSIC",
        "NETCDF3_64BIT_OFFSET",
        "NETCDF4_CLASSIC",
        "NETCDF3_64BIT_DATA",
    )
    classic = form not in ("NETCDF4", "NETCDF3_64BIT_DATA")
    with netCDF4.Dataset(path, "w", format=form) as d:
        group(rng, NC(d, CLASSIC if classic else NUMBERS, classic), 0 if form != "NETCDF4" else 2)
    return "netCDF4 " + form


class H5NC(NC):
    """Writes with h5netcdf's own interface."""

    def dim(self, name, n):
        self.g.dimensions[name] = n or None

    def attribute(self, name, value):
        self.g.attrs[name] = value

    def var(self, name, dtype, dims, data, fill, attributes):
        v = self.g.create_variable(name, dims, dtype, data=np.asarray(data, dtype), fillvalue=fill)
        for k, x in attributes.items():
            v.attrs[k] = x

    def text(self, rng, n):
        self.g.create_variable(
            "name",
            ("lat",),
            h5py.string_dtype(),
            data=np.array(rng.choice(WORDS, n["lat"]), object),
        )

    def group(self, name):
        return H5NC(self.g.create_group(name), self.numbers, self.classic)


def h5netcdf_own(rng, path):
    with h5netcdf.File(path, "w") as d:
        group(rng, H5NC(d, NUMBERS, None), 2)
    return "h5netcdf"


class H5(H5NC):
    """Writes with h5py and its dimension scales."""

    others = False  # whether the last file has types that NetCDF does not have

    def __init__(self, g, numbers, classic):
        super().__init__(g, numbers, classic)
        self.sizes, self.waiting = {}, []

    def dim(self, name, n):
        self.sizes[name] = n

    def var(self, name, dtype, dims, data, fill, attributes):
        # By the length of the name: the same for all writers, and no draw of its own.
        order = [dtype, np.dtype(dtype).newbyteorder(">")][len(name) % 2]
        d = self.g.create_dataset(
            name, data=np.asarray(data, order).reshape([self.sizes[x] for x in dims])
        )
        if fill is not None:
            d.attrs["_FillValue"] = pick(
                np.random.default_rng(len(name)),
                np.array([fill], dtype),
                np.dtype(dtype).type(fill),
            )
        for k, x in attributes.items():
            d.attrs[k] = x
        self.waiting.append((name, dims))

    def text(self, rng, n):
        self.g.create_dataset(
            "name", data=np.array(rng.choice(WORDS, n["lat"]), object), dtype=h5py.string_dtype()
        )
        self.waiting.append(("name", ("lat",)))
        for name, a in (
            ("half", items(rng, "f2", n["lat"])),
            ("yes", rng.random(n["lat"]) < 0.5),
            ("z", items(rng, "f4", n["lat"]) * (1 + 1j)),
            ("word", np.array([w.encode() for w in rng.choice(["a", "bc", ""], n["lat"])], "S3")),
        ):
            if chance(rng, 0.3):
                self.g[name] = a
                H5.others = True
                self.waiting.append((name, ("lat",)))

    def group(self, name):
        self.finish()
        return H5(self.g.create_group(name), self.numbers, None)

    def finish(self):
        for x, n in self.sizes.items():
            if x not in self.g:
                self.g[x] = np.arange(n)
            self.g[x].make_scale(x)
        for name, dims in self.waiting:
            for i, x in enumerate(dims):
                if name != x:
                    self.g[name].dims[i].attach_scale(self.g[x])
        self.waiting = []


def h5py_own(rng, path):
    H5.others = False
    with h5py.File(path, "w") as f:
        w = H5(f, NUMBERS, None)
        group(rng, w, 0)
        w.finish()
    return "h5py, others" if H5.others else "h5py"


def by_xarray(rng, path):
    n = [int(k) for k in rng.integers(1, 6, 3)]
    v = {}
    for i in range(int(rng.integers(1, 5))):
        dtype = pick(rng, *NUMBERS[2:], "bool", "U", "M", "m", "cf")
        dims = pick(rng, ("x", "y", "z"), ("y",), (), ("z", "x"))
        shape = [n["xyz".index(d)] for d in dims]
        if dtype == "bool":
            a = rng.random(shape) < 0.5
        elif dtype == "U":
            a = np.array(rng.choice(WORDS, shape))
        elif dtype == "M":
            a = np.datetime64("2000-01-01", "ns") + rng.integers(
                0, 10**5, shape
            ) * np.timedelta64(1, "h")
        elif dtype == "m":
            a = rng.integers(0, 10**5, shape) * np.timedelta64(1, "s").astype("m8[ns]")
        elif dtype == "cf":
            days = cftime.num2date(
                rng.integers(0, 10**4, shape),
                "days since 1900-01-01",
                pick(rng, "noleap", "360_day", "julian"),
            )
            a = np.asarray(days, object)
        else:
            a = items(rng, dtype, shape)
            if a.dtype.kind == "f" and a.ndim and chance(rng, 0.5):
                a[rng.random(shape) < 0.2] = np.nan
        attrs = {}
        if dtype not in ("M", "m", "cf", "bool"):
            common(rng, attrs.__setitem__)
            attrs = {k: x for k, x in attrs.items() if k != "units" or x}
        v[f"v{i}"] = (dims, a, attrs)
    ds = xr.Dataset(
        v,
        coords={
            "x": np.arange(n[0]) * 1.5,
            "label": ("y", np.array(rng.choice(WORDS, n[1]))),
            "height": 2.0,
        },
    )
    encoding = {}
    for k, x in ds.data_vars.items():
        e = {}
        if x.dtype.kind == "f" and chance(rng, 0.6):
            e = pick(
                rng,
                {"dtype": "i2", "scale_factor": 0.1, "add_offset": 10.0, "_FillValue": -32768},
                {"_FillValue": pick(rng, -999.0, 1e20)},
                {"_FillValue": None},
                {"dtype": "f4", "_FillValue": np.float32(1e20)},
                {"dtype": "u1", "scale_factor": np.float32(0.5), "_FillValue": 255},
                {"dtype": "i1", "_Unsigned": "true", "scale_factor": 2.0, "_FillValue": -1},
            )
        encoding[k] = e
    engine, form = pick(
        rng,
        ("netcdf4", "NETCDF4"),
        ("netcdf4", "NETCDF3_64BIT"),
        ("h5netcdf", None),
        ("netcdf4", "NETCDF4_CLASSIC"),
    )
    if form in ("NETCDF3_64BIT", "NETCDF4_CLASSIC"):
        bad = [
            k
            for k, x in ds.data_vars.items()
            if x.dtype.kind in "u" or x.dtype.kind == "i" and x.dtype.itemsize == 8
        ]
        ds = ds.drop_vars(bad)
        for x in ds.variables.values():
            x.attrs = {a: y for a, y in x.attrs.items() if not isinstance(y, (np.uint8, np.int64))}
    ds.to_netcdf(path, engine=engine, format=form, encoding={k: encoding[k] for k in ds.data_vars})
    return f"xarray {engine} {form or ''}"


WRITERS = [netcdf4, netcdf4, by_xarray, by_xarray, h5netcdf_own, h5py_own]


def write(rng, path):
    return pick(rng, *WRITERS)(rng, path)
