"""NumPy's side: it draws arrays and expressions, and judges what cairn made of them.

One JSON command per line comes in, one JSON answer per line goes out.
"""

kept = None


def draw(c):
    rng = np.random.default_rng([c["seed"], c["case"]])
    if c["case"] % 10 == 4:
        return draw_stats(c, rng)
    if c["case"] % 2 == 1:
        return draw_directed(c, rng)
    while True:
        d = Drawn(rng)
        e = Evaluator(d.arrays)
        text, kind = d.exact(int(rng.integers(1, 5))), "elementwise"
        try:
            value = np.asarray(e.value(ast.parse(text, mode="eval").body))
        except Odd:
            continue
        except Exception as refusal:
            if rng.random() < 0.9 or "recursion" in str(refusal):
                continue
            return save(c, d, text, "refused", refusal)
        if value.dtype.kind not in "biufc" or value.ndim == 0 and not any(n in text for n in d.arrays):
            continue
        r = rng.random()
        if r < 0.2:
            kind, text = "function", d.function(text)
        elif r < 0.5:
            kind, text = "reduction", d.reduction(text, value.ndim)
        elif r < 0.6 and value.dtype.kind == "f":
            name = d.pick("sum", "mean", "std", "min", "median")
            kind, text = "composed", f"{d.pick(*d.arrays)} {d.pick('+', '-')} {d.reduction(text, value.ndim, name)}"
        refusal = None
        try:
            expected = e.expected(text)
        except Odd:
            continue
        except Exception as error:
            refusal = error
            if rng.random() < 0.7:
                continue
        if refusal is None and kind == "function" and expected.dtype.kind not in "biufc":
            continue
        return save(c, d, text, kind, refusal, None if refusal else expected)


def draw_directed(c, rng):
    """One operator, function or reduction of certain dtypes; sooner or later of all."""
    while True:
        d, text = directed(rng, c["case"] // 2 + 37 * c["seed"])
        if "**" in text and any(a.ndim == 0 for a in d.arrays.values()):
            continue
        try:
            expected = Evaluator(d.arrays).expected(text)
        except AssertionError:
            raise
        except Exception as error:
            return save(c, d, text, "refused", error)
        return save(c, d, text, "directed", None, expected)


def save(c, d, text, kind, refusal, expected=None):
    global kept
    kept = expected
    for name, a in d.arrays.items():
        np.save(os.path.join(c["dir"], name + ".npy"), a)
    refuse = f"{type(refusal).__name__}: {refusal}" if refusal is not None else ""
    return {"text": text, "names": list(d.arrays), "kind": kind, "refuse": refuse, "complex": d.complex()}


def compare(c):
    got = np.load(os.path.join(c["dir"], "out.npy"))
    if got.dtype != kept.dtype or got.shape != np.shape(kept.low):
        raise ValueError(f"{got.dtype} {got.shape}, want {kept.dtype} {np.shape(kept.low)}")
    bad = np.atleast_1d(kept.wrong(got))
    if np.any(bad):
        at = tuple(int(i[0]) for i in np.nonzero(bad))
        g, low = np.atleast_1d(got)[at], np.atleast_1d(kept.low)[at]
        high = np.atleast_1d(getattr(kept, "high", kept.low))[at]
        raise ValueError(f"{int(np.sum(bad))} of {bad.size} items differ, at {at}: {g!r}, want {low!r} to {high!r}")
    return {}


def draw_stats(c, rng):
    """An array, and arguments of the verb stats."""
    global kept
    d = rng.choice(["?"] + INTS + FLOATS)
    x = numbers(rng, d if d == "?" else rng.choice(list(ORDERS)) + d, draw_shape(rng))
    np.save(os.path.join(c["dir"], "a.npy"), x)
    args = ["stats", "-json"]
    if x.ndim and rng.random() < 0.5:
        parts = [str(rng.choice(["1:", ":-1", "::2", "::-3", ":"])) for _ in range(int(rng.integers(1, x.ndim + 1)))]
        args += ["-s", ",".join(parts)]
        x = eval(f"x[{','.join(parts)}]")
    fractions = [float(q) for q in rng.choice([0, 0.05, 0.333, 0.5, 0.75, 1], int(rng.integers(0, 3)), replace=False)]
    if fractions:
        args += ["-quantiles", ",".join(map(str, fractions))]
    bins = int(rng.choice([0, 1, 7, 100]))
    refuse = ""
    if bins:
        args += ["-hist", str(bins)]
        known = x.astype("f8")[~np.isnan(x)]
        if known.size == 0 or np.any(np.isinf(known)):
            refuse = "ValueError: the range of the histogram is not finite"
        elif known.min() - 0.5 == known.max() + 0.5:
            refuse = "ValueError: the histogram has no width"
    kept = (x, fractions, bins)
    return {"text": " ".join(args), "args": args, "names": ["a"], "kind": "stats", "refuse": refuse}


def compare_stats(c):
    x, fractions, bins = kept
    s = json.loads(c["answer"])
    number = lambda v: None if v is None else float(str(v).replace("Inf", "inf"))
    wide = x.astype("f8").reshape(1, -1)
    known = wide[~np.isnan(wide)]
    a = s["all"]
    want = {"count": x.size, "nan": x.size - known.size, "inf": int(np.sum(np.isinf(known))), "zeros": int(np.sum(known == 0))}
    wrong = [f"{k}: {a[k]}, want {v}" for k, v in want.items() if a[k] != v]
    if s["shape"] != list(x.shape) or np.dtype(s["dtype"]) != x.dtype:
        wrong.append(f"{s['dtype']} {s['shape']}, want {x.dtype} {x.shape}")
    if known.size:
        t = x.dtype.newbyteorder("=").type
        ends = [np.nanmin(x), np.nanmax(x)]
        got = [a["min"], a["max"]] if x.dtype.kind in "biu" else [t(number(a["min"])), t(number(a["max"]))]
        if got != ends:
            wrong.append(f"ends {got}, want {ends}")
        rms = np.sqrt(np.mean(known.astype(LONG) ** 2))
        off = (x.size + 8) * U * rms
        for key, v in (("mean", np.mean(known.astype(LONG))), ("std", np.std(known.astype(LONG)))):
            if Between(v, off, "f8").wrong(np.float64(number(a[key]))) and a[key] != 0:
                wrong.append(f"{key} {a[key]}, want {v} to within {off}")
    quantiles = [(q["fraction"], number(q["value"])) for q in s.get("quantiles") or []]
    want = [(q, quantile(wide, q, True)[0]) for q in fractions] if known.size else []
    if not np.array_equal(quantiles, want, equal_nan=True):
        wrong.append(f"quantiles {quantiles}, want {want}")
    if bins:
        # NumPy's own bins of integers and short floats are cut in their dtype
        counts = np.histogram(known, bins)[0].tolist()
        if s["histogram"]["counts"] != counts:
            wrong.append(f"histogram {s['histogram']}, want {counts}")
    if wrong:
        raise ValueError("; ".join(wrong))
    return {}


def coverage(c):
    text, missing = table()
    return {"table": text, "missing": missing}


def hello(c):
    return {"versions": f"C-Blosc2 {blosc2.blosclib_version.split()[0]}, python-blosc2 {blosc2.__version__}, numpy {np.__version__}"}


OPS = {"hello": hello, "draw": draw, "compare": compare, "stats": compare_stats, "coverage": coverage}

for line in sys.stdin:
    command = json.loads(line)
    try:
        answer = OPS[command["op"]](command)
    except Exception as e:
        answer = {"error": f"{type(e).__name__}: {e}", "trace": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
