package zstd_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/codecs/internal/zstd"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// words returns n bytes of text with some hundreds of distinct words.
func words(n int) []byte {
	rng := rand.New(rand.NewPCG(8, 8))
	all := make([][]byte, 400)
	for i := range all {
		all[i] = make([]byte, 3+rng.IntN(9))
		for j := range all[i] {
			all[i][j] = 'a' + byte(rng.IntN(20))
		}
	}
	var text []byte
	for len(text) < n {
		text = append(append(text, all[rng.IntN(1+rng.IntN(len(all)))]...), ' ')
	}
	return text[:n]
}

// changed returns n bytes of text with some bytes changed.
func changed(text []byte, n int, rng *rand.Rand) []byte {
	src := bytes.Clone(text[10_000+rng.IntN(1000):][:n])
	for i := 0; i < n; i += 1 + rng.IntN(500) {
		src[i] ^= 0x55
	}
	return src
}

// TestEncodeWithDictionary encodes with dictionaries of every kind at every level. Earlier calls
// must not matter.
func TestEncodeWithDictionary(t *testing.T) {
	text := words(200_000)
	sizes := []int{3000, 3000, 100, 9000, 4000, 7, 8000}
	asmtest.EachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 5))
		for level := range 10 {
			if testing.Short() && level%4 != 1 { // test 1, 5 and 9 only
				continue
			}
			used := zstd.NewEncoder(level)
			built := used.BuildDict(nil, text[:20_000], text[100:], sizes, 15_000)
			if len(built) == 0 || len(built) > 15_000 {
				t.Fatalf("level %d: a dictionary of %d bytes", level, len(built))
			}
			fresh := zstd.NewEncoder(level)
			for name, dict := range map[string][]byte{"built": built, "trained": dictionary(t), "content": text[:32_000], "a byte": text[:1], "none": {}} {
				d, err := zstd.NewDecoder(dict)
				if err != nil {
					t.Fatalf("level %d, %s: %v", level, name, err)
				}
				for _, n := range []int{0, 1, 7, 8, 30, 600, 3000, 20_000, 40_000, 140_000}[:8+level%3] {
					src := changed(text, n, rng)
					setDict(t, used, dict)
					setDict(t, fresh, dict)
					got := encodeTo(used, src)
					if again := encodeTo(fresh, src); !bytes.Equal(got, again) {
						t.Fatalf("level %d, %s, %d bytes: a used encoder makes %d bytes, another %d", level, name, n, len(got), len(again))
					}
					if second := encodeTo(used, src); !bytes.Equal(got, second) {
						t.Fatalf("level %d, %s, %d bytes: the second time it makes others", level, name, n)
					}
					mustDecode(t, d, got, src, fmt.Sprintf("level %d, %s", level, name))
					setDict(t, used, nil)
					if without := len(encodeTo(used, src)); n == 600 && len(dict) > 10_000 && name != "trained" && len(got) > without*2/3 {
						t.Errorf("level %d, %s: %d bytes, without a dictionary %d", level, name, len(got), without)
					}
				}
			}
		}
	})
}

func setDict(t testing.TB, e *zstd.Encoder, dict []byte) {
	t.Helper()
	if err := e.SetDict(dict); err != nil {
		t.Fatal(err)
	}
}

func encodeTo(e *zstd.Encoder, src []byte) []byte {
	dst := make([]byte, len(src)+64)
	return dst[:e.Encode(dst, src)]
}

// TestEncodeWithDictionaryAllocations checks that an encoder does not allocate after it has used a
// dictionary and a frame of each length.
func TestEncodeWithDictionaryAllocations(t *testing.T) {
	text := words(40_000)
	dst := make([]byte, 40_000)
	for level := range 10 {
		e := zstd.NewEncoder(level)
		dict := e.BuildDict(nil, text[:5000], text, []int{10_000, 10_000}, 5000)
		if n := testing.AllocsPerRun(3, func() {
			setDict(t, e, dict)
			e.Encode(dst, text[:20_000])
			e.Encode(dst, text[:300])
		}); n != 0 {
			t.Errorf("level %d allocates %v times", level, n)
		}
	}
}

// TestBuildDict builds dictionaries of samples with few statistics: none, noise, a single byte.
func TestBuildDict(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	noise := make([]byte, 4000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	e := zstd.NewEncoder(5)
	for name, data := range map[string][]byte{"noise": noise, "zeros": make([]byte, 4000), "nothing": nil} {
		dict := e.BuildDict(nil, noise[:1000], data, []int{len(data) / 2, len(data) - len(data)/2}, 1200)
		d, err := zstd.NewDecoder(dict)
		if err != nil || len(dict) < 600 || len(dict) > 1200 {
			t.Fatalf("%s: %d bytes, %v", name, len(dict), err)
		}
		setDict(t, e, dict)
		src := append(bytes.Clone(noise[200:900]), make([]byte, 300)...)
		mustDecode(t, d, encodeTo(e, src), src, name)
	}
	if dict := e.BuildDict([]byte("x"), noise[:300], noise, []int{4000}, 300); string(dict) != "x" {
		t.Errorf("a dictionary without room: %d bytes", len(dict)-1)
	}
}

// FuzzEncodeDict encodes any bytes with any dictionary, or one built from them, after other data.
func FuzzEncodeDict(f *testing.F) {
	dict := dictionary(f)
	f.Add(dict, dict[1000:3000], uint8(1), uint8(1))
	f.Add(dict[500:3000], dict[1000:3000], uint8(5), uint8(130))
	f.Add(dict[500:540], dict[:100], uint8(13), uint8(2))
	var encoders [10]*zstd.Encoder
	for level := range encoders {
		encoders[level] = zstd.NewEncoder(level)
	}
	d := decoder(f)
	f.Fuzz(func(t *testing.T, dict, unit []byte, level, times uint8) {
		src := bytes.Repeat(unit, 1+int(times)%20)
		e := encoders[level%10]
		if level%4 == 1 {
			half := len(unit) / 2
			dict = e.BuildDict(nil, dict, unit, []int{half, len(unit) - half}, 30_000)
		}
		if err := e.SetDict(dict); err != nil {
			return
		}
		if err := d.SetDict(dict); err != nil {
			t.Fatalf("the encoder takes a dictionary that the decoder refuses: %v", err)
		}
		encodeTo(e, dict)
		got := encodeTo(e, src)
		back := make([]byte, len(src))
		if err := d.Decode(back, got); err != nil || !bytes.Equal(back, src) {
			t.Fatalf("level %d, %d bytes: %v, or other bytes", level%10, len(src), err)
		}
		if len(unit)%16 != 0 {
			return // a new encoder takes some MiB
		}
		fresh := zstd.NewEncoder(int(level % 10))
		setDict(t, fresh, dict)
		if again := encodeTo(fresh, src); !bytes.Equal(got, again) {
			t.Fatalf("level %d, %d bytes: a fresh encoder gives others", level%10, len(src))
		}
	})
}
