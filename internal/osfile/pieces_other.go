//go:build !darwin && !linux && !openbsd

package osfile

import "os"

// WritePieces writes pieces, one after the other from an offset on. It returns the number of bytes
// written.
func WritePieces(f *os.File, pieces [][]byte, off int64) (int64, error) {
	done := int64(0)
	for _, p := range pieces {
		n, err := f.WriteAt(p, off+done)
		done += int64(n)
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
