package cftime

import (
	"math"
	"strings"
	"testing"
)

// A unitCase is a number in units, with its date as the library cftime of Python, or NumPy, has it.
type unitCase struct {
	units, calendar string
	value           float64
	want            string
}

// unitCases are numbers in units of many files.
func unitCases() []unitCase {
	return []unitCase{
		{"days since 1970-01-01 00:00:00", "standard", 18262, "2020-01-01"},
		{"days since 1970-01-01", "proleptic_gregorian", 18262.5, "2020-01-01T12:00"},
		{"hours since 1900-01-01 00:00:00.0", "gregorian", 1051896, "2020-01-01"},
		{"hours since 1900-1-1 0:0:0.0", "", 1051896, "2020-01-01"},
		{"days since 1900-01-01", "standard", 43829 + 1.0/24, "2020-01-01T01:00"},
		{"seconds since 1970-01-01T00:00:00Z", "", 1577836800.25, "2020-01-01T00:00:00.250"},
		{"minutes since 2020-01-01 00:00 -6:00", "", 0, "2020-01-01T06:00"},
		{"seconds since 2020-01-01 00:00:00+05:30", "", 0, "2019-12-31T18:30"},
		{"milliseconds since 1970-01-01", "", -1, "1969-12-31T23:59:59.999"},
		{"nanoseconds since 1970-01-01", "", 1, "1970-01-01T00:00:00.000000001"},
		{"days since 0001-01-01 00:00:00", "standard", 737426, "2020-01-01"},
		{"days since 0001-01-01 00:00:00", "proleptic_gregorian", 737424, "2020-01-01"},
		{"days since 1582-10-04", "standard", 1, "1582-10-15"},
		{"days since 1582-10-04", "proleptic_gregorian", 1, "1582-10-05"},
		{"days since 1582-10-04", "julian", 1, "1582-10-05"},
		{"days since 1970-01-01", "julian", 10000, "1997-05-19"},
		{"days since 2000-01-01", "noleap", 59, "2000-03-01"},
		{"days since 2000-01-01", "365_day", 36500, "2100-01-01"},
		{"days since 2001-01-01", "all_leap", 59, "2001-02-29"},
		{"days since 2000-02-30", "360_day", 1, "2000-03-01"},
		{"hours since 2000-01-01", "360_day", -1, "1999-12-30T23:00"},
		{"days since -4713-01-01", "julian", 0, "-4713-01-01"},
		// There is no year 0 in these calendars: the Julian days.
		{"days since -4713-01-01 12:00:00", "standard", 2451545, "2000-01-01T12:00"},
		{"days since -4713-01-01T00:00:00Z", "julian", 2451545, "1999-12-19"},
		{"days since -0001-12-31", "standard", 1, "0001-01-01"},
		{"days since 0001-01-01", "julian", -1, "-0001-12-31"},
		{"days since 0001-01-01", "proleptic_gregorian", -1, "0000-12-31"},
		{"days since 0000-01-01", "noleap", 365, "0001-01-01"},
		{"hours since 20000101", "standard", 1, "2000-01-01T01:00"},
		{"hours since 20000101T0630 +01:00", "", 0, "2000-01-01T05:30"},
		{"Hours  SINCE 2000-01-01 063015", "", 0, "2000-01-01T06:30:15"},
		{"days since 2000-01-01 +01:00", "", 0, "1999-12-31T23:00"},
		{"seconds since 2000-01-01 00:00:00 GMT", "", 0, "2000-01-01"},
		{"seconds since 2000-01-01 00:00:00.1234567899", "", 0, "2000-01-01T00:00:00.123456789"},
		{"months since 2000-01-30", "360_day", 1.5, "2000-03-15"},
		{"common_years since 2000-02-28", "noleap", 2, "2002-02-28"},
		{"day as %Y%m%d.%f", "proleptic_gregorian", 20000229.25, "2000-02-29T06:00"},
		{"day as %Y%m%d.%f", "360_day", 20000230, "2000-02-30"},
	}
}

