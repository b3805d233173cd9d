package compute

import (
	"context"

	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/ndarray"
)

// An itemType is what there is for the items of a kind, besides what package kernel has.
type itemType struct {
	leaf   func(ctx context.Context, of leafOf, a inside.Array) (leaf, error)
	result func(e *Expression, v kernel.Value) (result, error)
	family func() family
}

func realItems[T ndarray.Real]() itemType { return itemType{plainLeaf[T], resultOf[T], realNumbers[T]} }

// itemTypes has a row for each kind.
var itemTypes = [...]itemType{
	kernel.Bool:       {plainLeaf[bool], resultOf[bool], bools},
	kernel.Int8:       realItems[int8](),
	kernel.Int16:      realItems[int16](),
	kernel.Int32:      realItems[int32](),
	kernel.Int64:      realItems[int64](),
	kernel.Uint8:      realItems[uint8](),
	kernel.Uint16:     realItems[uint16](),
	kernel.Uint32:     realItems[uint32](),
	kernel.Uint64:     realItems[uint64](),
	kernel.Float16:    {halfLeaf, halfResult, halves},
	kernel.Float32:    realItems[float32](),
	kernel.Float64:    realItems[float64](),
	kernel.Complex64:  {plainLeaf[complex64], resultOf[complex64], complexOf[complex64]},
	kernel.Complex128: {plainLeaf[complex128], resultOf[complex128], complexOf[complex128]},
}

// otherFamilies are the families of items that expressions cannot have.
var otherFamilies = map[string]func() family{"M8": times, "m8": times}
