package deflate

// copyExactly fills dst[n:] with the bytes from back bytes before it on, and touches nothing else.
// What is copied doubles with each step where the two overlap.
func copyExactly(dst []byte, n, back int) {
	from := n - back
	for n < len(dst) {
		n += copy(dst[n:], dst[from:n])
	}
}
