package compute_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

// dated are arrays of times, texts, flags and records.
func dated(t testing.TB) map[string]ndarray.Source {
	days := []int32{0, 58, 59, 60, 365}
	one := ndarray.Shape{5}
	texts, err := ndarray.NewUntyped("<U6", one, nil)
	if err != nil {
		t.Fatal(err)
	}
	var wide []byte
	for _, text := range []string{"Oslo", "Rome", "", "Århus", "Oslo"} {
		item := make([]byte, 4*6)
		for i, r := range []rune(text) {
			binary.LittleEndian.PutUint32(item[4*i:], uint32(r))
		}
		wide = append(wide, item...)
	}
	if err := texts.Write(t.Context(), wide); err != nil {
		t.Fatal(err)
	}
	big, err := ndarray.NewUntyped(">M8[ns]", ndarray.Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	items := []byte{0, 0, 0, 0, 59, 154, 202, 0, 128, 0, 0, 0, 0, 0, 0, 0} // 1 s, and none
	if err := big.Write(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	months, err := ndarray.NewUntyped("<M8[M]", ndarray.Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := months.Write(t.Context(), []byte{13, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255}); err != nil {
		t.Fatal(err)
	}
	type record struct {
		X int16
		Y float64
	}
	records, err := ndarray.FromSlice([]record{{1, 0.5}, {2, 1.5}}, ndarray.Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]ndarray.Source{
		"std":    named(t, days, one, "n", "units", "days since 2000-01-01", "calendar", "standard"),
		"noleap": named(t, days, one, "n", "units", "days since 2000-01-01", "calendar", "noleap"),
		"d360":   named(t, days, one, "n", "units", "days since 2000-01-01", "calendar", "360_day"),
		"hours":  named(t, []float64{0, 0.5, 24 * 59, 24*60 + 1.0/3600, 1e30}, one, "n", "units", "hours since 2000-01-01"),
		"qc":     named(t, []int8{0, 1, 2, 3, 0}, one, "n", "flag_values", []any{int64(0), int64(1), int64(2)}, "flag_meanings", "good bad ugly"),
		"bits":   named(t, []uint8{0, 1, 2, 3, 7}, one, "n", "flag_masks", []any{int64(1), int64(2)}, "flag_meanings", "wet cold"),
		"place":  texts,
		"big":    big,
		"months": months,
		"rec":    records,
	}
}

// ofTimesAndTexts are expressions of the arrays of dated, with their results.
var ofTimesAndTexts = map[string]string{
	"month(std)":                   "[1 2 2 3 12]",
	"month(noleap)":                "[1 2 3 3 1]",
	"month(d360)":                  "[1 2 2 3 1]",
	"day(d360)":                    "[1 29 30 1 6]",
	"dayofyear(noleap)":            "[1 59 60 61 1]",
	"days_in_month(std)":           "[31 29 29 31 31]",
	"days_in_month(d360)":          "[30 30 30 30 30]",
	"days_in_year(std)":            "[366 366 366 366 366]",
	"quarter(std)":                 "[1 1 1 1 4]",
	"weekday(std)":                 "[5 0 1 2 6]",
	"std.dt.dayofweek":             "[5 0 1 2 6]",
	"std[1:3].month":               "[2 2]",
	"season(std)":                  "[0 0 0 1 0]",
	"season(std) == 'MAM'":         "[false false false true false]",
	"'DJF' != season(std)":         "[false false false true false]",
	"hour(hours)":                  "[0 0 0 0 NaN]",
	"minute(hours)":                "[0 30 0 0 NaN]",
	"second(hours)":                "[0 0 0 1 NaN]",
	"std < '2000-02-29'":           "[true true false false false]",
	"'2000-02-29' > std":           "[true true false false false]",
	"std <= '2000-02-29'":          "[true true true false false]",
	"noleap >= '2000-03-01'":       "[false false true true true]",
	"d360 == '2000-02-30'":         "[false false true false false]",
	"hours > '2000-02-29T00:30'":   "[false false false true false]",
	"hours != '2000'":              "[false true true true true]",
	"int64(std - '2000-01-02')":    "[-1 57 58 59 364]",
	"int64('2000-01-02' - std)":    "[1 -57 -58 -59 -364]",
	"std - '2000-01-01T12'":        "[-0.5 57.5 58.5 59.5 364.5]",
	"std == hours":                 "[true false true false false]",
	"hours - std":                  "[0 -57.979166666666664 0 1.1574074074074073e-05 NaN]",
	"int64(std - std[1])":          "[-58 0 1 2 307]",
	"qc == 'bad'":                  "[false true false false false]",
	"qc != 'bad'":                  "[true false true true true]",
	"float32(qc) == 'good'":        "[true false false false true]",
	"bits == 'cold'":               "[false false true true true]",
	"bits == 'wet'":                "[false true false true true]",
	"place == 'Oslo'":              "[true false false false true]",
	"place[1:] != 'Århus'":         "[true true false true]",
	"place > 'P'":                  "[false true false true false]",
	"where(place == '', 1, 0)":     "[0 0 1 0 0]",
	"year(big)":                    "[1970 NaN]",
	"second(big)":                  "[1 NaN]",
	"big >= '1970-01-01T00:00:01'": "[true false]",
	"year(months)":                 "[1971 1969]",
	"month(months)":                "[2 12]",
	"months > '1970'":              "[true false]",
	"rec['X'] + 1":                 "[2 3]",
	"rec.Y * 2":                    "[1 3]",
	"rec[1:].Y":                    "[1.5]",
	"rec['Y'][0]":                  "0.5",
}

func TestTimesTextsFlagsAndRecords(t *testing.T) {
	sources := dated(t)
	for text, want := range ofTimesAndTexts {
		got, err := calcText(t.Context(), text, sources)
		if err != nil {
			got = "error"
		}
		if !strings.HasSuffix(got, strings.Trim(want, "[]")) || err == nil && strings.Count(got, " ") > strings.Count(want, " ")+2 {
			t.Errorf("%s is %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestMistakesOfTimesAndTexts(t *testing.T) {
	sources := dated(t)
	for text, want := range map[string]string{
		"place + 1":             "texts are compared with a text",
		"place == place":        "texts are compared with a text",
		"place - 'Oslo'":        "here it has no meaning",
		"'a' == 'b'":            "here it has no meaning",
		"qc == 'goood'":         `at character 7: no flag is named "goood", but good, bad, ugly; did you mean good?`,
		"qc < 'good'":           "flags are compared by == and !=",
		"rec + 1":               `name a field, as in a["X"], of X, Y`,
		"rec[1:] + 1":           `name a field, as in a["X"], of X, Y`,
		"rec.Z":                 `at character 5: no field is named "Z", but X, Y`,
		"weekday(d360)":         "the calendar has no weeks",
		"month(qc)":             "month takes times",
		"month(std, 1)":         "month takes an array of times and nothing else",
		"std == 'yesterday'":    `at character 8: "yesterday" is not a date`,
		"noleap > '2000-02-29'": `"2000-02-29" is not in the calendar`,
		"noleap == std":         "times of different calendars",
		"monthh(std)":           "did you mean month?",
		"(std + 1).dt.month":    "month takes times",
		"std.mean()":            "write mean(…) with the array as its first argument",
		"sqrt(std).x":           `"x": what is computed has no fields`,
	} {
		_, err := compute.Calc(t.Context(), text, sources, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestUnitsOfTimes keeps units of times, and gives differences theirs.
func TestUnitsOfTimes(t *testing.T) {
	sources := dated(t)
	for text, want := range map[string]string{
		"std[1:]":        "[{units days since 2000-01-01} {calendar standard}]",
		"max(std)":       "[{units days since 2000-01-01} {calendar standard}]",
		"std - std[0]":   "[{units days}]",
		"std - '2000'":   "[{units days}]",
		"std - hours":    "[{units days}]",
		"hours - '2000'": "[{units hours}]",
		"std + std":      "[]",
		"month(std)":     "[]",
		"season(std)":    "[{flag_values [0 1 2 3]} {flag_meanings DJF MAM JJA SON}]",
		"big":            "[{units nanoseconds since 1970-01-01} {calendar proleptic_gregorian}]",
	} {
		e, err := compute.Calc(t.Context(), text, sources, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		l, err := e.Labels()
		if got := fmt.Sprint(l.Attributes); got != want || err != nil {
			t.Errorf("%s has %s, %v; want %s", text, got, err, want)
		}
	}
}
