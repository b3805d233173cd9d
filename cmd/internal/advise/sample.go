package advise

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

const (
	places    = 3        // where the sample is taken
	regionLen = 8 << 20  // bytes at each place
	maxRegion = 64 << 20 // if the access or a chunk needs more
	mostReads = 48       // boxes that are read to time an access
	// enough is how long reads are timed at least, if there are so many boxes.
	enough = 20 * time.Millisecond
	// short is a time that is measured again, because it is not exact.
	short = 2 * time.Millisecond
)

// A sample is parts of an array, in memory.
type sample struct {
	item    int64
	regions []*ndarray.Untyped // not compressed
	bytes   int64
}

// A part is items to try settings on.
type part struct {
	shape ndarray.Shape
	raw   []byte
}

// takeSample reads boxes from several places, which are the same for equal seeds.
func (r *run) takeSample(ctx context.Context) error {
	shape := r.src.Shape()
	item := int64(r.src.DType().Size())
	from := r.shapes[0].chunks
	size := max(regionLen, min(maxRegion, bytesOf(from, item)))
	edge := fit(from, shape, item, size)
	n := places
	if bytesOf(shape, item) <= places*size {
		edge = shape
		n = 1 // all of it
	}

	chunks, _ := r.src.Grid()
	random := rand.New(rand.NewPCG(r.Seed, 1))
	r.sample.item = item
	for range n {
		start := make([]int64, len(shape))
		stop := make([]int64, len(shape))
		for d := range shape {
			start[d] = random.Int64N(shape[d] - edge[d] + 1)
			if len(chunks) == len(shape) && chunks[d] > 0 { // whole chunks are cheaper to read
				start[d] -= start[d] % chunks[d]
			}
			stop[d] = start[d] + edge[d]
		}

		raw := make([]byte, bytesOf(edge, item))
		if err := r.src.ReadBytes(ctx, raw, start, stop); err != nil {
			return err
		}
		u, err := ndarray.NewUntyped(r.src.DType().String(), edge, &ndarray.Options{Level: chunk.Stored,
			Filters: []shuffle.Spec{shuffle.None}})
		if err != nil {
			return err
		}

		r.sample.regions = append(r.sample.regions, u)
		r.sample.bytes += int64(len(raw))
		if err := u.WriteBox(ctx, raw, make([]int64, len(edge)), edge); err != nil {
			return err
		}
	}
	return nil
}

func (s *sample) close() {
	for _, u := range s.regions {
		u.Close()
	}
}

// shrink halves the longest edges until a box has at most so many bytes, or is short in every
// dimension.
func shrink(edge []int64, item, most int64) {
	const short = 32
	for len(edge) > 0 && bytesOf(edge, item) > most {
		longest := 0
		for d, n := range edge {
			if n > edge[longest] {
				longest = d
			}
		}
		if edge[longest] <= short {
			return
		}
		edge[longest] = (edge[longest] + 1) / 2
	}
}

// measure stores parts as a setting says, and reads them again. Of several times the best counts.
func (r *run) measure(ctx context.Context, t *Trial, parts []part, repeats int) error {
	t.Bytes = 0
	t.Stored = 0
	t.Writing = 0
	t.Reading = 0
	t.ReadBytes = 0

	for _, p := range parts {
		if err := r.measurePart(ctx, t, p, repeats); err != nil {
			return err
		}
	}
	r.judge(t)
	return nil
}

func (r *run) measurePart(ctx context.Context, t *Trial, p part, repeats int) error {
	o := &ndarray.Options{Codec: t.Codec, Level: t.Level, Filters: t.Filters, Workers: r.Workers,
		ChunkShape: slices.Clone(t.Chunks), BlockShape: slices.Clone(t.Blocks)}
	o.Checked = r.Exact != nil // as whatever writes rounded items does
	for d, n := range p.shape {
		o.BlockShape[d] = min(o.BlockShape[d], max(1, n))
		o.ChunkShape[d] = min(o.ChunkShape[d], max(n, o.BlockShape[d]))
	}

	origin := make([]int64, len(p.shape))
	var u *ndarray.Untyped
	again := short
	if repeats == 1 && r.Goal == Size {
		again = 0
	}

	writing, err := best(repeats, again, func() (err error) {
		if u != nil {
			u.Close()
		}
		if u, err = ndarray.NewUntyped(r.src.DType().String(), p.shape, o); err != nil {
			return err
		}
		if err := u.WriteBox(ctx, p.raw, origin, p.shape); err != nil {
			return err
		}
		return u.Commit(ctx)
	})
	if u != nil {
		defer u.Close()
	}
	if err != nil {
		return err
	}

	t.Bytes += int64(len(p.raw))
	t.Stored += max(1, u.Info().CBytes)
	t.Writing += writing

	boxes, touched := r.reads(p.shape, t.Blocks)
	buf := make([]byte, len(p.raw))
	read := func() error {
		begin := time.Now()
		for i, box := range boxes {
			if err := u.ReadBytes(ctx, buf[:box.Items()*r.sample.item], box.Start, box.Stop); err != nil {
				return err
			}
			if time.Since(begin) > enough {
				boxes = boxes[:i+1]
			}
			if i+1 == len(boxes) {
				break
			}
		}
		return nil
	}

	if err := read(); err != nil { // which finds how many boxes are enough
		return err
	}

	reading, err := best(repeats, again, read)
	for _, box := range boxes {
		t.ReadBytes += box.Items() * r.sample.item
	}
	t.Reading += reading
	t.touched = touched
	return err
}

// reads returns the boxes to read of a part, and how many bytes are decoded for each one wanted.
func (r *run) reads(shape, blocks ndarray.Shape) (boxes []slab.Box, touched float64) {
	if r.Access == nil {
		return []slab.Box{{Start: make([]int64, len(shape)), Stop: shape}}, 1
	}

	random := rand.New(rand.NewPCG(r.Seed, 2))
	touched = 1
	edge := make([]int64, len(shape))
	for d := range shape {
		edge[d] = min(shape[d], r.Access[d])
		// a box of a items at a random place meets (a − 1) / b + 1 blocks of b items in the mean
		met := float64(edge[d]-1)/float64(blocks[d]) + 1
		touched *= met * float64(blocks[d]) / float64(edge[d])
	}

	total := bytesOf(shape, r.sample.item)
	for range int(min(mostReads, max(1, total/bytesOf(edge, r.sample.item)))) {
		b := slab.Box{Start: make([]int64, len(shape)), Stop: make([]int64, len(shape))}
		for d := range shape {
			b.Start[d] = random.Int64N(shape[d] - edge[d] + 1)
			b.Stop[d] = b.Start[d] + edge[d]
		}
		boxes = append(boxes, b)
	}
	return boxes, touched
}

// best returns the shortest time that a function takes. A time shorter than again is measured more
// often.
func best(repeats int, again time.Duration, f func() error) (shortest time.Duration, err error) {
	for i := 0; i < repeats || shortest < again && i < 5*repeats; i++ {
		begin := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		if took := max(time.Since(begin), 1); i == 0 || took < shortest {
			shortest = took
		}
	}
	return shortest, nil
}
