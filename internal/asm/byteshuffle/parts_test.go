package byteshuffle

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// turned rotates the lines of planes like ShuffleTurned, but keeps the order of items. Planes
// consist of whole lines.
func turned(planes []byte, pitch, size, items int) {
	for j := range size {
		for at := 0; at < items; at += groupItems {
			line := planes[j*pitch+at:][:groupItems]
			kept := bytes.Clone(line)
			for q := range 8 {
				copy(line[(q-j*Turn(size)%8+8)%8*8:][:8], kept[q*8:])
			}
		}
	}
}

// TestTurned compares ShuffleTurned with Shuffle of reversed items, and UnshuffleTurned with its
// inverse.
func TestTurned(t *testing.T) {
	flat, planes := asmtest.NewGuard(t, 16*1000), asmtest.NewGuard(t, 16*2000)
	asmtest.EachTier(t, func(t *testing.T) {
		for _, size := range []int{1, 2, 3, 4, 8, 16, 32} {
			for items := 0; items < 16*400/size; items += 37 {
				src, dst := flat.Tail(items*size, 0), planes.Tail(items*size, 0)
				asmtest.Fill(src, 1)
				kept, want, other := bytes.Clone(src), bytes.Clone(dst), make([]byte, len(src))
				n := ShuffleTurned(dst, items, src, size)
				for i := range n {
					copy(other[i*size:(i+1)*size], src[(i^7)*size:])
				}
				reference(want, items, other, size, n)
				turned(want, items, size, n)
				if !bytes.Equal(dst, want) || !planes.Intact() {
					t.Fatalf("size %d, %d items: wrong bytes in the first %d, or beyond", size, items, n)
				}
				if done := cpu.AVX512GFNI && (size == 2 || size == 4 || size == 8 || size == 16); done && n < items-groupItems || !done && n > 0 {
					t.Fatalf("size %d, %d items: %d done", size, items, n)
				}
				reference(dst, items, kept, size, items)
				turned(dst, items, size, n)
				back := flat.Head(items*size, 0)
				m := UnshuffleTurned(back, dst, items, size)
				if m != n || !bytes.Equal(back[:n*size], kept[:n*size]) || !asmtest.Untouched(back[n*size:]) || !flat.Intact() {
					t.Fatalf("size %d, %d items: wrong bytes restored of the first %d, or beyond", size, items, m)
				}
			}
		}
	})
}

// TestColumns shuffles the first 16 bytes of wider items. The bytes behind them must not change.
func TestColumns(t *testing.T) {
	flat, planes := asmtest.NewGuard(t, 127*300+16), asmtest.NewGuard(t, 15*300+128)
	asmtest.EachTier(t, func(t *testing.T) {
		if !cpu.AVX2 && !cpu.NEON {
			return // there is no plain Go for this function
		}
		for stride := 16; stride < 300; stride++ {
			groups := 1 + stride%2
			items := groups * groupItems
			pitch := items + stride%130
			src, dst := flat.Tail((items-1)*stride+16, 0), planes.Head(15*pitch+items, 0)
			asmtest.Fill(src, uint32(stride))
			kept, want := bytes.Clone(src), bytes.Clone(dst)
			ShuffleColumns(dst, pitch, src, stride, groups)
			for i := range items {
				reference(want[i:], pitch, src[i*stride:], Columns, 1)
			}
			if !bytes.Equal(dst, want) || !planes.Intact() {
				t.Fatalf("stride %d: wrong bytes", stride)
			}
			back := flat.Head((items-1)*stride+16, 0)
			want = bytes.Clone(back)
			for i := range items {
				copy(want[i*stride:][:Columns], kept[i*stride:])
			}
			UnshuffleColumns(back, stride, dst, pitch, groups)
			if !bytes.Equal(back, want) || !flat.Intact() {
				t.Fatalf("stride %d: wrong bytes restored", stride)
			}
		}
	})
}
