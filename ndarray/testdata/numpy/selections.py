"""Writes selections.txt: what NumPy makes of selections of arange arrays: a text per line, and behind it the shape of the result, its first items and a
sum that depends on their order, or "error". Run by hand: python selections.py > selections.txt"""
import random
import numpy as np

SHAPES = [(), (1,), (7,), (13,), (4, 5), (10, 20), (3, 1, 6), (2, 3, 4, 5), (0,), (3, 0, 2)]
BY_HAND = {
    (7,): ["", ":", "...", "::2", "::-1", "::-2", "5:1:-2", "-1:-8:-1", "-1:-9:-3", "6:0:-1", "0::-1", ":2:-1", "100::-1", "-100::-1", "-100:100:3", "3:3", "4:2",
           "::100", "::-100", "::9223372036854775807", "::-9223372036854775808", "[1, 2, 5]", "[5, 5, -1, 0]", "[]", "[7]", "[-8]", "7", "-8", "-7", "6", "None", "None, ::2, None",
           "[True, False, True, False, False, False, True]", "[True, False]", "..., 2", "2, ...", "..., ...", "1, 1", "None, ..., None", "::0", "[1, 2, 5], None"],
    (4, 5): ["1", ":, 1", "::-1, ::-1", "[3, 0], 1:4", "[3, 0], [1, 1, 4]", "1, [2, 0]", "[2, 0], 1", "..., [0]", "[True, False, True, True], ::2", "1:3, None, -1", "4", ":, 5", "1, 2, 3"],
    (): ["", "...", "None", "..., None", "0", ":"],
    (0,): [":", "::-1", "0", "[]", "0:5"],
    (3, 0, 2): ["1", ":, :, 1", ":, 0", ":, [], ::-1"],
}


def parse(text):
    return eval(f"(lambda *s: s)({text})" if not needs_slices(text) else f"np.s_[{text},]", {"np": np, "newaxis": None}) if text else ()


def needs_slices(text):
    return ":" in text


def orthogonal(a, selectors):
    """Each dimension by itself, as np.ix_ and slices would if they could be mixed."""
    given = sum(1 for s in selectors if s is not None and s is not Ellipsis)
    if sum(1 for s in selectors if s is Ellipsis) > 1 or given > a.ndim:
        raise IndexError
    full = []
    for s in selectors:
        full += [slice(None)] * (a.ndim - given) if s is Ellipsis else [s]
    axis, out = 0, a
    for s in full:
        if s is None:
            out = np.expand_dims(out, axis)
            axis += 1
            continue
        if isinstance(s, list):
            s = np.array(s, dtype=bool if s and isinstance(s[0], bool) else np.int64)
        out = out[(slice(None),) * axis + (s,)]
        axis += not isinstance(s, int)
    if not any(isinstance(s, list) for s in selectors):
        assert np.array_equal(out, a[tuple(selectors)]) and out.shape == a[tuple(selectors)].shape
    return out


def describe(a, text):
    try:
        out = np.asarray(orthogonal(a, parse(text)))
    except (IndexError, ValueError):
        return "error"
    flat = [int(v) for v in out.reshape(-1)]
    total = 0
    for v in flat:
        total = (total * 31 + v) % (1 << 32)
    return f"{list(out.shape)} {flat[:6]} {total}"


def random_selector(rnd, n):
    bound = lambda: "" if rnd.random() < 0.4 else str(rnd.randint(-n - 2, n + 2))
    kind = rnd.random()
    if kind < 0.12:
        return str(rnd.randint(-n, n))
    if kind < 0.25:
        return "[" + ", ".join(str(rnd.randint(-n, max(n - 1, 0))) for _ in range(rnd.randint(1, 4))) + "]"
    if kind < 0.32:
        return "None"
    if kind < 0.4:
        return "..."
    step = rnd.choice(["", "", ":-1", ":2", ":-2", ":3", f":{-n - 1}", f":{n + 1}"])
    return f"{bound()}:{bound()}{step}"


def main():
    rnd = random.Random(5)
    for shape in SHAPES:
        a = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
        texts = list(BY_HAND.get(shape, []))
        for _ in range(40):
            texts.append(", ".join(random_selector(rnd, shape[min(i, len(shape) - 1)] if shape else 1) for i in range(rnd.randint(1, len(shape) + 1))))
        for text in dict.fromkeys(texts):
            print(f"{list(shape)}\t{text}\t{describe(a, text)}")


main()
