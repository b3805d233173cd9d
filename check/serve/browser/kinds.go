package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/internal/show/chart"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A kind is an array of some kind, and what its picture must show.
type kind struct {
	name  string
	dtype string
	shape ndarray.Shape
	// the item at a place: a number, the ticks of a date, or the real part of a complex number,
	// whose other part is zero
	value      func(y, x int64) float64
	attributes meta.Map
	query      string
	probes     []probe
	texts      []string // regular expressions that the page matches
	usual      bool     // is looked at without the flag -kinds, too
}

// A probe is an item whose colour is known: a place in the map lagoon from 0 to 1, or else that of
// NaN, +Inf and -Inf.
type probe struct {
	y, x  int64
	place float64
}

const scaled = "map=lagoon&lo=0&hi=1"

// halfway is 0 on the left and 1 on the right.
func halfway(n int64) func(y, x int64) float64 {
	return func(_, x int64) float64 {
		if x < n/2 {
			return 0
		}
		return 1
	}
}

// sides probes an array of 0 on the left and 1 on the right.
func sides(n int64) []probe {
	return []probe{{n / 3, n / 4, 0}, {n / 3, n/2 - 9, 0}, {n / 3, n/2 + 9, 1}, {n / 3, 3 * n / 4, 1}}
}

// hole is halfway with another value in a corner.
func hole(value float64) func(y, x int64) float64 {
	return func(y, x int64) float64 {
		if y < 100 && x < 100 {
			return value
		}
		return halfway(300)(y, x)
	}
}

// kinds returns all of them.
func kinds() (all []kind) {
	for _, dtype := range []string{"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", ">i4", "<u4", "<i8", "<u8", "<f2", "<f4", ">f4",
		"<f8", ">f8", "<c8", "<c16"} {
		all = append(all, kind{name: "of " + dtype, dtype: dtype, shape: ndarray.Shape{200, 200}, value: halfway(200), query: scaled,
			probes: sides(200), texts: []string{"200 × 200"}, usual: dtype == "<c8"})
	}
	return slices.Concat(all, planeKinds(), otherNumbers(), otherValues())
}

// planeKinds are shapes, labels, and packed or large numbers.
func planeKinds() []kind {
	nan := math.NaN()
	rows := func(y, _ int64) float64 { return float64(y) / 3 }
	columns := func(_, x int64) float64 { return float64(x) / 3 }
	stripes := func(y, _ int64) float64 { return float64(60 * (y / 100 % 2)) }
	cells := func(y, x int64) float64 { return float64(y/90*37 + x/90) }
	land := meta.Map{{Key: "flag_values", Value: []any{int64(0), int64(1)}}, {Key: "flag_meanings", Value: "sea land"}}
	halfs := meta.Map{{Key: "scale_factor", Value: 0.5}, {Key: "add_offset", Value: 100.0}, {Key: "_FillValue", Value: int64(-1)},
		{Key: "units", Value: "K"}}

	return []kind{
		{name: "four long rows", dtype: "<f4", shape: ndarray.Shape{4, 100_000}, value: rows, query: scaled, usual: true,
			probes: []probe{{0, 50_000, 0}, {1, 50_000, 1. / 3}, {2, 99_000, 2. / 3}, {3, 500, 1}}, texts: []string{"min 0 · max 1 "}},
		{name: "four long columns", dtype: "<f4", shape: ndarray.Shape{100_000, 4}, value: columns, query: scaled,
			probes: []probe{{50_000, 0, 0}, {50_000, 1, 1. / 3}, {99_000, 2, 2. / 3}, {500, 3, 1}}},
		{name: "a row", dtype: "<f4", shape: ndarray.Shape{1, 5000}, value: halfway(5000), query: scaled,
			probes: []probe{{0, 1000, 0}, {0, 4000, 1}}},
		{name: "a column", dtype: "<f4", shape: ndarray.Shape{5000, 1}, value: func(y, _ int64) float64 { return halfway(5000)(0, y) },
			query: scaled, probes: []probe{{1000, 0, 0}, {4000, 0, 1}}},
		{name: "labels", dtype: "<i4", shape: ndarray.Shape{1600, 1600}, value: stripes, query: "map=lagoon&lo=0&hi=60", usual: true,
			probes: []probe{{97, 800, 0}, {103, 800, 1}, {50, 50, 0}, {150, 50, 1}}},
		{name: "many labels", dtype: "<u2", shape: ndarray.Shape{1800, 1800}, value: cells, query: "map=lagoon&lo=0&hi=722",
			probes: []probe{{45, 45, 0}, {900, 900, 380. / 722}, {1790, 1790, 722. / 722}}},
		{name: "flags", dtype: "|u1", shape: ndarray.Shape{1000, 1000}, attributes: land, query: scaled,
			value: halfway(1000), probes: sides(1000), texts: []string{"sea land"}},
		{name: "packed", usual: true, dtype: "<i2", shape: ndarray.Shape{300, 300}, value: hole(-1), attributes: halfs, query: "map=lagoon&lo=100&hi=100.5",
			probes: []probe{{50, 50, nan}, {200, 50, 0}, {200, 250, 1}}, texts: []string{"min 100 · max 100.5", "none"}},
		{name: "far from zero", dtype: "<f8", shape: ndarray.Shape{200, 200}, query: "map=lagoon&lo=1000000000&hi=1000000001",
			value: func(y, x int64) float64 { return 1e9 + halfway(200)(y, x) }, probes: sides(200)},
	}
}

