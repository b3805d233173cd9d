package item

import (
	"fmt"
	"math"
	"time"

	"github.com/cairn-go/cairn/ndarray"
)

// Value returns v as a JSON number, or as text if JSON has none.
func Value(v any) any {
	switch f := v.(type) {
	case ndarray.Float16:
		return Value(f.Float32())
	case float32:
		if f := float64(f); math.IsInf(f, 0) || math.IsNaN(f) {
			return fmt.Sprint(f)
		}
	case float64:
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return fmt.Sprint(f)
		}
	case time.Duration:
		return f.String()
	}
	return v
}
