package shuffle

// Row describes one filter, built-in or in a [Registry].
//
// A filter does not change the size of a block. dst and src have the same length, may be empty, do
// not overlap, and src must not be written. The type size need not divide the length; every byte of
// dst must be set in any case. Functions are called concurrently.
type Row struct {
	ID    ID
	Name  string // as accepted by [ParseSpec]
	Meta  string // meaning of the parameter byte, as a clause; empty if it is ignored
	Lossy bool   // decoding does not restore the encoded block

	Legacy bool // for reading only; no longer written

	// Shaped marks filters that use the shape of blocks in the Context: their output cannot be
	// decoded with another shape.
	Shaped bool
	// Floats marks filters that treat items as floating-point numbers, and would destroy others.
	Floats bool
	// Integers marks filters that treat items as integers, and would destroy others.
	Integers bool
	// Recodes marks filters whose output is not items of the dtype, or items that differ greatly
	// from their neighbors: no lossy codec may follow them.
	Recodes bool
	// Keeper is the filter to use when this filter's output is encoded again, if encoding with this
	// one would lose more; zero if it would not.
	Keeper ID

	// Check returns an error if the filter does not support a parameter. Nil means that it supports
	// all.
	Check func(meta uint8, ctx *Context) error
	// Forward filters src into dst, for encoding.
	Forward func(dst, src []byte, meta uint8, ctx *Context) error
	// Backward undoes Forward, for decoding. Nil means that the filtered bytes are the result.
	Backward func(dst, src []byte, meta uint8, ctx *Context) error

	// Planes, ForwardPlanes and BackwardPlanes are for filters whose output is a sequence of planes
	// of equal size. Callers that compress each plane as a stream of its own can have padding
	// between planes. All three must be set, or none.

	// Planes returns the number of planes of a filtered block of size bytes, or 0 if it does not
	// divide evenly.
	Planes func(size int, meta uint8, ctx *Context) int
	// ForwardPlanes is Forward with plane k at dst[k*pitch:]; it does not write the padding.
	ForwardPlanes func(dst []byte, pitch int, src []byte, meta uint8, ctx *Context) error
	// BackwardPlanes undoes ForwardPlanes.
	BackwardPlanes func(dst, src []byte, pitch int, meta uint8, ctx *Context) error
	// Sliceable means that plane k contains byte k of each item in order, so that BackwardPlanes
	// can undo any range of items separately.
	Sliceable bool
}

// table contains the built-in filters. It is never written.
var table = [...]Row{
	{ID: IDNone, Name: "none"},
	{
		ID: IDByte, Name: "shuffle", Meta: "bytes per item, 0 for the chunk's type size",
		Recodes: true,
		Forward: byteForward, Backward: byteBackward,
		Planes: bytePlanes, ForwardPlanes: byteForwardPlanes, BackwardPlanes: byteBackwardPlanes, Sliceable: true,
	},
	{
		ID: IDBit, Name: "bitshuffle", Recodes: true,
		Forward: bitForward, Backward: bitBackward,
		Planes: bitPlanes, ForwardPlanes: bitForwardPlanes, BackwardPlanes: bitBackwardPlanes,
	},
	{ID: IDDelta, Name: "delta", Recodes: true, Forward: deltaForward, Backward: deltaBackward},
	{
		ID: IDTruncPrec, Name: "trunc_prec", Meta: "signed: mantissa bits to keep, or minus the bits to zero", Lossy: true,
		Floats: true,
		Check:  mantissa.check, Forward: mantissa.forward,
	},
	{
		ID: IDNDCell, Name: "ndcell", Meta: "items of a cell along each dimension",
		Shaped: true, Recodes: true,
		Check: ndCellCheck, Forward: ndCellForward, Backward: fromCells(ndCellGrid),
	},
	{
		ID: IDNDMean, Name: "ndmean", Meta: "items of a cell along each dimension", Lossy: true,
		Shaped: true, Floats: true, Recodes: true, Keeper: IDNDCell,
		Check: ndMeanCheck, Forward: ndMeanForward, Backward: fromCells(ndMeanGrid),
	},
	{
		ID: IDByteDeltaBuggy, Name: "bytedelta_buggy", Meta: "streams of a block, 0 for the frame's type size",
		Recodes: true, Legacy: true,
		Forward: byteDelta(true, byteDifferences), Backward: byteDelta(true, byteSums),
	},
	{
		ID: IDByteDelta, Name: "bytedelta", Meta: "streams of a block, 0 for the frame's type size",
		Recodes: true,
		Forward: byteDelta(false, byteDifferences), Backward: byteDelta(false, byteSums),
	},
	{
		ID: IDIntTrunc, Name: "int_trunc", Meta: "signed: bits to keep, or minus the bits to zero",
		Lossy: true, Recodes: true, Integers: true,
		Check: wholeItem.check, Forward: wholeItem.forward,
	},
}

// builtin returns the built-in filter of an id, or nil.
func builtin(id ID) *Row {
	for i := range table {
		if table[i].ID == id {
			return &table[i]
		}
	}
	return nil
}

// Rows returns copies of the built-in rows, by increasing id.
func Rows() []Row { return append([]Row(nil), table[:]...) }
