package crc32c

import (
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// define computes the checksum bit by bit.
func define(sum uint32, b []byte) uint32 {
	sum = ^sum
	for _, c := range b {
		sum ^= uint32(c)
		for range 8 {
			sum = sum>>1 ^ 0x82f6_3b78&-(sum&1)
		}
	}
	return ^sum
}

func TestUpdate(t *testing.T) {
	if got := Update(0, []byte("123456789")); got != 0xe306_9283 {
		t.Fatalf("the check value is %08x", got)
	}
	const most = 5000
	guard := asmtest.NewGuard(t, most+65)
	asmtest.EachTier(t, func(t *testing.T) {
		for _, size := range asmtest.Counts(most) {
			for shift := range 65 {
				b := guard.Tail(size, shift)
				if shift%2 == 0 {
					b = guard.Head(size, shift)
				}
				asmtest.Fill(b, uint32(size+shift))
				start := uint32(size*shift) * 0x9e37_79b9
				if got, want := Update(start, b), define(start, b); got != want {
					t.Fatalf("%d bytes, shift %d: %08x, want %08x", size, shift, got, want)
				}
				if !guard.Intact() {
					t.Fatalf("%d bytes, shift %d: writes", size, shift)
				}
			}
		}
	})
}

// TestKernelRuns checks that the processor's kernel is used if there is one.
func TestKernelRuns(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		var rest [16]byte
		want := 0
		if cpu.AVX512GFNI || cpu.NEON && cpu.HasPMULL() {
			want = 1024
		}
		if n := fold(&rest, make([]byte, 1100), 1); n != want {
			t.Fatalf("%d bytes are folded, want %d", n, want)
		}
	})
}

func FuzzUpdate(f *testing.F) {
	f.Add(uint32(1), make([]byte, 1600))
	f.Fuzz(func(t *testing.T, sum uint32, b []byte) {
		want := crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), b)
		if got := Update(sum, b); got != want {
			t.Fatalf("%08x, want %08x", got, want)
		}
		if n := len(b) / 3; Update(Update(sum, b[:n]), b[n:]) != want {
			t.Fatal("two parts are not the whole")
		}
	})
}

func BenchmarkUpdate(b *testing.B) {
	for _, size := range []int{1 << 10, 4 << 10, 64 << 10, 1 << 20} {
		data := make([]byte, size)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				Update(0, data)
			}
		})
		b.Run(fmt.Sprint(size, "/standard"), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
			}
		})
	}
}
