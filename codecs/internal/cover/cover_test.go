package cover_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/codecs/internal/cover"
)

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestCommonParts hides three texts in noise, each in some samples. The dictionary must contain
// them.
func TestCommonParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	texts := [][]byte{noise(r, 60), noise(r, 60), noise(r, 60)}
	var data []byte
	var sizes []int
	for i := range 40 {
		start := len(data)
		data = append(data, noise(r, 200)...)
		for k, text := range texts {
			if i%(2+3*k) == 0 {
				data = append(append(data, text...), noise(r, 50)...)
			}
		}
		sizes = append(sizes, len(data)-start)
	}
	var c cover.Chooser
	for range 2 { // a choice must not depend on the previous one
		got := c.Append([]byte("before"), data, sizes, 1000, 64)
		if !bytes.HasPrefix(got, []byte("before")) || len(got) > 1006 {
			t.Fatalf("%d bytes were chosen, or others changed", len(got)-6)
		}
		for k, text := range texts {
			if !bytes.Contains(got, text[4:56]) {
				t.Errorf("text %d is not in it", k)
			}
		}
	}
}

// TestNoDictionaryWithoutRepetition checks that there is no dictionary if nothing repeats, or if
// samples or dictionary are too small.
func TestNoDictionaryWithoutRepetition(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var c cover.Chooser
	data := noise(r, 4000)
	few := noise(r, 300) // with more samples, hashes would collide
	same := append(bytes.Clone(data[:2000]), data[:2000]...)
	for name, got := range map[string][]byte{
		"noise":         c.Append(nil, few, []int{100, 100, 100}, 200, 64),
		"nothing":       c.Append(nil, nil, nil, 500, 64),
		"a few bytes":   c.Append(nil, data[:7], []int{7}, 500, 64),
		"no room":       c.Append(nil, same, []int{2000, 2000}, 7, 64),
		"in one sample": c.Append(nil, append(few[:200:200], few[:200]...), []int{400}, 200, 64),
	} {
		if len(got) != 0 {
			t.Errorf("%s: a dictionary of %d bytes", name, len(got))
		}
	}
	if got := c.Append(nil, same, []int{2000, 2000}, 500, 64); len(got) < 400 || !bytes.Contains(same, got[len(got)-60:]) {
		t.Errorf("two equal samples: a dictionary of %d bytes", len(got))
	}
}
