package command

import (
	"context"

	"github.com/cairn-go/cairn/ndarray"
)

// packedFormat is the format of arrays that python-blosc2 packs into plain frames. It is not in the
// table, since info describes such a file as the frame that it is.
func packedFormat() *fileFormat {
	return &fileFormat{name: "packed", is: "an array that python-blosc2 packed", plural: "packed arrays",
		open: openPacked}
}

// isPacked reports whether an input that was looked at is a file with a packed array.
func (in *input) isPacked(p *probe) bool {
	if !hasFrameMagic(p.head) || in.file == nil {
		return false
	}
	a, err := ndarray.OpenPackedReader(in.file, in.size, nil)
	if err == nil {
		a.Close()
	}
	return err == nil
}

// packedHolding is a file with a packed array.
type packedHolding struct{ *ndarray.Packed }

func (packedHolding) keys() []string { return []string{""} }

func (h packedHolding) open(context.Context, string) (ndarray.Source, error) { return h.Packed, nil }

func openPacked(_ context.Context, in *input) (holding, error) {
	a, err := ndarray.OpenPackedReader(in.file, in.size, nil)
	if err != nil {
		return nil, err
	}
	return packedHolding{a}, nil
}
