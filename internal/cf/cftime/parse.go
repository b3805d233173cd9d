package cftime

import (
	"fmt"
	"strconv"
	"strings"
)

// CutDate cuts a date, or what it begins with, from the start of a text: a year of at least four
// digits or after a sign, and optionally month, day, hour, minute, second and digits after the
// second, as in ISO 8601. A colon that more than two digits follow is left, so that a range of
// dates can be cut: "2020-01-01T06:2020-02".
func CutDate(text string) (date, rest string, ok bool) {
	i := 0
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		i++
	}

	n := digits(text[i:])
	if n == 0 || n > 9 || n < 4 && i == 0 {
		return "", text, false
	}
	i += n

	for _, mark := range []string{"-", "-", "T ", ":", ":", ".,"} {
		if i == len(text) || strings.IndexByte(mark, text[i]) < 0 {
			break
		}
		n := digits(text[i+1:])
		if mark == ".," && n > 0 && n <= 9 || n == 2 {
			i += 1 + n
			continue
		}
		break
	}

	if i < len(text) && text[i] == 'Z' {
		i++
	}
	return text[:i], text[i:], true
}

// digits returns how many digits a text begins with.
func digits(text string) int {
	return len(text) - len(strings.TrimLeft(text, "0123456789"))
}

// Span returns the first and the last nanosecond of the time that a text names: "2020" is a year,
// "2020-02" a month, "2020-02-01T06" an hour. The form is that of CutDate.
func (c Calendar) Span(text string) (first, last Time, err error) {
	date, rest, ok := CutDate(text)
	if !ok || rest != "" {
		return first, last, fmt.Errorf("%q is not a date, such as 2020-01-31 or 2020-01-31T06:00", text)
	}

	date = strings.TrimSuffix(date, "Z")
	sign := int64(1)
	if date[0] == '-' {
		sign = -1
	}

	split := strings.FieldsFunc(date, func(r rune) bool { return strings.ContainsRune("+-T :.,", r) })
	var part [7]int64 // month and day are 1 if they are not given
	part[1] = 1
	part[2] = 1
	for i, digits := range split {
		if part[i], err = strconv.ParseInt(digits, 10, 64); err != nil {
			return first, last, err
		}
	}

	var there bool
	part[0], there = c.astronomical(sign * part[0])
	day, ok := c.day(part[0], int(part[1]), int(part[2]))
	if !ok || !there || part[3] > 23 || part[4] > 59 || part[5] > 59 {
		return first, last, fmt.Errorf("%q is not in the calendar", text)
	}

	// The last nanosecond is the one before the next year, month, and so on, begins.
	first.Seconds = day*secondsPerDay + part[3]*3600 + part[4]*60 + part[5]
	next := first
	switch len(split) {
	case 1:
		day, _ = c.day(part[0]+1, 1, 1)
		next.Seconds = day * secondsPerDay
	case 2:
		day, _ = c.day(part[0]+part[1]/12, int(part[1]%12+1), 1)
		next.Seconds = day * secondsPerDay
	case 7:
		unit := int64(second)
		for range split[6] {
			unit /= 10
		}
		first.Nanos = part[6] * unit
		next = timeOf(first.Seconds, first.Nanos+unit)
	default:
		next.Seconds += [...]int64{secondsPerDay, 3600, 60, 1}[len(split)-3]
	}
	if max(next.Seconds, -first.Seconds) > Farthest {
		return first, last, fmt.Errorf("%q is too far away", text)
	}
	return first, next.before(), nil
}
