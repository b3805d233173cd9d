package item

import (
	"fmt"
	"strings"
)

// Shape returns a shape as "365 × 721 × 1440", or "scalar".
func Shape[N int32 | int64](shape []N) string {
	if len(shape) == 0 {
		return "scalar"
	}

	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = fmt.Sprint(n)
	}
	return strings.Join(parts, " × ")
}
