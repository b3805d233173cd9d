package shuffle

// stride returns the number of bytes per item for byte shuffle.
func stride(meta uint8, ctx *Context) int {
	if meta != 0 {
		return int(meta)
	}
	return ctx.TypeSize
}

// byteForward moves byte j of every item to plane j and copies the bytes after the last whole item
// (format: filters, shuffle).
func byteForward(dst, src []byte, meta uint8, ctx *Context) error {
	s := stride(meta, ctx)
	items := len(src) / s
	shuffleItems(dst, items, src[:items*s], s)
	copy(dst[items*s:], src[items*s:])
	return nil
}

// byteBackward undoes byteForward.
func byteBackward(dst, src []byte, meta uint8, ctx *Context) error {
	s := stride(meta, ctx)
	items := len(src) / s
	unshuffleItems(dst[:items*s], src, items, s)
	copy(dst[items*s:], src[items*s:])
	return nil
}

func bytePlanes(size int, meta uint8, ctx *Context) int {
	s := stride(meta, ctx)
	if size%s != 0 {
		return 0
	}
	return s
}

func byteForwardPlanes(dst []byte, pitch int, src []byte, meta uint8, ctx *Context) error {
	shuffleItems(dst, pitch, src, stride(meta, ctx))
	return nil
}

func byteBackwardPlanes(dst, src []byte, pitch int, meta uint8, ctx *Context) error {
	unshuffleItems(dst, src, pitch, stride(meta, ctx))
	return nil
}
