package pcodec

// differences replaces latents by their differences from predictions, in place. It returns the
// latents that are given in front of a page, in the memory of front, and the differences that are
// coded. Lookbacks have the distances back.
func differences[L latent](front, latents []L, d *delta, back []uint32) (given, coded []L) {
	given = front[:0]
	switch d.kind {
	default:
		return given, latents

	case consecutive:
		for range d.states {
			if len(latents) == 0 {
				given = append(given, 0)
				continue
			}
			given = append(given, latents[0])
			for i := len(latents) - 1; i > 0; i-- {
				latents[i] -= latents[i-1]
			}
			latents = latents[1:]
		}

	case lookback:
		given = append(given, latents[0])
		for i := len(latents) - 1; i > 0; i-- {
			latents[i] -= latents[i-int(back[i-1])]
		}
		latents = latents[1:]
	}

	mid := middle[L]()
	for i := range latents {
		latents[i] ^= mid
	}
	return given, latents
}
