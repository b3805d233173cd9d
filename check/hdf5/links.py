# Writes files that lead into one another, by links and as virtual datasets, and tells what h5py
# finds at paths of the first one. links.go runs this file together with draw.py and peer.py.
import os
import shutil

# The first file is a/main.h5.
OTHERS = ["a/s0.h5", "a/sub/s1.h5", "b/t0.h5"]
TARGETS = ["/", "/d", "d", "/g", "/g/e", "g/./e", "/g/e/", "/nowhere", "/g/nowhere", "/d/e", "/way", "/g/way", "/back"]


def link_files(c):
    rng = np.random.default_rng([c["seed"], c["case"], 1])
    root, made = c["root"], []
    os.makedirs(root + "/a/sub", exist_ok=True)  # left by a peer that crashed
    os.makedirs(root + "/b", exist_ok=True)
    for at in [*OTHERS, "a/main.h5"]:
        with h5py.File(f"{root}/{at}", "w", libver=pick(rng, *LIBVERS), track_order=chance(rng, 30)) as f:
            link_members(rng, root, at, f)
    for i in range(int(rng.integers(1, 6))):
        made.append(virtual(rng, root, "a/main.h5", i))
    if chance(rng, 40):
        virtual(rng, root, "a/s0.h5", 0, "w")
    with h5py.File(root + "/a/main.h5", "r+") as f:
        for i in range(2):
            f["to virtual%d" % i] = pick(rng, h5py.SoftLink("/virtual0"), h5py.ExternalLink("s0.h5", "/virtual0"))
    return {"virtual": made}


def link_members(rng, root, at, f):
    """Adds what the targets name, and links."""
    groups = [f, f.create_group("g"), f.create_group("g/h")]
    f["d"] = np.arange(int(rng.integers(1, 9)), dtype=pick(rng, "<i4", ">f8", "u1"))
    f["g"].create_dataset("e", data=rng.integers(0, 99, (3, 4)), chunks=(2, 2), compression="gzip")
    f["g/e"].attrs["units"] = "K"
    for i in range(int(rng.integers(2, 12))):
        name = pick(rng, "way", "back", "l%d" % i, "été%d" % i)
        g = pick(rng, *groups)
        if name in g or g.get(name, getlink=True, default=None) is not None:
            continue
        kind = pick(rng, "soft", "soft", "hard", "external", "external", "external")
        target = pick(rng, *TARGETS)
        if kind == "soft":
            g[name] = h5py.SoftLink(pick(rng, target, target, name, "l%d" % (i + 1), "/l%d" % (i - 1), ".", "h/./h"))
        elif kind == "hard":
            g[name] = f[pick(rng, "/", "/d", "/g", "/g/e", "/g/h")]
        else:
            g[name] = h5py.ExternalLink(other_name(rng, root, at), target)


def other_name(rng, root, at):
    """Returns a name of a file, in a file."""
    other = pick(rng, *OTHERS, *OTHERS, "a/main.h5", "a/missing.h5", "c/missing.h5")
    kind = pick(rng, "relative", "relative", "absolute", "moved", "around")
    if kind == "absolute":
        return f"{root}/{other}"
    if kind == "moved":
        return "/nowhere/at/all/" + os.path.basename(other)
    name = os.path.relpath(other, os.path.dirname(at))
    return name if kind == "relative" else "./sub/../" + name if at.count("/") == 1 and at[0] == "a" else "./" + name


