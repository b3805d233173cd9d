package tiles

import (
	"context"
	"math"

	"github.com/cairn-go/cairn/internal/parallel"
)

// What a sampled tile may cost.
const (
	sampleBytes  = 96 << 20 // decoded
	sampleBlocks = 4096
)

// A strip is a range of a tile's rows, or columns, whose samples are in the same block.
type strip struct {
	at   []int64 // the samples
	from int     // the first row of the tile that shows one of them
}

// strips returns the samples along one axis: the middles of cells. If they are in more than most
// blocks, the strips of only that many blocks are kept, evenly spaced.
func strips(first int64, count int, level int, n, block, most int64) []strip {
	var all []strip
	for i := range count {
		at := min(n-1, (first+int64(i))<<level+(int64(1)<<level)/2)
		if last := len(all) - 1; last >= 0 && all[last].at[0]/block == at/block {
			all[last].at = append(all[last].at, at)
			continue
		}
		all = append(all, strip{[]int64{at}, i})
	}

	if int64(len(all)) <= most {
		return all
	}

	kept := make([]strip, most)
	for i := range kept {
		kept[i] = all[(2*i+1)*len(all)/(2*int(most))]
	}
	return kept
}

// nearest returns, for each row of a tile, the number of the sample nearest to it, in the order of
// the strips.
func nearest(kept []strip, count int) []int {
	var rows []int // of the samples
	for _, s := range kept {
		for i := range s.at {
			rows = append(rows, s.from+i)
		}
	}

	numbers := make([]int, count)
	k := 0
	for i := range numbers {
		for k < len(rows)-1 && abs(rows[k+1]-i) <= abs(rows[k]-i) {
			k++
		}
		numbers[i] = k
	}
	return numbers
}

func abs(n int) int { return max(n, -n) }

// fewBlocks returns from how many blocks a sampled tile is read.
func (r *reader) fewBlocks() int64 {
	return max(16, min(sampleBlocks, sampleBytes/max(1, r.blockBytes)))
}

// sample fills the cells of a raster with single items of the plane. It reads from at most so many
// blocks, and returns the number of items that it has read.
func (r *reader) sample(ctx context.Context, s *raster, most int64) (samples int, err error) {
	blocksY := int64(len(strips(s.y, s.ny, s.levels.Y, r.ny, r.blockY, math.MaxInt64)))
	blocksX := int64(len(strips(s.x, s.nx, s.levels.X, r.nx, r.blockX, math.MaxInt64)))
	limitY := blocksY
	limitX := blocksX
	if blocksY*blocksX > most {
		scale := math.Sqrt(float64(most) / float64(blocksY) / float64(blocksX))
		limitY = max(1, min(most, int64(float64(blocksY)*scale)))
		limitX = max(1, min(most/limitY, blocksX))
	}

	ys := strips(s.y, s.ny, s.levels.Y, r.ny, r.blockY, limitY)
	xs := strips(s.x, s.nx, s.levels.X, r.nx, r.blockX, limitX)
	nearestY := nearest(ys, s.ny)
	nearestX := nearest(xs, s.nx)
	firstY := offsets(ys)
	firstX := offsets(xs)
	width := firstX[len(xs)]
	values := make([]float64, firstY[len(ys)]*width)
	work := make([]scratch, r.workers)
	err = parallel.For(ctx, r.workers, len(ys)*len(xs), func(worker, i int) error {
		y := i / len(xs)
		x := i % len(xs)
		return r.readSamples(ctx, &work[worker], values[firstY[y]*width+firstX[x]:], width, ys[y].at, xs[x].at)
	})

	for row, y := range nearestY {
		for column, x := range nearestX {
			s.addItem(row*s.nx+column, values[y*width+x])
		}
	}
	return len(values), err
}

// offsets returns the number of the first sample of each strip, and that of all samples.
func offsets(list []strip) []int {
	first := make([]int, len(list)+1)
	for i, s := range list {
		first[i+1] = first[i] + len(s.at)
	}
	return first
}

// readSamples reads the samples at some rows and columns, which are in one block, into dst.
func (r *reader) readSamples(ctx context.Context, w *scratch, dst []float64, width int, ys, xs []int64) error {
	y0 := ys[0]
	x0 := xs[0]
	y1 := ys[len(ys)-1] + 1
	x1 := xs[len(xs)-1] + 1
	if len(ys) > 1 && (y1-y0)*(x1-x0)*r.size > mostBoxBytes { // a block of such a size is rare
		for i := range ys {
			if err := r.readSamples(ctx, w, dst[i*width:], width, ys[i:i+1], xs); err != nil {
				return err
			}
		}
		return nil
	}

	if err := r.read(ctx, w, y0, x0, y1, x1); err != nil {
		return err
	}

	for i, y := range ys {
		for k, x := range xs {
			at := (y-y0)*(x1-x0) + x - x0
			if r.plane.Y > r.plane.X {
				at = (x-x0)*(y1-y0) + y - y0
			}
			r.floats.Convert(dst[i*width+k:][:1], w.raw[at*r.size:][:r.size])
		}
	}
	return nil
}
