package ndarray

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
)

type numbers struct {
	A int8
	B uint16
	C float32
	D int64
	E [3]int16
	F complex128
	G bool
	H [8]byte
}

// Values converted in batches must equal those converted one by one, in both directions.
func TestBatchConversionEqualsSingleValues(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	for _, order := range []string{"<", ">"} {
		dtype := strings.ReplaceAll("[('A', '|i1'), ('G', '|b1'), ('B', '!u2'), ('C', '!f4'), ('D', '!i8'), ('E', '!i2', (3,)), ('F', '!c16'), ('H', '|S8')]", "!", order)
		for _, workers := range []int{1, 3} {
			u, err := NewUntyped(dtype, Shape{3, 37, 181}, &Options{ChunkShape: Shape{2, 30, 100}, BlockShape: Shape{1, 30, 50}, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			v, err := As[numbers](u)
			if err != nil {
				t.Fatal(err)
			}
			values := make([]numbers, v.Len())
			for i := range values {
				values[i] = numbers{int8(rnd.Int()), uint16(rnd.Int()), rnd.Float32(), rnd.Int64(), [3]int16{int16(i), -1, int16(rnd.Int())},
					complex(rnd.Float64(), float64(i)), i%3 == 0, [8]byte{1, byte(i), byte(i >> 8)}}
			}
			if err := v.Write(t.Context(), values); err != nil {
				t.Fatal(err)
			}
			raw, err := u.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			single := make([]byte, u.TypeSize())
			for i := range values {
				var one numbers
				item := raw[i*len(single):][:len(single)]
				if err := errors.Join(second(v.layout.Decode(govalue.One(&one), 0, 1, item)), second(v.layout.Encode(single, govalue.One(&values[i]), 0, 1))); err != nil || one != values[i] || !slices.Equal(single, item) {
					t.Fatalf("value %d of %s: %+v is stored as % x, which is %+v: %v", i, dtype, values[i], item, one, err)
				}
			}
			if got, err := v.Read(t.Context()); err != nil || !slices.Equal(got, values) {
				t.Fatalf("%s, %d workers: other values: %v", dtype, workers, err)
			}
			u.Abort()
		}
	}
}

// valueJob is how many values one goroutine converts at a time.
const valueJob = 4096

// The error must be that of the first bad value, whatever the number of workers and whichever part
// of the value is bad.
func TestFirstBadValueIsReported(t *testing.T) {
	type pair struct {
		Late  time.Time     `cairn:",M8[s]"`
		Early time.Time     `cairn:",M8[ps]"`
		Short time.Duration `cairn:",m8[ps]"`
	}
	for _, workers := range []int{1, 4} {
		v, err := New[pair](Shape{5 * valueJob}, &Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		values := make([]pair, v.Len())
		for i := range values {
			values[i].Late = time.Unix(int64(i), 0)
		}
		const most = math.MaxInt64 / 1000 // nanoseconds that 64 bits hold in picoseconds
		values[3*valueJob+9].Early = time.Unix(0, most+1)
		values[3*valueJob+5].Short = most + 1
		values[4*valueJob].Short = most + 1
		if err := v.Write(t.Context(), values); !errors.Is(err, cairn.ErrBounds) || !strings.Contains(err.Error(), "value 12293:") {
			t.Errorf("%d workers: %v", workers, err)
		}
		seconds, err := ViewAs[int64](v.Field("Late"))
		if err != nil {
			t.Fatal(err)
		}
		for k, tick := range []int64{math.MaxInt64, math.MaxInt64 - 1} {
			if err := seconds.Set(tick, int64(2*valueJob+k)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := v.Read(t.Context()); !errors.Is(err, cairn.ErrBounds) || !strings.Contains(err.Error(), "9223372036854775807") {
			t.Errorf("%d workers: %v", workers, err)
		}
		v.Untyped.Abort()
	}
}
