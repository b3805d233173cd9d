package ndarray

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/cairn-go/cairn/internal/test/golden"
)

// goldenArray opens a golden array in memory, writable.
func goldenArray(t testing.TB, name string) *Untyped {
	t.Helper()
	m, err := golden.Load()
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	u, err := FromBytes(file, &OpenOptions{Mode: ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Abort() })
	return u
}

// checkGolden reads all values of a golden array, or of a field of one, and writes them back.
func checkGolden[V comparable](t *testing.T, u *Untyped, p UntypedView, want func(i int) V) {
	t.Helper()
	v, err := ViewAs[V](p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := v.Read(t.Context())
	if err != nil || int64(len(got)) != u.Len() {
		t.Fatalf("%d values: %v", len(got), err)
	}
	for i, value := range got {
		if value != want(i) {
			t.Fatalf("value %d is %v, want %v", i, value, want(i))
		}
	}
	i := 0
	for value, err := range v.Values(t.Context()) {
		if err != nil || value != want(i) {
			t.Fatalf("value %d is %v, want %v: %v", i, value, want(i), err)
		}
		i++
	}
	before, err := u.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	zero := make([]V, len(got))
	if err := errors.Join(v.Write(t.Context(), zero), v.Write(t.Context(), got)); err != nil {
		t.Fatal(err)
	}
	if after, err := u.Read(t.Context()); err != nil || !bytes.Equal(before, after) {
		t.Fatalf("what was read is not what was there when it is written back: %v", err)
	}
}

func word(i, most int) string {
	w := goldenWords()[i%len(goldenWords())]
	return w[:min(most, len(w))]
}

type goldenRecord struct {
	A    int32
	B    float64
	Name string `cairn:"name"`
}

type goldenNested struct {
	M   [2][3]int16
	Pos struct{ X, Y float32 }
	ID  uint16
	_   [3]byte
}

type goldenAligned struct {
	A uint8
	B int64
	C int16
}

func TestGoldenRecords(t *testing.T) {
	u := goldenArray(t, "dtype-struct.b2nd")
	checkGolden(t, u, u.View(), func(i int) goldenRecord {
		return goldenRecord{int32(i),
			float64(i) / 4, word(i, 5)}
	})
	checkGolden(t, u, u.Field("b"), func(i int) float64 { return float64(i) / 4 })
	checkGolden(t, u, u.Field("name"), func(i int) string { return word(i, 5) })

	u = goldenArray(t, "dtype-struct-nested.b2nd")
	m := func(i int) [2][3]int16 { n := int16(i); return [2][3]int16{{n, n, n}, {n, n, n}} }
	checkGolden(t, u, u.View(), func(i int) goldenNested {
		return goldenNested{M: m(i), Pos: struct{ X, Y float32 }{X: float32(i) / 2}, ID: uint16(i)}
	})
	checkGolden(t, u, u.Field("m"), m)
	checkGolden(t, u, u.Field("pos").Field("x"), func(i int) float32 { return float32(i) / 2 })

	u = goldenArray(t, "dtype-struct-aligned.b2nd")
	checkGolden(t, u, u.View(), func(i int) goldenAligned {
		return goldenAligned{uint8(i % 200),
			int64(i) * 1e9, int16(-i)}
	})

	u = goldenArray(t, "dtype-struct-wide.b2nd")
	checkGolden(t, u, u.View(), func(i int) struct {
		K   int32
		Pad string
	} {
		return struct {
			K   int32
			Pad string
		}{int32(i), word(i, 296)}
	})
}

func TestGoldenTimesAndTexts(t *testing.T) {
	at := func(i int) time.Time {
		return time.Date(2024, 2, 28, 23, 59, 0, 0, time.UTC).Add(time.Duration(i) * 3601 * time.Second)
	}
	for _, name := range []string{"dtype-datetime-s.b2nd", "dtype-datetime-ns.b2nd"} {
		u := goldenArray(t, name)
		checkGolden(t, u, u.View(), at)
	}
	u := goldenArray(t, "dtype-datetime-D-big.b2nd")
	checkGolden(t, u, u.View(), func(i int) time.Time { return at(i).Truncate(24 * time.Hour) })
	u = goldenArray(t, "dtype-timedelta-ms.b2nd")
	checkGolden(t, u, u.View(), func(i int) time.Duration { return time.Duration(i) * 3601 * time.Second })
	checkGolden(t, u, u.View(), func(i int) int64 { return int64(i) * 3601 })

	u = goldenArray(t, "dtype-str-U10.b2nd")
	checkGolden(t, u, u.View(), func(i int) string { return word(i, 10) })
	u = goldenArray(t, "dtype-str-U-big.b2nd")
	checkGolden(t, u, u.View(), func(i int) string { return word(i, 6) })
	u = goldenArray(t, "dtype-str-S7.b2nd")
	checkGolden(t, u, u.View(), func(i int) string { return word(i, 7) })
	checkGolden(t, u, u.View(), func(i int) (b [7]byte) { copy(b[:], word(i, 7)); return b })
	u = goldenArray(t, "dtype-void.b2nd")
	checkGolden(t, u, u.Field("f0"), func(i int) (b [5]byte) {
		for k := range b {
			b[k] = byte((5*i + k) % 250)
		}
		return b
	})
	u = goldenArray(t, "dtype-f2.b2nd")
	checkGolden(t, u, u.View(), func(i int) Float16 { return Float16From(float32(i * 7 % 120)) })
	u = goldenArray(t, "dtype-b1.b2nd")
	checkGolden(t, u, u.View(), func(i int) bool { return i%2 == 1 })
	u = goldenArray(t, "dtype-c16-big.b2nd")
	checkGolden(t, u, u.View(), func(i int) complex128 { return complex(float64(i), -float64(i%5)) })
}
