package field

import (
	"math"
	"slices"
	"testing"
)

func day(f *Field, n int) []float32 {
	v := make([]float32, f.lats*f.lons)
	f.Fill(v, n)
	return v
}

// zonal returns the mean over a band of rows.
func zonal(f *Field, v []float32, from, to int) float64 {
	sum := 0.0
	for _, t := range v[from*f.lons : to*f.lons] {
		sum += float64(t)
	}
	return sum / float64((to-from)*f.lons)
}

func TestSeasonsAndLatitudes(t *testing.T) {
	f := New(60, 120, 7)
	january, july := day(f, 15), day(f, 196)
	north, tropics, south := [2]int{8, 15}, [2]int{27, 33}, [2]int{45, 52} // about 45° to 65°
	mean := func(v []float32, band [2]int) float64 { return zonal(f, v, band[0], band[1]) }
	if d := mean(july, north) - mean(january, north); d < 5 || d > 40 {
		t.Errorf("north: July is %.1f K warmer than January", d)
	}
	if d := mean(january, south) - mean(july, south); d < 5 || d > 40 {
		t.Errorf("south: January is %.1f K warmer than July", d)
	}
	if d := math.Abs(mean(january, tropics) - mean(july, tropics)); d > 4 {
		t.Errorf("tropics: the seasons differ by %.1f K", d)
	}
	if m := mean(july, tropics); m < 20 || m > 32 {
		t.Errorf("tropics have %.1f °C", m)
	}
	for _, v := range slices.Concat(january, july) {
		if !(v > -80 && v < 60) {
			t.Fatalf("%v °C", v)
		}
	}
}

func TestLandShareAndCooldownWithHeight(t *testing.T) {
	f := New(60, 120, 7)
	land, total := 0.0, 0.0
	for i, h := range f.Elevation() {
		area := math.Cos((0.5 - (float64(i/f.lons)+0.5)/float64(f.lats)) * math.Pi)
		total += area
		if h > 0 {
			land += area
		}
	}
	if share := land / total; math.Abs(share-0.33) > 0.01 {
		t.Errorf("%.3f of the surface is land, want a third", share)
	}
	if highest := slices.Max(f.Elevation()); highest < 2 || highest > 9 {
		t.Errorf("the highest mountain has %.1f km", highest)
	}
}

func TestDaysAreReproducibleInAnyOrderAndChangeSmoothly(t *testing.T) {
	f := New(60, 120, 7)
	v := make([]float32, 60*120)
	var days [][]float32
	for n := range 5 {
		f.Fill(v, 100+n)
		days = append(days, slices.Clone(v))
	}
	again := New(60, 120, 7)
	for n := 4; n >= 0; n-- {
		if !slices.Equal(day(again, 100+n), days[n]) {
			t.Fatalf("day %d differs the second time", 100+n)
		}
	}
	if slices.Equal(day(New(60, 120, 8), 100), days[0]) {
		t.Error("another seed gives the same planet")
	}
	next, later := distance(days[0], days[1]), distance(days[0], day(f, 130))
	if next < 0.1 || next > 0.8*later {
		t.Errorf("root mean square change: %.2f K after a day, %.2f K after a month", next, later)
	}
}

func distance(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i] - b[i])
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(a)))
}

func TestNoiseIsCentredAndContinuous(t *testing.T) {
	n := noise(42)
	sum, biggest := 0.0, 0.0
	const count = 20000
	x := 0.1
	for range count {
		v := n.at(x, 2.3*x+1, 7-x)
		if step := math.Abs(n.at(x+1e-6, 2.3*x+1, 7-x) - v); step > 1e-4 {
			t.Fatalf("jump of %g at %g", step, x)
		}
		sum += v
		biggest = max(biggest, math.Abs(v))
		x += 0.37
	}
	if math.Abs(sum/count) > 0.05 || biggest < 0.4 || biggest > 1.8 {
		t.Errorf("mean %.3f, up to %.2f", sum/count, biggest)
	}
}

func BenchmarkFill(b *testing.B) {
	f := New(180, 360, 7)
	v := make([]float32, 180*360)
	b.SetBytes(int64(4 * len(v)))
	for n := 0; b.Loop(); n++ {
		f.Fill(v, n)
	}
}
