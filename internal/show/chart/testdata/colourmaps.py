"""Writes the 256 colours of some of Matplotlib's colour maps: python colourmaps.py > matplotlib.txt

With the argument "places" it writes the fewest of them between which straight lines differ by at
most one step from all others, as knownmaps.go has them.
"""

import sys

import matplotlib


def colours(name):
    return [[round(c * 255) for c in matplotlib.colormaps[name](i)[:3]] for i in range(256)]


def fits(all, a, b):
    for i in range(a + 1, b):
        w = (i - a) / (b - a)
        for low, high, want in zip(all[a], all[b], all[i]):
            if abs(int(low + w * (high - low) + 0.5) - want) > 1:
                return False
    return True


def places(all):
    fewest, before = [0], [0]
    for b in range(1, 256):
        count, a = min((fewest[a] + 1, a) for a in range(b) if fits(all, a, b))
        fewest.append(count)
        before.append(a)

    found = [255]
    while found[0] > 0:
        found.insert(0, before[found[0]])
    return found


for name in "viridis magma inferno plasma cividis RdBu".split():
    all = colours(name)
    if sys.argv[1:] == ["places"]:
        print(name, *[f"{i}:{bytes(all[i]).hex()}" for i in places(all)])
    else:
        print(name, bytes(sum(all, [])).hex())
