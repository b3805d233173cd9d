package deflate

// copyExactly fills dst[n:] with the bytes from distance back, and writes nothing else. If the
// ranges overlap, the size of each copy doubles.
func copyExactly(dst []byte, n, back int) {
	from := n - back
	for n < len(dst) {
		n += copy(dst[n:], dst[from:n])
	}
}
