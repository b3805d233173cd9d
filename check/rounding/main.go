// Command rounding rounds drawn items and compares each with its bound, by arithmetic of its own.
//
//	go run ./check/rounding -items 1e9
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"

	"github.com/cairn-go/cairn/internal/rounding"
	"github.com/cairn-go/cairn/meta"
)

// batch is how many items are rounded with one bound.
const batch = 1 << 14

func main() {
	items := flag.Float64("items", 1e7, "round `N` items")
	seed := flag.Uint64("seed", 1, "draw with `SEED`")
	flag.Parse()

	const workers = 2
	found := make([]found, workers)
	var wait sync.WaitGroup
	for w := range found {
		wait.Go(func() { found[w].run(rand.New(rand.NewPCG(*seed, uint64(w))), int(*items/workers)) })
	}
	wait.Wait()

	total := found[0]
	total.items += found[1].items
	total.outside += found[1].outside
	total.changed += found[1].changed
	total.err = cmpError(total.err, found[1].err)
	fmt.Printf("%d items, %d of them rounded, %d outside of their bound\n", total.items, total.changed, total.outside)
	if total.err != nil {
		fmt.Println(total.err)
	}
	if total.outside > 0 || total.err != nil || total.changed < total.items/10 {
		os.Exit(1)
	}
}

func cmpError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// found is what a worker has found.
type found struct {
	items, changed, outside int
	err                     error // the first
}

// run rounds drawn items with drawn bounds.
func (f *found) run(random *rand.Rand, items int) {
	for f.items < items && f.err == nil {
		size := 4 << random.IntN(2)
		b := drawBound(random, size)
		d, err := meta.ParseDType("<f" + strconv.Itoa(size))
		if err != nil {
			f.err = err
			return
		}
		r, err := rounding.New(d, nil, b)
		if err != nil {
			f.err = fmt.Errorf("%v: %w", b, err)
			return
		}
		f.round(random, r, size)
	}
}

// round rounds a batch.
func (f *found) round(random *rand.Rand, r *rounding.Rounder, size int) {
	was := make([]byte, batch*size)
	narrow := random.IntN(2) == 0
	for i := 0; i < len(was); i += size {
		bits := random.Uint64()
		if narrow { // near to what bounds are about
			v := math.Ldexp(1+random.Float64(), random.IntN(40)-20)
			if bits&1 != 0 {
				v = -v
			}
			bits = math.Float64bits(v)
			if size == 4 {
				bits = uint64(math.Float32bits(float32(v)))
			}
		}
		if size == 4 {
			binary.LittleEndian.PutUint32(was[i:], uint32(bits))
		} else {
			binary.LittleEndian.PutUint64(was[i:], bits)
		}
	}

	is := append([]byte(nil), was...)
	if err := r.Round(is); err != nil {
		f.err = err
		return
	}
	for i := 0; i < len(was); i += size {
		a := value(was[i:], size)
		b := value(is[i:], size)
		f.items++
		if a != b {
			f.changed++
		}
		if !within(r.Bound(), size, a, b) {
			f.outside++
			if f.err == nil {
				f.err = fmt.Errorf("%v: %g of %d bytes became %g", r.Bound(), a, size, b)
			}
		}
	}
}

func value(b []byte, size int) float64 {
	if size == 4 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

// drawBound returns a bound for floats of a size.
func drawBound(random *rand.Rand, size int) rounding.Bound {
	mantissa := 23
	digits := 8
	if size == 8 {
		mantissa = 52
		digits = 17
	}
	switch random.IntN(4) {
	case 0:
		return rounding.Bound{Rule: rounding.Absolute, Value: math.Ldexp(1+random.Float64(), random.IntN(60)-40)}
	case 1:
		return rounding.Bound{Rule: rounding.Relative, Value: math.Ldexp(0.5+random.Float64()/2, -random.IntN(mantissa))}
	case 2:
		return rounding.Bound{Rule: rounding.Digits, Value: float64(1 + random.IntN(digits))}
	}
	return rounding.Bound{Rule: rounding.Bits, Value: float64(1 + random.IntN(mantissa))}
}

// within reports whether an item may become another one.
func within(b rounding.Bound, size int, was, is float64) bool {
	if was-was != 0 || was == 0 {
		return is == was || was != was && is != is
	}

	d := math.Abs(was - is) // exact, since neither has bits below the last one of was
	v := math.Abs(was)
	normal := 0x1p-126
	if size == 8 {
		normal = 0x1p-1022
	}
	switch b.Rule {
	case rounding.Absolute:
		return d <= b.Value
	case rounding.Relative:
		return d/v <= b.Value
	case rounding.Digits:
		return d <= halfDigit(v, int(b.Value))
	}
	return v < normal || d/v <= math.Ldexp(1, -int(b.Value)-1)
}

// powers are those of ten from -400 on; those beyond the range are 0 and infinity.
var powers = func() (p [800]float64) {
	for i := range p {
		p[i], _ = strconv.ParseFloat("1e"+strconv.Itoa(i-400), 64) // out of range is infinity
	}
	return p
}()

// halfDigit returns half of the n-th significant digit of a number.
func halfDigit(v float64, n int) float64 {
	tens := int(math.Floor(math.Log10(v)))
	for powers[400+tens] > v {
		tens--
	}
	for powers[400+tens+1] <= v {
		tens++
	}
	return powers[400+tens+1-n] / 2
}
