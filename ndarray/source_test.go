package ndarray

var (
	_ Source[float32] = Array[float32]{}
	_ Source[float32] = View[float32]{}
)
