package cf

import (
	"slices"
	"strings"
)

// SameUnit reports whether two units are one, as far as their text tells: "m s-1", "m/s" and
// "m.s**-1" are.
func SameUnit(a, b string) bool {
	return a == b || slices.Equal(factors(a), factors(b))
}

// otherNames of units that files have for one.
var otherNames = map[string]string{
	"degree_north": "degrees_north", "degree_N": "degrees_north", "degrees_N": "degrees_north",
	"degreeN": "degrees_north", "degreesN": "degrees_north",
	"degree_east": "degrees_east", "degree_E": "degrees_east", "degrees_E": "degrees_east",
	"degreeE": "degrees_east", "degreesE": "degrees_east",
	"degree": "degrees", "deg": "degrees",
	"Kelvin": "K", "kelvin": "K", "degK": "K", "deg_K": "K",
	"degC": "Celsius", "deg_C": "Celsius", "celsius": "Celsius", "degree_Celsius": "Celsius",
	"degrees_Celsius": "Celsius", "degree_C": "Celsius", "degrees_C": "Celsius", "°C": "Celsius", "C": "Celsius",
	"meter": "m", "metre": "m", "meters": "m", "metres": "m", "kilogram": "kg",
	"second": "s", "seconds": "s", "sec": "s", "days": "day", "hours": "hour", "hr": "hour",
	"pascal": "Pa", "Pascal": "Pa", "hectopascal": "hPa", "mb": "hPa", "mbar": "hPa", "millibar": "hPa",
	"percent": "%",
}

// factors returns the units that a unit is the product of, in order, with their exponents.
func factors(unit string) (all []string) {
	if strings.Contains(unit, " since ") {
		return strings.Fields(unit)
	}
	text := strings.ReplaceAll(unit, "**", "^")
	text = strings.NewReplacer("/", " / ", "*", " ", "·", " ").Replace(text)

	below := false
	for _, word := range strings.Fields(text) {
		if word == "/" {
			below = true
			continue
		}
		for part := range strings.SplitSeq(word, ".") {
			if f := factor(part, below); f != "1" {
				all = append(all, f)
			}
		}
		below = false
	}
	slices.Sort(all)
	return all
}

// factor returns a unit with an exponent in one form: "s-1" of "s^-1", and of "s" below a line.
func factor(word string, below bool) string {
	name := strings.TrimRight(word, "0123456789")
	exponent := word[len(name):]
	sign := strings.TrimRight(name, "+-^")
	negative := strings.Contains(name[len(sign):], "-")
	name = sign
	if name == "" {
		return word
	}
	if other, ok := otherNames[name]; ok {
		name = other
	}
	if exponent == "" {
		exponent = "1"
	}
	if negative != below {
		exponent = "-" + exponent
	}
	if exponent == "1" {
		return name
	}
	return name + exponent
}
