# The other side of main.go: the library pcodec. Reads a JSON command per line and answers with one.
import base64
import json
import sys
import traceback

import numpy as np
import pcodec
from pcodec import ChunkConfig, DeltaSpec, ModeSpec, PagingSpec, standalone, wrapped

TYPES = "u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8".split()
KINDS = "noise constant walk smooth decimals multiples coarse sparse steps few square period special".split()
MODES = "auto auto auto classic dict multiple quant".split()
DELTAS = "auto auto auto none first second fifth back conv conv3".split()


def drawn(r, t, kind, n):
    """n numbers of a type that some mode or delta is for."""
    d = np.dtype(t)
    at = np.arange(n)
    if kind == "noise":
        return np.frombuffer(r.bytes(n * d.itemsize), d)
    if kind == "constant":
        v = np.full(n, r.integers(0, 100))
    elif kind == "walk":
        v = np.cumsum(np.round(r.normal(0, 3, n)))
    elif kind == "smooth":
        v = np.sin(at / 500) * 1000 + np.sin(at / 37) * 20
    elif kind == "decimals":
        v = r.integers(0, 100000, n) / 100
    elif kind == "multiples":
        v = r.integers(0, 1000, n) * 35.0 + (at % 19 == 0)
    elif kind == "coarse":
        v = np.round(r.normal(0, 100, n) * 4) / 4
    elif kind == "sparse":
        v = np.where(r.random(n) < 0.9, 0, r.integers(0, 50, n))
    elif kind == "steps":
        v = at // 7 * 3 + r.integers(0, 2, n)
    elif kind == "few":
        v = r.normal(0, 1e3, 9)[r.integers(0, 9, n)]
    elif kind == "square":
        v = at * (at / 8.0)
    elif kind == "period":
        v = np.tile(r.normal(0, 1e4, 37), n // 37 + 1)[:n]
    elif kind == "special":
        v = np.where(r.random(n) < 0.1, r.choice([np.nan, np.inf, -np.inf, -0.0, 5e-324, 6e-8], n), r.integers(0, 999, n) / 10)
    if d.kind == "f":
        with np.errstate(over="ignore"):
            return v.astype(d)
    info = np.iinfo(d)
    low, high = max(info.min, -2.0**62), min(info.max, 2.0**62)
    return np.clip(np.nan_to_num(v, posinf=high, neginf=low), low, high).astype(d)


def config(r, t, mode, delta, level, sizes):
    """The configuration, or one without what the library refuses for the type."""
    modes = {
        "auto": ModeSpec.auto, "classic": ModeSpec.classic, "dict": ModeSpec.try_dict,
        "multiple": (lambda: ModeSpec.try_float_mult(0.01)) if t[0] == "f" else (lambda: ModeSpec.try_int_mult(35)),
        "quant": (lambda: ModeSpec.try_float_quant(int(r.integers(1, 9)))) if t[0] == "f" else ModeSpec.classic}
    deltas = {
        "auto": DeltaSpec.auto, "none": DeltaSpec.no_op, "first": lambda: DeltaSpec.try_consecutive(1),
        "second": lambda: DeltaSpec.try_consecutive(2), "fifth": lambda: DeltaSpec.try_consecutive(5),
        "back": DeltaSpec.try_lookback, "conv": lambda: DeltaSpec.try_conv1(6), "conv3": lambda: DeltaSpec.try_conv1(3)}
    if delta.startswith("conv") and t in ("i8", "u8", "f8"):
        delta = "auto"
    if t == "f2" and mode == "multiple":
        mode = "auto"
    return ChunkConfig(compression_level=level, mode_spec=modes[mode](), delta_spec=deltas[delta](), enable_8_bit=True,
                       paging_spec=PagingSpec.exact_page_sizes(sizes)), mode, delta


def cut(r, n):
    """Sizes of pages that n numbers have together."""
    sizes = []
    while n > 0:
        now = int(min(n, r.choice([1, 2, 7, 255, 256, 257, 700, 5000, 100000])))
        sizes.append(now)
        n -= now
        if len(sizes) > 12:
            sizes.append(n)
            break
    return [s for s in sizes if s]


def name(t):
    return t[0] + str(8 * int(t[1]))


def text(b):
    return base64.b64encode(b).decode()


def write(c):
    """Numbers by seed, and what the library makes of them in both forms."""
    r = np.random.default_rng([c["seed"], c["case"]])
    t = TYPES[c["case"] % len(TYPES)]
    kind, mode, delta = str(r.choice(KINDS)), str(r.choice(MODES)), str(r.choice(DELTAS))
    n = int(r.choice([1, 2, 5, 255, 256, 257, 600, 1500, 4000, 30000], p=[0.05, 0.05, 0.05, 0.1, 0.1, 0.1, 0.2, 0.2, 0.13, 0.02]))
    level = int(r.integers(0, 13))
    a = drawn(r, t, kind, n)
    sizes = cut(r, n)
    if delta.startswith("conv") and min(sizes) < 8:
        delta = "auto"  # version 1.1.0 panics when a page is shorter than the weights
    spec, mode, delta = config(r, t, mode, delta, level, sizes)
    file = wrapped.FileCompressor()
    chunk = file.chunk_compressor(a, spec)
    pages = [chunk.write_page(i) for i in range(len(sizes))]
    return {
        "type": t, "what": f"{t} {kind} {n} {mode} {delta} {level} {sizes}", "numbers": text(a.tobytes()),
        "standalone": text(standalone.simple_compress(a, spec)), "header": text(file.write_header()),
        "meta": text(chunk.write_meta()), "pages": [text(p) for p in pages], "sizes": sizes}


def read(c):
    """Whether the library reads from both forms the numbers that they were made of."""
    want = base64.b64decode(c["numbers"])
    d = np.dtype(c["type"])
    back = standalone.simple_decompress(base64.b64decode(c["standalone"]))
    if len(want) and back.tobytes() != want:
        return {"difference": "standalone"}
    header, meta = base64.b64decode(c["header"]), base64.b64decode(c["meta"])
    file, used = wrapped.FileDecompressor.new(header)
    chunk, more = file.chunk_decompressor(meta, name(c["type"]))
    if used != len(header) or more != len(meta):
        return {"difference": f"{used} and {more} bytes of header and metadata"}
    at = 0
    for p, n in zip(c["pages"], c["sizes"]):
        out = np.zeros(n, d)
        raw = base64.b64decode(p)
        progress, used = chunk.read_page_into(raw, n, out)
        if used != len(raw) or out.tobytes() != want[at:at + n * d.itemsize]:
            return {"difference": f"a page of {n} at {at}, {used} of {len(raw)} bytes"}
        at += n * d.itemsize
    return {"difference": "" if at == len(want) else f"{at} of {len(want)} bytes"}


def hello(c):
    return {"versions": f"pcodec {pcodec.__version__ if hasattr(pcodec, '__version__') else ''} numpy {np.__version__}"}


for line in sys.stdin:
    try:
        command = json.loads(line)
        answer = {"hello": hello, "write": write, "read": read}[command["op"]](command)
    except BaseException as e:  # the library's panics are no Exceptions
        answer = {"error": f"{type(e).__name__}: {e}", "trace": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
