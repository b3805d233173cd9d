//go:build purego || (!amd64 && !arm64)

package latents

// turns decodes a latent of each of the four states a turn.
func (t *Table[L]) turns(nodes *[Batch]Node, turns int, src []byte, at uint) uint {
	return t.turnsGeneric(nodes, turns, src, at)
}

// latents does what Latents does, of the first nodes, and returns of how many.
func (t *Table[L]) latents(_ *Places[L], _ []Node, _ int, _ []byte, at uint) (uint, int) {
	return at, 0
}

func (t *Table[L]) joins(int) bool { return false }

// both is Next with a kernel.
func (t *Table[L]) both(*Places[L], *[Batch]Node, int, []byte, uint, uint) (uint, int, bool) {
	return 0, 0, false
}

// The kernels of undo.go return how many latents they did.

func flip[L Latent]([]L) int { return 0 }

func unorder[L Latent]([]L, L, uint) int { return 0 }

func multiply[L Latent]([]L, L, L) int { return 0 }

func quotients[L Latent]([]L, L, float64, float64) int { return 0 }

func products[L Latent]([]L, L, float64, float64) int { return 0 }

func add[L Latent](_, _ []L) int { return 0 }

func toSingles[L Latent]([]L) int { return 0 }

func sums[L Latent](_ []L, sum, _ L) (int, L) { return 0, sum }

func singles(_, _ []uint32, _ float32) int { return 0 }

func doubles(_, _ []uint64, _ float64) int { return 0 }
