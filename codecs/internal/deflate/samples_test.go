package deflate_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/flate"
)

// samples are contents that cause every kind of block and of match.
func samples(n int) map[string][]byte {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	noise, few, skewed, runs, periods := make([]byte, n), make([]byte, n), make([]byte, n), make([]byte, n), make([]byte, n)
	for i := range n {
		noise[i] = byte(r.Uint32())
		few[i] = byte(r.IntN(3))
		skewed[i] = byte(r.ExpFloat64() * 20)
		runs[i] = byte(i / 300)
	}
	for at := 0; at < n; {
		width := 1 + r.IntN(40)
		for end := min(n, at+r.IntN(600)); at < end; at++ {
			if at < width || r.IntN(300) == 0 {
				periods[at] = byte(r.Uint32())
			} else {
				periods[at] = periods[at-width]
			}
		}
		at++
	}
	mixed := bytes.Join([][]byte{noise[:n/4], make([]byte, n/4), skewed[:n/4], periods[:n-n/4*3]}, nil)
	return map[string][]byte{"zeros": make([]byte, n), "noise": noise, "few": few, "skewed": skewed, "runs": runs, "periods": periods, "mixed": mixed}
}

// sizes are the lengths of contents to test.
func sizes() []int {
	all := []int{0, 1, 2, 3, 10, 100, 257, 300, 1000, 5000, 70000, 300000}
	if testing.Short() {
		return all[:len(all)-1]
	}
	return all
}

// libraryEncode encodes content at a level with the library.
func libraryEncode(t testing.TB, content []byte, level int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// libraryDecode decodes a stream of n bytes with the library and returns how many bytes of the
// stream it used.
func libraryDecode(n int, stream []byte) (content []byte, used int, ok bool) {
	in := bytes.NewReader(stream)
	content, err := io.ReadAll(io.LimitReader(flate.NewReader(in), int64(n)+1))
	return content, len(stream) - in.Len(), err == nil && len(content) == n
}

// guarded returns a buffer of n bytes and a function that fails the test if the bytes behind it
// have changed.
func guarded(t testing.TB, n int) ([]byte, func()) {
	buf := bytes.Repeat([]byte{0xa5}, n+64)
	return buf[:n:n], func() {
		t.Helper()
		if !bytes.Equal(buf[n:], bytes.Repeat([]byte{0xa5}, 64)) {
			t.Fatal("wrote behind its output")
		}
	}
}
