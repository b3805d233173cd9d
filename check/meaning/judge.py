# The other side of main.go, behind draw.py: converts datasets with the command, and compares what
# xarray, TensorStore and a strict JSON parser find in the results with what xarray finds in the
# original.
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

import tensorstore
import zarr
from kerchunk.utils import refs_as_store


def run(*args, out=None, codes=(0,)):
    r = subprocess.run(
        [opts.cairn, *map(str, args)], stdout=out or subprocess.PIPE, stderr=subprocess.PIPE
    )
    if r.returncode not in codes:
        text = (r.stdout or b"") + r.stderr
        raise Difference(
            f"cairn {args[0]} exits with {r.returncode}: {text.decode(errors='replace')[:600]}"
        )
    return r.stderr.decode(errors="replace")


class Difference(Exception):
    pass


# --- what xarray finds ---


def plain(name, v):
    """Returns an attribute as JSON can hold it, or None: no float32, no NaN, no infinity."""
    if name == "_FillValue":
        return v
    if isinstance(v, np.ndarray):
        v = v.tolist()
    if isinstance(v, np.generic):
        v = v.item()
    if isinstance(v, (list, tuple)) and name == "missing_value":
        v = [x for x in v if x == x] or None
    if isinstance(v, (list, tuple)):
        return None if any(plain("", x) is None for x in v) else [plain("", x) for x in v]
    if isinstance(v, float) and not np.isfinite(v):
        return None
    return None if isinstance(v, (bytes, h5py.Empty)) else v


ENGINES = ("netcdf4", "h5netcdf")


def original(path, engines=ENGINES):
    """Returns the decoded datasets of a file, by group."""
    groups = {}
    for engine in engines:
        try:
            raw = xr.open_groups(
                path,
                engine=engine,
                mask_and_scale=False,
                decode_times=False,
                decode_timedelta=False,
                concat_characters=False,
                decode_coords=False,
            )
            break
        except Exception as e:
            failed = e
    else:
        raise Unreadable(str(failed)[:200])
    for key, ds in raw.items():
        try:
            ds = ds.load()
        except Exception as e:
            raise Unreadable(f"{type(e).__name__}: {e}"[:200])
        for attrs in [ds.attrs, *(v.attrs for v in ds.variables.values())]:
            for name, v in list(attrs.items()):
                p = plain(name, v)
                if p is None:
                    del attrs[name]
                else:
                    attrs[name] = p
        try:
            groups[key.strip("/")] = xr.decode_cf(ds, decode_timedelta=True).load()
        except Exception as e:
            raise Unreadable(f"{type(e).__name__}: {e}"[:200])
        ds.close()
    return groups


class Unreadable(Exception):
    """xarray does not read the original."""


def same(want, got, where):
    for key in want:
        if key not in got:
            if want[key].variables or want[key].attrs:
                raise Difference(f"{where}: no group {key!r}")
            continue
        a, b = want[key], got[key]
        if a.identical(b) and not widths(a, b):
            continue
        said = []
        for name in sorted(set(a.variables) | set(b.variables), key=str):
            if name not in a.variables or name not in b.variables:
                said.append(
                    f"{name}: {'lost' if name in a.variables else 'new'}"
                )
                continue
            x, y = a.variables[name], b.variables[name]
            if not x.identical(y) or name in widths(a, b):
                said.append(f"{name}: {shown(x)} became {shown(y)}")
        said += [
            f"{k}: {a.attrs.get(k)!r} became {b.attrs.get(k)!r}"
            for k in set(a.attrs) | set(b.attrs)
            if repr(a.attrs.get(k)) != repr(b.attrs.get(k))
        ]
        if set(a.coords) != set(b.coords):
            said.append(f"coordinates {set(a.coords)} became {set(b.coords)}")
        raise Difference(f"{where}, group {key!r}: " + "; ".join(said)[:1500])


def without_marks_of_bytes(groups):
    """Returns what version 3 can hold, which has no marks of missing bytes; the command says so."""
    out = {}
    for key, ds in groups.items():
        out[key] = ds = ds.copy()
        for name, v in list(ds.variables.items()):
            fill = v.encoding.get("_FillValue")
            if not isinstance(fill, bytes) or v.dtype.kind != "O" or not v.isnull().any():
                continue
            left["mark of missing bytes in version 3"] += 1
            plain = v.copy(data=np.where(v.isnull().values, fill.rstrip(b"\0"), v.values))
            ds[name] = plain
    return out


def shown(x):
    return f"{x.dims} {x.dtype} {x.values.ravel()[:6]} {x.attrs} {x.encoding.get('_FillValue')}"


