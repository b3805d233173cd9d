package zstd

import "github.com/cairn-go/cairn/internal/asm/zstdseq"

const (
	errSequenceRest reason = "something follows the last sequence"
	errModes        reason = "reserved bits of the sequence modes are set"
	errRepeat       reason = "sequences repeat a table but there is none"
	errSequenceBits reason = "the sequence stream does not end with its last sequence"
	errDistance     reason = "a match reaches back too far"
	errLiteralCount reason = "sequences use more literals than there are"
)

// A tableMode is the source of a table.
type tableMode uint8

const (
	modePredefined tableMode = iota
	modeRLE
	modeFSE
	modeRepeat
)

// sequenceCount parses the number of sequences (RFC 8878 §3.1.1.3.2.1) and returns it and its
// length.
func sequenceCount(src []byte) (count, size int, err error) {
	if len(src) == 0 {
		return 0, 0, errTruncated
	}

	first := int(src[0])
	switch {
	case first < 128:
		return first, 1, nil
	case first < 255 && len(src) >= 2:
		return (first-128)<<8 + int(src[1]), 2, nil
	case first == 255 && len(src) >= 3:
		return int(src[1]) + int(src[2])<<8 + 0x7f00, 3, nil
	}
	return 0, 0, errTruncated
}

// sequences decodes and executes the sequences of a block whose modes are at src[at], then appends
// the remaining literals. If d.partly is set, it stops after byte d.hi of dst.
func (d *Decoder) sequences(dst []byte, out int, src []byte, l literals, count, at int) (int, error) {
	lits, err := d.literalBytes(src, l)
	if err != nil {
		return 0, err
	}
	at, err = d.readTables(src, at)
	if err != nil {
		return 0, err
	}

	s := &d.seq
	s.Dst = dst
	s.Out = out
	s.Lits = lits
	s.Lit = 0
	s.Left = count

	// A run stops at each sequence that it cannot execute without checks.
	if err := d.startBits(src, at); err != nil {
		return 0, err
	}

	for status := s.Run(); status != zstdseq.Done; status = s.Run() {
		if status == zstdseq.Corrupt {
			return 0, errSequenceBits
		}
		if err := d.execute(s); err != nil {
			return 0, err
		}
		if d.partly && s.Out >= d.hi {
			s.Dst = nil
			s.Lits = nil
			s.Bits = nil
			return s.Out - out, nil
		}
	}

	if s.Pos != 0 {
		return 0, errSequenceBits
	}

	rest, err := d.fit(len(lits)-s.Lit, len(dst)-s.Out)
	if err != nil {
		return 0, err
	}
	written := s.Out + copy(dst[s.Out:], lits[s.Lit:s.Lit+rest]) - out
	s.Dst = nil
	s.Lits = nil
	s.Bits = nil
	return written, nil
}

// readTables parses the modes and the tables that follow them, and returns the start of the bit
// stream.
func (d *Decoder) readTables(src []byte, at int) (int, error) {
	if at >= len(src) {
		return 0, errTruncated
	}

	modes := src[at]
	at++
	if modes&3 != 0 {
		return 0, errModes
	}

	for t := literalLengths; t <= matchLengths; t++ {
		n, err := d.readTable(t, tableMode(modes>>(6-2*t)&3), src[at:])
		if err != nil {
			d.have[t] = sourceNone
			return 0, err
		}
		at += n
	}
	return at, nil
}

// entries returns the table in the state of the sequence loop.
func (d *Decoder) entries(t table) *[zstdseq.TableSize]zstdseq.Entry {
	switch t {
	case literalLengths:
		return &d.seq.Literal
	case offsets:
		return &d.seq.Offset
	}
	return &d.seq.Match
}

// readTable sets up one table and returns the length of its description.
func (d *Decoder) readTable(t table, mode tableMode, src []byte) (int, error) {
	kind := &tableKinds[t]
	to := d.entries(t)
	size := 0

	switch mode {
	case modePredefined:
		if d.have[t] != sourcePredefined {
			d.placed.tables[t] = false
			copy(to[:], kind.predefined.entries)
			d.logs[t] = kind.predefined.log
		}
		d.have[t] = sourcePredefined
		return 0, nil
	case modeRLE:
		if len(src) == 0 {
			return 0, errTruncated
		}
		if int(src[0]) > kind.maxCode {
			return 0, errFSESymbol
		}

		d.placed.tables[t] = false
		to[0] = kind.templates[src[0]]
		d.logs[t] = 0
		size = 1
	case modeFSE:
		d.placed.tables[t] = false
		var err error
		if size, err = d.build.readCounts(src, kind.maxLog, kind.maxCode); err != nil {
			return 0, err
		}
		d.build.fill(to, &kind.templates)
		d.logs[t] = d.build.log
	case modeRepeat:
		return 0, d.repeatTable(t)
	}

	d.have[t] = sourceBlock
	return size, nil
}

// repeatTable ensures that the table of an earlier block, or of the dictionary, is in place.
func (d *Decoder) repeatTable(t table) error {
	switch d.have[t] {
	case sourceNone:
		return errRepeat
	case sourceDictionary:
		d.placeTable(t)
	}
	return nil
}

// startBits finds the first bit of the stream, below the end mark, and reads the initial states.
func (d *Decoder) startBits(src []byte, at int) error {
	if at >= len(src) || src[len(src)-1] == 0 {
		return errSequenceBits
	}

	s := &d.seq
	s.Bits = src
	s.From = at
	s.Pos = (len(src)-at)*8 - 1
	for last := src[len(src)-1]; last < 0x80; last <<= 1 {
		s.Pos--
	}
	if s.Start(d.logs[literalLengths], d.logs[offsets], d.logs[matchLengths]) != zstdseq.Done {
		return errSequenceBits
	}
	return nil
}

// execute executes the pending sequence with all checks.
func (d *Decoder) execute(s *zstdseq.State) error {
	if room := int64(len(s.Dst) - s.Out); s.LiteralLength+s.MatchLength > room {
		if !d.cut {
			return errRoom
		}
		s.LiteralLength = min(s.LiteralLength, room)
		s.MatchLength = min(s.MatchLength, room-s.LiteralLength)
	}
	if s.LiteralLength > int64(len(s.Lits)-s.Lit) {
		return errLiteralCount
	}

	n := copy(s.Dst[s.Out:], s.Lits[s.Lit:s.Lit+int(s.LiteralLength)])
	s.Lit += n
	s.Out += n

	n = int(s.MatchLength)
	if n == 0 {
		return nil // cut off
	}
	if s.Distance > int64(s.Out) {
		// The match begins in the dictionary and may reach into the output.
		taken, err := d.fromDictionary(s.Dst[s.Out:s.Out+n], s.Distance-int64(s.Out))
		if err != nil {
			return err
		}
		s.Out += taken
		n -= taken
	} else if s.Distance > s.Window {
		return errDistance
	}

	copyMatch(s.Dst[:s.Out+n], s.Out, int(s.Distance))
	s.Out += n
	return nil
}

// copyMatch copies from distance back to the end of dst. If the ranges overlap, the size of each
// copy doubles.
func copyMatch(dst []byte, out, distance int) {
	from := out - distance
	for out < len(dst) {
		out += copy(dst[out:], dst[from:out])
	}
}
