package meta

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/wire"
)

// The b2nd metalayer (docs/format/metalayers.md), big-endian throughout:
//
//	97              array of 7
//	00              version
//	nn              number of dimensions, 0 to 16
//	90|n            shape:       n x d3 i64
//	90|n            chunk shape: n x d2 i32
//	90|n            block shape: n x d2 i32
//	00              dtype format: 0 = NumPy string
//	db len u32      dtype
//
// For 16 dimensions the 90|n markers become a0, which msgpack decodes as an empty string. Readers
// skip markers without checking them.
const (
	b2ndElements   = 7
	b2ndVersion    = 0
	b2ndFixed      = 12 // bytes without dimensions and dtype
	b2ndPerDim     = 9 + 5 + 5
	b2ndLayerLabel = "b2nd metalayer"
)

// Names of the metalayers that make a frame an array, in the order in which readers try them.
const (
	LayerB2ND    = "b2nd"
	LayerCaterva = "caterva"
)

// LayerZarrBlocks is the name of the fixed metalayer of frames in which each block is a Zarr chunk
// as well; see [ZarrBlocksLayer].
const LayerZarrBlocks = "zarr_blocks"

// ZarrBlocksLayer returns the metalayer that makes cairn write the chunks of a frame with
// chunk.Options.ZarrBlocks. Its content is the msgpack array [1], the version of the form.
func ZarrBlocksLayer() Layer {
	return Layer{Name: LayerZarrBlocks, Content: []byte{wire.TagFixArray | 1, 1}}
}

// Layer is one metalayer: a name and arbitrary bytes, by convention msgpack (see [Unpack]). A frame
// header contains the bytes as they are; a trailer contains them as a Blosc2 chunk.
type Layer struct {
	Name    string
	Content []byte
}

// MaxDims is the largest number of dimensions of an array.
const MaxDims = 16

// Variant identifies one of the layouts of the b2nd metalayer that occur in files.
type Variant uint8

// The variants. Only the first one is written.
const (
	// B2NDCurrent is the layout since C-Blosc2 2.7.
	B2NDCurrent Variant = iota
	// B2NDSixElements is the layout of a few days before 2.7: no dtype format, and dtypes are names
	// such as "int32".
	B2NDSixElements
	// Caterva is the layout of b2nd's predecessor, which ends after the block shape and has no
	// dtype.
	Caterva
)

// String returns the variant's name.
func (v Variant) String() string {
	if names := [...]string{"b2nd", "b2nd with six elements", "caterva"}; int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("b2nd variant %d", uint8(v))
}

// B2ND is the content of a b2nd metalayer: the geometry and the element type of an array. The
// length of the three shapes is the number of dimensions; an array with none is a scalar.
type B2ND struct {
	Shape      []int64
	ChunkShape []int32
	BlockShape []int32
	// see [ParseDType]; empty in the Caterva variant, where only the frame's type size is known
	DType   string
	Format  uint8   // format of DType; only 0, a NumPy string, exists
	Variant Variant // as stored; Append ignores it
}

// ParseB2ND parses the content of a metalayer named [LayerB2ND] or [LayerCaterva]. The content, not
// the name, determines the variant. The geometry is checked by [B2ND.Validate]. The result does not
// alias content. Bytes after the last field are ignored, as by C-Blosc2. Errors are
// [cairn.CorruptError]s of layer "b2nd metalayer" with offsets in content.
func ParseB2ND(content []byte) (*B2ND, error) {
	r := wire.NewReader(b2ndLayerLabel, content, 0)
	r.Skip(1) // number of elements: the variant is determined below instead
	r.Skip(1) // version: always 0

	at := r.Pos()
	dims := int(r.Uint8())
	if dims > MaxDims {
		r.Failf(at, "%d dimensions, at most %d are possible", dims, MaxDims)
		dims = 0
	}

	m := &B2ND{Shape: make([]int64, dims), ChunkShape: make([]int32, dims), BlockShape: make([]int32, dims)}

	r.Skip(1)
	for i := range m.Shape {
		r.Skip(1)
		m.Shape[i] = r.Int64BE()
	}

	for _, shape := range [][]int32{m.ChunkShape, m.BlockShape} {
		r.Skip(1)
		for i := range shape {
			r.Skip(1)
			shape[i] = r.Int32BE()
		}
	}

	m.parseDType(&r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, &cairn.CorruptError{Layer: b2ndLayerLabel, Chunk: -1, Offset: 3, Reason: "geometry", Err: err}
	}
	return m, nil
}

// parseDType parses what follows the block shape and sets Variant.
func (m *B2ND) parseDType(r *wire.Reader) {
	if r.Err() == nil && r.Len() == 0 {
		m.Variant = Caterva
		return
	}

	at := r.Pos()
	m.Format = r.Uint8()
	if m.Format == wire.TagStr32 {
		// 0xdb is not a known format but the marker of the dtype: the format is missing.
		m.Format = 0
		m.Variant = B2NDSixElements
		r.Seek(at)
	}

	r.Expect(wire.TagStr32, "marker of the dtype")
	at = r.Pos()
	size := r.Int32BE()
	m.DType = string(r.Bytes(int64(size)))
	if strings.IndexByte(m.DType, 0) >= 0 {
		r.Failf(at, "dtype with a NUL in it")
	}
}

// Append appends the content of a b2nd metalayer in the current layout. m must be valid.
func (m *B2ND) Append(dst []byte) []byte {
	dims := len(m.Shape)
	dst = slices.Grow(dst, b2ndFixed+dims*b2ndPerDim+len(m.DType))

	// For 16 dimensions the sum carries into the next nibble; C-Blosc2 does the same.
	marker := byte(wire.TagFixArray + dims)
	dst = append(dst, wire.TagFixArray|b2ndElements, b2ndVersion, byte(dims), marker)
	for _, n := range m.Shape {
		dst = wire.AppendInt64(dst, n)
	}

	for _, shape := range [][]int32{m.ChunkShape, m.BlockShape} {
		dst = append(dst, marker)
		for _, n := range shape {
			dst = wire.AppendInt32(dst, n)
		}
	}

	dst = binary.BigEndian.AppendUint32(append(dst, m.Format, wire.TagStr32), uint32(len(m.DType)))
	return append(dst, m.DType...)
}

// Reshape returns a copy of the content of a b2nd metalayer, which [ParseB2ND] must accept, with
// another shape of the same number of dimensions. All other bytes stay unchanged.
func Reshape(content []byte, shape []int64) []byte {
	content = slices.Clone(content)
	for i, n := range shape {
		binary.BigEndian.PutUint64(content[b2ndShapeAt+9*i:], uint64(n))
	}
	return content
}

// b2ndShapeAt is the offset of the shape's first extent, after four bytes and the extent's marker.
const b2ndShapeAt = 5
