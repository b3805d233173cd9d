package formats

import (
	"context"

	"github.com/cairn-go/cairn/ndarray"
)

// IsPacked reports whether an input that was looked at is a file with a packed array.
func (in *Input) IsPacked(p *Probe) bool {
	if !HasFrameMagic(p.Head) || in.File == nil {
		return false
	}
	a, err := ndarray.OpenPackedReader(in.File, in.Size, nil)
	if err == nil {
		a.Close()
	}
	return err == nil
}

func openPacked(_ context.Context, in *Input) (ndarray.Tree, error) {
	a, err := ndarray.OpenPackedReader(in.File, in.Size, &ndarray.OpenOptions{Workers: in.Workers})
	if err != nil {
		return nil, err
	}
	return single{a, a}, nil
}
