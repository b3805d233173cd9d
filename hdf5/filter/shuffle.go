package filter

import (
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/shuffle"
)

// Shuffle (filter 2) puts byte j of all items together, for each j. Its parameter is the number of
// bytes of an item. What is behind the last whole item stays where it is.

// shuffled returns the row of a filter of package shuffle.
func shuffled(id shuffle.ID) (shuffle.Row, error) { return (*shuffle.Registry)(nil).Lookup(id) }

func shuffleDecode(_ *workspace, f Filter, dst, src []byte) ([]byte, error) {
	item := f.param(0)
	if item == 0 || len(dst) != len(src) {
		return nil, corrupt(f.ID, "%d bytes with items of %d, want %d", len(src), item, len(dst))
	}
	if item == 1 || item >= int64(len(src)) {
		return src, nil
	}

	byItem, err := shuffled(shuffle.IDByte)
	if err != nil {
		return nil, err
	}
	return dst, byItem.Backward(dst, src, 0, &shuffle.Context{TypeSize: int(item)})
}

func shuffleEncode(_ *workspace, f Filter, dst, src []byte) ([]byte, error) {
	item := f.param(0)
	if item == 0 {
		return nil, corrupt(f.ID, "items of 0 bytes")
	}
	if item == 1 || item >= int64(len(src)) {
		return src, nil
	}

	byItem, err := shuffled(shuffle.IDByte)
	if err != nil {
		return nil, err
	}
	dst = slab.Resize(dst, len(src))
	return dst, byItem.Forward(dst, src, 0, &shuffle.Context{TypeSize: int(item)})
}
