//go:build !purego && (amd64 || arm64)

package byteshuffle

// Wide items are processed in groups of 16 columns; a column is one byte of every item. If 16 does
// not divide the item size, the last group overlaps the previous one, which is harmless.

const (
	wideColumns = Columns
	quadColumns = 4
	// the bytes read once per 16 columns, few enough for the first-level cache
	tileBytes = 16 << 10
)

// shuffleWide shuffles items of 16 bytes and more. The kernel reads 16 bytes of each item even if
// fewer columns remain, so the last items may remain unprocessed.
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
		d := dst[i:]
		s := src[i*size:]
		for c := 0; c+wideColumns <= size; c += wideColumns {
			columnsForward(&d[c*pitch], pitch, &s[c], size, groups, wideColumns/quadColumns)
		}

		if left > 0 {
			columnsForward(&d[last*pitch], pitch, &s[last], size, groups, left)
		}
	}
	return done
}

// unshuffleWide unshuffles items of 16 bytes and more, or of 9 and more if unshuffleRest supports
// them.
func unshuffleWide(dst, src []byte, pitch, size int) int {
	items := len(dst) / size

	done := items - items%groupItems
	step := max(groupItems, tileBytes/size&^(groupItems-1))

	for i := 0; i < done; i += step {
		groups := min(step, done-i) / groupItems
		d := dst[i*size:]
		s := src[i:]
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