// otherNumbers are NaN, infinities and constants.
func otherNumbers() []kind {
	inf := math.Inf(1)
	nan := math.NaN()

	return []kind{
		{name: "all NaN", dtype: "<f4", shape: ndarray.Shape{200, 200}, value: func(int64, int64) float64 { return nan },
			probes: []probe{{100, 100, nan}}, texts: []string{"none"}},
		{name: "a hole", dtype: "<f4", shape: ndarray.Shape{300, 300}, value: hole(nan), query: scaled,
			probes: []probe{{50, 50, nan}, {200, 50, 0}, {200, 250, 1}}, texts: []string{"10\u202f000 NaN|10000 NaN"}},
		{name: "infinities", dtype: "<f8", shape: ndarray.Shape{300, 300}, value: hole(inf), query: scaled, usual: true,
			probes: []probe{{50, 50, inf}, {200, 50, 0}, {200, 250, 1}}, texts: []string{"10000 infinite. Finite: min 0 · max 1", "∞"}},
		{name: "below all", dtype: "<f4", shape: ndarray.Shape{300, 300}, value: hole(-inf), query: scaled,
			probes: []probe{{50, 50, -inf}, {200, 250, 1}}, texts: []string{"min −∞"}},
		{name: "one infinity", dtype: "<f4", shape: ndarray.Shape{3000, 3000}, query: scaled, probes: sides(3000),
			value: func(y, x int64) float64 {
				if y == 1000 && x == 750 {
					return inf
				}
				return halfway(3000)(y, x)
			}},
		{name: "all infinite", dtype: "<f4", shape: ndarray.Shape{100, 100}, value: func(int64, int64) float64 { return inf },
			probes: []probe{{50, 50, inf}}, texts: []string{"none finite"}},
		{name: "both infinities", dtype: "<f4", shape: ndarray.Shape{100, 100}, probes: []probe{{50, 25, -inf}, {50, 75, inf}},
			value: func(y, x int64) float64 { return math.Copysign(inf, halfway(100)(y, x)-0.5) }},
		{name: "constant", dtype: "<f4", shape: ndarray.Shape{100, 100}, value: func(int64, int64) float64 { return 3 }, query: "map=lagoon",
			probes: []probe{{50, 50, 0.5}}, texts: []string{"min 3 · max 3 · mean 3 · sd 0"}},
	}
}