func TestUnits(t *testing.T) {
	for _, c := range unitCases() {
		s, ok := ParseScale(c.units, c.calendar)
		if !ok {
			t.Errorf("%q, calendar %q: not understood", c.units, c.calendar)
			continue
		}
		at, ok := s.Float(c.value, 53)
		if got := s.Calendar.Format(at, PrecisionOf(at)); !ok || got != c.want {
			t.Errorf("%v %s, calendar %q: %s, want %s", c.value, c.units, c.calendar, got, c.want)
		}
	}
	for _, bad := range []string{
		"", "days", "degrees_north", "months since 2000-01-01", "days since", "days since yesterday",
		"days since 2000-13-01", "days since 2001-02-29", "days since 1582-10-10", "days since 2000-01-01 25:00",
		"days since 2000-01-01 00:00 +1:99", "days since 2000-01-01-01", "days since 99999999999-01-01",
		"days since 0000-01-01", "days since 20001301", "common_years since 2000-01-01", "years since 2000-01-01",
		"days since 2000-01-01 Z Z", "days since 2000-01-01 +01:00 00:00", "month as %Y%m.%f", "days until 2000-01-01",
	} {
		if _, ok := ParseScale(bad, ""); ok {
			t.Errorf("%q is understood", bad)
		}
	}
	for _, bad := range []float64{20000230, 20001301, -20000101, 101} {
		s, _ := ParseScale("day as %Y%m%d.%f", "standard")
		if at, ok := s.Float(bad, 53); ok {
			t.Errorf("%v is %s", bad, s.Calendar.Format(at, Days))
		}
	}
	if _, ok := ParseScale("days since 2000-01-01", "martian"); ok {
		t.Error("an unknown calendar is understood")
	}
}

// TestDates takes every tenth day of all calendars to its date and back.
func TestDates(t *testing.T) {
	for c := Gregorian; c <= Days360; c++ {
		for n := int64(-800_003); n < 800_000; n += 10 {
			y, m, d := c.date(n)
			if back, ok := c.day(y, m, d); !ok || back != n {
				t.Fatalf("calendar %d: day %d is %d-%d-%d, which is day %d", c, n, y, m, d, back)
			}
		}
	}
}

func TestNumPyScale(t *testing.T) {
	for _, c := range []struct {
		unit  string
		count int
		n     int64
		p     Precision
		want  string
	}{
		{"Y", 1, 50, Years, "2020"}, {"M", 1, -1, Months, "1969-12"}, {"M", 3, 5, Months, "1971-04"},
		{"W", 1, 1, Days, "1970-01-08"}, {"D", 1, 18262, Days, "2020-01-01"}, {"h", 6, 1, Minutes, "1970-01-01T06:00"},
		{"ns", 1, 1577836800123456789, Nanos, "2020-01-01T00:00:00.123456789"},
		{"us", 1, -1, Micros, "1969-12-31T23:59:59.999999"}, {"ps", 1, 2500, Nanos, "1970-01-01T00:00:00.000000002"},
	} {
		s, ok := NumPyScale(c.unit, c.count)
		at, good := s.Int(c.n)
		if got := s.Calendar.Format(at, c.p); !ok || !good || got != c.want {
			t.Errorf("%d × %d %s: %s, want %s", c.n, c.count, c.unit, got, c.want)
		}
	}
	s, _ := NumPyScale("ns", 1)
	if _, ok := s.Int(-1 << 63); ok {
		t.Error("NaT is a time")
	}
}

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		calendar          Calendar
		text, first, last string
	}{
		{Gregorian, "2020", "2020-01-01T00:00:00.000000000", "2020-12-31T23:59:59.999999999"},
		{Standard, "2020-02", "2020-02-01T00:00:00.000000000", "2020-02-29T23:59:59.999999999"},
		{NoLeap, "2020-02", "2020-02-01T00:00:00.000000000", "2020-02-28T23:59:59.999999999"},
		{Days360, "2020-12", "2020-12-01T00:00:00.000000000", "2020-12-30T23:59:59.999999999"},
		{Gregorian, "2020-02-03", "2020-02-03T00:00:00.000000000", "2020-02-03T23:59:59.999999999"},
		{Gregorian, "2020-02-03T04", "2020-02-03T04:00:00.000000000", "2020-02-03T04:59:59.999999999"},
		{Gregorian, "2020-02-03 04:05", "2020-02-03T04:05:00.000000000", "2020-02-03T04:05:59.999999999"},
		{Gregorian, "2020-02-03T04:05:06Z", "2020-02-03T04:05:06.000000000", "2020-02-03T04:05:06.999999999"},
		{Gregorian, "2020-02-03T04:05:06.5", "2020-02-03T04:05:06.500000000", "2020-02-03T04:05:06.599999999"},
		{Julian, "-0001", "-0001-01-01T00:00:00.000000000", "-0001-12-31T23:59:59.999999999"},
		{Gregorian, "0000", "0000-01-01T00:00:00.000000000", "0000-12-31T23:59:59.999999999"},
		{Gregorian, "-0044-03-15", "-0044-03-15T00:00:00.000000000", "-0044-03-15T23:59:59.999999999"},
	} {
		first, last, err := c.calendar.Span(c.text)
		from, to := c.calendar.Format(first, Nanos), c.calendar.Format(last, Nanos)
		if err != nil || from != c.first || to != c.last {
			t.Errorf("%s: %s to %s, %v", c.text, from, to, err)
		}
	}
	if _, _, err := Standard.Span("0000"); err == nil {
		t.Error("there is a year 0 in the standard calendar")
	}
	for _, bad := range []string{"", "20", "yesterday", "2020-13", "2021-02-29", "2020-01-01T24", "2020-01-01x",
		"2020-1-1", "999999999-01-01"} {
		if _, _, err := Gregorian.Span(bad); err == nil {
			t.Errorf("%q is a date", bad)
		}
	}
}

