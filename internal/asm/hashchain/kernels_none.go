//go:build purego || !(amd64 || arm64)

package hashchain

func run(s *Search)            { s.runGeneric() }
func enter(c *Chains, end int) { c.enterGeneric(end) }
func skip(c *Chains)           { c.skipGeneric() }