def widths(a, b):
    """Returns the names of variables whose numbers have other types."""
    number = "iufc"
    return [
        n
        for n in a.variables
        if n in b.variables
        and a[n].dtype.kind in number
        and a[n].dtype != b[n].dtype
        and a[n].dtype.newbyteorder("=") != b[n].dtype.newbyteorder("=")
    ]


def opened(where, **kind):
    return {
        k.strip("/"): v.load()
        for k, v in xr.open_groups(where, engine="zarr", decode_timedelta=True, **kind).items()
    }


# --- what others find ---


def strict(path):
    def refuse(text):
        raise Difference(f"{path}: {text} is no JSON")

    def pairs(list):
        if len({k for k, _ in list}) < len(list):
            raise Difference(f"{path}: a name twice")
        return dict(list)

    text = path.read_text()
    return json.loads(text, parse_constant=refuse, object_pairs_hook=pairs)


PLAIN = "biufcSV"


def documents(store):
    """Parses all documents, and opens all arrays."""
    for p in sorted(store.rglob("*")):
        if p.name in ("zarr.json", ".zattrs", ".zarray", ".zgroup", ".zmetadata"):
            strict(p)
        driver = {"zarr.json": "zarr3", ".zarray": "zarr"}.get(p.name)
        doc = json.loads(p.read_text()) if driver else {}
        if driver == "zarr3" and (
            doc["node_type"] != "array"
            or not isinstance(doc["data_type"], str)
            or doc["data_type"] == "string"
        ):
            continue
        if driver == "zarr" and not (isinstance(doc["dtype"], str) and doc["dtype"][1] in PLAIN):
            continue
        if driver:
            counts["arrays"] += 1
            try:
                tensorstore.open(
                    {"driver": driver, "kvstore": {"driver": "file", "path": str(p.parent)}}
                ).result().read().result()
            except Exception as e:
                raise Difference(f"TensorStore: {p}: {str(e)[:300]}")


# --- one file through everything ---


def through(path, work, engines=ENGINES):
    want = original(str(path), engines)
    opts.engines = engines  # those that survive the file
    counts["files"] += 1
    only = set(opts.only.split(",")) if opts.only else None
    notes = ""
    for name, steps in LANES.items():
        if only and name not in only:
            continue
        try:
            steps(path, work, want)
            counts[name] += 1
        except Exception as e:
            kind = "" if isinstance(e, Difference) else f"{type(e).__name__}: "
            failures.append(f"{path.name} {name}: {kind}{e}"[:2500])
            if opts.trace:
                traceback.print_exc()
    return notes


def exported(version, out="o.zarr"):
    def lane(path, work, want):
        said = run("export", "-force", "-zarr", version, path, work / out, codes=(0, 3))
        leave_out(want, said)
        if version == 3:
            want = without_marks_of_bytes(want)
        if out.endswith("zarr"):
            documents(work / out)
            same(want, opened(str(work / out)), f"version {version}")
        else:
            with zarr.storage.ZipStore(work / out, mode="r") as z:
                same(want, opened(z), out)
        if "left out" not in said:
            run("diff", "-equal-nan", path, work / out)

    return lane


def netcdf(out):
    def lane(path, work, want):
        want = dict(want)
        said = run("export", "-force", path, work / out, codes=(0, 3))
        leave_out(want, said)
        got = original(str(work / out))
        if "left out" in said:
            # Nothing makes coordinates of those of variables that are left out.
            want, got = ({k: v.reset_coords() for k, v in x.items()} for x in (want, got))
        if out.endswith("3"):
            want, got = {"": classic(want[""])}, {"": as_wide(got[""], want[""])}
        same(want, got, out)

    return lane


def classic(ds):
    """Returns a dataset whose texts are not masked, as chars cannot be."""
    ds = ds.copy()
    for n, v in ds.variables.items():
        texts = v.values.ravel()
        if v.dtype.kind != "O" or not all(isinstance(x, str) or x != x for x in texts):
            continue
        mark = v.encoding.pop("_FillValue", "")
        texts = [x if isinstance(x, str) else mark for x in texts]
        ds = ds.assign({n: v.copy(data=np.array(texts, "O").reshape(v.shape))})
    return ds


def as_wide(ds, want):
    """Returns a dataset whose integers of 32 bits are of 64, where those that are wanted are."""
    for n, v in [("", ds), *ds.variables.items()]:
        like = want if n == "" else want.variables.get(n, want)
        for a, value in v.attrs.items():
            if isinstance(value, float) and isinstance(like.attrs.get(a), (int, np.integer)) and value == like.attrs[a]:
                v.attrs[a] = like.attrs[a]
    return ds.assign({
        n: v.astype(want[n].dtype)
        for n, v in ds.variables.items()
        if n in want.variables and v.dtype == "i4" and want[n].dtype in ("i8", "u8")
    })