// otherValues are dates, complex numbers, and nothing at all.
func otherValues() []kind {
	nan := math.NaN()
	days := func(y, x int64) float64 { return float64(18262 + 5*y + x) }
	hours := meta.Map{{Key: "units", Value: "hours since 2020-01-01"}}

	return []kind{
		{name: "days", dtype: "<M8[D]", shape: ndarray.Shape{60, 80}, value: days, query: "map=lagoon&lo=1577836800&hi=1610150400", usual: true,
			probes: []probe{{0, 0, 0}, {59, 79, 1}}, texts: []string{`min 2020-01-01 · max 2021-01-09 · mean 2020-07-0\d`}},
		{name: "nanoseconds", dtype: "<M8[ns]", shape: ndarray.Shape{60, 80}, query: "map=lagoon",
			value: func(y, x int64) float64 { return 1.6e18 + float64(y*80+x)*1e6 }, texts: []string{"min 2020-09-13 12:26:40"}},
		{name: "no dates", dtype: "<M8[s]", shape: ndarray.Shape{100, 100}, query: "map=lagoon&lo=0&hi=86400",
			value: func(y, x int64) float64 {
				if y < 50 {
					return math.MinInt64
				}
				return 86400 * halfway(100)(y, x)
			}, probes: []probe{{25, 25, nan}, {75, 25, 0}, {75, 75, 1}}, texts: []string{"5000 missing"}},
		{name: "durations", dtype: "<m8[h]", shape: ndarray.Shape{100, 100}, value: halfway(100), query: "map=lagoon&lo=0&hi=3600",
			probes: sides(100), texts: []string{"min 0 · max 3600"}},
		{name: "times of CF", dtype: "<i4", shape: ndarray.Shape{48, 50}, value: func(y, x int64) float64 { return float64(24*y + x) },
			attributes: hours, query: "map=lagoon&lo=1577836800&hi=1582074000", probes: []probe{{0, 0, 0}, {47, 49, 1}},
			texts: []string{"min 2020-01-01 · max 2020-02-19"}},
		{name: "line of dates", dtype: "<M8[D]", shape: ndarray.Shape{500}, value: func(_, x int64) float64 { return float64(18262 + x) },
			usual: true, texts: []string{"2020-01-01", "max 2021-05-14"}},
		{name: "line of times", dtype: "<f8", shape: ndarray.Shape{500}, value: func(_, x int64) float64 { return float64(6 * x) },
			attributes: hours, texts: []string{"min 2020-01-01", "max 2020-05-04"}},
		{name: "line with infinities", dtype: "<f8", shape: ndarray.Shape{500},
			value: func(_, x int64) float64 { return 1 / float64(x/250) }, texts: []string{"250 infinite"}},
		{name: "line of complex", dtype: "<c16", shape: ndarray.Shape{500}, value: func(_, x int64) float64 { return -float64(x) },
			texts: []string{"min 0 · max 499"}},
		{name: "phase", dtype: "<c8", shape: ndarray.Shape{200, 200}, query: "as=phase&map=lagoon&lo=0&hi=3.141592653589793",
			value: func(y, x int64) float64 { return 1 - 2*halfway(200)(y, x) }, probes: sides(200), texts: []string{"rad"}},
		{name: "nothing", dtype: "<f4", shape: ndarray.Shape{0, 5}, texts: []string{"There are no items: the shape is 0 × 5"}, usual: true},
		{name: "nothing inside", dtype: "<M8[D]", shape: ndarray.Shape{5, 0, 3}, texts: []string{"There are no items"}},
		{name: "one date", dtype: "<M8[D]", shape: ndarray.Shape{}, value: func(int64, int64) float64 { return 18262 },
			texts: []string{"2020-01-01"}},
		{name: "one complex", dtype: "<c8", shape: ndarray.Shape{}, value: func(int64, int64) float64 { return 2 }, texts: []string{`2 \+ 0i`}},
	}
}

// save writes the array of a kind.
func (k *kind) save(ctx context.Context, dir string) error {
	u, err := ndarray.NewUntyped(k.dtype, k.shape, nil)
	if err != nil {
		return err
	}

	ny := int64(1)
	nx := int64(1)
	switch len(k.shape) {
	case 1:
		nx = k.shape[0]
	case 2:
		ny = k.shape[0]
		nx = k.shape[1]
	case 3:
		nx = 0
	}

	var raw bytes.Buffer
	for y := range ny {
		for x := range nx {
			raw.Write(encode(u.DType(), k.value(y, x)))
		}
	}

	err = u.WriteBox(ctx, raw.Bytes(), make([]int64, len(k.shape)), k.shape)
	if err == nil && k.attributes != nil {
		err = u.SetLabels(ndarray.Labels{Attributes: k.attributes})
	}
	if err != nil {
		return err
	}
	return ndarray.Save(ctx, filepath.Join(dir, k.file()), u, nil)
}

func (k *kind) file() string {
	return strings.NewReplacer(" ", "-", "<", "le-", ">", "be-", "|", "").Replace(k.name) + ".b2nd"
}

// encode returns an item.
func encode(d meta.DType, v float64) []byte {
	var n any
	switch text := d.String(); {
	case d.Size() == 1:
		return []byte{byte(int64(v))}
	case text[1] == 'f' && d.Size() == 2:
		n = uint16(v) * 0x3c00
	case text[1] == 'f' && d.Size() == 4:
		n = float32(v)
	case text[1] == 'f':
		n = v
	case text[1] == 'c' && d.Size() == 8:
		n = []float32{float32(v), 0}
	case text[1] == 'c':
		n = []float64{v, 0}
	case d.Size() == 2:
		n = int16(v)
	case d.Size() == 4:
		n = int32(v)
	default:
		n = int64(v)
	}

	var b bytes.Buffer
	order := binary.ByteOrder(binary.LittleEndian)
	if d.BigEndian() {
		order = binary.BigEndian
	}
	if err := binary.Write(&b, order, n); err != nil {
		panic(err) // n has a size
	}
	return b.Bytes()
}

