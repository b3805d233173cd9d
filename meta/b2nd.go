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
// For 16 dimensions the 90|n markers become a0, which msgpack reads as an empty string. Readers
// step over markers.
const (
	b2ndElements   = 7
	b2ndVersion    = 0
	b2ndFixed      = 12 // what is there without dimensions and dtype
	b2ndPerDim     = 9 + 5 + 5
	b2ndLayerLabel = "b2nd metalayer"
)

// Names of the metalayers that give a frame its dimensions, in the order in which readers try them.
const (
	LayerB2ND    = "b2nd"
	LayerCaterva = "caterva"
)

// Layer is one metalayer: a name and free-form bytes, by convention msgpack (see [Unpack]). In a
// frame header the content is stored as it is; in a trailer it is a whole Blosc2 chunk that holds
// the value.
type Layer struct {
	Name    string
	Content []byte
}

// MaxDims is the largest number of dimensions of an array.
const MaxDims = 16

// Variant tells apart the layouts of the b2nd metalayer that are found in files.
type Variant uint8

// The variants. Only the first is ever written.
const (
	// B2NDCurrent is what every release since C-Blosc2 2.7 writes.
	B2NDCurrent Variant = iota
	// B2NDSixElements is the layout of a few days before 2.7: no dtype format, and dtypes as names
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

// B2ND is the content of a b2nd metalayer: the geometry and the element type of an array. The three
// shapes have the same length, the number of dimensions; 0 of them make a scalar.
type B2ND struct {
	Shape      []int64
	ChunkShape []int32
	BlockShape []int32
	// see [ParseDType]; empty in the Caterva variant, which leaves the type to the frame's type
	// size
	DType   string
	Format  uint8   // how DType is written; 0, a NumPy string, is the only format there is
	Variant Variant // how it was stored; Append ignores it
}

// ParseB2ND reads the content of a metalayer named [LayerB2ND] or [LayerCaterva]. Which of the
// three variants it is shows in the content, not in the name. The geometry is valid, as
// [B2ND.Validate] says; nothing aliases content. Bytes after the last field are ignored, as
// C-Blosc2 does. Errors are [cairn.CorruptError]s of layer "b2nd metalayer" with offsets in
// content.
func ParseB2ND(content []byte) (*B2ND, error) {
	r := wire.NewReader(b2ndLayerLabel, content, 0)
	r.Skip(1) // number of elements: what follows the block shape decides
	r.Skip(1) // version: never anything but 0
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

// parseDType reads what follows the block shape and sets Variant by it.
func (m *B2ND) parseDType(r *wire.Reader) {
	if r.Err() == nil && r.Len() == 0 {
		m.Variant = Caterva
		return
	}
	at := r.Pos()
	m.Format = r.Uint8()
	if m.Format == wire.TagStr32 {
		// 0xdb would be a format that nobody has; it is the marker of the dtype where the format is
		// missing.
		m.Format, m.Variant = 0, B2NDSixElements
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

// Append appends the content of a b2nd metalayer, always in the current layout. m must be valid.
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

// Reshape returns the content of a b2nd metalayer of any variant, which [ParseB2ND] accepts, with
// another shape of as many dimensions, all other bytes as they are. Nothing else of an array can
// change.
func Reshape(content []byte, shape []int64) []byte {
	content = slices.Clone(content)
	for i, n := range shape {
		binary.BigEndian.PutUint64(content[b2ndShapeAt+9*i:], uint64(n))
	}
	return content
}

// b2ndShapeAt is where the first extent of the shape is, behind four bytes and its own marker.
const b2ndShapeAt = 5
