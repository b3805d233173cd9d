//go:build purego || !amd64

package marks

// replaceGroups reports that there is no kernel.
func replaceGroups(p *byte, groups, size int, bigEndian bool, mark float64) bool { return false }
