package ndarray

import (
	"slices"

	"github.com/cairn-go/cairn/internal/decoded"
	"github.com/cairn-go/cairn/ndarray/internal/blockcache"
)

// SetCacheBytes sets how many bytes the process keeps of decoded chunks, of all HDF5, NetCDF-4 and
// Zarr files that are open, and returns how many it was: 64 MiB until it is set, or a sixteenth of
// the process's memory limit (GOMEMLIMIT) if that is less. 0 keeps nothing. Arrays of Blosc2 have
// caches of their own: see [Options.CacheBytes] and [NewCache].
//
// Reads of parts of chunks leave the chunks there, for the next that need them: reading plane by
// plane decodes each chunk once. Goroutines that need a chunk at the same time share its decoding.
// Reads of whole chunks, and those that touch more than half of the bytes, leave nothing. What is
// kept of a file ends when that is closed.
func SetCacheBytes(bytes int64) (was int64) { return decoded.Shared().SetBudget(bytes) }

// A Cache keeps decoded blocks of all arrays that are opened with it, in a bounded amount of
// memory: a program that has thousands of arrays open gives it to each of them. Blocks that are
// read often stay, whichever array they are of. Reads of more than a quarter of its size bypass it.
// Any number of goroutines and arrays may use it.
type Cache struct{ pool *blockcache.Pool }

// NewCache returns a cache of the given number of bytes, for [OpenOptions.Cache] and
// [Options.Cache].
func NewCache(bytes int64) *Cache { return &Cache{blockcache.NewPool(max(0, bytes))} }

// newCache returns the cache of an array: its share of one that is given, or its own, or nil.
func newCache(given *Cache, blockSize, bytes int64) *blockcache.Cache {
	if given != nil && given.pool != nil {
		return given.pool.Cache()
	}
	return blockcache.New(blockSize, bytes)
}

// cacheSink are the blocks that a read did not find in the cache, and will put there.
type cacheSink struct {
	blocks []int    // numbers of the missing blocks
	data   [][]byte // their decoded bytes
}

// Dst returns where a missing block is to be decoded.
func (c *cacheSink) Dst(index, size int) []byte {
	i, _ := slices.BinarySearch(c.blocks, index)
	return c.data[i][:size]
}

// Put does nothing: Dst gives every block its place.
func (c *cacheSink) Put(int, []byte) {}
