package shuffle

// bitItems returns the number of items that bitshuffle processes, a multiple of 8. The rest is
// copied (format: filters, bitshuffle, with the rule of chunk versions 2 and 3).
func bitItems(size int, ctx *Context) int {
	items := size / ctx.TypeSize
	if (ctx.Version == 2 || ctx.Version == 3) && items%8 != 0 {
		return 0
	}
	return items &^ 7
}

// bitForward moves bit k of byte j of every item into bit row 8*j+k.
func bitForward(dst, src []byte, _ uint8, ctx *Context) error {
	items := bitItems(len(src), ctx)
	end := items * ctx.TypeSize
	bitshuffleItems(dst, items, src[:end], ctx.TypeSize)
	copy(dst[end:], src[end:])
	return nil
}

// bitBackward undoes bitForward.
func bitBackward(dst, src []byte, _ uint8, ctx *Context) error {
	items := bitItems(len(src), ctx)
	end := items * ctx.TypeSize
	bitunshuffleItems(dst[:end], src, items, ctx.TypeSize)
	copy(dst[end:], src[end:])
	return nil
}

// bitPlanes returns the number of planes of a block: one per byte of an item, each with eight bit
// rows.
func bitPlanes(size int, _ uint8, ctx *Context) int {
	if items := bitItems(size, ctx); items*ctx.TypeSize != size {
		return 0
	}
	return ctx.TypeSize
}

func bitForwardPlanes(dst []byte, pitch int, src []byte, _ uint8, ctx *Context) error {
	bitshuffleItems(dst, pitch, src, ctx.TypeSize)
	return nil
}

func bitBackwardPlanes(dst, src []byte, pitch int, _ uint8, ctx *Context) error {
	bitunshuffleItems(dst, src, pitch, ctx.TypeSize)
	return nil
}
