package cf

import "strings"

// A knownUnit is a row of the table of units.
type knownUnit struct {
	names  string // symbols and names, between blanks
	num    float64
	den    float64
	offset float64
	of     map[string]int
}

// knownUnits are those that data of the atmosphere, the ocean and the land have, as UDUNITS defines
// them. Degrees of latitude, of longitude and of angles are different things here. "mb" is a
// millibar, and "C" a degree Celsius, which files mean by it.
var knownUnits = []knownUnit{
	{"K kelvin Kelvin degK deg_K degree_K degrees_K degree_Kelvin degrees_Kelvin", 1, 1, 0, of("K", 1)},
	{"Celsius celsius degC deg_C degree_C degrees_C degree_Celsius degrees_Celsius degree_celsius degrees_celsius C", 1, 1, 273.15, of("K", 1)},
	{"degF deg_F degree_F degrees_F Fahrenheit fahrenheit degree_Fahrenheit degrees_Fahrenheit", 5, 9, 459.67 * 5 / 9, of("K", 1)},
	{"min minute", 60, 1, 0, of("s", 1)}, {"h hr hour", 3600, 1, 0, of("s", 1)}, {"d day", 86400, 1, 0, of("s", 1)},
	{"mb", 100, 1, 0, of("kg", 1, "m", -1, "s", -2)},
	{"atm atmosphere", 101325, 1, 0, of("kg", 1, "m", -1, "s", -2)},
	{"% percent", 1, 100, 0, nil}, {"ppm", 1, 1e6, 0, nil}, {"ppb", 1, 1e9, 0, nil},
	{"kt knot", 1852, 3600, 0, of("m", 1, "s", -1)},
	{"ft foot feet", 3048, 10000, 0, of("m", 1)},
	{"degree degrees deg", 1, 1, 0, of("degrees", 1)},
	{"degrees_north degree_north degree_N degrees_N degreeN degreesN", 1, 1, 0, of("degrees_north", 1)},
	{"degrees_east degree_east degree_E degrees_E degreeE degreesE", 1, 1, 0, of("degrees_east", 1)},
	{"sr steradian", 1, 1, 0, of("sr", 1)}, {"rad radian", 1, 1, 0, of("rad", 1)},
}

// scalable are units that prefixes go before.
var scalable = []knownUnit{
	{"m meter metre", 1, 1, 0, of("m", 1)}, {"s sec second", 1, 1, 0, of("s", 1)}, {"g gram", 1, 1000, 0, of("kg", 1)},
	{"mol mole", 1, 1, 0, of("mol", 1)}, {"A ampere", 1, 1, 0, of("A", 1)}, {"cd candela", 1, 1, 0, of("cd", 1)},
	{"Pa pascal Pascal", 1, 1, 0, of("kg", 1, "m", -1, "s", -2)}, {"bar", 1e5, 1, 0, of("kg", 1, "m", -1, "s", -2)},
	{"N newton", 1, 1, 0, of("kg", 1, "m", 1, "s", -2)}, {"J joule", 1, 1, 0, of("kg", 1, "m", 2, "s", -2)},
	{"W watt Watt", 1, 1, 0, of("kg", 1, "m", 2, "s", -3)}, {"Hz hertz", 1, 1, 0, of("s", -1)},
	{"V volt", 1, 1, 0, of("kg", 1, "m", 2, "s", -3, "A", -1)}, {"L l liter litre", 1, 1000, 0, of("m", 3)},
}

// prefixes are those of symbols, and of names.
var prefixes = []struct {
	symbol, name string
	num, den     float64
}{
	{"da", "deka", 10, 1}, {"h", "hecto", 100, 1}, {"k", "kilo", 1e3, 1}, {"M", "mega", 1e6, 1}, {"G", "giga", 1e9, 1},
	{"T", "tera", 1e12, 1}, {"P", "peta", 1e15, 1}, {"d", "deci", 1, 10}, {"c", "centi", 1, 100},
	{"m", "milli", 1, 1e3}, {"u", "micro", 1, 1e6}, {"n", "nano", 1, 1e9}, {"p", "pico", 1, 1e12},
}

func of(pairs ...any) map[string]int {
	exponents := map[string]int{}
	for i := 0; i < len(pairs); i += 2 {
		exponents[pairs[i].(string)] = pairs[i+1].(int)
	}
	return exponents
}

// named returns the unit with a name. One that is in no table is a unit of its own.
func named(name string) unit {
	for _, table := range [][]knownUnit{knownUnits, scalable} {
		if u, ok := lookup(table, name, false); ok {
			return u
		}
	}

	for _, p := range prefixes {
		for _, prefix := range []string{p.symbol, p.name} {
			rest, ok := strings.CutPrefix(name, prefix)
			if !ok || rest == "" {
				continue
			}
			if u, ok := lookup(scalable, rest, prefix == p.name); ok {
				u.num *= p.num
				u.den *= p.den
				return u
			}
		}
	}
	return unit{num: 1, den: 1, of: map[string]int{name: 1}, opaque: true}
}

// lookup finds a name in a table, or its plural. Prefixes that are names go before names, and those
// that are symbols before symbols, the first of a row; both before bar.
func lookup(table []knownUnit, name string, long bool) (unit, bool) {
	stem := strings.TrimSuffix(name, "s")
	for _, row := range table {
		if !strings.Contains(row.names, stem) {
			continue
		}
		for i, have := range strings.Fields(row.names) {
			plural := len(have) > 2 && name == have+"s"
			if name != have && !plural || long && i == 0 && have != "bar" {
				continue
			}
			return unit{num: row.num, den: row.den, offset: row.offset, of: row.of}, true
		}
	}
	return unit{}, false
}
