//go:build !purego && (amd64 || arm64)

package byteshuffle

// Wide items go by 16 columns, a column being one byte of every item. What is left of a width that
// 16 does not divide is done with columns that were done already, which does no harm.

const (
	wideColumns = Columns
	quadColumns = 4
	// what is read once per 16 columns: small enough to stay in the first-level cache
	tileBytes = 16 << 10
)

// shuffleWide shuffles items of 16 bytes and more. The kernel reads 16 bytes of each even where
// fewer columns are left, so the last items may have to stay.
func shuffleWide(dst []byte, pitch int, src []byte, size int) int {
	left := (size%wideColumns + quadColumns - 1) / quadColumns
	last := size - left*quadColumns
	items := len(src) / size
	if left > 0 {
		items = (len(src)-last-wideColumns)/size + 1
	}
	done := items - items%groupItems
	step := max(groupItems, tileBytes/size&^(groupItems-1))
	for i := 0; i < done; i += step {
		groups := min(step, done-i) / groupItems
		d, s := dst[i:], src[i*size:]
		for c := 0; c+wideColumns <= size; c += wideColumns {
			columnsForward(&d[c*pitch], pitch, &s[c], size, groups, wideColumns/quadColumns)
		}
		if left > 0 {
			columnsForward(&d[last*pitch], pitch, &s[last], size, groups, left)
		}
	}
	return done
}

// unshuffleWide restores items of 16 bytes and more, and those of 9 and more where unshuffleRest
// can.
func unshuffleWide(dst, src []byte, pitch, size int) int {
	items := len(dst) / size
	done := items - items%groupItems
	step := max(groupItems, tileBytes/size&^(groupItems-1))
	for i := 0; i < done; i += step {
		groups := min(step, done-i) / groupItems
		d, s := dst[i*size:], src[i:]
		c := 0
		for ; c+wideColumns <= size; c += wideColumns {
			columnsBackward(&d[c], size, &s[c*pitch], pitch, groups)
		}
		if c < size {
			unshuffleRest(d, s, pitch, size, size-c, groups)
		}
	}
	return done
}

func shuffleColumns(dst []byte, pitch int, src []byte, stride, groups int) {
	columnsForward(&dst[0], pitch, &src[0], stride, groups, wideColumns/quadColumns)
}

func unshuffleColumns(dst []byte, stride int, src []byte, pitch, groups int) {
	columnsBackward(&dst[0], stride, &src[0], pitch, groups)
}
