package parallel

import "context"

type atMostKey struct{}

// AtMost returns a context for calls that may use up to n workers where their options allow more:
// for one call of several, because of the memory that its workers would take.
func AtMost(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, atMostKey{}, n)
}

// WorkersIn is [Workers] for a call with a context, which may be nil or one of [AtMost].
func WorkersIn(ctx context.Context, option int) int {
	n := Workers(option)
	if ctx == nil {
		return n
	}
	if most, ok := ctx.Value(atMostKey{}).(int); ok {
		return max(1, min(n, most))
	}
	return n
}
