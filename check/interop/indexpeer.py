"""The real library's side of index programs: it makes arrays and tables with indexes, changes them, and compares what queries find with a full scan.

One JSON command per line on stdin, one JSON answer per line on stdout. Every command runs in a process of its own, as programs that open a file do: the library keeps indexes in memory.
"""

import json
import os
import random
import sys
import traceback
from dataclasses import field, make_dataclass

import blosc2
import numpy as np

blosc2.set_nthreads(1)

KINDS = ["SUMMARY", "BUCKET", "PARTIAL", "FULL", "OPSI"]
STRUCT = np.dtype([("x", "i4"), ("y", "f8")])


# Arrays


def items(rng, dtype, n):
    """Numbers, dates or texts of which many occur more than once."""
    if dtype.names:
        out = np.zeros(n, dtype)
        for name in dtype.names:
            out[name] = items(rng, dtype[name], n)
        return out
    small = np.array([rng.randrange(100) for _ in range(n)])
    if rng.random() < 0.3:
        small.sort()
    if dtype.kind == "f":
        # no NaN: in an index the library takes it for a large number
        return (small / 4).astype(dtype)
    if dtype.kind in "SU":
        return np.array([f"t{v}" for v in small], dtype)
    return small.astype(dtype)


def params(rng):
    return {"cparams": {"codec": rng.choice([blosc2.Codec.ZSTD, blosc2.Codec.LZ4]), "clevel": rng.choice([1, 5]), "nthreads": 1}, "dparams": {"nthreads": 1}}


def targets(arr):
    """What an index can be of: arguments for create_index."""
    if arr.dtype.names:
        return [{"field": "x"}, {"field": "y"}, {"expression": "x + y", "operands": arr.fields}]
    # Of expressions of whole items the library makes no index: it calls them __self__, which its
    # evaluator refuses
    return [{}]


def add_index(rng, arr, done):
    where = rng.choice(targets(arr))
    kind = rng.choice(KINDS)
    have = {i.target["expression"] if i.target["source"] == "expression" else i.field for i in arr.indexes}
    if (where.get("expression") or where.get("field")) in have or "expression" in where and len(have) > 2:
        return
    arr.create_index(**where, kind=blosc2.IndexKind[kind], optlevel=rng.choice([0, 3, 5, 9]), build=rng.choice(["auto", "memory", "ooc"]))
    done.append(kind)


