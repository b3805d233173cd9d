"""Replays programs on NumPy and on python-blosc2: one JSON program per line on stdin, one JSON answer per line on stdout. Bytes travel as base64.

NumPy says what every step should give. The array of python-blosc2 follows where it can express the step; where it cannot, or refuses, it
is given NumPy's result whole, and the answer counts the step as such.
"""

import ast
import base64
import json
import sys
import traceback

import blosc2
import numpy as np

blosc2.set_nthreads(1)


def pack(a):
    return base64.b64encode(np.ascontiguousarray(a).tobytes()).decode()


def dtype_of(text):
    return np.dtype(ast.literal_eval(text)) if text[0] in "[{" else np.dtype(text)


def one(k):
    """A key of one dimension as NumPy has it."""
    kind = k["kind"]
    if kind == "new":
        return None
    if kind == "ellipsis":
        return Ellipsis
    if kind == "index":
        return k["start"]
    if kind == "list":
        return np.array(k.get("list") or [], dtype=np.int64)
    if kind == "mask":
        return np.array(k.get("list") or [], dtype=bool)
    return slice(k.get("start"), k.get("stop"), k.get("step") or None)


def spread(key, ndim):
    given = sum(k is not None and k is not Ellipsis for k in key)
    if given > ndim or sum(k is Ellipsis for k in key) > 1:
        raise IndexError("too many indices")
    if not any(k is Ellipsis for k in key):
        key = key + [Ellipsis]
    out = []
    for k in key:
        out += [slice(None)] * (ndim - given) if k is Ellipsis else [k]
    return out


def outer(a, key):
    """What a key selects of a, as an array of positions in C order: with lists along each dimension by itself."""
    at = np.arange(a.size, dtype=np.int64).reshape(a.shape)
    key = [one(k) for k in key or []]
    if not any(isinstance(k, np.ndarray) for k in key):
        return at[tuple(key)]
    out, axis = at, 0
    for k in spread(key, a.ndim):
        if k is None:
            out = np.expand_dims(out, axis)
        elif isinstance(k, (int, np.integer)):
            out = out[(slice(None),) * axis + (k,)]
            continue
        else:
            out = out[(slice(None),) * axis + (k,)]
        axis += 1
    return out


def through(a, lens):
    at = np.arange(a.size, dtype=np.int64).reshape(a.shape)
    for t in lens or []:
        axes = t.get("axes") or []
        if t["do"] == "slice":
            at = at.ravel()[outer(at, t.get("key"))]
        elif t["do"] == "transpose":
            at = at.transpose(axes)
        elif t["do"] == "squeeze":
            at = np.squeeze(at, axes[0])
        elif t["do"] == "expand":
            at = np.expand_dims(at, axes[0])
        else:
            at = np.flip(at, axes[0])
    return at


