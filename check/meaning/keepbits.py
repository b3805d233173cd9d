"""Compares -keepbits auto with xbitinfo: how many bits of the mantissa have 99 % of the information.

    keepbits.py [FILE.npy ...]     ends with 1 if the numbers differ

Both look along each axis, and the axis that needs most counts. Files are arrays of floats; those
that are made here always take part. It needs xbitinfo.
"""

import os
import subprocess
import sys
import tempfile

os.environ["TQDM_DISABLE"] = "1"  # no bars

import numpy as np
import xarray as xr
import xbitinfo


def made():
    """Fields whose information ends at different bits, in several dtypes."""
    random = np.random.default_rng(20261129)
    y, x = np.meshgrid(np.arange(180) / 29, np.arange(240) / 41, indexing="ij")
    wave = np.sin(y) * np.cos(x)
    for name, scale, noise, dtype in (
        ("temperature", 20, 0.2, "f4"), ("fine", 20, 0.002, "f4"), ("coarse", 3, 1.5, "f4"), ("double", 20, 0.02, "f8"),
        ("pressure", 900, 30, "f8"),
    ):
        field = 280 + scale * wave + random.normal(0, noise, wave.shape)
        yield name, field.astype(dtype)
    for noise in (1e-2, 1e-4, 1e-6):  # the exponent is the same everywhere
        yield f"unit {noise:g}", (1.5 + 0.4 * wave + random.normal(0, noise, wave.shape)).astype("f4")
    yield "rain", np.maximum(0, wave + random.normal(0, 0.2, wave.shape)).astype("f4") * 1e-3
    yield "speed", np.abs(9 * wave + random.normal(0, 0.5, wave.shape)).astype("f4")
    yield "walk", np.cumsum(random.normal(0, 1, (60, 40, 50)), axis=0).astype("f4")
    yield "series", np.cumsum(random.normal(0, 0.01, 100_000)).astype("f8")


def theirs(items):
    """Returns the bits that xbitinfo keeps, for the axis that needs most."""
    dims = [f"d{i}" for i in range(items.ndim)]
    data = xr.Dataset({"a": (dims, items)})
    most = 0
    for dim in dims:
        information = xbitinfo.get_bitinformation(data, dim=dim, implementation="python", overwrite=True)
        most = max(most, int(xbitinfo.get_keepbits(information, inflevel=0.99)["a"]))
    return most


def main():
    failures = 0
    source = os.getcwd()
    files = [(os.path.basename(name), np.load(name)) for name in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        cairn = os.path.join(folder, "cairn")
        subprocess.run(["go", "build", "-o", cairn, "./cmd/cairn"], cwd=source, check=True)
        os.chdir(folder)
        for name, items in [*made(), *files]:
            np.save("in.npy", items)
            subprocess.run([cairn, "import", "-q", "-force", "-keepbits", "auto", "in.npy", "out.b2nd"], check=True)
            ours = int(subprocess.check_output([cairn, "meta", "get", "out.b2nd", "quantization_nsb"]))
            want = max(theirs(items), 1)  # cairn keeps one at least
            print(f"{name}: {items.dtype}, {ours} bits, by xbitinfo {want}")
            failures += ours != want

    print("keepbits: %d differ" % failures)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
