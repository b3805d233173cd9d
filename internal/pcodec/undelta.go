package pcodec

import "github.com/cairn-go/cairn/internal/asm/latents"

// undelta replaces the differences in out, of which the first coded were coded, by latents. Latents
// come later than their differences by those that the page has in front.
func (v *variable[L]) undelta(out []L, coded int, back []uint32) error {
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

// accumulate sums differences once for each order, the highest first. They are coded around the
// middle.
func (v *variable[L]) accumulate(out []L) {
	flip := middle[L]()
	for k := len(v.history) - 1; k >= 0; k-- {
		v.history[k] = latents.Sums(out, v.history[k], flip)
		flip = 0
	}
}

// lookBack adds to each difference an earlier latent. History has all latents of the page; those
// before it are 0.
func (v *variable[L]) lookBack(out []L, coded int, back []uint32) error {
	mid := middle[L]()
	window := uint(v.delta.window)
	from := len(v.history)
	history := v.history[:from+coded]
	back = back[:coded]
	for i, d := range out[:coded] {
		far := uint(back[i])
		if far-1 >= window {
			return corrupt("a latent %d before another, in a window of %d", far, window)
		}
		earlier := L(0)
		if at := uint(from+i) - far; at < uint(len(history)) {
			earlier = history[at]
		}
		history[from+i] = d ^ mid + earlier
	}

	v.history = history
	copy(out, history[from-v.delta.states:])
	return nil
}

// convolve adds to each difference the weighted sum of the latents before it.
func (v *variable[L]) convolve(out []L) {
	mid := middle[L]()
	weights := v.delta.weights
	bias := v.delta.bias
	shift := v.delta.shift & 63

	// The latents that the sums need, and the batch behind them.
	order := len(v.history)
	copy(v.window[:order], v.history)
	window := v.window[:order+len(out)]
	for i, d := range out {
		sum := bias
		last := window[i : i+order]
		last = last[:len(weights)]
		for k, w := range weights {
			sum += w * int64(last[k])
		}
		window[i+order] = d ^ mid + L(max(sum, 0)>>shift)
	}

	copy(out, window)
	copy(v.history, window[len(out):])
}
