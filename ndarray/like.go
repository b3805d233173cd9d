package ndarray

import (
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/shuffle"
)

// Like returns options for a new array that is stored as u is: the same chunk and block shapes, codec, filters, and one file or a directory of them. They
// do for any array of as many dimensions; set ChunkShape and BlockShape to nil for others.
func Like(u *Untyped) *Options {
	info := u.Info()
	o := &Options{
		ChunkShape: u.ChunkShape(), BlockShape: u.BlockShape(),
		Codec: info.Codec, Level: info.Level, Split: info.Split, Sparse: info.Sparse,
		Filters: []shuffle.Spec{}, Workers: u.workers, Engine: u.engine,
	}
	if info.Level == 0 {
		o.Level = chunk.Stored
	}
	for _, spec := range info.Pipeline {
		if spec != shuffle.None {
			o.Filters = append(o.Filters, spec)
		}
	}
	if len(o.Filters) == 0 {
		o.Filters = []shuffle.Spec{shuffle.None}
	}
	o.Filters = slices.Clip(o.Filters)
	return o
}
