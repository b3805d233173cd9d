package pcodec

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// types has the types of numbers under the names of NumPy.
var types = map[string]Type{
	"u1": Uint8, "i1": Int8, "u2": Uint16, "i2": Int16, "u4": Uint32, "i4": Int32, "u8": Uint64,
	"i8": Int64, "f2": Float16, "f4": Float32, "f8": Float64,
}

// numbers returns the numbers that testdata/generate.py makes, as bytes.
func numbers(name, kind string, n int) []byte {
	t := types[name]
	size := t.Size()
	out := make([]byte, n*size)
	small := make([]int64, max(n, 37))
	x := uint64(88172645463325252)
	for i := range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		small[i] = int64(x>>32) % 50
		if kind == "noise" {
			putNumber(out, i, size, x>>(64-8*size))
		}
	}
	if kind == "noise" {
		return out
	}

	sum := int64(0)
	for i := range n {
		v := int64(0)
		switch kind {
		case "walk":
			sum += small[i] - 24
			v = sum
		case "steps":
			v = int64(i/7*3) + small[i]%2
		case "multiples":
			v = small[i] * 7
			if i%19 == 0 {
				v++
			}
		case "repeats":
			v = small[i%37] * 3
		case "few":
			v = []int64{-90, 3, 17, 101, 55}[small[i]%5]
		}

		if name[0] == 'u' {
			v &= 127
		}
		if size == 1 {
			v = (v%64 + 64) % 64
		}
		f := float64(v)
		if kind == "multiples" {
			f /= 8
		}
		putNumber(out, i, size, bitsOf(t, v, f))
	}
	return out
}

// bitsOf returns the bits of a number of a type: v, or of a floating-point type f.
func bitsOf(t Type, v int64, f float64) uint64 {
	switch t {
	case Float16:
		return uint64(toHalf(f))
	case Float32:
		return uint64(math.Float32bits(float32(f)))
	case Float64:
		return math.Float64bits(f)
	}
	return uint64(v)
}

func putNumber(out []byte, i, size int, v uint64) {
	for b := range size {
		out[i*size+b] = byte(v >> (8 * b))
	}
}

// goldens returns the files of the library, those that end in .pco or .wrapped.
func goldens(t testing.TB, ending string, least int) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*" + ending)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(name), ending)] = b
	}
	if len(out) < least {
		t.Fatalf("only %d files", len(out))
	}
	return out
}

// TestGoldens decodes what the library wrote: every type, mode and kind of differences, and old
// versions.
func TestGoldens(t *testing.T) {
	var d Decoder
	modes := map[mode]int{}
	deltas := map[deltaKind]int{}
	for name, src := range goldens(t, ".pco", 40) {
		parts := strings.Split(name, "-")
		if strings.HasPrefix(parts[0], "v") {
			parts = parts[1:]
		}
		n, err := strconv.Atoi(parts[2])
		if err != nil {
			t.Fatal(err)
		}

		want := numbers(parts[0], parts[1], n)
		got := make([]byte, len(want))
		if err := d.Decode(got, src); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s: other numbers", name)
		}
		count(&d, types[parts[0]], modes, deltas)
	}

	if len(modes) != 5 || len(deltas) != 4 {
		t.Errorf("modes %v and differences %v, want 5 and 4", modes, deltas)
	}
}

// count counts the mode and the differences of the chunk that was decoded last.
func count(d *Decoder, t Type, modes map[mode]int, deltas map[deltaKind]int) {
	add := func(m mode, k deltaKind) {
		modes[m]++
		deltas[k]++
	}
	switch {
	case t.Size() == 2 && d.of16 != nil:
		add(d.of16.mode, d.of16.delta.kind)
	case t.Size() == 4 && d.of32 != nil:
		add(d.of32.mode, d.of32.delta.kind)
	case t.Size() == 8 && d.of64 != nil:
		add(d.of64.mode, d.of64.delta.kind)
	}
}

// TestDamage decodes files that were cut off and in which bits changed: it fails or gives other
// numbers, and never panics.
func TestDamage(t *testing.T) {
	var d Decoder
	for name, src := range goldens(t, ".pco", 40) {
		parts := strings.Split(name, "-")
		if strings.HasPrefix(parts[0], "v") {
			parts = parts[1:]
		}
		n, _ := strconv.Atoi(parts[2])
		dst := make([]byte, n*types[parts[0]].Size())

		step := max(1, len(src)/60)
		for cut := 0; cut < len(src); cut += step {
			if d.Decode(dst, src[:cut]) == nil {
				t.Fatalf("%s: the first %d of %d bytes decode", name, cut, len(src))
			}
		}
		damaged := bytes.Clone(src)
		for at := 0; at < len(src); at += step {
			for bit := range 8 {
				damaged[at] ^= 1 << bit
				_ = d.Decode(dst, damaged) // there is no checksum: other numbers are no error
				damaged[at] ^= 1 << bit
			}
		}
		if d.Decode(dst, append(damaged, 0)) == nil {
			t.Errorf("%s: a byte behind the end decodes", name)
		}
		if err := d.Decode(make([]byte, len(dst)+8), src); err == nil {
			t.Errorf("%s: decodes to more numbers than it has", name)
		}
	}
}