def hdf5(path, work, want):
    """Compares the datasets of an HDF5 file with the variables as they are stored."""
    said = run("export", "-force", path, work / "o.h5", codes=(0, 3))
    want = dict(want)
    leave_out(want, said)
    kept = {k: set(v.variables) for k, v in want.items()}
    raw = {"mask_and_scale": False, "decode_times": False, "decode_timedelta": False}
    for engine in opts.engines:
        try:
            groups = xr.open_groups(
                path, engine=engine, concat_characters=False, decode_coords=False, **raw
            )
            break
        except Exception as e:
            failed = e
    else:
        raise failed
    with h5py.File(work / "o.h5") as f:
        for key, ds in groups.items():
            for name in kept[key.strip("/")] & set(ds.variables):
                d, v = f[f"{key}/{name}"], ds.variables[name]
                if not np.array_equal(stored(d[()]), stored(v.values), equal_nan=v.dtype.kind in "fc"):
                    raise Difference(f"o.h5: {key}/{name}: {shown(v)} became {d[()].ravel()[:6]}")
                labels = [dimension(d, i) for i in range(d.ndim)]
                if labels != list(v.dims)[: d.ndim]:
                    raise Difference(f"o.h5: {key}/{name}: dimensions {v.dims} became {labels}")
                lost = {a for a in v.attrs if plain(a, v.attrs[a]) is not None} - set(d.attrs)
                if lost:
                    raise Difference(f"o.h5: {key}/{name}: attributes {lost} are lost")


def dimension(d, i):
    """The name of a dimension: of its scale, its label, or its own as a scale."""
    if len(d.dims[i]):
        return d.dims[i][0].name.split("/")[-1]
    return d.name.split("/")[-1] if d.is_scale else d.dims[i].label


def stored(a):
    """Returns numbers as they are, and all texts as one, as these are of several kinds."""
    a = np.asarray(a)
    if a.dtype.kind not in "SUO":
        return a
    return np.asarray(
        b"".join(x if isinstance(x, bytes) else str(x).encode() for x in a.ravel()).replace(b"\0", b"")
    )


left = collections.Counter()


def leave_out(want, said):
    """Takes what the command left out by name from what is wanted."""
    for line in said.splitlines():
        if m := re.search(r"cairn: (?:\S*::)?/?(.+?): (.*); left out", line):
            key = m.group(1).strip("/")
            left[re.sub(r"variable \S+|\d+", "…", m.group(2))] += 1
            group, _, name = key.rpartition("/")
            if group in want and name in want[group].variables:
                want[group] = want[group].drop_vars(name)


def tree(path, work, want):
    said = run("import", "-force", path, work / "t.b2z", codes=(0, 3))
    leave_out(want, said)
    for version in (2, 3):
        out = ("-zarr", version, work / "t.b2z", work / "t.zarr")
        leave_out(want, run("export", "-force", *out, codes=(0, 3)))
        documents(work / "t.zarr")
        if version == 3:
            want = without_marks_of_bytes(want)
        same(want, opened(str(work / "t.zarr")), f"b2z, version {version}")
    run("import", "-force", work / "t.zarr", work / "u.b2z")
    run("export", "-force", "-zarr", 2, work / "u.b2z", work / "u.zarr")
    same(want, opened(str(work / "u.zarr")), "b2z, Zarr, b2z, Zarr")


def refs(path, work, want):
    shutil.rmtree(work / "r.b2d", ignore_errors=True)
    leave_out(want, run("import", "-zarrblocks", path, work / "r.b2d", codes=(0, 3)))
    with open(work / "r.json", "wb") as f:
        leave_out(want, run("refs", work / "r.b2d", out=f, codes=(0, 3)))
    for key, doc in strict(work / "r.json")["refs"].items():
        if isinstance(doc, str) and key.split("/")[-1].startswith(".z"):
            json.loads(
                doc, parse_constant=lambda x: failures.append(f"{path.name} refs: {key} has {x}")
            )
    for key in want:
        # Of a group below the root, zarr-python lists nothing in references.
        store = refs_as_store(str(work / "r.json"))
        if key:
            store = zarr.storage.FsspecStore(store.fs, read_only=True, path=key)
        kind = {"engine": "zarr", "consolidated": False, "zarr_format": 2}
        got = xr.open_dataset(store, decode_timedelta=True, **kind).load()
        same({key: want[key]}, {key: got}, "refs")