def make_array(rng, path, done):
    # No dates: of several queries with dates in one process, the library answers all as the first.
    dtype = rng.choice([np.dtype(t) for t in ("i4", "i8", "u2", "f4", "f8", "S4", "?")] + [STRUCT, STRUCT])
    n = rng.randrange(1, rng.choice([50, 3000]))
    chunks = rng.randrange(1, max(2, n))
    blocks = rng.randrange(1, chunks + 1)
    chunks = max(chunks, n // 40 + 1)
    blocks = max(min(blocks, chunks), chunks // 20 + 1)
    # With other chunks, the library's own queries find too little with BUCKET and OPSI.
    chunks -= chunks % blocks
    # With an index, the library maps the file to gather items, which it cannot if that is a
    # directory: no sparse frames.
    arr = blosc2.asarray(items(rng, dtype, n), urlpath=path, mode="w", chunks=(chunks,), blocks=(blocks,), **params(rng))
    add_index(rng, arr, done)
    if rng.random() < 0.5:
        add_index(rng, arr, done)
    return dtype.str


def change_array(rng, path, done):
    arr = blosc2.open(path, mode="a")
    n = arr.shape[0]
    for _ in range(rng.randrange(1, 3)):
        what = rng.choice(["write", "append", "resize", "rebuild", "rebuild", "rebuild", "add", "drop", "compact", "vlmeta"])
        if what == "write" and n:
            start = rng.randrange(n)
            stop = rng.randrange(start, n) + 1
            arr[start:stop] = items(rng, arr.dtype, stop - start)
        elif what == "append":
            count = rng.randrange(1, 100)
            if (n % arr.chunks[0] or count % arr.chunks[0]) and not (n % arr.chunks[0] == 0 and count == arr.chunks[0]):
                arr.append(items(rng, arr.dtype, count))
        elif what == "resize":
            arr.resize((max(1, rng.randrange(n // 2 + 1, n + n // 2 + 2)),))
        elif what == "rebuild":
            for i in arr.indexes:
                if i.stale:
                    arr.rebuild_index(name=i.name)
        elif what == "add":
            add_index(rng, arr, done)
        elif what == "drop" and len(arr.indexes) > 1:
            arr.drop_index(name=arr.indexes[0].name)
        elif what == "compact":
            for i in arr.indexes:
                if i.kind == "full" and not i.stale:
                    arr.compact_index(name=i.name)
        elif what == "vlmeta":
            arr.schunk.vlmeta["note"] = rng.randrange(100)
        n = arr.shape[0]
        done.append(what)


def literal(v):
    return repr(bytes(v)) if v.dtype.kind == "S" else repr(v.item())


def condition(rng, name, values):
    """A condition on one operand, as text, and as a function of its values."""
    a, b = sorted([values[rng.randrange(len(values))], values[rng.randrange(len(values))]])
    if values.dtype.kind not in "S?" and rng.random() < 0.3:
        a = values.dtype.type(rng.randrange(100))
        b = a if b < a else b
    if values.dtype.kind == "S" and not a:
        # The library compares with an empty text wrongly, with an index or without
        a = max(b, values.dtype.type(b"t1"))
        b = a
    la, lb = literal(a), literal(b)
    return rng.choice([
        (f"{name} == {la}", lambda v: v == a), (f"{name} > {la}", lambda v: v > a), (f"{name} <= {la}", lambda v: v <= a),
        (f"({name} >= {la}) & ({name} < {lb})", lambda v: (v >= a) & (v < b)), (f"({name} >= {la}) & ({name} <= {lb})", lambda v: (v >= a) & (v <= b))])


def same(a, b):
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def rewrite_array(path):
    """Writes what is there, so that the library marks all indexes as stale."""
    arr = blosc2.open(path, mode="a")
    if arr.shape[0]:
        arr[:] = arr[:]


def query_array(rng, path, count, answer):
    arr = blosc2.open(path, mode="r")
    data = arr[:]
    for i in arr.indexes:
        answer["stale" if i.stale else "fresh"] += 1
    if not len(data):
        return
    for _ in range(count):
        ops = arr.fields if arr.dtype.names else {"value": arr}
        name = rng.choice(sorted(ops))
        values = data[name] if arr.dtype.names else data
        if values.dtype.kind == "?":
            expr, text, mask = arr == True, "value == True", values  # noqa: E712
        else:
            text, holds = condition(rng, name, values)
            mask = holds(values)
            # No conditions on two fields: with an index of one of them, the library forgets the
            # other.
            if arr.dtype.names and rng.random() < 0.4:
                bound = rng.randrange(120)
                text, mask = f"(x + y) > {bound}", data["x"] + data["y"] > bound
            expr = blosc2.lazyexpr(text, ops)
        lazy = expr.where(arr)
        answer["queries"] += 1
        answer["indexed"] += bool(lazy.will_use_index())
        got = lazy[:]
        if not same(np.asarray(got), data[mask]):
            answer["wrong"].append(f"{text}: {len(got)} items, the scan has {mask.sum()}: {[(i.kind, i.stale) for i in arr.indexes]}")
    for i in arr.indexes:
        if i.kind != "full" or i.stale or i.target["source"] == "expression" or not arr.dtype.names:
            continue
        answer["queries"] += 1
        answer["indexed"] += 1
        got = np.array(list(blosc2.iter_sorted(arr, order=i.field)), dtype=arr.dtype)
        want = data[np.argsort(data[i.field], kind="stable")]
        if not same(got[i.field], want[i.field]):
            answer["wrong"].append(f"sorted by {i.field}: {len(got)} items of {len(want)}")


# Tables

COLUMNS = {
    "a": (int, lambda: blosc2.int64()), "b": (float, lambda: blosc2.float64()), "s": (str, lambda: blosc2.string(max_length=8)),
    "d": (str, lambda: blosc2.dictionary()), "u": (str, lambda: blosc2.utf8()), "l": (list[int], lambda: blosc2.list(blosc2.int64())),
}


def value(rng, name):
    v = rng.randrange(60)
    return {"a": v, "b": v / 4, "s": f"t{v}", "d": f"d{v % 9}", "u": f"u{v % 20}", "l": [v % 7, v % 5]}[name]


def rows(rng, names, n):
    return [tuple(value(rng, name) for name in names) for _ in range(n)]


def plain(table):
    return [name for name in table.col_names if name in COLUMNS]


def index_column(rng, table, archive, done):
    """In archives the library does not find the files of PARTIAL and MEMBERSHIP."""
    name = rng.choice(plain(table) + ["a + b"])
    if name == "a + b":
        # With BUCKET some queries of the library raise IndexError, and in archives it finds only
        # SUMMARY.
        kind = "SUMMARY" if archive else rng.choice([k for k in KINDS if k != "BUCKET"])
        if any(i.target and i.target.get("source") == "expression" for i in table.indexes if i.kind != "membership"):
            return
        table.create_index(expression=name, kind=blosc2.IndexKind[kind])
    else:
        kind = "FULL" if name in "du" else "MEMBERSHIP" if name == "l" else rng.choice([k for k in KINDS if k != "PARTIAL" or not archive])
        try:
            table.index(name)
            table.drop_index(name)
        except KeyError:
            pass
        table.create_index(name, kind=blosc2.IndexKind[kind])
    done.append(kind)


class opened:
    """The table in a file, or in a group of a tree."""

    def __init__(self, path, key, mode):
        self.store = blosc2.TreeStore(path, mode=mode) if key else None
        self.table = self.store[key] if key else blosc2.open(path, mode=mode)

    def __enter__(self):
        return self.table

    def __exit__(self, *_):
        if self.store is None:
            self.table.close()
        else:
            self.store.close()


def make_table(rng, path, key, done):
    names = ["a", "b"] + [c for c in "sdul" if rng.random() < 0.3 and (c != "l" or not path.endswith(".b2z"))]
    row = make_dataclass("Row", [(c, COLUMNS[c][0], blosc2.field(COLUMNS[c][1]())) for c in names])
    n = rng.randrange(1, rng.choice([40, 1500]))
    if key:
        table = blosc2.CTable(row, expected_size=max(8, n))
        table.extend(rows(rng, names, n))
        with blosc2.TreeStore(path, mode="w") as store:
            store[key] = table
    else:
        table = blosc2.CTable(row, urlpath=path, mode="w", expected_size=max(8, n))
        table.extend(rows(rng, names, n))
        table.close()
    if rng.random() < 0.3 and not key:
        # The library forgets the indexes of before, so this comes first
        with opened(path, key, "a") as table:
            table.add_generated_column("double", values="a * 2", dtype=blosc2.int64())
    with opened(path, key, "a") as table:
        for _ in range(rng.randrange(1, 4)):
            index_column(rng, table, path.endswith(".b2z"), done)
    return ",".join(names)


def change_table(rng, path, key, done):
    with opened(path, key, "a") as table:
        names = plain(table)
        for _ in range(rng.randrange(1, 3)):
            what = rng.choice(["write", "append", "extend", "delete", "rebuild", "rebuild", "rebuild", "add"])
            if what == "write" and len(table):
                name = rng.choice(["a", "b"])
                start = rng.randrange(len(table))
                stop = rng.randrange(start, len(table)) + 1
                table[name][start:stop] = np.array([value(rng, name) for _ in range(stop - start)])
            elif what == "append":
                table.append(rows(rng, names, 1)[0])
            elif what == "extend":
                table.extend(rows(rng, names, rng.randrange(1, 50)))
            elif what == "delete" and len(table) > 1:
                table.delete(sorted(rng.sample(range(len(table)), rng.randrange(1, max(2, len(table) // 4)))))
            elif what == "rebuild":
                for i in table.indexes:
                    if i.stale:
                        where = i.col_name
                        if where in table.col_names and where in COLUMNS and where != "l":
                            table.rebuild_index(where)
            elif what == "add":
                index_column(rng, table, path.endswith(".b2z"), done)
            done.append(what)


def rewrite_table(path, key):
    with opened(path, key, "a") as table:
        for name in ["a", "b"] if len(table) else []:
            table[name][:] = table[name][:]


def query_table(rng, path, key, count, answer):
    with opened(path, key, "r") as table:
        names = plain(table)
        valid = np.asarray(table._valid_rows[:])
        data = {name: table[name][:] for name in names}
        n = int(valid.sum())
        for name, column in data.items():
            if len(column) != n:
                answer["wrong"].append(f"{len(column)} rows of {name}, {n} are there")
        if len(table) != n:
            answer["wrong"].append(f"{len(table)} rows, {n} are there")
        for i in table.indexes:
            answer["stale" if i.stale else "fresh"] += 1
        fresh = any(not i.stale for i in table.indexes)
        for _ in range(count if n else 0):
            name = rng.choice([c for c in names if c != "l"])
            if name in "sdu":
                v = data[name][rng.randrange(n)]
                text, mask = f"{name} == {str(v)!r}", np.array([x == v for x in data[name]])
            elif rng.random() < 0.25:
                bound = rng.randrange(80)
                text, mask = f"(a + b) > {bound}", data["a"] + data["b"] > bound
            else:
                text, holds = condition(rng, name, np.asarray(data[name]))
                mask = holds(np.asarray(data[name]))
            found = table.where(text)
            answer["queries"] += 1
            answer["indexed"] += fresh
            for c in ("a", "b"):
                if not same(np.asarray(found[c][:]), np.asarray(data[c])[mask]):
                    answer["wrong"].append(f"{text}: {len(found)} rows, the scan has {mask.sum()}: {[(i.kind, i.stale, i.col_name) for i in table.indexes]}")
                    break
        if "l" in names and n:
            v = rng.randrange(8)
            found = table.where(table.l.contains(v))
            answer["queries"] += 1
            want = np.array([v in (x or []) for x in data["l"]])
            if not same(np.asarray(found["a"][:]), np.asarray(data["a"])[want]):
                answer["wrong"].append(f"lists with {v}: {len(found)} rows, the scan has {want.sum()}")
        if n:
            name = rng.choice(["a", "b"])
            got = np.asarray(table.sort_by(name)[name][:])
            answer["queries"] += 1
            if not same(got, np.sort(data[name])):
                answer["wrong"].append(f"sorted by {name}: {len(got)} rows of {n}")
        if "double" in table.col_names:
            answer["queries"] += 1
            try:
                if not same(np.asarray(table.double[:]), np.asarray(data["a"]) * 2):
                    answer["wrong"].append("the generated column is another")
            except ValueError as e:
                if "stale" not in str(e):
                    raise


def run(c):
    if c["op"] == "hello":
        return {"versions": f"C-Blosc2 {blosc2.blosclib_version.split()[0]}, python-blosc2 {blosc2.__version__}, numpy {np.__version__}"}
    rng, done = random.Random(c["seed"]), []
    answer = {"queries": 0, "indexed": 0, "fresh": 0, "stale": 0, "wrong": [], "done": done, "what": ""}
    if c["op"] == "make":
        answer["what"] = make_table(rng, c["path"], c["key"], done) if c["table"] else make_array(rng, c["path"], done)
    elif c["op"] == "change":
        change_table(rng, c["path"], c["key"], done) if c["table"] else change_array(rng, c["path"], done)
    elif c["op"] == "rewrite":
        rewrite_table(c["path"], c["key"]) if c["table"] else rewrite_array(c["path"])
    elif c["table"]:
        query_table(rng, c["path"], c["key"], c["count"], answer)
    else:
        query_array(rng, c["path"], c["count"], answer)
    return answer


def main():
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                answer = run(json.loads(line))
            except Exception as e:
                answer = {"error": f"{type(e).__name__}: {e}", "trace": traceback.format_exc()}
            os.write(1, (json.dumps(answer) + "\n").encode())
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            os.write(1, (json.dumps({"error": f"the process ended with {status}", "trace": ""}) + "\n").encode())


main()
