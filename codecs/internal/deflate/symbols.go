package deflate

import "github.com/cairn-go/cairn/internal/asm/inflate"

// block decodes the symbols of a block to dst[n:], where matches may refer to dst[:n], and returns
// the end of the output.
func (d *Decoder) block(dst []byte, n int, r *bitReader) (int, error) {
	for {
		var done bool
		var err error
		if n, done, err = d.fast(dst, n, r); done || err != nil {
			return n, err
		}
		// Near the end of either buffer, decode one symbol at a time.
		if n, done, err = d.symbol(dst, n, r); done || err != nil {
			return n, err
		}
	}
}

// fast decodes symbols while both buffers have room for a round without checks.
func (d *Decoder) fast(dst []byte, n int, r *bitReader) (_ int, done bool, err error) {
	l := inflate.Loop{
		Src: r.src, Dst: dst, At: r.at, N: n, Bits: r.bits, Have: uint64(r.have),
		LitLen: &d.litLen, Distance: &d.distance,
	}

	status := l.Run()
	r.at = l.At
	r.bits = l.Bits
	r.have = uint(l.Have)

	switch status {
	case inflate.BadCode:
		err = errSymbol
	case inflate.TooFar:
		err = errTooFar
	}
	return l.N, status == inflate.Ended, err
}

// symbol decodes one literal or match with all checks.
func (d *Decoder) symbol(dst []byte, n int, r *bitReader) (_ int, done bool, err error) {
	r.refill()
	e := d.litLen[r.bits&(1<<inflate.LitLenBits-1)]
	e = inflate.LongLitLen(&d.litLen, e, r.bits)
	if e&inflate.Literal != 0 {
		return d.literals(dst, n, r, e)
	}
	if e&inflate.Special != 0 && e&inflate.KindMask != inflate.End {
		return 0, false, r.orTruncated(errSymbol)
	}

	length, err := r.takeValue(e)
	if err != nil || e&inflate.Special != 0 {
		return n, true, err
	}

	r.refill()
	e = d.distance[r.bits&(1<<inflate.DistanceBits-1)]
	e = inflate.LongDistance(&d.distance, e, r.bits)
	if e&inflate.Special != 0 {
		return 0, false, r.orTruncated(errSymbol)
	}

	back, err := r.takeValue(e)
	switch {
	case err != nil:
		return 0, false, err
	case back > n:
		return 0, false, errTooFar
	case length > len(dst)-n:
		return 0, false, ErrLong
	}

	copyExactly(dst[:n+length], n, back)
	return n + length, false, nil
}

// literals stores the one or two literals of an entry. The second one is invalid if the input has
// ended before it.
func (d *Decoder) literals(dst []byte, n int, r *bitReader, e entry) (_ int, done bool, err error) {
	if e>>inflate.CodeBits&inflate.CodeMask == 2 {
		first := uint(d.lengths[e>>inflate.Value&0xff])
		e = inflate.Literal | 1<<inflate.CodeBits | uint32(first) | e&(0xff<<inflate.Value)
	}
	if _, err := r.take(uint(e & inflate.Drop)); err != nil {
		return 0, false, err
	}

	if n == len(dst) {
		return 0, false, ErrLong
	}
	dst[n] = byte(e >> inflate.Value)
	return n + 1, false, nil
}

// takeValue consumes a code and its extra bits, and returns their value.
func (r *bitReader) takeValue(e entry) (int, error) {
	all, err := r.take(uint(e & inflate.Drop))
	return int(e>>inflate.Value + all>>(e>>inflate.CodeBits&inflate.CodeMask)), err
}

// orTruncated returns err, or the error for a truncated stream if the input has ended.
func (r *bitReader) orTruncated(err reason) error {
	if r.have < maxCodeLen {
		return errTruncated
	}
	return err
}