// lookAtKinds opens every kind of array, or the usual ones, and compares pixels and texts. With a
// directory it writes pictures of all.
func lookAtKinds(t *tab, w *world, everything bool, pictures string) error {
	dir := filepath.Join(w.dir, "kinds")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	count := 0
	for _, k := range kinds() {
		if !everything && !k.usual {
			continue
		}
		if err := errors.Join(k.save(context.Background(), dir), k.look(t, w, pictures), t.fault()); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		count++
	}
	fmt.Println(count, "kinds of arrays")
	return errors.Join(compareScales(t, w), t.fault())
}

// compareScales puts an array beside one in other units, which has a scale of its own unless the
// reader wants one for both.
func compareScales(t *tab, w *world) error {
	return all(
		t.openArray(w, "data/kinds/infinities.b2nd?cmp=data/kinds/packed.b2nd"),
		t.wait(`document.querySelectorAll('.legend').length === 2`),
		t.wait(`/100\.5.*packed.b2nd.*\(K\)/.test(document.querySelectorAll('.legend')[1].textContent)`),
		t.eval(`[...document.querySelectorAll('.check')].find(l => l.textContent === 'one scale').firstChild.click()`, nil),
		t.wait(`document.querySelectorAll('.legend').length === 1`),
	)
}

func (k *kind) look(t *tab, w *world, pictures string) error {
	if err := t.openArray(w, "data/kinds/"+k.file()+"?"+k.query); err != nil {
		return err
	}

	for _, text := range k.texts {
		if err := t.wait(fmt.Sprintf(`new RegExp(%q).test(document.body.textContent)`, text)); err != nil {
			return err
		}
	}

	m, raw, err := t.shot()
	if err != nil {
		return err
	}
	if pictures != "" {
		if err := os.WriteFile(filepath.Join(pictures, strings.TrimSuffix(k.file(), "b2nd")+"png"), raw, 0o644); err != nil {
			return err
		}
	}

	if len(k.probes) == 0 {
		return nil
	}
	stage, err := t.stage()
	if err != nil {
		return err
	}

	for _, p := range k.probes {
		at := k.onScreen(stage, p)
		r, g, b, _ := m.At(at.X, at.Y).RGBA()
		want := p.colour()
		far := math.Abs(float64(r>>8)-want[0]) + math.Abs(float64(g>>8)-want[1]) + math.Abs(float64(b>>8)-want[2])
		if far > 8 {
			return fmt.Errorf("item %d, %d at pixel %v is %d %d %d, want %v", p.y, p.x, at, r>>8, g>>8, b>>8, want)
		}
	}
	return nil
}

// onScreen returns where the middle of an item is, when everything is shown.
func (k *kind) onScreen(stage image.Rectangle, p probe) image.Point {
	const left, right, top, bottom = 74, 10, 8, 44
	width := float64(stage.Dx() - left - right)
	height := float64(stage.Dy() - top - bottom)
	ny := float64(k.shape[0])
	nx := float64(k.shape[1])
	sy := height / ny
	sx := width / nx
	if ratio := sy / sx; ratio < 8 && ratio > 1./8 {
		sy, sx = min(sy, sx), min(sy, sx)
	}
	x := float64(stage.Min.X+left) + width/2 + (float64(p.x)+0.5-nx/2)*sx
	y := float64(stage.Min.Y+top) + height/2 + (float64(p.y)+0.5-ny/2)*sy
	return image.Pt(int(x), int(y))
}

// colour returns the colour of a probe, as the style sheet and the map have it.
func (p probe) colour() [3]float64 {
	switch {
	case p.place != p.place:
		return [3]float64{0xd6, 0xd6, 0xd6}
	case math.IsInf(p.place, 1):
		return [3]float64{0xd6, 0x00, 0x6c}
	case math.IsInf(p.place, -1):
		return [3]float64{0x6a, 0x1f, 0xd0}
	}
	c, _ := chart.ColoursNamed("lagoon")
	at := c.At(p.place)
	return [3]float64{float64(at.R), float64(at.G), float64(at.B)}
}
