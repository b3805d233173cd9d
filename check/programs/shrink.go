package main

import "slices"

// shrink returns a smaller program that still fails, and its difference. It drops steps and then
// simplifies the array, as long as the program fails.
func shrink(p *program, d *difference, fails func(*program) *difference) (*program, *difference) {
	for smaller := true; smaller; {
		smaller = false
		for _, c := range candidates(p) {
			if !legal(c) {
				continue
			}
			if worse := fails(c); worse != nil {
				p = c
				d = worse
				smaller = true
				break
			}
		}
	}
	return p, d
}

// candidates returns programs that are one change smaller than p, the largest changes first.
func candidates(p *program) []*program {
	var out []*program
	change := func(f func(c *program)) {
		c := *p
		c.Steps = slices.Clone(p.Steps)
		f(&c)
		out = append(out, &c)
	}

	for n := len(p.Steps) / 2; n > 0; n /= 2 {
		for i := 0; i+n <= len(p.Steps); i += n {
			change(func(c *program) { c.Steps = slices.Delete(c.Steps, i, i+n) })
		}
	}

	for i, s := range p.Steps {
		for _, t := range s.smaller() {
			change(func(c *program) { c.Steps[i] = t })
		}
	}

	for _, c := range []struct {
		needed bool
		simple func(c *program)
	}{
		{p.Workers > 1, func(c *program) { c.Workers = 1 }},
		{p.Place != inMemory, func(c *program) { c.Place = inMemory }},
		{p.Sparse, func(c *program) { c.Sparse = false }},
		{p.Fill != nil, func(c *program) { c.Fill = nil }},
		{p.Level != 1 || p.Codec != "lz4", func(c *program) {
			c.Codec = "lz4"
			c.Level = 1
		}},
		{len(p.Filter) != 1 || p.Filter[0] != "none", func(c *program) { c.Filter = []string{"none"} }},
		{p.Behind != 0, func(c *program) { c.Behind = 0 }},
		{p.Size > 1, func(c *program) {
			c.DType = "|u1"
			c.Size = 1
			c.Fill = nil
		}},
	} {
		if c.needed {
			change(c.simple)
		}
	}
	return out
}

// smaller returns steps that do less.
func (s *step) smaller() []step {
	var out []step
	change := func(f func(c *step)) {
		c := *s
		f(&c)
		out = append(out, c)
	}

	for i := range s.Steps {
		change(func(c *step) { c.Steps = slices.Delete(slices.Clone(c.Steps), i, i+1) })
	}
	for i := range s.Lens {
		change(func(c *step) { c.Lens = slices.Delete(slices.Clone(c.Lens), i, i+1) })
	}
	for i := range s.Points {
		change(func(c *step) { c.Points = slices.Delete(slices.Clone(c.Points), i, i+1) })
	}
	for i := range s.Key {
		change(func(c *step) { c.Key = slices.Delete(slices.Clone(c.Key), i, i+1) })
		if s.Key[i].Kind != "range" || s.Key[i].Start != nil {
			change(func(c *step) {
				c.Key = slices.Clone(c.Key)
				c.Key[i] = axisKey{Kind: "range"}
			})
		}
	}
	return out
}
