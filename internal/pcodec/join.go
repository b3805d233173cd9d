package pcodec

// lookUp writes the numbers at indices of the dictionary.
func (c *chunk[L]) lookUp(dst []byte, indices []uint32) error {
	latents := c.primary.decoded[:len(indices)]
	for i, at := range indices {
		if int64(at) >= int64(len(c.dict)) {
			return corrupt("number %d of a dictionary of %d", at, len(c.dict))
		}
		latents[i] = c.dict[at]
	}

	c.joinOne(dst, latents)
	return nil
}

// joinOne writes the numbers that latents stand for.
func (c *chunk[L]) joinOne(dst []byte, latents []L) {
	mid := middle[L]()
	switch c.kind {
	case unsigned:
		for i, l := range latents {
			put(dst, i, l)
		}
	case signed:
		for i, l := range latents {
			put(dst, i, l^mid)
		}
	case floating:
		for i, l := range latents {
			put(dst, i, unordered(l))
		}
	}
}

// joinTwo joins latents to those of the numbers, in place of the primary ones.
func (c *chunk[L]) joinTwo(primary, secondary []L) {
	secondary = secondary[:len(primary)]
	switch c.mode {
	case intMult:
		for i, l := range primary {
			primary[i] = l*c.base + secondary[i]
		}

	case floatMult:
		base := toFloat(c.base)
		mid := middle[L]()
		for i, l := range primary {
			product := floatBits[L](floatOf(wholeFloat(l)) * base)
			primary[i] = ordered(product) + secondary[i] ^ mid
		}

	case floatQuant:
		// The lower part of negative numbers is counted downwards, so that it is 0 for those that
		// have nothing there.
		zero := middle[L]() >> c.quant
		most := L(1)<<c.quant - 1
		for i, l := range primary {
			low := secondary[i]
			if l < zero {
				low = most - low
			}
			primary[i] = l<<c.quant + low
		}
	}
}
