package blosclz

// reference decodes a stream of n bytes as the package comment describes, one byte at a time. It
// reports whether the stream is valid.
func reference(stream []byte, n int) ([]byte, bool) {
	var out []byte
	at := 0
	ok := true
	next := func() int {
		if at >= len(stream) {
			ok = false
			return 0
		}
		at++
		return int(stream[at-1])
	}
	for first := true; at < len(stream) || first; first = false {
		token := next()
		if first {
			token &= 0x1f
		}
		if token>>5 == 0 {
			for range token + 1 {
				out = append(out, byte(next()))
			}
		} else {
			length := token>>5 + 2
			if token>>5 == 7 {
				for more := 255; more == 255 && ok; length += more {
					more = next()
				}
			}
			distance := token&31<<8 + 1
			low := next()
			distance += low
			if low == 255 && token&31 == 31 {
				distance = next()<<8 + 8192
				distance += next()
			}
			ok = ok && distance <= len(out) && length <= n-len(out) && at < len(stream)
			for i := 0; ok && i < length; i++ {
				out = append(out, out[len(out)-distance])
			}
		}
		if !ok || len(out) > n {
			return nil, false
		}
	}
	if len(out) != n {
		return nil, false
	}
	return out, true
}
