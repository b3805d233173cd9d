package cftime

// A Date is what a time is called in a calendar.
type Date struct {
	Year    int64 // astronomical: the year before 1 is 0
	Month   int   // 1 to 12
	Day     int   // of the month, from 1 on
	YearDay int   // of the year, from 1 on
	Hour    int   // 0 to 23
	Weekday int   // days since Monday, in calendars that have weeks
}

// Date returns the date of a time.
func (c Calendar) Date(t Time) Date {
	n := floorDiv(t.Seconds, secondsPerDay)
	d := Date{Hour: int(floorMod(t.Seconds, secondsPerDay) / 3600), Weekday: int(floorMod(n+3, 7))}
	d.Year, d.Month, d.Day = c.date(n)
	first, _ := c.day(d.Year, 1, 1)
	d.YearDay = int(n-first) + 1
	return d
}

// HasWeeks reports whether the days of a calendar are those of the world, so that they have names.
func (c Calendar) HasWeeks() bool { return civil(c) || c == Julian }

// MonthStart returns the first moment of a month. Months below 1 or above 12 are those of other
// years.
func (c Calendar) MonthStart(year, month int64) Time {
	year += floorDiv(month-1, 12)
	n, _ := c.day(year, int(floorMod(month-1, 12))+1, 1)
	return Time{Seconds: n * secondsPerDay}
}
