package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/cairn-go/cairn/check/harness"
)

// zfpStreams lets both sides encode random arrays of float32 and float64, in one to four
// dimensions, and compares the bytes, until there were n arrays of each mode. Arrays that hardly
// get smaller do not count, because the real library writes beyond its memory for them
// (docs/format/codecs.md).
func zfpStreams(python string, seed uint64, n int) error {
	p, _, err := harness.Python(python, peerSource)
	if err != nil {
		return err
	}
	defer p.Close()

	for k, mode := range zfpModes {
		kinds := map[string]int{}
		same := 0
		left := 0

		for i := 0; same < n; i++ {
			s := &spec{rng: rand.New(rand.NewPCG(seed, 1<<40+uint64(k)<<32+uint64(i))), numbers: true, vlmeta: map[string]any{}}
			s.drawNumbers()
			s.drawMode(k)
			if err := one(p, s); err != nil {
				return fmt.Errorf("array %d: %v\n%w", i, s, err)
			}
			if s.compared {
				same++
				kinds[fmt.Sprintf("%s in %dd", s.dtype, len(s.shape))]++
			} else if left++; left > 20*n {
				return fmt.Errorf("%s: %d of %d arrays hardly get smaller", mode, left, i+1)
			}
		}

		fmt.Printf("%s: %d arrays, the same bytes:", mode, n)
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			fmt.Printf(" %d %s", kinds[kind], kind)
		}
		fmt.Printf("; %d left out\n", left)
	}
	return nil
}
