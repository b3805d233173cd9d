//go:build !purego

package hashchain

import "github.com/cairn-go/cairn/internal/asm/cpu"

//go:noescape
func runAVX2(s *Search)

//go:noescape
func enterAVX2(c *Chains, end int)

//go:noescape
func skipAVX2(c *Chains)

func run(s *Search) {
	if cpu.AVX2 {
		runAVX2(s)
		return
	}
	s.runGeneric()
}

func enter(c *Chains, end int) {
	if cpu.AVX2 {
		enterAVX2(c, end)
		return
	}
	c.enterGeneric(end)
}

func skip(c *Chains) {
	if cpu.AVX2 {
		skipAVX2(c)
		return
	}
	c.skipGeneric()
}
