//go:build !purego && (amd64 || arm64)

package byteshuffle

// Wide items go by 16 columns, a column being one byte of every item. What is left of a width that 16 does not divide
// is done with columns that were done already, which does no harm.

const (
	wideColumns = Columns
	quadColumns = 4
	tileBytes   = 16 << 10 // what is read once per 16 columns: small enough to stay in the first-level cache
)

// lastColumn returns where the last of shuffleWide's calls begins in an item.
func lastColumn(size int) int {
	switch rest := size % wideColumns; {
	case rest == 0:
		return size - wideColumns
	case size%quadColumns != 0 && size < wideColumns:
		return size - quadColumns
	default:
		return max(0, size-(rest+quadColumns-1)/quadColumns*quadColumns)
	}
}

// shuffleWide shuffles items of 9 bytes and more. The kernel reads 16 bytes of each even where fewer columns are left,
// so the last items may have to stay.
func shuffleWide(dst []byte, pitch int, src []byte, size int) int {
	items := min(len(src)/size, (len(src)-lastColumn(size)-wideColumns)/size+1)
	done := items - items%groupItems
	step := max(groupItems, tileBytes/size&^(groupItems-1))
	for i := 0; i < done; i += step {
		groups := min(step, done-i) / groupItems
		d, s := dst[i:], src[i*size:]
		c := 0
		for ; c+wideColumns <= size; c += wideColumns {
			columnsForward(&d[c*pitch], pitch, &s[c], size, groups, wideColumns/quadColumns)
		}
		if c == 0 { // too narrow to begin before the columns that are left
			columnsForward(&d[0], pitch, &s[0], size, groups, size/quadColumns)
			c = size &^ (quadColumns - 1)
		}
		if left := (size - c + quadColumns - 1) / quadColumns; left > 0 {
			c = size - left*quadColumns
			columnsForward(&d[c*pitch], pitch, &s[c], size, groups, left)
		}
	}
	return done
}

// unshuffleWide restores items of 16 bytes and more.
func unshuffleWide(dst, src []byte, pitch, size int) int {
	items := len(dst) / size
	done := items - items%groupItems
	step := max(groupItems, tileBytes/size&^(groupItems-1))
	for i := 0; i < done; i += step {
		groups := min(step, done-i) / groupItems
		d, s := dst[i*size:], src[i:]
		for c := 0; c < size; c += wideColumns {
			first := min(c, size-wideColumns)
			columnsBackward(&d[first], size, &s[first*pitch], pitch, groups)
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
