package shuffle

// Row describes one filter: what the table lists and what a [Registry] takes.
//
// A filter turns a block into as many bytes. dst and src have the same length, may be empty, never
// overlap, and src is not written. A length that the type size does not divide is ordinary: what to
// do with the rest is the filter's business, but every byte of dst must be set. Functions are
// called from many goroutines at once.
type Row struct {
	ID    ID
	Name  string // as [ParseSpec] reads it
	Meta  string // what the parameter byte means, as a clause; empty if it is ignored
	Lossy bool   // decoding does not give back what was encoded

	Legacy bool // for reading: nobody writes it any more

	// Shaped marks filters that look at the shape of blocks, as the Context has it: what they make
	// cannot be read as blocks of another shape.
	Shaped bool
	// Floats marks filters that take items for floating-point numbers, and would destroy others.
	Floats bool
	// Recodes marks filters whose output is bytes rather than items of the dtype, or items that are
	// not near their neighbors: no lossy codec may follow them.
	Recodes bool
	// Keeper is the filter that keeps what this one made when it is encoded again, where encoding
	// with this one would lose more; zero if this one does.
	Keeper ID

	// Check reports a parameter that the filter cannot work with, before anything is encoded. Nil
	// if all are fine.
	Check func(meta uint8, ctx *Context) error
	// Forward filters src into dst, for encoding.
	Forward func(dst, src []byte, meta uint8, ctx *Context) error
	// Backward undoes Forward, for decoding. Nil if the filtered bytes are what the reader is to
	// see.
	Backward func(dst, src []byte, meta uint8, ctx *Context) error

	// Planes, ForwardPlanes and BackwardPlanes are for filters whose output is a sequence of equal
	// planes, so that a caller who takes each plane for a stream of its own can have padding
	// between them. All three are set or none.

	// Planes returns how many planes a filtered block of size bytes falls into, or 0 if it does not
	// divide evenly.
	Planes func(size int, meta uint8, ctx *Context) int
	// ForwardPlanes is Forward with plane k at dst[k*pitch:]; the padding in between is left alone.
	ForwardPlanes func(dst []byte, pitch int, src []byte, meta uint8, ctx *Context) error
	// BackwardPlanes undoes ForwardPlanes.
	BackwardPlanes func(dst, src []byte, pitch int, meta uint8, ctx *Context) error
	// Sliceable says that plane k has byte k of each item, in their order, so that BackwardPlanes
	// undoes any range of items without the others.
	Sliceable bool
}

// table lists the filters this package has. It is never written.
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
		Check:  truncation(mantissa).check, Forward: truncation(mantissa).forward,
	},
	{
		ID: IDNDCell, Name: "ndcell", Meta: "items of a cell along each dimension",
		Shaped: true, Recodes: true,
		Check: ndCellCheck, Forward: ndCellForward, Backward: fromCells(ndCellGrid),
	},
	{
		ID: IDNDMean, Name: "ndmean", Meta: "items of a cell along each dimension", Lossy: true,
		Shaped: true, Recodes: true, Keeper: IDNDCell,
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
		Lossy: true, Recodes: true,
		Check: truncation(wholeItem).check, Forward: truncation(wholeItem).forward,
	},
}

// builtin returns the table's row for a filter, or nil.
func builtin(id ID) *Row {
	for i := range table {
		if table[i].ID == id {
			return &table[i]
		}
	}
	return nil
}

// Rows returns copies of the table's rows, in order of their ids.
func Rows() []Row { return append([]Row(nil), table[:]...) }
