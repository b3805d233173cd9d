"""A decoder of the codec numeric, written from docs/format/numeric.md alone, and slow.

    numeric.py PAGE     decodes the test vectors of the page, and checks that python-blosc2 refuses
                        a file with the codec, and reads what cairn then makes of it
"""

import os
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np


class Bits:
    def __init__(self, src, at):
        self.word = int.from_bytes(src[at:], "little")
        self.begin, self.at, self.size = at, 0, 8 * (len(src) - at)

    def read(self, n):
        if self.at + n > self.size:
            raise ValueError("the stream ends too early")
        v = self.word >> self.at & ((1 << n) - 1)
        self.at += n
        return v

    def align(self):
        if self.read(-self.at % 8):
            raise ValueError("padding is not zero")
        return self.begin + self.at // 8


class Stream:
    def __init__(self, src):
        self.src, self.at = src, 0

    def byte(self):
        self.at += 1
        return self.src[self.at - 1]

    def varint(self):
        v = shift = 0
        while True:
            b = self.byte()
            v |= (b & 127) << shift
            shift += 7
            if b < 128:
                return v

    def item(self, size):
        self.at += size
        return int.from_bytes(self.src[self.at - size:self.at], "little")

    def double(self):
        return struct.unpack("<d", self.item(8).to_bytes(8, "little"))[0]

    def run(self, n, width):
        b = Bits(self.src, self.at)
        t, count = b.read(4), 1 + b.read(15)
        length = {8: 4, 16: 5, 32: 6, 64: 7}[width]
        bins, lower = [], 0
        for i in range(count):
            weight = 1 + b.read(t)
            lower += b.read(b.read(length) if i else width)
            bins.append((weight, lower, b.read(length)))
        if sum(w for w, _, _ in bins) != 1 << t:
            raise ValueError("wrong sum of weights")

        size, at = 1 << t, 0
        owner = [0] * size
        for i, (weight, _, _) in enumerate(bins):
            for _ in range(weight):
                owner[at] = i
                at = (at + (size * 3 // 5 | 1)) % size
        seen, node = [w for w, _, _ in bins], []
        for i in owner:
            x = seen[i]
            seen[i] += 1
            r = t - (x.bit_length() - 1)
            node.append((i, r, (x << r) - size))

        states = [b.read(t) for _ in range(4)]
        b.align()
        out = []
        for begin in range(0, n, 256):
            batch = []
            for k in range(min(256, n - begin)):
                i, r, base = node[states[k % 4]]
                states[k % 4] = base + b.read(r)
                batch.append(bins[i])
            out += [low + b.read(offset) for _, low, offset in batch]
        self.at = b.align()
        return np.array([v & (1 << width) - 1 for v in out], f"u{width // 8}")


def special(s, n, size):
    """The groups of special items: where each begins, and its items."""
    groups = s.varint()
    if not groups:
        return []
    values = [s.item(size) for _ in range(s.byte())]
    gaps, lengths, which = s.run(groups, 32), s.run(groups, 32), s.run(groups, 8)
    literals = sum(int(l) + 1 for l, k in zip(lengths, which) if k == len(values))
    others = list(s.run(literals, 8 * size)) if literals else []

    at, all = 0, []
    for gap, length, k in zip(gaps, lengths, which):
        at, length = at + int(gap), int(length) + 1
        if k < len(values):
            items = [values[k]] * length
        else:
            items, others = others[:length], others[length:]
        all.append((at, items))
        at += length
    if at > n:
        raise ValueError("special items beyond those in use")
    return all


def integers(s, n, width):
    classes = s.byte()
    if classes == 1:
        return s.run(n, width)
    log = s.byte()
    kind = np.cumsum(s.run(-(-n >> log), 8).astype(int)) % classes
    of = np.repeat(kind, 1 << log)[:n]
    out = np.zeros(n, f"u{width // 8}")
    for k in range(classes):
        if (of == k).any():
            out[of == k] = s.run(int((of == k).sum()), width)
    return out


def multiples_of(k, how, scale, offset, width):
    f = k.view(f"i{width // 8}").astype("f8")
    f = f / scale if how & 1 else f * scale
    if how & 2:
        f = f + offset
    if how & 8:
        f = f.astype("f4")
    return f.astype(f"f{width // 8}").view(k.dtype)


def items_of(k, mode, parameter, first, width):
    u = k.dtype.type
    with np.errstate(over="ignore"):
        if mode == 0:
            return k * u(parameter % (1 << width)) + u(first)
        k = k + u(first)
        if mode == 3:
            return multiples_of(k, *parameter, width)
        if mode == 1:
            top = 1 << width - 1 - parameter
            k = k & u(2 * top - 1)
            return np.where(k & u(top), k ^ u(top), ~k & u(2 * top - 1)) << u(parameter)
    f = k.view(f"i{width // 8}").astype("f8")
    f = f / 10.0**parameter if parameter >= 0 else f * 10.0**-parameter
    return f.astype(f"f{width // 8}").view(k.dtype)


def stored(frame, nbytes):
    """The bytes of a Zstandard frame that has them in one block, as they are."""
    if frame[:6] != bytes.fromhex("28b52ffd20") + bytes([nbytes]):
        raise ValueError("another frame")
    head = int.from_bytes(frame[6:9], "little")
    if head & 7 != 1 or head >> 3 != nbytes or len(frame) != 9 + nbytes:
        raise ValueError("another block")
    return np.frombuffer(frame[9:], "u1")


def digits(s, n, size, runs):
    """So many runs of integers, of which each place has a row of digits."""
    rows = stored(s.src[s.at:], runs * size * n).reshape(runs, size, n)
    s.at = len(s.src)
    of = f"u{size}"
    with np.errstate(over="ignore"):
        return [sum((row.astype(of) - np.array(128, of)) << np.array(8 * place, of) for place, row in enumerate(k))
                for k in rows]


def decode(src, nbytes, as_digits=False):
    """The bytes of a block of so many from its stream, without the byte for the method."""
    s = Stream(src)
    kind = s.byte()
    size, mode = 1 << (kind & 15), kind >> 4
    width = 8 * size
    parameter = s.varint() if mode == 0 else s.byte()
    if mode == 2:
        parameter = parameter - 256 if parameter > 127 else parameter
    if mode == 3:
        how = parameter
        parameter = how, s.double(), s.double() if how & 2 else 0
    pairs = [(s.varint(), s.varint()) for _ in range(s.byte())]
    shape, used = [p[0] for p in pairs], [p[1] for p in pairs]
    passes = [s.byte() for _ in range(s.byte())]
    first = s.item(size)
    block = np.zeros(shape, f"u{size}")
    if block.nbytes != nbytes:
        raise ValueError("another shape than that of the block")

    n = int(np.prod(used, dtype=int))
    if n:
        groups = special(s, n, size)
        half = block.dtype.type(1 << width - 1)
        adjusted = mode == 3 and parameter[0] & 4
        if as_digits:
            k, *rests = digits(s, n, size, 2 if adjusted else 1)
        else:
            k = integers(s, n, width) ^ half
        k = k.reshape(used)
        for axis in reversed(passes):
            k = np.cumsum(k, axis=axis, dtype=k.dtype)
        items = items_of(k.ravel(), mode, parameter, first, width)
        if adjusted:
            rests = rests[0] if as_digits else s.run(n, width) ^ half
            items = items + (rests << rests.dtype.type(29 if parameter[0] & 8 else 0))
        for at, values in groups:
            items[at:at + len(values)] = values
        block[tuple(slice(0, u) for u in used)] = items.reshape(used)
    if s.at != len(src):
        raise ValueError("bytes behind the end")
    return block.astype(block.dtype.newbyteorder("<")).tobytes()


def whole(src, nbytes):
    """The block of a stream of method 4 or 5 whose Zstandard frame is one stored block."""
    if src[0] == 5:
        return decode(src[1:], nbytes, as_digits=True)
    if src[0] != 4:
        raise ValueError("another stream")
    size = src[1]
    body = stored(src[2:], nbytes)
    n = nbytes // size // 8 * 8
    bits = np.unpackbits(body[:n * size].reshape(8 * size, n // 8), axis=1, bitorder="little")
    items = np.packbits(bits.T, axis=1, bitorder="little")
    return items.tobytes() + body[n * size:].tobytes()


def whole_streams(page):
    text = open(page, encoding="utf-8").read()
    found = re.findall(r"(?m)^. `([0-9a-f]+)` . `([0-9a-f]+)` .$", text)
    for stream, want in found:
        want = bytes.fromhex(want)
        if whole(bytes.fromhex(stream), len(want)) != want:
            raise ValueError(f"method {stream[:2]}: other items")
    return len(found)


def vectors(page):
    found = 0
    for line in open(page, encoding="utf-8"):
        cells = line.strip().split("|")
        if len(cells) == 5 and cells[2].startswith(" `"):
            want, stream = (bytes.fromhex(c.strip(" `")) for c in cells[2:4])
            if decode(stream, len(want)) != want:
                raise ValueError(f"{cells[1].strip()}: other items")
            found += 1
    print(found, "test vectors")
    return found


def there_and_back():
    import blosc2

    a = np.round(np.sin(np.arange(120000).reshape(200, 600) / 500), 3).astype("f4")
    with tempfile.TemporaryDirectory() as folder:
        npy, own, back = (os.path.join(folder, n) for n in ("a.npy", "own.b2nd", "back.b2nd"))
        np.save(npy, a)
        for args in (("import", "-codec", "numeric", npy, own), ("copy", "-codec", "zstd", own, back)):
            subprocess.run(("go", "run", "./cmd/cairn", *args), check=True)
        if os.path.getsize(own) > 0.7 * os.path.getsize(back):
            raise ValueError(f"{os.path.getsize(own)} bytes, {os.path.getsize(back)} with Zstandard")
        if not np.array_equal(blosc2.open(back)[:], a):
            raise ValueError("the copy has other items")
        try:
            blosc2.open(own)[:]
        except RuntimeError as e:
            print("python-blosc2 refuses the codec:", e)
            return
    raise ValueError("python-blosc2 reads what it does not know")


if __name__ == "__main__":
    there_and_back()
    sys.exit(vectors(sys.argv[1]) < 8 or whole_streams(sys.argv[1]) < 3)
