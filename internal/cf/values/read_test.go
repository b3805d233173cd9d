package values

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A stored source has items of a dtype in its file's byte order.
type stored struct {
	ndarray.Source
	dtype meta.DType
	raw   []byte
}

func (s *stored) DType() meta.DType    { return s.dtype }
func (s *stored) Shape() ndarray.Shape { return ndarray.Shape{int64(len(s.raw) / s.dtype.Size())} }
func (s *stored) ReadBytes(_ context.Context, dst []byte, start, stop []int64) error {
	size := int64(s.dtype.Size())
	copy(dst, s.raw[start[0]*size:stop[0]*size])
	return nil
}

// What is faster for many items has the bits of one conversion after the other.
func TestFill(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	packing := meta.Map{{Key: "scale_factor", Value: 0.01}, {Key: "add_offset", Value: 270.0}}
	short := meta.Map{{Key: "scale_factor", Value: float32(0.01)}, {Key: "_FillValue", Value: int64(-5)}}
	fill := meta.Map{{Key: "_FillValue", Value: float32(1e20)}, {Key: "missing_value", Value: -9999.0}}
	sign := meta.Map{{Key: "_Unsigned", Value: "true"}, {Key: "missing_value", Value: int64(-1)}}

	for _, c := range []struct {
		dtypes     string
		attributes meta.Map
	}{
		{"|i1 |u1 <i2 >i2 <u2 >u2 <i4 >f4", packing}, {"|i1 <i2 >i2", short}, {"|i1 <i2 >i2 <i8", sign},
		{"<f4 >f4 <f8 >f8 <f2 >f2", fill},
	} {
		for _, text := range bytes.Fields([]byte(c.dtypes)) {
			d, err := meta.ParseDType(string(text))
			if err != nil {
				t.Fatal(err)
			}
			src := &stored{dtype: d, raw: draw(rng, d, 1<<17+77)}
			m := cf.Of(d, c.attributes)
			v, ok := With(src, m).(*values)
			if !ok {
				t.Fatalf("%s with %v is plain", text, c.attributes)
			}

			n := src.Shape()[0]
			got := make([]byte, n*int64(v.dtype.Size()))
			if err := v.ReadBytes(t.Context(), got, []int64{0}, []int64{n}); err != nil {
				t.Fatal(err)
			}
			floats := make([]float64, n)
			m.Convert(floats, src.raw)
			want := make([]byte, len(got))
			put(want, v.dtype.Size(), floats)
			if !bytes.Equal(got, want) {
				t.Errorf("%s with %v: the values differ", text, c.attributes)
			}
			if fast := v.marked || v.table.short != nil || v.table.long != nil; fast != (d.Kind() == 'f' && d.Size() > 2 &&
				m.Packing == nil || d.Kind() != 'f' && d.Size() <= 2) {
				t.Errorf("%s with %v: a shorter way is %v", text, c.attributes, fast)
			}
		}
	}
}

// draw returns random items, among them some that mark missing values, but no NaN, whose bits may
// differ.
func draw(rng *rand.Rand, d meta.DType, n int) (raw []byte) {
	order := binary.AppendByteOrder(binary.LittleEndian)
	if d.BigEndian() {
		order = binary.BigEndian
	}
	for i := range n {
		v := rng.NormFloat64() * 1000
		switch i % 9 {
		case 0:
			v = float64(float32(1e20))
		case 5:
			v = -9999
		}
		bits := rng.Uint64()

		switch size := d.Size(); {
		case d.Kind() == 'f' && size == 4:
			raw = order.AppendUint32(raw, math.Float32bits(float32(v)))
		case d.Kind() == 'f' && size == 8:
			raw = order.AppendUint64(raw, math.Float64bits(v))
		case size == 1:
			raw = append(raw, byte(bits))
		case size == 2:
			raw = order.AppendUint16(raw, uint16(bits)&0xbbff) // as a float, no NaN
		case size == 4:
			raw = order.AppendUint32(raw, uint32(bits))
		default:
			raw = order.AppendUint64(raw, bits)
		}
	}
	return raw
}
