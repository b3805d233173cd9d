package ndarray

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
)

// roundTrip writes values through one byte order and reads them through the same and as bytes.
func roundTrip[T Element](t *testing.T, values []T, encode func(order binary.AppendByteOrder, dst []byte, v T) []byte) {
	t.Helper()
	kind, err := dtypeFor[T]()
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range []string{"<", ">"} {
		dtype := mark + kind[1:]
		order := binary.AppendByteOrder(binary.LittleEndian)
		if mark == ">" {
			order = binary.BigEndian
		}
		u, err := NewUntyped(dtype, Shape{int64(len(values)), 2}, &Options{ChunkShape: Shape{2, 2}, BlockShape: Shape{1, 2}})
		if err != nil {
			t.Fatalf("%s: %v", dtype, err)
		}
		a, err := As[T](u)
		if err != nil {
			t.Fatalf("%s: %v", dtype, err)
		}
		var want []byte
		var flat []T
		for _, v := range values {
			want = encode(order, encode(order, want, v), v)
			flat = append(flat, v, v)
		}
		if err := a.Write(t.Context(), flat); err != nil {
			t.Fatal(err)
		}
		stored, err := u.Read(t.Context())
		if err != nil || !bytes.Equal(stored, want) {
			t.Fatalf("%s: stored as %v, want %v (%v)", dtype, stored, want, err)
		}
		got, err := a.Read(t.Context())
		if err != nil || !slices.Equal(got, flat) {
			t.Fatalf("%s: read %v, want %v (%v)", dtype, got, flat, err)
		}
		last := int64(len(values) - 1)
		if err := a.Set(values[0], last, 1); err != nil {
			t.Fatal(err)
		}
		if v, err := a.At(-1, -1); err != nil || v != values[0] {
			t.Fatalf("%s: At gives %v, want %v (%v)", dtype, v, values[0], err)
		}
		if err := a.Fill(t.Context(), values[1]); err != nil {
			t.Fatal(err)
		}
		if v, err := a.At(last, 0); err != nil || v != values[1] {
			t.Fatalf("%s: filled with %v, want %v (%v)", dtype, v, values[1], err)
		}
	}
}

func TestValuesSurviveEveryTypeAndByteOrder(t *testing.T) {
	put16 := func(o binary.AppendByteOrder, dst []byte, v int16) []byte { return o.AppendUint16(dst, uint16(v)) }
	put32 := func(o binary.AppendByteOrder, dst []byte, v float32) []byte {
		return o.AppendUint32(dst, math.Float32bits(v))
	}
	put64 := func(o binary.AppendByteOrder, dst []byte, v float64) []byte {
		return o.AppendUint64(dst, math.Float64bits(v))
	}
	roundTrip(t, []int8{-1, 2, -128}, func(_ binary.AppendByteOrder, dst []byte, v int8) []byte { return append(dst, byte(v)) })
	roundTrip(t, []uint8{1, 2, 255}, func(_ binary.AppendByteOrder, dst []byte, v uint8) []byte { return append(dst, v) })
	roundTrip(t, []int16{-1, 0x1234, math.MinInt16}, put16)
	roundTrip(t, []uint16{1, 0x1234, 65535}, func(o binary.AppendByteOrder, dst []byte, v uint16) []byte { return put16(o, dst, int16(v)) })
	roundTrip(t, []int32{-1, 0x12345678, 5}, func(o binary.AppendByteOrder, dst []byte, v int32) []byte { return o.AppendUint32(dst, uint32(v)) })
	roundTrip(t, []uint32{1, 0x12345678, 5}, func(o binary.AppendByteOrder, dst []byte, v uint32) []byte { return o.AppendUint32(dst, v) })
	roundTrip(t, []int64{-1, 0x123456789abcdef0, 5}, func(o binary.AppendByteOrder, dst []byte, v int64) []byte { return o.AppendUint64(dst, uint64(v)) })
	roundTrip(t, []uint64{1, 0x123456789abcdef0, 5}, func(o binary.AppendByteOrder, dst []byte, v uint64) []byte { return o.AppendUint64(dst, v) })
	roundTrip(t, []float32{1.5, -2, 3e30}, put32)
	roundTrip(t, []float64{1.5, -2, 3e300}, put64)
	roundTrip(t, []complex64{1 + 2i, -2, 3i}, func(o binary.AppendByteOrder, dst []byte, v complex64) []byte {
		return put32(o, put32(o, dst, real(v)), imag(v))
	})
	roundTrip(t, []complex128{1 + 2i, -2, 3i}, func(o binary.AppendByteOrder, dst []byte, v complex128) []byte {
		return put64(o, put64(o, dst, real(v)), imag(v))
	})
	type celsius float32
	roundTrip(t, []celsius{1.5, -2, 3e30}, func(o binary.AppendByteOrder, dst []byte, v celsius) []byte { return put32(o, dst, float32(v)) })
}

func TestAsReportsBothTypes(t *testing.T) {
	for _, dtype := range []string{"<f8", "<i4", "<u4", "<M8[ns]", "|S4", "[('a', '<f4')]"} {
		u, err := NewUntyped(dtype, Shape{3}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = As[float32](u)
		if !errors.Is(err, cairn.ErrType) || !strings.Contains(err.Error(), u.DType().String()) ||
			!strings.Contains(err.Error(), "float32") {
			t.Errorf("%s as float32: %v", dtype, err)
		}
	}
}

func TestForeignBoolsBecomeGoBools(t *testing.T) {
	u, err := NewUntyped("|b1", Shape{4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Write(t.Context(), []byte{0, 1, 2, 255}); err != nil {
		t.Fatal(err)
	}
	a, err := As[bool](u)
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.Read(t.Context())
	if err != nil || !slices.Equal(got, []bool{false, true, true, true}) || !bytes.Equal(a.layout.Memory(govalue.SpanOf(got)), []byte{0, 1, 1, 1}) {
		t.Fatalf("%v %v", got, err)
	}
}
