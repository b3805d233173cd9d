package ndarray

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
)

// rawTicks makes an array of datetimes from raw numbers.
func rawTicks(t *testing.T, dtype string, ticks ...int64) *Untyped {
	t.Helper()
	u, err := NewUntyped(dtype, Shape{int64(len(ticks))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	v, err := As[int64](u)
	if err == nil {
		err = v.Write(t.Context(), ticks)
	}
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// The wanted texts are NumPy's for the same numbers.
func TestTimesLikeNumPy(t *testing.T) {
	for _, c := range []struct {
		dtype string
		tick  int64
		want  string
	}{
		{"<M8[Y]", -1970, "0000-01-01T00:00:00"}, {">M8[10Y]", 5, "2020-01-01T00:00:00"}, {"<M8[M]", -1, "1969-12-01T00:00:00"}, {"<M8[3M]", 201, "2020-04-01T00:00:00"},
		{"<M8[W]", 2600, "2019-10-31T00:00:00"}, {"<M8[D]", -1, "1969-12-31T00:00:00"}, {"<M8[h]", 450000, "2021-05-03T00:00:00"}, {"<M8[m]", -27000000, "1918-09-01T00:00:00"},
		{">M8[s]", 1700000000, "2023-11-14T22:13:20"}, {"<M8[25s]", 68000000, "2023-11-14T22:13:20"}, {"<M8[ms]", -1, "1969-12-31T23:59:59.999"},
		{"<M8[us]", 1, "1970-01-01T00:00:00.000001"}, {"<M8[ns]", math.MaxInt64, "2262-04-11T23:47:16.854775807"}, {"<M8[ns]", math.MinInt64 + 1, "1677-09-21T00:12:43.145224193"},
		{"<M8[ps]", -1000, "1969-12-31T23:59:59.999999999"}, {"<M8[fs]", 5e6, "1970-01-01T00:00:00.000000005"}, {"<M8[as]", -9e18, "1969-12-31T23:59:51"},
	} {
		u := rawTicks(t, c.dtype, c.tick, math.MinInt64)
		v, err := As[time.Time](u)
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.Read(t.Context())
		if err != nil || got[0].Format("2006-01-02T15:04:05.999999999") != c.want || !got[1].IsZero() {
			t.Errorf("%s: %v, want %s: %v", c.dtype, got, c.want, err)
			continue
		}
		back := rawTicks(t, c.dtype, 0, 0)
		w, err := As[time.Time](back)
		if err == nil {
			err = w.Write(t.Context(), []time.Time{got[0].In(time.FixedZone("east", 3600)), {}})
		}
		ticks, err2 := As[int64](back)
		if err := errors.Join(err, err2); err != nil {
			t.Errorf("%s: %v", c.dtype, err)
			continue
		}
		if n, err := ticks.Read(t.Context()); err != nil || !slices.Equal(n, []int64{c.tick, math.MinInt64}) {
			t.Errorf("%s: %v becomes %v: %v", c.dtype, got[0], n, err)
		}
	}
}

func TestDurations(t *testing.T) {
	for _, c := range []struct {
		dtype string
		tick  int64
		want  time.Duration
	}{
		{"<m8[W]", -1, -7 * 24 * time.Hour}, {"<m8[2D]", 3, 144 * time.Hour}, {">m8[h]", 5, 5 * time.Hour}, {"<m8[m]", -5, -5 * time.Minute}, {"<m8[s]", 9, 9 * time.Second},
		{"<m8[ms]", -1, -time.Millisecond}, {"<m8[us]", 7, 7 * time.Microsecond}, {"<m8[ns]", math.MaxInt64, math.MaxInt64}, {"<m8[ns]", math.MinInt64 + 1, math.MinInt64 + 1},
		{"<m8[ps]", -3000, -3}, {"<m8[fs]", 4e6, 4}, {"<m8[as]", 5e9, 5}, {"<m8[ns]", math.MinInt64, NoDuration}, {"<m8[D]", math.MinInt64, NoDuration},
	} {
		u := rawTicks(t, c.dtype, c.tick)
		v, err := As[time.Duration](u)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := v.At(0); err != nil || d != c.want {
			t.Errorf("%s: %v, want %v: %v", c.dtype, d, c.want, err)
		}
		raw, err := As[int64](u)
		if err := errors.Join(err, raw.Set(0, 0), v.Set(c.want, 0)); err != nil {
			t.Errorf("%s: %v", c.dtype, err)
		}
		if n, err := raw.At(0); err != nil || n != c.tick {
			t.Errorf("%s: %v becomes %d: %v", c.dtype, c.want, n, err)
		}
	}
}

func TestTimesThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		dtype string
		tick  int64
	}{
		{"<M8[ps]", 1}, {"<M8[fs]", 999999}, {"<M8[as]", -1}, {"<M8[Y]", math.MaxInt64}, {"<M8[Y]", math.MinInt64 + 1}, {"<M8[M]", 1 << 60}, {"<M8[s]", math.MaxInt64},
		{"<M8[W]", math.MaxInt64 / 2}, {"<M8[25ns]", math.MaxInt64}, {"<M8[2Y]", math.MinInt64 / 24},
	} {
		v, err := As[time.Time](rawTicks(t, c.dtype, c.tick))
		if err != nil {
			t.Fatal(err)
		}
		if at, err := v.At(0); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("%s %d: %v, %v", c.dtype, c.tick, at, err)
		}
	}
	for _, c := range []struct {
		dtype string
		at    time.Time
	}{
		{"<M8[ns]", time.Date(2263, 1, 1, 0, 0, 0, 0, time.UTC)}, {"<M8[ns]", time.Unix(0, math.MinInt64)}, {"<M8[as]", time.Unix(10, 0)},
	} {
		v, err := As[time.Time](rawTicks(t, c.dtype, 0))
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Set(c.at, 0); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("%s %v: %v", c.dtype, c.at, err)
		}
	}
	v, err := As[time.Duration](rawTicks(t, "<m8[W]", math.MaxInt64/1000000))
	if err != nil {
		t.Fatal(err)
	}
	if d, err := v.At(0); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("%v: %v", d, err)
	}
	if _, err := As[time.Time](rawTicks(t, "<M8", 0)); !errors.Is(err, cairn.ErrType) {
		t.Errorf("a datetime without a unit: %v", err)
	}
}

