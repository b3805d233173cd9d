"""Records which block size and flags the real library chooses, for random parameters.

Run with a Python that has the blosc2 package: python gen_policy.py > policy.txt
One line per case: codec id, level, typesize, nbytes, split mode, filter in the last slot, block size asked for;
then what the header says: flags byte and block size.
"""
import random
import struct

import blosc2
import numpy as np

random.seed(20)
print("# python-blosc2", blosc2.__version__, "C-Blosc2", blosc2.blosclib_version)
data = np.arange(1 << 20, dtype="<u4").view("u1")
codecs = [blosc2.Codec.BLOSCLZ, blosc2.Codec.LZ4, blosc2.Codec.LZ4HC, blosc2.Codec.ZLIB, blosc2.Codec.ZSTD]
sizes = [31, 32, 33, 100, 127, 1000, 4096, 32767, 32768, 65536, 100000, 262144, 1000003, 1 << 20, 1 << 22]
for _ in range(1200):
    codec = random.choice(codecs)
    level = random.randint(0, 9 if codec != blosc2.Codec.ZSTD else 7)
    typesize = random.choice([1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 32, 100, 255])
    nbytes = random.choice(sizes)
    if codec in (blosc2.Codec.LZ4HC, blosc2.Codec.ZLIB) and nbytes > 300000 and level > 4:
        nbytes = 262144
    split = random.choice(list(blosc2.SplitMode))
    filt = random.choice([blosc2.Filter.NOFILTER, blosc2.Filter.SHUFFLE, blosc2.Filter.BITSHUFFLE])
    asked = random.choice([0, 0, 0, 512, 4096, 65536, 1 << 21]) // typesize * typesize
    if asked > nbytes:
        # The library would store the unrounded size, which even its own decoder cannot use
        asked = 0
    out = blosc2.compress2(
        data[:nbytes].tobytes(), codec=codec, clevel=level, typesize=typesize, splitmode=split,
        filters=[blosc2.Filter.NOFILTER] * 5 + [filt], filters_meta=[0] * 6, blocksize=asked, nthreads=1)
    flags, blocksize = out[2], struct.unpack_from("<i", out, 8)[0]
    print(int(codec.value), level, typesize, nbytes, int(split.value), int(filt.value), asked, flags, blocksize)
