package manual

// A Term is a row of a table that explains an operand.
type Term struct{ Name, Text string }

// Terms returns the table that explains the operand of a verb, and its title. Only calc has one.
func Terms(verb string) (title string, terms []Term) {
	if verb != "calc" {
		return "", nil
	}
	return "Expressions", expressionTerms[:]
}

var expressionTerms = [...]Term{
	{"operators", "+ - * / // % ** & | ^ ~ << >> and comparisons"},
	{"selections", "a[1:, ::2], with None for a new axis"},
	{"constants, casts", "pi, e, inf, nan; bool(a), int8(a), float32(a), complex64(a) and so on"},
	{"functions", "where(c, a, b), clip(a, low, high), minimum, maximum, fmin, fmax, abs, sign, " +
		"square, sqrt, cbrt, reciprocal, exp, exp2, expm1, log, log2, log10, log1p, sin, cos, tan, " +
		"arcsin, arccos, arctan, arctan2, sinh, cosh, tanh, arcsinh, arccosh, arctanh, hypot, " +
		"degrees, radians, floor, ceil, trunc, rint, round(a, 2), copysign, isnan, isinf, isfinite, " +
		"logical_and, logical_or, logical_xor, logical_not"},
	{"coordinates", "t * cos(radians(lat)): a name without a PATH is that of coordinates of the arrays, " +
		"aligned by dimensions; also t.lat"},
	{"of times", "year(time), month, day, hour, minute, second, dayofyear, weekday, quarter, season, " +
		"days_in_month, days_in_year; also time.dt.month"},
	{"texts", "time >= '2000-01-31' (a date in the calendar), time - '2000', station == 'Oslo', " +
		"season(time) == 'DJF' and other flags; a['x'] or a.x, a field of records"},
	{"of complex numbers", "real, imag, conj, abs, angle, exp, log, sqrt"},
	{"reductions", "sum, prod, mean, std, var, min, max, median, quantile(a, 0.9), any, all, " +
		"count (of values that are not missing), count_nonzero, argmin, argmax, first, last; " +
		"and nansum, nanmean and so on, which ignore NaN"},
	{"options of these", "axis=0, axis='time' or axis=(1, 2); keepdims=True; ddof=1 for std and var; " +
		"by='month' and other groups; window=31, center=True, min_count=5; weights=cos(radians(lat))"},
	{"along one axis", "cumsum(a, axis=0), cumprod, diff, shift(a, 1, 'time'), ffill, bfill, interpolate_na, " +
		"interp(a, 'lat', (10, 20.5)), slope, intercept, pvalue, longest_run, corr(a, b, 'time'), cov, " +
		"and index(a, axis='time'), the index of each item"},
	{"of groups", "clim(a, 'month-of-year'), the mean of its group for each item, and standardize"},
}
