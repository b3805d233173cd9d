"""Draws texts of units with calendars and numbers, and says which times cftime and xarray make of
them. One JSON command per line, one JSON answer per line."""

import json
import random
import sys
import warnings

import cftime
import numpy as np
import xarray as xr

warnings.simplefilter("ignore")

CALENDARS = ["standard", "gregorian", "proleptic_gregorian", "julian", "noleap", "365_day", "all_leap",
             "366_day", "360_day", ""]
UNITS = ["days", "day", "d", "hours", "hour", "hr", "h", "minutes", "min", "seconds", "second", "sec", "s",
         "milliseconds", "msec", "ms", "microseconds", "Days", "HOURS", "months", "month", "years",
         "common_years", "common_year", "fortnights"]
ZONES = ["", "", "", "Z", "+01:00", "-06:00", "+0530", "-03", " +02:00", " UTC"]


def draw_date(r):
    """Returns a reference date, of the forms that files have."""
    year = r.choice([r.randint(1, 3000), r.randint(1900, 2030), r.randint(1560, 1600), 1582, -4713, -4712, -1,
                     0, 1, r.randint(-5000, -1), 1858, 1970, 2000])
    month, day = r.choice([(1, 1), (1, 1), (r.randint(1, 12), r.randint(1, 30)), (10, 15), (10, 4), (2, 29),
                           (2, 28), (12, 31), (3, 1)])
    if r.random() < 0.1 and year >= 1000:
        return f"{year:04d}{month:02d}{day:02d}"
    sign, year = ("-", -year) if year < 0 else ("", year)
    form = r.choice(["{}{:04d}-{:02d}-{:02d}", "{}{}-{}-{}"])
    if year < 100:
        form = "{}{:04d}-{:02d}-{:02d}"  # xarray takes 6-2-29 for 2029-06-02
    text = form.format(sign, year, month, day)
    clock = r.choice(["", "", " 00:00:00", "T00:00:00", " 12:00:00", " 0:0:0.0", " 06:30", "T23:59:59.5",
                      " 18:00:00.250"])
    return text + clock + (r.choice(ZONES) if clock else r.choice(["", "", "Z"]))


def draw(r):
    unit = r.choice(UNITS)
    length = {"d": 1, "h": 24, "H": 24, "m": 1440, "s": 86400, "f": 1, "y": 1, "c": 1}.get(unit[0], 1)
    if unit.startswith(("mil", "ms")):
        length = 86400e3
    if unit.startswith("mic"):
        length = 86400e6
    days = r.choice([0, 1, r.randint(-100, 100), r.randint(-800000, 800000), r.randint(0, 30000), 2451545,
                     r.uniform(0, 40000), r.randint(0, 400000) / 24, r.randint(0, 400000) / 8])
    value = float(days * length)
    if r.random() < 0.7:
        value = float(round(value))
    return f"{unit} since {draw_date(r)}", r.choice(CALENDARS), value


def parts(t):
    return (f"{'-' if t.year < 0 else ''}{abs(t.year):04d}-{t.month:02d}-{t.day:02d}"
            f"T{t.hour:02d}:{t.minute:02d}:{t.second:02d}.{t.microsecond:06d}")


def by_cftime(units, calendar, value):
    try:
        return parts(cftime.num2date(value, units, calendar or "standard"))
    except Exception:
        return ""


def by_xarray(units, calendar, value):
    attributes = {"units": units} | ({"calendar": calendar} if calendar else {})
    v = xr.Variable("time", np.array([value]), attributes)
    try:
        with warnings.catch_warnings():
            t = xr.decode_cf(xr.Dataset({"t": v})).t.values[0]
    except Exception:
        return ""
    if isinstance(t, np.datetime64):
        text = str(t.astype("datetime64[us]"))
        return text if len(text.split("-")[0]) >= 4 else ""
    return parts(t) if hasattr(t, "year") else ""


def answer(command):
    if command["op"] == "hello":
        return {"versions": f"cftime {cftime.__version__}, xarray {xr.__version__}, numpy {np.__version__}"}
    r = random.Random(f"{command['seed']}/{command['case']}")
    units, calendar, value = draw(r)
    return {"units": units, "calendar": calendar, "value": value,
            "cftime": by_cftime(units, calendar, value), "xarray": by_xarray(units, calendar, value)}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
