package zarr

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/internal/grid"
)

// An openShard is a shard that is being read.
type openShard struct {
	first  grid.Vec // coordinates of its first inner chunk that the box touches
	count  grid.Vec // of those inner chunks
	jobs   int
	key    string
	base   grid.Vec // coordinates of its first inner chunk
	object object   // nil if the shard is missing

	version uint64 // of the object
	loose   bool   // it may change without another version

	list [][2]int64 // of inner chunks
}

const (
	shardsAtOnce = 64      // open at the same time
	indexAtOnce  = 1 << 22 // entries of their indexes
)

// A shardRead is a read of inner chunks.
type shardRead struct {
	*Array
	call *chunked.Call[*readWorker]
}

// readShards reads a box of an array with shards.
func (a *Array) readShards(ctx context.Context, dst []byte, start, stop []int64) error {
	return a.chunks.Call(storedChunks{a}, dst, start, stop, func(c *chunked.Call[*readWorker]) error {
		r := &shardRead{a, c}
		return r.shards(ctx, start, stop)
	})
}

// shards reads inner chunks of shards, some shards at a time.
func (r *shardRead) shards(ctx context.Context, start, stop []int64) error {
	dims := r.part.Dims
	inside, _ := grid.Product(r.perShard())
	most := max(1, min(shardsAtOnce, indexAtOnce/inside))

	var low, high, at grid.Vec
	for d := range dims {
		low[d] = start[d] / r.chunk[d]
		high[d] = (stop[d] - 1) / r.chunk[d]
		at[d] = low[d]
	}

	for more := true; more; {
		var group []*openShard
		for more && int64(len(group)) < most {
			group = append(group, r.shardAt(at[:dims], start, stop))

			d := dims - 1
			for ; d >= 0; d-- {
				if at[d]++; at[d] <= high[d] {
					break
				}
				at[d] = low[d]
			}
			more = d >= 0
		}

		if err := r.group(ctx, group); err != nil {
			return err
		}
	}
	return nil
}

// perShard returns how many inner chunks a shard has in each dimension.
func (r *shardRead) perShard() []int64 {
	count := make([]int64, r.part.Dims)
	for d := range count {
		count[d] = r.chunk[d] / r.shard.inner[d]
	}
	return count
}

// shardAt returns a shard, not opened yet.
func (r *shardRead) shardAt(at, start, stop []int64) *openShard {
	s := &openShard{jobs: 1, key: r.keyOf(at)}
	for d := range at {
		inner := r.shard.inner[d]
		s.base[d] = at[d] * (r.chunk[d] / inner)
		s.first[d] = max(start[d], at[d]*r.chunk[d]) / inner

		// computed from the last item, as the end of the shard may exceed 63 bits
		last := (stop[d] - 1) / inner
		if full := s.base[d] + r.chunk[d]/inner - 1; last > full {
			last = full
		}

		s.count[d] = last - s.first[d] + 1
		s.jobs *= int(s.count[d])
	}
	return s
}

// group reads the inner chunks of some shards.
func (r *shardRead) group(ctx context.Context, group []*openShard) (err error) {
	defer func() {
		for _, s := range group {
			if s.object != nil {
				err = errors.Join(err, s.object.close())
			}
		}
	}()

	ends := make([]int, len(group))
	for i, s := range group {
		ends[i] = s.jobs
		if i > 0 {
			ends[i] += ends[i-1]
		}
	}

	err = r.call.Each(ctx, len(group), func(_, i int) error {
		// Open a shard and read its index.
		s := group[i]
		o, err := r.keys.open(ctx, s.key)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return in("shard "+s.key, err)
		}

		s.object = o
		s.version, s.loose = r.versionOf(o)
		s.list, err = r.shard.readIndex(ctx, o)
		return in("shard "+s.key, err)
	})
	if err != nil {
		return err
	}

	return r.call.Each(ctx, ends[len(ends)-1], func(worker, job int) error {
		k, _ := slices.BinarySearch(ends, job+1)
		if k > 0 {
			job -= ends[k-1]
		}
		if err := r.inner(ctx, worker, group[k], job); err != nil {
			return fmt.Errorf("shard %s: %w", group[k].key, err)
		}
		return nil
	})
}

// inner reads an inner chunk: the job-th that the box touches in a shard.
func (r *shardRead) inner(ctx context.Context, worker int, s *openShard, job int) error {
	chunk := int64(0)
	entry := int64(0)
	gridStep := int64(1)
	shardStep := int64(1)
	rest := int64(job)
	for d := r.part.Dims - 1; d >= 0; d-- {
		at := s.first[d] + rest%s.count[d]
		rest /= s.count[d]
		chunk += at * gridStep
		entry += (at - s.base[d]) * shardStep
		gridStep *= r.part.ChunkGrid[d]
		shardStep *= r.chunk[d] / r.shard.inner[d]
	}

	var place chunked.Place
	if s.object != nil && s.list[entry] != missing {
		place = chunked.Place{Source: s.object, Off: s.list[entry][0], Size: s.list[entry][1],
			Version: s.version, Loose: s.loose}
	}

	if err := r.call.Chunk(ctx, worker, chunk, place); err != nil {
		return fmt.Errorf("inner chunk %d: %w", entry, err)
	}
	return nil
}
