package filter

// A row describes one filter.
//
// encode and decode get memory to work with, of which they return the result or another part; they
// may return a part of src instead. They must not change src.
type row struct {
	id ID
	// check tells whether the filter can be decoded with its parameters; nil if with all
	check func(f Filter) error
	// extra is the number of bytes that the filter adds, and varies if that depends on the bytes
	extra int
	// size returns how many bytes src decodes to, at most so many, if extra varies
	size func(f Filter, src []byte, most int) (int, error)
	// decode returns the len(dst) bytes that src encodes
	decode func(w *workspace, f Filter, dst, src []byte) ([]byte, error)
	// decodePart sets only the items of a part in dst; nil if that takes as long as all
	decodePart func(w *workspace, f Filter, dst, src []byte, p Part) error
	// encode appends to dst[:0] what the filter makes of src, and returns nil if that has not fewer
	// bytes; nil if there is no encoder
	encode func(w *workspace, f Filter, dst, src []byte) ([]byte, error)
}

const varies = -1

// rows has all filters that can be decoded.
var rows = [...]row{
	{id: Deflate, extra: varies, size: deflateSize, decode: deflateDecode, encode: deflateEncode},
	{id: Shuffle, decode: shuffleDecode, encode: shuffleEncode},
	{id: Fletcher32, extra: sumSize, decode: sumDecode, encode: sumEncode},
	{id: Szip, check: szipCheck, extra: varies, size: szipSize, decode: szipDecode},
	{id: NBit, check: nbitCheck, extra: varies, size: nbitSize, decode: nbitDecode},
	{id: ScaleOffset, check: scaleCheck, extra: varies, size: scaleSize, decode: scaleDecode},
	{id: BZip2, extra: varies, size: bzip2Size, decode: bzip2Decode},
	{id: LZF, extra: varies, size: lzfSize, decode: lzfDecode, encode: lzfEncode},
	{id: Blosc, extra: varies, size: bloscSize, decode: bloscDecode, decodePart: bloscDecodePart, encode: bloscEncode},
	{id: LZ4, extra: varies, size: lz4Size, decode: lz4Decode, encode: lz4Encode},
	{id: Bitshuffle, check: bitCheck, extra: varies, size: bitSize, decode: bitDecode, encode: bitEncode},
	{id: Zstd, extra: varies, size: zstdSize, decode: zstdDecode, encode: zstdEncode},
	{id: BitGroom, decode: asItIs},
	{id: BitRound, decode: asItIs},
	{id: Blosc2, extra: varies, size: blosc2Size, decode: blosc2Decode, decodePart: blosc2DecodePart, encode: blosc2Encode},
}

// lookup returns the row of a filter, or nil.
func lookup(id ID) *row {
	for i := range rows {
		if rows[i].id == id {
			return &rows[i]
		}
	}
	return nil
}

// asItIs decodes what filters wrote that only round numbers.
func asItIs(_ *workspace, f Filter, dst, src []byte) ([]byte, error) {
	if len(dst) != len(src) {
		return nil, corrupt(f.ID, "%d bytes, want %d", len(src), len(dst))
	}
	return src, nil
}
