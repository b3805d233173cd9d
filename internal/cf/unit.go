package cf

import (
	"maps"
	"math"
	"strconv"
	"strings"
)

// SameUnit reports whether two units are one, as far as is known: "m s-1", "m/s" and "m.s**-1" are,
// and so are "hPa" and "mbar". Those of times since a date are if their words are.
func SameUnit(a, b string) bool {
	if a == b {
		return true
	}
	x := unitOf(a)
	y := unitOf(b)
	return x.kind(y) && x.offset == y.offset && near(x.num*y.den, y.num*x.den)
}

// near reports whether factors are the same but for the rounding of their products.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(a) }

// A Conversion makes values of one unit those of another: a value × Num ÷ Den + Shift.
type Conversion struct{ Num, Den, Shift float64 }

// Convert converts values in place.
func (c Conversion) Convert(values []float64) {
	for i, v := range values {
		values[i] = float64(v*c.Num/c.Den) + c.Shift
	}
}

// ConversionOf returns how values in a unit become those in another one of the same kind, and false
// if the units are of different kinds, or not known. Nothing converts to or from no unit at all.
func ConversionOf(from, to string) (c Conversion, ok bool) {
	if from == "" || to == "" {
		return c, false
	}
	a := unitOf(from)
	b := unitOf(to)
	if !a.kind(b) || a.opaque || b.opaque {
		return c, false
	}

	c = Conversion{Num: a.num * b.den, Den: a.den * b.num}
	c.Shift = (a.offset - b.offset) * b.den / b.num
	switch up, down := c.Num/c.Den, c.Den/c.Num; {
	case up == math.Trunc(up):
		c.Num = up
		c.Den = 1
	case down == math.Trunc(down):
		c.Num = 1
		c.Den = down
	}
	return c, true
}

// A unit is a product of others: a value in it × num ÷ den + offset is one in those.
type unit struct {
	num, den, offset float64
	of               map[string]int // the exponents
	opaque           bool           // it is known by its text alone
}

// kind reports whether two units are products of the same.
func (u unit) kind(v unit) bool { return maps.Equal(u.of, v.of) }

// separated has blanks around what separates units, and one sign for powers.
var separated = strings.NewReplacer("**", "^", "/", " / ", "*", " ", "·", " ", "×", " ", "²", "2", "³", "3", "⁻", "-",
	"¹", "1", "µ", "u", "μ", "u", "°C", "Celsius", "°F", "degF", "°", "degrees")

// unitOf parses a unit. What it does not understand is a unit of its own, and known by its text.
func unitOf(text string) unit {
	u := unit{num: 1, den: 1, of: map[string]int{}}
	if strings.Contains(text, " since ") || strings.ContainsAny(text, "()@") {
		return unit{num: 1, den: 1, of: map[string]int{strings.Join(strings.Fields(text), " "): 1}, opaque: true}
	}

	below := false
	factors := 0
	for _, word := range strings.Fields(separated.Replace(text)) {
		if word == "/" || word == "per" {
			below = true
			continue
		}

		parts := strings.Split(word, ".")
		if _, err := strconv.ParseFloat(word, 64); err == nil {
			parts = []string{word}
		}

		for _, part := range parts {
			if part == "" {
				continue
			}

			factor, exponent := factorOf(part)
			if below {
				exponent = -exponent
			}

			// Make a unit the product of itself and a power of another. An offset holds for
			// what is no product.
			num := factor.num
			den := factor.den
			if exponent < 0 {
				num, den = den, num
			}

			for range max(exponent, -exponent) {
				u.num *= num
				u.den *= den
			}
			for name, n := range factor.of {
				u.of[name] += n * exponent
				if u.of[name] == 0 {
					delete(u.of, name)
				}
			}

			factors++
			u.offset = factor.offset
			if factors > 1 || exponent != 1 {
				u.offset = 0
			}
			u.opaque = u.opaque || factor.opaque
		}
		below = false
	}
	return u
}

// mostExponent bounds exponents; of units there is none beyond 6.
const mostExponent = 30

// factorOf parses a unit with an exponent: "s-1", "s^-1", "10^3", or a number.
func factorOf(word string) (unit, int) {
	if f, err := strconv.ParseFloat(word, 64); err == nil && f > 0 && !math.IsInf(f, 0) {
		return number10(f), 1
	}
	name := strings.TrimRight(word, "0123456789")
	digits := word[len(name):]
	name = strings.TrimRight(name, "+-^")
	sign := word[len(name) : len(word)-len(digits)]

	exponent := 1
	if digits != "" {
		n, err := strconv.Atoi(digits)
		if err != nil || n > mostExponent {
			return unit{num: 1, den: 1, of: map[string]int{word: 1}, opaque: true}, 1
		}
		exponent = n
	}
	if strings.Contains(sign, "-") {
		exponent = -exponent
	}
	if f, err := strconv.ParseFloat(name, 64); err == nil && f > 0 {
		return number10(f), exponent
	}
	return named(name), exponent
}

// number10 returns a number as a unit, as a quotient if it is less than 1.
func number10(f float64) unit {
	if inverse := math.Round(1 / f); f < 1 && 1/inverse == f {
		return unit{num: 1, den: inverse}
	}
	return unit{num: f, den: 1}
}
