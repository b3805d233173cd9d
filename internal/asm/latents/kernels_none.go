//go:build purego || !amd64

package latents

// turns decodes a latent of each of the four states a turn.
func (t *Table[L]) turns(b *Batched[L], turns int, src []byte, at uint) uint {
	return t.turnsGeneric(b, turns, src, at)
}

// add adds their offsets to the latents of some turns.
func (b *Batched[L]) add(turns, _ int, src []byte, at uint) uint {
	return b.addGeneric(0, turns*turn, src, at)
}