func TestGregorian(t *testing.T) {
	for _, c := range []struct {
		calendar    Calendar
		text, equal string
	}{
		{Gregorian, "2021-03-04T05:06:07.5", "2021-03-04T05:06:07.500"},
		{Days360, "2001-01-01", "2001-01-01T00:00:00.000"},
		{Days360, "2001-02-16", "2001-02-15T00:00:00.000"},
		{Days360, "2001-02-30", "2001-02-28T01:36:00.000"},
		{NoLeap, "2020-12-31T12:00", "2020-12-31T12:00:00.000"},
		{NoLeap, "2020-02-15", "2020-02-15T12:00:00.000"},
		{AllLeap, "1969-02-29", "1969-02-28T00:49:39.310"},
	} {
		at, _, err := c.calendar.Span(c.text)
		if err != nil {
			t.Fatal(err)
		}
		seconds := c.calendar.Gregorian(at)
		whole := math.Floor(seconds)
		got := Gregorian.Format(timeOf(int64(whole), int64((seconds-whole)*1000+0.01)*1e6), Millis)
		if got != c.equal {
			t.Errorf("%s in calendar %d: %s, want %s", c.text, c.calendar, got, c.equal)
		}
	}
}

func TestCutDate(t *testing.T) {
	for text, want := range map[string]string{
		"2020-01-01T06:00:2020-02": "2020-01-01T06:00", "2020-01-01T06:2020": "2020-01-01T06", "2020:2021": "2020",
		"2020-01-01T06:00:30:2021": "2020-01-01T06:00:30", "2020-01-01:2": "2020-01-01",
		"2020-01-01T00:00Z:2021": "2020-01-01T00:00Z",
		"12":                     "", ":2020": "", "-0044:0001": "-0044",
	} {
		date, rest, _ := CutDate(text)
		if date != want || date+rest != text {
			t.Errorf("%q is cut into %q and %q", text, date, rest)
		}
	}
}

func FuzzScale(f *testing.F) {
	f.Add("days since 1970-01-01 00:00:00", "noleap", "2020-02-03T04:05:06.5", 3.25)
	f.Add("hours since 1900-1-1 0:0:0.0 -6:00", "", "-0044", -1e300)
	f.Fuzz(func(t *testing.T, units, calendar, date string, v float64) {
		s, ok := ParseScale(units, calendar)
		if !ok {
			return
		}
		if at, ok := s.Float(v, 53); ok {
			text := s.Calendar.Format(at, Nanos)
			first, last, err := s.Calendar.Span(text)
			if err != nil && !strings.HasPrefix(err.Error(), `"`) || err == nil && (first != at || last != at) {
				t.Errorf("%v %s is %s, which is %v to %v: %v", v, units, text, first, last, err)
			}
		}
		first, last, err := s.Calendar.Span(date)
		if err == nil && (last.Seconds < first.Seconds || last.Seconds == first.Seconds && last.Nanos < first.Nanos) {
			t.Errorf("%s ends before it starts", date)
		}
	})
}
