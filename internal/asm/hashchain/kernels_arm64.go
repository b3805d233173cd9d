//go:build !purego

package hashchain

import "github.com/cairn-go/cairn/internal/asm/cpu"

//go:noescape
func runNEON(s *Search)

//go:noescape
func enterNEON(c *Chains, end int)

//go:noescape
func skipNEON(c *Chains)

func run(s *Search) {
	if cpu.NEON {
		runNEON(s)
		return
	}
	s.runGeneric()
}

func enter(c *Chains, end int) {
	if cpu.NEON {
		enterNEON(c, end)
		return
	}
	c.enterGeneric(end)
}

func skip(c *Chains) {
	if cpu.NEON {
		skipNEON(c)
		return
	}
	c.skipGeneric()
}
