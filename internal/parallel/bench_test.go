package parallel

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkFor runs loops of 16 jobs on two workers. The time beyond half of the work is the
// overhead of a parallel loop.
func BenchmarkFor(b *testing.B) {
	for _, total := range []time.Duration{100 * time.Microsecond, 400 * time.Microsecond, 1600 * time.Microsecond} {
		b.Run(fmt.Sprint(total), func(b *testing.B) {
			for b.Loop() {
				err := For(b.Context(), 2, 16, func(_, _ int) error {
					for began := time.Now(); time.Since(began) < total/16; {
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
