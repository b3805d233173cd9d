//go:build purego || (!amd64 && !arm64)

package bins

func (c *Coder) groups(out []uint32, symbols []uint16) { c.groupsGeneric(out, symbols) }

func (w *Writer) states(states []uint32) { w.statesGeneric(states) }

func groups[L Latent](w *Writer, latents []L, symbols []uint16, lowers []L, lengths []uint8, log int) {
	groupsGeneric(w, latents, symbols, lowers, lengths, log)
}

func lengths[L Latent]([][Part]uint8, []L) int { return 0 }
