package pcodec

// undelta replaces the differences in out, of which the first coded were coded, by latents. Latents
// come later than their differences by those that the page has in front.
func (v *variable[L]) undelta(out []L, coded int, back []uint32) error {
	if v.delta.kind == noDelta {
		return nil
	}

	// Differences are coded around the middle.
	mid := middle[L]()
	for i := range out {
		out[i] ^= mid
	}

	switch v.delta.kind {
	case consecutive:
		v.accumulate(out)
	case lookback:
		return v.lookBack(out, coded, back)
	case conv1:
		v.convolve(out)
	}
	return nil
}

// accumulate sums differences once for each order, the highest first.
func (v *variable[L]) accumulate(out []L) {
	for k := len(v.history) - 1; k >= 0; k-- {
		sum := v.history[k]
		for i, d := range out {
			out[i] = sum
			sum += d
		}
		v.history[k] = sum
	}
}

// lookBack adds to each difference an earlier latent. History has all latents of the page; those
// before it are 0.
func (v *variable[L]) lookBack(out []L, coded int, back []uint32) error {
	from := len(v.history)
	for i, d := range out[:coded] {
		far := int(back[i])
		if far < 1 || far > v.delta.window {
			return corrupt("a latent %d before another, in a window of %d", far, v.delta.window)
		}
		earlier := L(0)
		if far <= len(v.history) {
			earlier = v.history[len(v.history)-far]
		}
		v.history = append(v.history, d+earlier)
	}

	copy(out, v.history[from-v.delta.states:])
	return nil
}

// convolve adds to each difference the weighted sum of the latents before it.
func (v *variable[L]) convolve(out []L) {
	last := v.history
	for i, d := range out {
		sum := v.delta.bias
		for k, w := range v.delta.weights {
			sum += w * int64(last[k])
		}

		out[i] = last[0]
		copy(last, last[1:])
		last[len(last)-1] = d + L(max(sum, 0)>>v.delta.shift)
	}
}