def served(path, work, want):
    shutil.copy(path, work / "served" / "f.nc")
    base = f"http://127.0.0.1:{port(work)}/zarr/served/f.nc"
    os.utime(work / "served" / "f.nc")
    same(want, opened(base, zarr_format=2), "serve, version 2")
    same(without_marks_of_bytes(want), opened(base, zarr_format=3), "serve, version 3")


server = None


def port(work):
    global server
    if server is None:
        p = subprocess.Popen(
            [opts.cairn, "serve", "-addr", "127.0.0.1:0", str(work / "served")],
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        found = None
        for line in p.stdout:
            if m := re.search(r"127\.0\.0\.1:(\d+)", line):
                found = int(m.group(1))
                break
        import threading

        threading.Thread(target=lambda: [None for _ in p.stderr], daemon=True).start()
        threading.Thread(target=lambda: [None for _ in p.stdout], daemon=True).start()
        server = (p, found)
    return server[1]


LANES = {
    "zarr3": exported(3),
    "zarr2": exported(2),
    "zip": exported(3, "o.zarr.zip"),
    "nc": netcdf("o.nc"),
    "nc3": netcdf("o.nc3"),
    "h5": hdf5,
    "tree": tree,
    "refs": refs,
    "serve": served,
}

args = argparse.ArgumentParser()
args.add_argument("--cairn")
args.add_argument("--cases", type=int)
args.add_argument("--seed", type=int)
args.add_argument("--case", type=int, default=-1)
args.add_argument("--only", default="")
args.add_argument("--trace", action="store_true")
args.add_argument("--files", default="")
opts = args.parse_args()
counts, failures, unread, writers = (
    collections.Counter(),
    [],
    collections.Counter(),
    collections.Counter(),
)


def main():
    if opts.files and pathlib.Path(opts.files).is_dir():
        each(sorted(p for p in pathlib.Path(opts.files).rglob("*") if p.is_file()))
    else:
        judge([pathlib.Path(opts.files)] if opts.files else [])
    report()


def each(files):
    """Judges each file in a process of its own, for some end the reference's C library."""
    for path in files:
        child = [sys.executable, "-W", "ignore", __file__, "--cairn", opts.cairn, "--files", path]
        with tempfile.TemporaryDirectory(prefix="cairn-meaning-") as work:
            own = os.environ | {"TMPDIR": work}
            r = subprocess.run([*child, "--only", opts.only], stdout=subprocess.PIPE, env=own)
        if r.returncode not in (0, 1):
            unread[f"reference crashed: {path.name}"] += 1
            print(f"{path.name}: reference crashed, exit {r.returncode}", file=sys.stderr)
            continue
        found = json.loads(r.stdout)
        for total, name in TOTALS:
            total.update(found[name])
        failures.extend(found["Failures"])


def judge(files):
    work = pathlib.Path(tempfile.mkdtemp(prefix="cairn-meaning-"))
    (work / "served").mkdir()
    table = {}
    for k in range(len(files) if files else opts.cases):
        if opts.case >= 0 and k != opts.case:
            continue
        before, engines = len(failures), ENGINES
        if files:
            # Named so, a plain HDF5 file has the dimensions that the netCDF library gives it.
            path = work / (files[k].stem + ".nc")
            shutil.copy(files[k], path)
        else:
            path = work / f"c{k}.nc"
            try:
                writer = write(np.random.default_rng([opts.seed, k]), str(path))
                writers[writer] += 1
                # The netCDF library ends the process by some of what it does not know.
                engines = ENGINES[1:] if writer == "h5py, others" else ENGINES
            except Exception as e:
                unread[f"write: {type(e).__name__}: {e}"[:150]] += 1
                continue
        try:
            through(path, work, engines)
        except Unreadable as e:
            unread[str(e)[:150]] += 1
            table[path.name] = "xarray does not read it: " + str(e)[:100]
        if files:
            table.setdefault(path.name, "equal" if len(failures) == before else failures[before])
            print(files[k].name + ": " + table[path.name][:1200].replace("\n", " "), file=sys.stderr)
        elif opts.case < 0:
            path.unlink(missing_ok=True)
    if server:
        server[0].terminate()
        server[0].wait()
    if opts.case < 0:
        shutil.rmtree(work)


TOTALS = ((counts, "Counts"), (writers, "Writers"), (unread, "UnreadByXarray"), (left, "LeftOut"))


def report():
    found = {"Seed": opts.seed} | {name: total for total, name in TOTALS}
    found |= {"Failed": len(failures), "Failures": failures[:10]}
    print(json.dumps(found, indent=1, ensure_ascii=False))
    sys.exit(1 if failures else 0)


main()
