package wire

import (
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
)

func TestReader(t *testing.T) {
	b := []byte{0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	r := NewReader("test", b, 1)
	for _, c := range []struct {
		name      string
		got, want uint64
		pos       int
	}{
		{"Uint8", uint64(r.Uint8()), 0x01, 2},
		{"Uint16BE", uint64(r.Uint16BE()), 0x0203, 4},
		{"Uint32BE", uint64(r.Uint32BE()), 0x04050607, 8},
	} {
		if c.got != c.want {
			t.Errorf("%s is %#x, want %#x", c.name, c.got, c.want)
		}
	}
	if r.Pos() != 8 || r.Len() != 8 || r.Err() != nil {
		t.Fatalf("at %d, %d left, %v", r.Pos(), r.Len(), r.Err())
	}
	r.Seek(8)
	if got := r.Uint64BE(); got != 0x08090a0b0c0d0e0f || r.Len() != 0 {
		t.Errorf("Uint64BE is %#x", got)
	}
	minusTwo := NewReader("test", []byte{0xff, 0xfe, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe}, 0)
	if a, b, c := minusTwo.Int16BE(), minusTwo.Int32BE(), minusTwo.Int64BE(); a != -2 || b != -2 || c != -2 {
		t.Errorf("signed big-endian integers are %d, %d, %d", a, b, c)
	}
}

func TestReaderRemembersFirstError(t *testing.T) {
	for name, fail := range map[string]func(r *Reader){
		"Uint64BE": func(r *Reader) { r.Uint64BE() },
		"Uint32BE": func(r *Reader) { r.Uint32BE(); r.Uint32BE() },
		"Uint16BE": func(r *Reader) { r.Seek(4); r.Uint16BE() },
		"Uint8":    func(r *Reader) { r.Seek(5); r.Uint8() },
		"Bytes":    func(r *Reader) { r.Bytes(math.MaxInt64) },
		"negative": func(r *Reader) { r.Bytes(-1) },
		"Skip":     func(r *Reader) { r.Skip(6) },
		"Seek":     func(r *Reader) { r.Seek(6) },
		"Seek -1":  func(r *Reader) { r.Seek(-1) },
		"Expect":   func(r *Reader) { r.Expect(7, "first byte") },
		"Failf":    func(r *Reader) { r.Failf(0, "so it is") },
	} {
		r := NewReader("test", []byte{1, 2, 3, 4, 5}, 0)
		fail(&r)
		first := r.Err()
		var corrupt *cairn.CorruptError
		if !errors.As(first, &corrupt) || corrupt.Layer != "test" {
			t.Errorf("%s: %v", name, first)
			continue
		}
		if r.Uint8() != 0 || r.Uint64BE() != 0 || r.Bytes(0) != nil || r.Len() != 0 {
			t.Errorf("%s: reads on after the error", name)
		}
		r.Failf(3, "second")
		r.Expect(1, "third")
		if r.Err() != first {
			t.Errorf("%s: error became %v", name, r.Err())
		}
	}
	if r := NewReader("test", nil, 1); r.Err() == nil {
		t.Error("start outside of the buffer accepted")
	}
}

func TestAppendToBytesDoesNotOverwriteTheBuffer(t *testing.T) {
	b := []byte{1, 2, 3}
	r := NewReader("test", b, 0)
	_ = append(r.Bytes(1), 9)
	if b[1] != 2 {
		t.Error("appending to what Bytes returned overwrote the buffer")
	}
}

func TestReaderAllocatesNothing(t *testing.T) {
	b := make([]byte, 64)
	if n := testing.AllocsPerRun(100, func() {
		r := NewReader("test", b, 0)
		r.Uint64BE()
		r.Expect(0, "zero")
		r.Bytes(10)
		r.Uint32BE()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTagged(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want []byte
	}{
		{"int16", AppendInt16(nil, -2), []byte{0xd1, 0xff, 0xfe}},
		{"int32", AppendInt32(nil, 0x01020304), []byte{0xd2, 1, 2, 3, 4}},
		{"int64", AppendInt64(nil, -1), []byte{0xd3, 255, 255, 255, 255, 255, 255, 255, 255}},
		{"uint16", AppendUint16(nil, 0x0102), []byte{0xcd, 1, 2}},
		{"uint32", AppendUint32(nil, 0x01020304), []byte{0xce, 1, 2, 3, 4}},
		{"bin", AppendBin32([]byte{7}, []byte{8, 9}), []byte{7, 0xc6, 0, 0, 0, 2, 8, 9}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: % x, want % x", c.name, c.got, c.want)
		}
	}
}

// edges are numbers around the limits of 64-bit arithmetic.
var edges = []int64{math.MinInt64, math.MinInt64 + 1, -1 << 32, -1<<31 - 1, -3, -2, -1, 0, 1, 2, 3, 7, 1<<31 - 1, 1 << 31, 1 << 32, 3037000499, 3037000500, 1 << 62, math.MaxInt64 - 1, math.MaxInt64}

// checkAgainst compares a result with exact arithmetic.
func checkAgainst(t *testing.T, op string, a, b, got int64, ok bool, exact *big.Int) {
	t.Helper()
	if exact.IsInt64() != ok || ok && exact.Int64() != got {
		t.Errorf("%d %s %d: got %d, %v, want %v", a, op, b, got, ok, exact)
	}
}

func TestCheckedAgainstExact(t *testing.T) {
	for _, a := range edges {
		for _, b := range edges {
			x, y := big.NewInt(a), big.NewInt(b)
			sum, ok := AddInt64(a, b)
			checkAgainst(t, "+", a, b, sum, ok, new(big.Int).Add(x, y))
			product, ok := MulInt64(a, b)
			checkAgainst(t, "*", a, b, product, ok, new(big.Int).Mul(x, y))
			if a < 0 || b < 1 {
				if _, ok := RoundUp(a, b); ok {
					t.Errorf("RoundUp(%d, %d) accepted", a, b)
				}
				if _, ok := CeilDiv(a, b); ok {
					t.Errorf("CeilDiv(%d, %d) accepted", a, b)
				}
				continue
			}
			quotient := new(big.Int).Add(x, big.NewInt(b-1))
			quotient.Quo(quotient, y)
			q, ok := CeilDiv(a, b)
			checkAgainst(t, "ceil/", a, b, q, ok, quotient)
			up, ok := RoundUp(a, b)
			checkAgainst(t, "roundup", a, b, up, ok, new(big.Int).Mul(quotient, y))
		}
	}
}

func TestProduct(t *testing.T) {
	if n, ok := Product[int64](); n != 1 || !ok {
		t.Errorf("empty product is %d, %v", n, ok)
	}
	if n, ok := Product[int32](1<<30, 1<<30, 4); n != 1<<62 || !ok {
		t.Errorf("Product is %d, %v", n, ok)
	}
	if _, ok := Product[int64](1<<32, 1<<32, 0); ok {
		t.Error("Product overflowed unseen before a zero")
	}
	if n, ok := Product[int64](0, 1<<32, 1<<32); n != 0 || !ok {
		t.Errorf("Product after a zero is %d, %v", n, ok)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, []byte{0, 1, 2, 3, 4, 5, 6})
	f.Fuzz(func(t *testing.T, b, script []byte) {
		r := NewReader("test", b, 0)
		for _, op := range script {
			before := r.Pos()
			switch op % 6 {
			case 0:
				if v := r.Uint16BE(); r.Err() == nil && v != binary.BigEndian.Uint16(b[before:]) {
					t.Fatal("wrong number")
				}
			case 1:
				r.Uint64BE()
			case 2:
				r.Bytes(int64(op) - 20)
			case 3:
				r.Seek(int(op) - 10)
			case 4:
				r.Expect(op, "byte")
			case 5:
				r.Int32BE()
			}
			if r.Pos() < 0 || r.Pos() > len(b) {
				t.Fatalf("at %d of %d", r.Pos(), len(b))
			}
		}
	})
}
