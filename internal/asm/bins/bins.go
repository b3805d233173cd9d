// Package bins has the inner loops of writing integers that were divided into bins: coding the bins
// with tANS, and packing bits.
package bins

import "encoding/binary"

// A Symbol is how tANS codes a bin.
type Symbol struct {
	Add  uint32 // to a state, whose upper half is then the number of bits
	From int32  // of the first state for the symbol in the table
}

// Lanes is how many states take turns.
const Lanes = 4

// TableSize is how many states there are at most.
const TableSize = 1 << 14

// A Coder has the next states for all symbols, and the current ones.
type Coder struct {
	Table   [TableSize]uint16
	States  [Lanes]uint32
	Symbols []Symbol
}

// Encode sets out to what the states write for symbols, from the last one to the first: bits, and
// in the upper half how many. All symbols must be those of the coder.
func (c *Coder) Encode(out []uint32, symbols []uint16) {
	n := len(out)
	symbols = symbols[:n]
	for ; n%Lanes > 0; n-- {
		out[n-1] = c.code(&c.States[(n-1)%Lanes], symbols[n-1])
	}
	if n > 0 {
		c.groups(out[:n], symbols[:n])
	}
}

// groupsGeneric is Encode of groups of a symbol for each state.
func (c *Coder) groupsGeneric(out []uint32, symbols []uint16) {
	// The four are written out, so that they stay in registers.
	s0 := c.States[0]
	s1 := c.States[1]
	s2 := c.States[2]
	s3 := c.States[3]
	for n := len(out); n >= Lanes; n -= Lanes {
		to := (*[Lanes]uint32)(out[n-Lanes:])
		s := (*[Lanes]uint16)(symbols[n-Lanes:])
		to[3] = c.code(&s3, s[3])
		to[2] = c.code(&s2, s[2])
		to[1] = c.code(&s1, s[1])
		to[0] = c.code(&s0, s[0])
	}
	c.States = [Lanes]uint32{s0, s1, s2, s3}
}

// code returns what a state writes for a symbol, and changes it to the next one.
func (c *Coder) code(state *uint32, symbol uint16) uint32 {
	s := &c.Symbols[symbol]
	now := *state
	length := (now + s.Add) >> 16
	*state = uint32(c.Table[uint32(int32(now>>(length&31))+s.From)%TableSize])
	return now&(1<<(length&31)-1) | length<<16
}

// A Latent is an integer in a bin.
type Latent interface {
	uint8 | uint16 | uint32 | uint64
}

// A Writer packs bits, the lowest first.
type Writer struct {
	Dst  []byte // with room behind all that is written
	Word uint64 // bits that are not in Dst yet
	Used uint   // how many, fewer than 8
}

// Room is how many bytes of Dst must be behind the last bits.
const Room = 8

// States packs what states wrote, at most 14 bits each.
func (w *Writer) States(states []uint32) {
	n := len(states) &^ (Lanes - 1)
	if n > 0 {
		w.states(states[:n])
	}
	for _, s := range states[n:] {
		w.put(uint64(s&0xffff), uint(s>>16))
	}
}

func (w *Writer) statesGeneric(states []uint32) {
	dst := w.Dst
	word := w.Word
	used := w.Used

	// Four fit behind at most 7 bits.
	for ; len(states) >= Lanes; states = states[Lanes:] {
		s := (*[Lanes]uint32)(states)
		for _, bits := range s {
			word |= uint64(bits&0xffff) << (used & 63)
			used += uint(bits >> 16)
		}
		binary.LittleEndian.PutUint64(dst, word)
		dst = dst[used/8:]
		word >>= used &^ 7 & 63
		used &= 7
	}

	w.Dst = dst
	w.Word = word
	w.Used = used
}

// put packs bits, at most 64.
func (w *Writer) put(bits uint64, length uint) {
	w.Word |= bits << (w.Used & 63)
	binary.LittleEndian.PutUint64(w.Dst, w.Word)
	end := w.Used + length
	w.Dst = w.Dst[end/8:]
	if end < 64 {
		w.Word >>= end &^ 7
	} else {
		w.Word = bits >> (64 - w.Used)
	}
	w.Used = end & 7
}

// Offsets packs what latents are more than the lower ends of their bins, in as many bits as each
// bin has, at most widest.
func Offsets[L Latent](w *Writer, latents []L, symbols []uint16, lowers []L, lengths []uint8, widest int) {
	symbols = symbols[:len(latents)]
	lengths = lengths[:len(lowers)]

	// So many fit behind at most 7 bits.
	log := 0
	switch {
	case widest <= 14:
		log = 2
	case widest <= 28:
		log = 1
	case widest > 56:
		offsets(w, latents, symbols, lowers, lengths)
		return
	}
	n := len(latents) >> log << log
	if n > 0 {
		groups(w, latents[:n], symbols[:n], lowers, lengths, log)
	}
	offsets(w, latents[n:], symbols[n:], lowers, lengths)
}

// offsets is the portable Offsets, of bins of any width.
func offsets[L Latent](w *Writer, latents []L, symbols []uint16, lowers []L, lengths []uint8) {
	for i, l := range latents {
		s := symbols[i]
		w.put(uint64(l-lowers[s]), uint(lengths[s]))
	}
}

// groupsGeneric is Offsets of groups of 1<<log latents.
func groupsGeneric[L Latent](w *Writer, latents []L, symbols []uint16, lowers []L, lengths []uint8, log int) {
	if log == 0 {
		offsets(w, latents, symbols, lowers, lengths)
		return
	}
	dst := w.Dst
	word := w.Word
	used := w.Used

	for ; len(latents) >= 2; latents = latents[2:] {
		s := (*[2]uint16)(symbols)
		l := (*[2]L)(latents)
		symbols = symbols[2:]
		a := s[0]
		b := s[1]

		word |= uint64(l[0]-lowers[a]) << (used & 63)
		used += uint(lengths[a])
		word |= uint64(l[1]-lowers[b]) << (used & 63)
		used += uint(lengths[b])
		binary.LittleEndian.PutUint64(dst, word)
		dst = dst[used/8:]
		word >>= used &^ 7 & 63
		used &= 7
	}

	w.Dst = dst
	w.Word = word
	w.Used = used
}