// TestTimesAreRoundedDown stores times and durations between two units. The wanted numbers are
// those of numpy.array([…], "M8[ns]").astype(dtype).
func TestTimesAreRoundedDown(t *testing.T) {
	date := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	for _, c := range []struct {
		dtype string
		at    time.Time
		want  int64
	}{
		{"<M8[s]", time.Unix(0, -1), -1}, {"<M8[ms]", time.Unix(0, 999999), 0}, {"<M8[D]", time.Unix(-3600, 0), -1},
		{"<M8[Y]", date(2020, 2, 1), 50}, {"<M8[10Y]", date(1965, 6, 1), -1}, {"<M8[3M]", date(2020, 2, 15), 200},
		{"<M8[25s]", time.Unix(-1, 0), -1}, {"<M8[W]", date(1969, 12, 31), -1}, {">M8[us]", time.Unix(1, 123456789), 1123456},
	} {
		u := rawTicks(t, c.dtype, 0)
		wantTick(t, u, c.at, c.want)
	}
	for _, c := range []struct {
		dtype string
		d     time.Duration
		want  int64
	}{
		{"<m8[s]", -1500 * time.Millisecond, -2}, {"<m8[s]", 1500 * time.Millisecond, 1}, {"<m8[25s]", -time.Millisecond, -1},
		{"<m8[D]", -time.Millisecond, -1}, {"<m8[W]", time.Hour, 0},
	} {
		u := rawTicks(t, c.dtype, 7)
		wantTick(t, u, c.d, c.want)
	}
}

// wantTick stores a value and checks the number that it has become.
func wantTick[T any](t *testing.T, u *Untyped, value T, want int64) {
	t.Helper()
	v, err := As[T](u)
	if err != nil {
		t.Fatal(err)
	}
	ticks, err := As[int64](u)
	if err := errors.Join(err, v.Set(value, 0)); err != nil {
		t.Errorf("%v: %v", value, err)
		return
	}
	if n, err := ticks.At(0); err != nil || n != want {
		t.Errorf("%v as %v is %d, want %d: %v", value, u.DType(), n, want, err)
	}
}
