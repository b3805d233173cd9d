package ndarray

var _ Source[float32] = Array[float32]{}
