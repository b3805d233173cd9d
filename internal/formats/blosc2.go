package formats

import (
	"context"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
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

// packedHolding is a file with a packed array.
type packedHolding struct{ *ndarray.Packed }

func (packedHolding) Keys() []string { return []string{""} }

func (h packedHolding) OpenKey(context.Context, string) (ndarray.Source, error) { return h.Packed, nil }

func openPacked(_ context.Context, in *Input) (Holding, error) {
	a, err := ndarray.OpenPackedReader(in.File, in.Size, &ndarray.OpenOptions{Workers: in.Workers})
	if err != nil {
		return nil, err
	}
	return packedHolding{a}, nil
}

// A Store is the arrays of a store.
type Store struct{ *store.Store }

// Keys returns the keys of all leaves, also of those that are no arrays.
func (s Store) Keys() []string {
	var keys []string
	for l := range s.Leaves() {
		keys = append(keys, l.Key)
	}
	return keys
}

// OpenKey opens an array.
func (s Store) OpenKey(ctx context.Context, key string) (ndarray.Source, error) {
	return s.Open(ctx, key)
}

// Groups returns the keys of all groups.
func (s Store) Groups() []string { return Groups(context.Background(), s) }

// GroupAttributes returns the attributes of a group.
func (s Store) GroupAttributes(group string) (meta.Map, error) {
	return s.Attributes(context.Background(), group)
}