def virtual(rng, root, at, number, letter="v"):
    """Adds a virtual dataset to a file. Returns its name and whether b has items of it."""
    d = np.dtype(pick(rng, "<i4", ">i4", "<f8", ">f4", "u1", "<i2", "S5", "<c8"))
    shape = tuple(int(rng.integers(1, n)) for n in pick(rng, (60,), (20, 20), (20, 20), (6, 9, 9)))
    grows = chance(rng, 20)
    layout = h5py.VirtualLayout(shape, d, maxshape=(None, *shape[1:]) if grows else None)
    uses = []
    for i in range(int(rng.integers(0, 6))):
        other = pick(rng, at, *OTHERS, *OTHERS)
        name = "." if other == at else os.path.relpath(other, os.path.dirname(at))
        if name != "." and chance(rng, 20):
            name = f"{root}/{other}"
        key = "%s%d %d" % (letter, number, i)
        target, box = zip(*(region(rng, n) for n in shape))
        if grows and i == 0:
            growing_source(rng, root, other, key, d, shape)
            source = h5py.VirtualSource(name, key, (1, *shape[1:]), maxshape=(None, *shape[1:]))
            layout[(slice(0, h5py.h5s.UNLIMITED), *(slice(None) for _ in shape[1:]))] = source[(slice(0, h5py.h5s.UNLIMITED), *(slice(None) for _ in shape[1:]))]
            uses.append(name)
            continue
        inner, outer = zip(*(region_of(rng, n) for n in box))
        what = pick(rng, "there", "there", "there", "there", "there", "there", "no file", "no dataset", "other dtype", "other order", "smaller", "larger", "link", "nested")
        if what == "no file":
            name = "missing.h5"
        elif what != "no dataset":
            source_dataset(rng, root, other, key, d, outer, what)
        source = h5py.VirtualSource(name, key, outer)
        layout[target] = source[inner]
        uses.append(name)
    fill = values(rng, 1, d)[0] if chance(rng, 60) else None
    with h5py.File(f"{root}/{at}", "r+", libver="latest") as f:
        f.create_virtual_dataset("virtual%d" % number, layout, fillvalue=fill)
    return {"path": "/virtual%d" % number, "outside": any("/b/" in u for u in uses)}


def region(rng, n):
    """Returns a slice of n items, and how many it has."""
    step = pick(rng, 1, 1, 1, 2, 3)
    start = int(rng.integers(n))
    stop = int(rng.integers(start, n)) + 1
    return slice(start, stop, step), len(range(start, stop, step))


def region_of(rng, n):
    """Returns a slice of n items, and how many a dimension with it has."""
    step, start = pick(rng, 1, 1, 1, 2, 3), int(rng.integers(4))
    end = start + (n - 1) * step + 1
    return slice(start, end, step), end + int(rng.integers(3))


def source_dataset(rng, root, at, key, d, shape, what):
    if what == "other dtype":
        d = np.dtype(pick(rng, "<i8", ">f8", "u2"))
    if what == "other order":
        d = np.dtype(d).newbyteorder("S")
    if what in ("smaller", "larger"):
        shape = tuple(max(1, n + int(rng.integers(-2, 1)) * (1 if what == "smaller" else -1)) for n in shape)
    o = {"chunks": chunks(rng, shape), "compression": "gzip"} if chance(rng, 40) else {}
    with h5py.File(f"{root}/{at}", "r+", libver="latest") as f:
        place = "real " + key if what in ("link", "nested") else key
        x = f.create_dataset(place, shape, d, **o)
        if chance(rng, 85):
            x[...] = values(rng, int(np.prod(shape)), d).reshape(shape)
        if what == "link":
            f[key] = h5py.SoftLink("/" + place)
        if what == "nested":
            layout = h5py.VirtualLayout(shape, d)
            layout[...] = h5py.VirtualSource(".", place, shape)
            f.create_virtual_dataset(key, layout)


def growing_source(rng, root, at, key, d, shape):
    n = int(rng.integers(0, 30))
    with h5py.File(f"{root}/{at}", "r+") as f:
        x = f.create_dataset(key, (n, *shape[1:]), d, maxshape=(None, *shape[1:]), chunks=(4, *shape[1:]))
        x[...] = values(rng, n * int(np.prod(shape[1:], dtype=int)), d).reshape(x.shape)


# --- what h5py finds ---


