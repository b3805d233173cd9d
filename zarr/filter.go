package zarr

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

// The filters of numcodecs that are arithmetic. They work on the items of a chunk one after the
// other, whatever its shape.

// recoding is a filter that stores items as other items, in a dtype of their own.
type recoding struct {
	name          string
	dtype, astype govalue.Number
	scale, offset float64 // fixedscaleoffset
}

// recodingOf returns the filter of a name, and the dtype of the items that it makes.
func recodingOf(name string, c meta.Map) (*recoding, error) {
	r := &recoding{name: name}
	from := "dtype"
	to := "astype"
	if name == "astype" {
		from = "decode_dtype"
		to = "encode_dtype"
	}

	var err error
	if r.dtype, err = numbersOf(from+" of "+name, field(c, from)); err != nil {
		return nil, err
	}
	r.astype = r.dtype
	if field(c, to) != nil {
		if r.astype, err = numbersOf(to+" of "+name, field(c, to)); err != nil {
			return nil, err
		}
	}

	if name != "fixedscaleoffset" {
		return r, nil
	}

	for _, p := range []struct {
		name string
		to   *float64
	}{{"scale", &r.scale}, {"offset", &r.offset}} {
		switch v := field(c, p.name).(type) {
		case float64:
			*p.to = v
		case int64:
			*p.to = float64(v)
		default:
			return nil, corrupt("%s of fixedscaleoffset is %s", p.name, brief(v))
		}
	}
	return r, nil
}

func (r *recoding) encodedSize(n int64) int64 {
	if n%int64(r.dtype.Size) != 0 {
		return -1
	}
	return n / int64(r.dtype.Size) * int64(r.astype.Size)
}

func (r *recoding) decoder() (decoder, error) { return r, nil }

func (r *recoding) decode(dst, src []byte) ([]byte, error) {
	n := len(src) / r.astype.Size
	if n*r.astype.Size != len(src) || n*r.dtype.Size != len(dst) {
		return nil, corruptChunk("%d bytes of %s, want %d items", len(src), r.name, len(dst)/r.dtype.Size)
	}

	switch r.name {
	case "delta":
		r.sum(dst, src, n)
	case "fixedscaleoffset":
		// Compute item/scale + offset as NumPy does: in the type of floats, for integers in
		// float64.
		of := r.astype
		if !of.IsFloat() {
			of = govalue.Number{Kind: 'f', Size: 8}
		}

		for i := range n {
			f := r.astype.Float(src[i*r.astype.Size:])
			f = rounded(of, rounded(of, f/rounded(of, r.scale))+rounded(of, r.offset))
			r.dtype.PutFloat(dst[i*r.dtype.Size:], f)
		}
	default:
		if r.dtype == r.astype {
			return src, nil
		}
		for i := range n {
			move(dst[i*r.dtype.Size:], r.dtype, src[i*r.astype.Size:], r.astype)
		}
	}
	return dst, nil
}

// sum adds up differences, in the type of the sums.
func (r *recoding) sum(dst, src []byte, n int) {
	if !r.dtype.IsFloat() {
		var sum int64
		if r.dtype == r.astype && r.dtype.Size == 4 && !r.dtype.BigEndian {
			for i := range n {
				sum += int64(binary.LittleEndian.Uint32(src[4*i:]))
				binary.LittleEndian.PutUint32(dst[4*i:], uint32(sum))
			}
			return
		}

		for i := range n {
			at := src[i*r.astype.Size:]
			if r.astype.IsFloat() {
				sum += int64(r.astype.Float(at))
			} else {
				sum += r.astype.Int(at)
			}
			r.dtype.PutBits(dst[i*r.dtype.Size:], uint64(sum))
		}
		return
	}

	var sum float64
	for i := range n {
		d := rounded(r.dtype, r.astype.Float(src[i*r.astype.Size:]))
		if i == 0 {
			sum = d // -0 + 0 would be 0
		} else {
			sum = rounded(r.dtype, sum+d)
		}
		r.dtype.PutFloat(dst[i*r.dtype.Size:], sum)
	}
}

// packbits stores bools as bits, the first one in the highest bit, behind a byte with the number of
// bits that fill up the last byte.
type packbits struct{}

func (packbits) encodedSize(n int64) int64 { return 1 + (n+7)/8 }

func (packbits) decoder() (decoder, error) { return packbits{}, nil }

func (p packbits) decode(dst, src []byte) ([]byte, error) {
	if int64(len(src)) != p.encodedSize(int64(len(dst))) || int(src[0]) != (8-len(dst)%8)%8 {
		return nil, corruptChunk("%d bytes of packbits, want %d items", len(src), len(dst))
	}
	for i := range dst {
		dst[i] = src[1+i/8] >> (7 - i%8) & 1
	}
	return dst, nil
}

// byteShuffle is the filter shuffle: byte j of all items, for each j.
type byteShuffle struct{ item int }

func (byteShuffle) encodedSize(n int64) int64 { return n }

func (s byteShuffle) decoder() (decoder, error) { return s, nil }

func (s byteShuffle) decode(dst, src []byte) ([]byte, error) {
	if len(src) != len(dst) || s.item > 1 && len(src)%s.item != 0 {
		return nil, corruptChunk("%d bytes of shuffled items of %d bytes, want %d", len(src), s.item, len(dst))
	}
	if s.item <= 1 {
		return src, nil
	}

	row, err := (*shuffle.Registry)(nil).Lookup(shuffle.IDByte)
	if err != nil {
		return nil, err
	}
	return dst, row.Backward(dst, src, 0, &shuffle.Context{TypeSize: s.item})
}

// same is a filter that loses something when it encodes, and does nothing when it decodes.
type same struct{}

func (same) encodedSize(n int64) int64 { return n }
func (same) decoder() (decoder, error) { return same{}, nil }
func (same) decode(dst, src []byte) ([]byte, error) {
	if len(dst) != len(src) {
		return nil, corruptChunk("%d bytes, want %d", len(src), len(dst))
	}
	return src, nil
}
