package scale

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A source is an input whose items are made up. Reading those of a task takes virtual time: rate
// for each item, give or take a fifth.
type source struct {
	items, task int64
	rate        time.Duration
}

func (s *source) Shape() ndarray.Shape                 { return ndarray.Shape{s.items} }
func (s *source) DType() meta.DType                    { d, _ := meta.ParseDType("<i4"); return d }
func (s *source) Grid() (chunks, blocks ndarray.Shape) { return nil, nil }

func (s *source) ReadBytes(_ context.Context, dst []byte, start, stop []int64) error {
	n := stop[0] - start[0]
	if n <= s.task { // larger ones are probes of the input
		time.Sleep(time.Duration(float64(n) * float64(s.rate) * (0.8 + 0.4*rand.Float64())))
	}
	for i := range n {
		binary.LittleEndian.PutUint32(dst[4*i:], uint32(start[0]+i))
	}
	return nil
}
