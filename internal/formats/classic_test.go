package formats

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// changed returns the change of an array.
func changed(t *testing.T, items ndarray.Source, attributes meta.Map) (*classicChange, error) {
	of, err := netcdf.TypeOf(items.DType())
	if err != nil {
		t.Fatal(err)
	}
	return changeOf(t.Context(), of, items, attributes)
}

// fill returns attributes with a mark of missing items.
func fill(value any) meta.Map { return meta.Map{{Key: cf.FillValue, Value: value}} }

func TestWhatBecomesOfItemsInClassicFiles(t *testing.T) {
	for _, c := range []struct {
		name       string
		src        ndarray.Source
		attributes meta.Map
		to         string
		items      any // those of the file, unless they are refused
		marks      meta.Map
		refused    string
	}{
		{"int64", ndarray.Items([]int64{-1 << 31, 5, 1<<31 - 1}, ndarray.Shape{3}), nil, "int",
			[]int32{math.MinInt32, 5, math.MaxInt32}, nil, ""},
		{"large int64", ndarray.Items([]int64{1, 1 << 31}, ndarray.Shape{2}), nil, "", nil, nil, "the value 2147483648"},
		{"small int64", ndarray.Items([]int64{1, -1<<31 - 1}, ndarray.Shape{2}), nil, "", nil, nil, "the value -2147483649"},
		{"large uint64", ndarray.Items([]uint64{1, 1<<64 - 1}, ndarray.Shape{2}), nil, "", nil, nil,
			"the value 18446744073709551615"},
		{"missing int64", ndarray.Items([]int64{1, math.MinInt64}, ndarray.Shape{2}), fill(int64(math.MinInt64)), "int",
			[]int32{1, math.MinInt32}, fill(int64(math.MinInt32)), ""},
		{"missing beside the least", ndarray.Items([]int64{-1 << 31, 1 << 40}, ndarray.Shape{2}), fill(int64(1 << 40)), "",
			nil, nil, "the value -2147483648"},
		{"nothing", ndarray.Items([]int64{}, ndarray.Shape{0}), nil, "int", []int32{}, nil, ""},

		{"uint8", ndarray.Items([]uint8{1, 255}, ndarray.Shape{2}), fill(int64(254)), "byte", []int8{1, -1},
			append(fill(int64(-2)), meta.Pair{Key: "_Unsigned", Value: "true"}), ""},
		{"uint32", ndarray.Items([]uint32{1, 1<<32 - 1}, ndarray.Shape{2}), nil, "int", []int32{1, -1},
			meta.Map{{Key: "_Unsigned", Value: "true"}}, ""},
		{"uint16 that is signed", ndarray.Items([]uint16{1, 65535}, ndarray.Shape{2}),
			meta.Map{{Key: "_Unsigned", Value: "false"}}, "short", []int16{1, -1}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			change, err := changed(t, c.src, c.attributes)
			if c.refused != "" {
				if !errors.Is(err, cairn.ErrUnsupported) || !strings.Contains(err.Error(), c.refused) {
					t.Fatalf("error %v, want %s", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if change.to.Name != c.to || !reflect.DeepEqual(change.attributes, c.marks) {
				t.Errorf("%s %v, want %s %v", change.to.Name, change.attributes, c.to, c.marks)
			}
			if got := fmt.Sprint(all(t, change.of(c.src))); got != fmt.Sprint(c.items) {
				t.Errorf("items %v, want %v", got, c.items)
			}
		})
	}
}

// all returns all items of a source.
func all(t *testing.T, src ndarray.Source) any {
	items, err := ndarray.ReadAny(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// timesSource are integers as times of NumPy.
type timesSource struct {
	ndarray.Source
	dtype meta.DType
}

func (s *timesSource) DType() meta.DType { return s.dtype }

func TestTimesInClassicFilesHaveTheLongestUnit(t *testing.T) {
	for _, c := range []struct {
		dtype, units string
		counts       []int64
		want         []int32
		marks        int
	}{
		{"M8[ns]", "hours since 1970-01-01", []int64{0, 7200e9, -3600e9}, []int32{0, 2, -1}, 0},
		{"M8[s]", "days since 1970-01-01", []int64{86400, math.MinInt64}, []int32{1, math.MinInt32}, 1},
		{"M8[ms]", "seconds since 1970-01-01", []int64{61000}, []int32{61}, 0},
		{"m8[us]", "microseconds", []int64{61, 1e3}, []int32{61, 1000}, 0},
	} {
		counts := ndarray.Items(c.counts, ndarray.Shape{int64(len(c.counts))})
		d, err := meta.ParseDType(counts.DType().String()[:1] + c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		src := &timesSource{counts, d}
		items, attributes, err := netcdfItems(src)
		if err != nil {
			t.Fatal(err)
		}
		change, err := changed(t, items, attributes)
		if err != nil {
			t.Fatal(err)
		}

		got := fmt.Sprint(all(t, change.of(items)))
		marks := slices.IndexFunc(change.attributes, func(p meta.Pair) bool { return p.Key == cf.FillValue }) >= 0
		if units := cf.Text(change.attributes, "units"); units != c.units || got != fmt.Sprint(c.want) || marks != (c.marks > 0) {
			t.Errorf("%s: %s in %s, marked %v, want %v in %s", c.dtype, got, units, marks, c.want, c.units)
		}
	}
}
