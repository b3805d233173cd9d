"""Writes the 256 colours of some of Matplotlib's colour maps: python colourmaps.py > matplotlib.txt"""

import matplotlib

for name in "viridis magma inferno plasma cividis RdBu".split():
    colours = matplotlib.colormaps[name]
    channels = [round(c * 255) for i in range(256) for c in colours(i)[:3]]
    print(name, bytes(channels).hex())
