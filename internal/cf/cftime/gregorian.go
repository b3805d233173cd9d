package cftime

// Gregorian returns the seconds since 1970-01-01 of the same date in the Gregorian calendar, for
// axes. Months of other lengths are stretched, so that later times stay later. Times of the
// calendars Standard and Julian are on this scale already.
func (c Calendar) Gregorian(t Time) float64 {
	if c == Gregorian || c == Standard || c == Julian {
		return float64(t.Seconds) + float64(t.Nanos)/second
	}

	number := floorDiv(t.Seconds, secondsPerDay)
	year, month, day := c.date(number)
	clock := float64(t.Seconds-number*secondsPerDay) + float64(t.Nanos)/second
	// seconds, per day of the month
	passed := (float64(day-1)*secondsPerDay + clock) / float64(c.daysIn(year, month))
	return float64(gregorian(year, month, 1)*secondsPerDay) + passed*float64(Gregorian.daysIn(year, month))
}
