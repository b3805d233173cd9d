"""Writes creation.json: what NumPy's arange, linspace and eye make of some arguments. Run by hand: python creation.py > creation.json"""
import json, zlib
import numpy as np

TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]


def entry(kind, dtype, args, made):
    made = np.ascontiguousarray(made)
    little = made.astype(made.dtype.newbyteorder("<"))
    return {"kind": kind, "dtype": dtype, "args": args, "count": made.size, "crc": zlib.crc32(little.tobytes())}


def main():
    out = []
    ranges = [(0, 10, 1), (0, 100, 7), (5, 5, 1), (5, 3, 1), (100, 0, -3), (-5, 20, 2), (3, 120, 50), (-100, 100, 1)]
    for dtype in TYPES:
        for start, stop, step in ranges:
            if dtype[0] == "u" and min(start, stop, step) < 0:
                continue
            out.append(entry("arange", dtype, [start, stop, step], np.arange(start, stop, step, dtype=dtype)))
    for start, stop, step in [(0, 1, 0.1), (0, 1, 0.3), (1, 2, 0.1), (-1, 1, 1 / 3), (0.1, 1000, 0.7), (1e10, 1e10 + 5000, 1.25), (0, 1, 1e-4),
                              (2, -3, -0.01), (0, 3e-5, 1e-9)]:
        for dtype in ["f4", "f8"]:
            t = np.dtype(dtype).type
            # As a Go constant of that type is
            a, b, c = float(t(start)), float(t(stop)), float(t(step))
            out.append(entry("arange", dtype, [a, b, c], np.arange(a, b, c, dtype=dtype)))
    for dtype in ["f4", "f8", "i2", "i8", "u1"]:
        for start, stop in [(0.0, 1.0), (0.0, 100.0), (3.0, 3.0), (0.1, 77.7), (90.0, 1.0), (1e-3, 1e2), (0.0, 5e-324)]:
            for num in [0, 1, 2, 3, 10, 49, 50, 1000, 4097]:
                for endpoint in [True, False]:
                    out.append(entry("linspace", dtype, [start, stop, num, int(endpoint)], np.linspace(start, stop, num, endpoint, dtype=dtype)))
    for dtype in ["f8", "i2", "b1"]:
        for rows, columns, k in [(5, 5, 0), (40, 30, 0), (30, 40, 5), (40, 30, -12), (3, 3, 3), (3, 3, -3), (50, 7, -45), (7, 50, 46), (0, 4, 0)]:
            out.append(entry("eye", dtype, [rows, columns, k], np.eye(rows, columns, k, dtype=dtype)))
    print("[\n" + ",\n".join(json.dumps(e) for e in out) + "\n]")


main()