def probes(c):
    """Returns what h5py finds at paths in four cases: all files are there; b is not; there are no
    external links, and no other files; and how the links of the groups are."""
    root, out = c["root"], open(c["out"], "wb")
    if os.path.exists(root + "/hidden"):  # left by a peer that crashed
        os.rename(root + "/hidden", root + "/b")
    shutil.rmtree(root + "/alone", ignore_errors=True)
    with out:
        paths = set()
        with h5py.File(root + "/a/main.h5", "r") as f:
            names_below(f, "", 4, paths)
            paths |= {"/", "//g//e", "g/./e/", "/g/e/nowhere", "/nowhere/d", "/virtual0/"}
            paths = sorted(paths)
            everywhere = {p: probe(f, p, out) for p in paths}
        os.rename(root + "/b", root + "/hidden")
        with h5py.File(root + "/a/main.h5", "r") as f:
            without = {p: probe(f, p, out) for p in paths}
        os.rename(root + "/hidden", root + "/b")
        os.mkdir(root + "/alone")
        shutil.copy(root + "/a/main.h5", root + "/alone/main.h5")
        with h5py.File(root + "/alone/main.h5", "r+") as f:
            cut(f)
        with h5py.File(root + "/alone/main.h5", "r") as f:
            alone = {p: probe(f, p, out) for p in paths}
        shutil.rmtree(root + "/alone")
    return {"everywhere": everywhere, "without": without, "alone": alone}


def names_below(g, path, depth, paths):
    """Adds the paths of all links, and of those in groups to which they lead."""
    for name in g:
        at = path + "/" + name
        if len(paths) >= 300:
            return
        paths.add(at)
        o = found(g, name)
        if isinstance(o, h5py.Group) and depth > 1:
            names_below(o, at, depth - 1, paths)


def found(g, path):
    try:
        return g[path]
    except (KeyError, OSError, RuntimeError, ValueError):
        return None


def probe(f, path, out):
    o = found(f, path)
    if o is None:
        return {"kind": ""}
    if isinstance(o, h5py.Group):
        return {"kind": "group", "links": [link(o, n) for n in o]}
    answer = {"kind": "dataset", "address": h5py.h5o.get_info(o.id).addr, "shape": list(o.shape), "attributes": len(o.attrs),
              "virtual": [s.file_name for s in o.virtual_sources()] if o.is_virtual else []}
    answer["misfit"] = any(misfit(o, i) for i in range(len(answer["virtual"])))
    try:
        a = read(o, answer)
    except OSError as e:
        answer["unread"] = str(e)
        return answer
    answer["columns"], data = items(a, o.id.get_type(), a.ndim, f)
    answer["at"], answer["size"] = out.tell(), len(data)
    out.write(data)
    return answer


def read(o, answer):
    """Reads all items. Where mappings overlap, the library leaves places in memory as they were that
    no mapping has, instead of the fill value."""
    if o.size == 0 or not o.is_virtual:
        return np.asarray(o[()], o.dtype)
    reads = []
    for b in 0, 255:
        a = np.frombuffer(bytearray([b]) * (o.size * o.dtype.itemsize), o.dtype).reshape(o.shape)
        o.read_direct(a)
        reads.append(a)
    same = [a.reshape(-1).view("u1").reshape(o.size, -1) for a in reads]
    left = (same[0] != same[1]).any(1)
    answer["left"] = int(left.sum())
    reads[0].reshape(-1)[left] = o.fillvalue
    return reads[0]


def misfit(o, i):
    """Reports whether the source of a mapping is there, but does not have all the items. The library
    then fails, or reads what is behind the items."""
    plist = o.id.get_create_plist()
    name, selected = plist.get_virtual_filename(i), plist.get_virtual_srcspace(i)
    at = os.path.join(os.path.dirname(o.file.filename), "" if name == "." else name)
    at = o.file.filename if name == "." else at
    try:
        last = selected.get_select_bounds()[1]
    except (ValueError, RuntimeError):  # nothing, or a dimension without bound
        return False
    if not os.path.exists(at):
        return False
    with h5py.File(at, "r") as f:
        source = found(f, plist.get_virtual_dsetname(i))
        if source is None:
            return False
        return any(end >= n for end, n in zip(last, source.shape))


def cut(f):
    """Deletes the external links of a file."""
    groups, seen = [f], set()
    while groups:
        g = groups.pop()
        at = h5py.h5o.get_info(g.id).addr
        if at in seen:
            continue
        seen.add(at)
        for name in list(g):
            l = g.get(name, getlink=True)
            if isinstance(l, h5py.ExternalLink):
                del g[name]
            elif isinstance(l, h5py.HardLink) and isinstance(g[name], h5py.Group):
                groups.append(g[name])
