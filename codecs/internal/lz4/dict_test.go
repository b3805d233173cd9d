package lz4_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/codecs/internal/lz4"
	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
	"github.com/cairn-go/cairn/internal/test/codectest"
)

// dictEncoder is the interface of both encoders.
type dictEncoder interface {
	Encode(dst, src []byte) int
	SetDict(dict []byte)
}

// dictEncoders returns new encoders of several kinds.
func dictEncoders() []dictEncoder {
	return []dictEncoder{lz4.NewEncoder(9), lz4.NewEncoder(5), lz4.NewEncoder(1), lz4.NewHCEncoder(1), lz4.NewHCEncoder(4), lz4.NewHCEncoder(9)}
}

// TestDictionary encodes sources of many lengths with dictionaries of many lengths, always with the
// same encoders. Earlier calls must not matter, and the dictionary must reduce the size.
func TestDictionary(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 5))
		text := codectest.Kinds()[4].Make(200_000)
		for k, used := range dictEncoders() {
			saved := 0
			for _, d := range []int{1, 3, 7, 8, 11, 300, 2400, 32_768, 70_000} {
				dict := text[:d]
				fresh := dictEncoders()[k]
				for _, n := range []int{0, 1, 12, 13, 14, 100, 3000, 30_000, 65_000, 90_000} {
					src := bytes.Clone(text[rng.IntN(1000):][:n])
					for i := 0; i < n; i += 1 + rng.IntN(500) {
						src[i] ^= 0x55
					}
					used.SetDict(dict)
					fresh.SetDict(dict)
					got, again, without := encodeTo(used, src), encodeTo(fresh, src), 0
					if !bytes.Equal(got, again) {
						t.Fatalf("encoder %d, dictionary %d, source %d: a used encoder makes %d bytes, another %d", k, d, n, len(got), len(again))
					}
					if second := encodeTo(used, src); !bytes.Equal(got, second) {
						t.Fatalf("encoder %d, dictionary %d, source %d: the second time it makes other bytes", k, d, n)
					}
					back := make([]byte, n)
					if err := lz4.Decode(back, got, dict); err != nil || !bytes.Equal(back, src) {
						t.Fatalf("encoder %d, dictionary %d, source %d: %v, or other bytes", k, d, n, err)
					}
					all := append(bytes.Clone(dict), back...)
					clear(all[d:])
					if err := lz4.DecodeBehind(all, got, d); err != nil || !bytes.Equal(all[d:], src) || !bytes.Equal(all[:d], dict) {
						t.Fatalf("encoder %d, dictionary %d, source %d: %v, or other bytes behind it", k, d, n, err)
					}
					used.SetDict(nil)
					if without = len(encodeTo(used, src)); n == 3000 && d == 32_768 {
						saved = without - len(got)
					}
				}
			}
			if saved < 150 {
				t.Errorf("encoder %d: a dictionary that has all of it saves %d of 3000 bytes", k, saved)
			}
		}
	})
}

func encodeTo(e dictEncoder, src []byte) []byte {
	dst := make([]byte, lz4.Bound(len(src)))
	return dst[:e.Encode(dst, src)]
}

// TestDictionaryAllocations checks that an encoder does not allocate after it has used a dictionary
// and a source of each length.
func TestDictionaryAllocations(t *testing.T) {
	text := codectest.Kinds()[4].Make(40_000)
	dst := make([]byte, 40_000)
	for k, e := range dictEncoders() {
		if n := testing.AllocsPerRun(5, func() {
			e.SetDict(text[:3000])
			e.Encode(dst, text[:20_000])
			e.Encode(dst, text[:300])
		}); n != 0 {
			t.Errorf("encoder %d allocates %v times", k, n)
		}
	}
}

// FuzzEncodeDict encodes any bytes with any dictionary after other inputs, with and without
// assembly.
func FuzzEncodeDict(f *testing.F) {
	text := codectest.Kinds()[4].Make(3000)
	f.Add(text, text[100:2000], uint8(0), uint8(1))
	f.Add(text[:5], text[:40], uint8(4), uint8(0))
	f.Add([]byte{}, text, uint8(3), uint8(40))
	f.Add([]byte{0}, make([]byte, 300), uint8(5), uint8(250))
	encoders := dictEncoders()
	f.Fuzz(func(t *testing.T, dict, data []byte, kind, times uint8) {
		k := int(kind) % len(encoders)
		src := bytes.Repeat(data, 1+int(times)%64)
		for i := 0; times >= 128 && i < len(src); i += 1 + i/3 {
			src[i] ^= kind
		}
		e := encoders[k]
		e.SetDict(data)
		encodeTo(e, dict)
		e.SetDict(dict)
		got := encodeTo(e, src)
		restore := cpu.Limit(cpu.TierNone)
		if len(data)%16 == 0 {
			e = dictEncoders()[k] // making them takes longer than the rest
		}
		e.SetDict(dict)
		plain := encodeTo(e, src)
		restore()
		if !bytes.Equal(got, plain) {
			t.Fatalf("%d bytes encode to %d, in plain Go to %d, or not to the same", len(src), len(got), len(plain))
		}
		if len(got) == 0 {
			return
		}
		back := make([]byte, len(src))
		if err := lz4.Decode(back, got, dict); err != nil || !bytes.Equal(back, src) {
			t.Fatalf("%d bytes do not come back: %v", len(src), err)
		}
		all := append(bytes.Clone(dict), make([]byte, len(src))...)
		if err := lz4.DecodeBehind(all, got, len(dict)); err != nil || !bytes.Equal(all[len(dict):], src) || !bytes.Equal(all[:len(dict)], dict) {
			t.Fatalf("%d bytes do not come back behind their dictionary: %v", len(src), err)
		}
	})
}
