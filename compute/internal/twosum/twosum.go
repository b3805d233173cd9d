// Package twosum adds floats with twice their precision: a sum, and the error that rounding it has
// accumulated.
package twosum

// Add adds v to a sum and its accumulated rounding error. The error is unchanged if the sum is
// NaN or infinite.
func Add(high, low, v float64) (float64, float64) {
	sum := high + v
	part := sum - high
	lost := (high - (sum - part)) + (v - part)
	if lost != lost {
		return sum, low
	}
	return sum, low + lost
}
