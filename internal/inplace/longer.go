package inplace

import "io"

// Longer returns the length of what r reads, if that tells and has become longer. A file that is
// appended to may have got longer between the look at its length and that at its header, which says
// where it ends.
func Longer(r io.ReaderAt, size int64) (longer int64, ok bool) {
	file, tells := r.(interface{ Size() (int64, error) })
	if !tells {
		return 0, false
	}
	longer, err := file.Size()
	return longer, err == nil && longer > size
}