class World:
    """The array as NumPy has it, and the file in which python-blosc2 follows."""

    def __init__(self, p, path):
        self.p, self.path = p, path
        self.dtype = dtype_of(p["dtype"])
        self.fill = np.frombuffer(base64.b64decode(p["fill"] or "") or bytes(self.dtype.itemsize), self.dtype)[0]
        self.now = self.filled(p["shape"])
        self.committed = self.now.copy()
        self.native = self.whole = 0
        self.file = self.create(self.now)

    def filled(self, shape):
        out = np.empty(shape, self.dtype)
        out[...] = self.fill
        return out

    def create(self, values):
        kw = {}
        if self.p["chunks"] and len(self.p["chunks"]) == values.ndim and values.size:
            kw = dict(chunks=[min(c, n) for c, n in zip(self.p["chunks"], values.shape)])
            kw["blocks"] = [min(b, c) for b, c in zip(self.p["blocks"], kw["chunks"])]
        level = max(0, self.p["level"])
        cp = blosc2.CParams(codec=blosc2.Codec[self.p["codec"].upper()], clevel=level, typesize=self.dtype.itemsize, nthreads=1)
        return blosc2.asarray(values, urlpath=self.path, mode="w", contiguous=not self.p["sparse"], cparams=cp, dparams=blosc2.DParams(nthreads=1), **kw)

    def data(self, step):
        return np.frombuffer(base64.b64decode(step.get("data") or ""), self.dtype)

    def follow(self, act):
        """Has python-blosc2 do the step, or take over the result."""
        try:
            act(self.file)
            got = self.file[...] if self.file.shape == self.now.shape else None
            if got is not None and got.tobytes() == self.now.tobytes():
                self.native += 1
                return
        except Exception:
            pass
        self.whole += 1
        del self.file
        self.file = self.create(self.now)

    def apply(self, s):
        do = s["do"]
        if do in ("read", "points", "mask", "view"):
            at = np.asarray(self.places(s))
            # A scalar would lose its byte order
            return self.now.ravel()[at.ravel()].reshape(at.shape)
        if do in ("write", "scatter", "paint", "through", "fill"):
            self.write(s)
        elif do == "atomically":
            self.atomically(s)
        elif do in ("rollback", "kill"):
            self.now = self.committed.copy()
            self.follow(lambda f: None)
        elif do in ("commit", "reopen", "compact", "copy"):
            self.committed = self.now.copy()
            del self.file
            self.file = blosc2.open(self.path, mode="a")
        elif do in ("resize", "append", "insert", "delete", "concat"):
            self.reshape(s)
            if do == "concat":
                self.committed = self.now.copy()
        return None

    def places(self, s):
        do = s["do"]
        if do in ("points", "scatter"):
            at = np.arange(self.now.size, dtype=np.int64).reshape(self.now.shape)
            points = s.get("points") or []
            points = np.array(points, dtype=np.int64).reshape(len(points), self.now.ndim)
            return at[tuple(points.T)] if self.now.ndim else np.zeros(len(points), np.int64)
        if do in ("mask", "paint"):
            mask = np.frombuffer(base64.b64decode(s.get("mask") or ""), bool)
            return np.flatnonzero(mask)
        if do in ("view", "through"):
            return through(self.now, s.get("lens"))
        return outer(self.now, s.get("key"))

    def write(self, s):
        at = self.places(s)
        values = self.data(s)
        flat = self.now.reshape(-1).copy()
        if s["do"] == "fill":
            flat[at] = values[0]
        else:
            # NumPy does not promise the order in which a list with repeats is assigned.
            for place, value in zip(at.ravel(), values):
                flat[place] = value
        self.now = flat.reshape(self.now.shape)
        key = [one(k) for k in s.get("key") or []]

        def native(f):
            if s["do"] not in ("write", "fill") or any(k is None for k in key):
                raise NotImplementedError
            value = values[0] if s["do"] == "fill" else values.reshape(at.shape)
            if any(isinstance(k, np.ndarray) for k in key):
                raise NotImplementedError
            f[tuple(key)] = value

        self.follow(native)

    def reshape(self, s):
        do, axis, a = s["do"], s.get("axis", 0), self.now
        values, at, to = self.data(s), s.get("at", 0), s.get("to", 0)

        def slab(n):
            return values.reshape(a.shape[:axis] + (n,) + a.shape[axis + 1:])

        native = lambda f: (_ for _ in ()).throw(NotImplementedError)
        if do == "resize":
            shape = tuple(s.get("shape") or [])
            if len(shape) != a.ndim:
                raise IndexError("dimensions")
            out = self.filled(shape)
            box = tuple(slice(0, min(m, n)) for m, n in zip(shape, a.shape))
            out[box] = a[box]
            self.now = out
            if not self.fill.tobytes().strip(b"\0"):
                native = lambda f: f.resize(shape)
        elif axis >= a.ndim:
            raise IndexError("axis")
        elif do == "delete":
            self.now = np.delete(a, slice(at, to), axis)
        elif do == "insert":
            self.now = np.concatenate([np.take(a, range(at), axis), slab(to), np.take(a, range(at, a.shape[axis]), axis)], axis)
        else:
            self.now = np.concatenate([a, slab(at)], axis)
            if do == "append":
                native = lambda f: f.append(slab(at), axis=axis)
        self.now = self.now.astype(self.dtype, copy=False)  # concatenate forgets the byte order
        self.follow(native)

    def atomically(self, s):
        before = self.now.copy()
        try:
            for inner in s.get("steps") or []:
                self.apply(inner)
            if s.get("fail"):
                raise IndexError("on purpose")
        except IndexError:
            self.now = before
            self.follow(lambda f: None)
            raise
        self.committed = self.now.copy()


def replay(c):
    w, reads, failed = World(c["program"], c["path"]), [], []
    for i, s in enumerate(c["program"]["steps"] or []):
        try:
            got = w.apply(s)
        except (IndexError, ValueError):
            failed.append(i)
            continue
        if got is not None:
            reads.append({"shape": list(got.shape), "data": pack(got)})
    theirs = None
    if c.get("cairn"):
        a = blosc2.open(c["cairn"], mode="r")
        theirs = {"shape": list(a.shape), "data": pack(a[...] if a.ndim else a[()])}
    final = {"shape": list(w.now.shape), "data": pack(w.now)}
    return {"reads": reads, "failed": failed, "final": final, "theirs": theirs, "native": w.native, "whole": w.whole}


def hello(_):
    return {"versions": f"C-Blosc2 {blosc2.blosclib_version.split()[0]}, python-blosc2 {blosc2.__version__}, numpy {np.__version__}"}


def main():
    for line in sys.stdin:
        try:
            command = json.loads(line)
            answer = {"hello": hello, "replay": replay}[command["op"]](command)
        except Exception as e:  # the driver decides what a failure means
            answer = {"error": f"{type(e).__name__}: {e}", "trace": traceback.format_exc()}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
