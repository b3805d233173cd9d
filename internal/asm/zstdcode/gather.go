package zstdcode

// Gather sets the start of to, which needs len(raw) bytes and Slack, to the literals in raw: those
// before each match, and the bytes behind the last. It returns how many there are.
func Gather(to, raw []byte, matches []Match) int {
	i, n, from := gather(to, raw, matches)
	for ; i < len(matches); i++ {
		run := int(matches[i].Literals)
		n += copy(to[n:], raw[from:from+run])
		from += run + int(matches[i].Length)
	}
	return n + copy(to[n:], raw[from:])
}
