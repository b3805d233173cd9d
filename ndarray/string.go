package ndarray

import "fmt"

// String returns the path, dtype, shape, chunks and codec of the array: "grid.b2nd: <f4 [1000 2000], chunks
// [100 2000], zstd".
func (u *Untyped) String() string {
	u = u.own()
	name := u.name
	if name == "" {
		name = "memory"
	}
	return fmt.Sprintf("%s: %s %v, chunks %v, %v", name, u.dtypeText, u.Shape(), u.ChunkShape(), u.Info().Codec)
}

// String returns the dtype and the shape of the view, or its error.
func (v UntypedView) String() string {
	if err := v.Err(); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("view: %s %v", v.of.dtype(), v.sel.size)
}
