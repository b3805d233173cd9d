package main

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// mutation is a seed and the damage done to it so far.
type mutation struct {
	rng   *rand.Rand
	seed  *seedFile
	files map[string][]byte // copies of changed files
	order []string          // names of all files
	other *seedFile         // for splices
	done  []string          // kinds of damage done
	where string            // the position, for damage at a single one
}

// what describes the damage.
func (p *mutation) what() string { return strings.Join(p.done, ", ") + p.where }

func newMutation(rng *rand.Rand, seed, other *seedFile) *mutation {
	return &mutation{rng: rng, seed: seed, other: other, files: map[string][]byte{}, order: slices.Clone(seed.order)}
}

// get returns the current bytes of a file. The caller may change them.
func (p *mutation) get(name string) []byte {
	b, ok := p.files[name]
	if !ok {
		b = bytes.Clone(p.seed.files[name])
		p.files[name] = b
	}
	return b
}

// method is one kind of damage.
type method struct {
	name   string
	weight int
	only   func(s *seedFile) bool // the seeds that it is for; nil for all
	// run damages the file called name. It returns nil if that is not possible.
	run func(p *mutation, name string, a *anatomy, b []byte) []byte
}

// methods lists the kinds of damage.
func methods() []method {
	return []method{
		{"bytes", 3, nil, damageBytes},
		{"bits", 3, nil, damageBits},
		{"header field", 5, nil, damageHeaderField},
		{"chunk field", 5, nil, damageChunkField},
		{"block offset or stream size", 5, nil, damageInside},
		{"index entries", 4, nil, damageIndex},
		{"metalayer value", 4, nil, damageValue},
		{"members", 8, (*seedFile).isArchive, damageMembers},
		{"words", 12, (*seedFile).hasWords, damageWords},
		{"JSON", 20, (*seedFile).isZarr, damageJSON},
		{"address", 20, (*seedFile).isHDF5, damageAddress},
		{"splice", 2, nil, damageSplice},
		{"cut", 2, nil, damageCut},
		{"remove a range", 2, nil, damageRemove},
		{"repeat a range", 1, nil, damageRepeat},
	}
}

// interesting are numbers that often break arithmetic: around powers of two, the least and the
// greatest.
var interesting = [...]uint64{
	0, 1, 2, 3, 7, 16, 31, 32, 33, 127, 128, 255, 256, 4096, 65535, 65536, 0x7fff_ffdf, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1,
}

// number returns a number to replace v.
func number(rng *rand.Rand, v uint64) uint64 {
	switch rng.IntN(6) {
	case 0:
		return v + uint64(rng.IntN(9)) - 4
	case 1:
		return v ^ 1<<rng.IntN(64)
	case 2:
		return v * 2
	}
	return interesting[rng.IntN(len(interesting))]
}

// damage applies one to three kinds of damage to a seed.
func (p *mutation) damage() {
	if len(p.seed.order) > 1 && p.rng.IntN(8) == 0 {
		p.damageDirectory()
	}
	if p.seed.class == stores && len(p.seed.order) > 1 && p.rng.IntN(4) == 0 {
		// Copy a file of a directory to another path, which may be deep or that of another
		// file.
		names := evilNames()
		name := strings.Trim(names[p.rng.IntN(len(names))], "/")
		// not possible in a directory
		if !fs.ValidPath(name) || len(name) > maxPath || name == "." {
			name = "x.b2nd"
		}
		if !slices.Contains(p.order, name) {
			p.order = append(p.order, name)
		}
		p.files[name] = bytes.Clone(p.seed.files[p.seed.order[p.rng.IntN(len(p.seed.order))]])
		p.done = append(p.done, "another file")
	}

	all := slices.DeleteFunc(methods(), func(m method) bool { return m.only != nil && !m.only(p.seed) })
	total := 0
	for _, m := range all {
		total += m.weight
	}

	for range 1 + p.rng.IntN(3) {
		name := p.seed.order[p.rng.IntN(len(p.seed.order))]
		if p.seed.files["chunks.b2frame"] != nil && p.rng.IntN(2) == 0 {
			name = "chunks.b2frame"
		}
		if b, ok := p.files[name]; ok && b == nil {
			continue // removed
		}

		pick := p.rng.IntN(total)
		for _, m := range all {
			if pick -= m.weight; pick >= 0 {
				continue
			}
			if b := m.run(p, name, p.seed.parts[name], p.get(name)); b != nil {
				p.files[name] = b
				p.done = append(p.done, m.name)
			}
			break
		}
	}
}

// fixChecksums corrects the checksums of changed files, in half of the cases.
func (p *mutation) fixChecksums() {
	if p.rng.IntN(2) == 0 {
		return
	}
	for _, name := range p.seed.order {
		if b := p.files[name]; b != nil {
			fixSums(p.seed.parts[name], b)
		}
	}
	if p.seed.class == buckets {
		p.sealObjects()
	}
	p.done = append(p.done, "checksums made right")
}

// damageDirectory removes a file, or replaces one by another.
func (p *mutation) damageDirectory() {
	a := p.seed.order[p.rng.IntN(len(p.seed.order))]
	b := p.seed.order[p.rng.IntN(len(p.seed.order))]
	p.done = append(p.done, "directory")
	if p.rng.IntN(2) == 0 {
		p.files[a] = nil
		return
	}
	p.files[a] = bytes.Clone(p.seed.files[b])
}

// place returns an offset in b, more often one within headers.
func (p *mutation) place(a *anatomy, b []byte) int {
	switch {
	case p.rng.IntN(3) == 0 && a.header > 0:
		return p.rng.IntN(min(len(b), a.header))
	case p.rng.IntN(3) == 0 && a.trailer > 0 && a.trailer < len(b):
		return a.trailer + p.rng.IntN(len(b)-a.trailer)
	case p.rng.IntN(2) == 0 && len(a.chunks) > 0:
		e := a.chunks[p.rng.IntN(len(a.chunks))]
		return min(len(b)-1, e.from+p.rng.IntN(min(e.to-e.from, 64)))
	}
	return p.rng.IntN(len(b))
}

func damageBytes(p *mutation, _ string, a *anatomy, b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	for range 1 + p.rng.IntN(8) {
		b[p.place(a, b)] = byte(p.rng.Uint32())
	}
	return b
}

func damageBits(p *mutation, _ string, a *anatomy, b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	for range 1 + p.rng.IntN(3) {
		b[p.place(a, b)] ^= 1 << p.rng.IntN(8)
	}
	return b
}

func damageField(p *mutation, fields []field, b []byte) []byte {
	if len(fields) == 0 {
		return nil
	}
	f := fields[p.rng.IntN(len(fields))]
	if f.at+f.width > len(b) {
		return nil
	}
	f.put(b, number(p.rng, f.get(b)))
	return b
}

func damageHeaderField(p *mutation, _ string, a *anatomy, b []byte) []byte {
	return damageField(p, a.big, b)
}

func damageChunkField(p *mutation, _ string, a *anatomy, b []byte) []byte {
	return damageField(p, a.small, b)
}

func damageInside(p *mutation, _ string, a *anatomy, b []byte) []byte {
	return damageField(p, a.inside, b)
}

// fix sets the frame length in the header to the actual length. Otherwise every reader would fail
// there.
func fix(a *anatomy, b []byte) []byte {
	if a.header > 0 && len(b) > atFrameLen+8 && a.sums == nil {
		binary.BigEndian.PutUint64(b[atFrameLen:], uint64(len(b)))
	}
	return b
}

// damageSplice replaces the end of a file by that of another.
func damageSplice(p *mutation, _ string, a *anatomy, b []byte) []byte {
	name := p.other.order[p.rng.IntN(len(p.other.order))]
	o := p.other.files[name]
	if len(b) == 0 || len(o) == 0 {
		return nil
	}
	from := p.rng.IntN(len(b))
	to := p.rng.IntN(len(o))
	if oa := p.other.parts[name]; p.rng.IntN(2) == 0 && oa.index.to > 0 && a.index.to > 0 && a.index.from <= len(b) {
		from, to = a.index.from, oa.index.from
	}
	return fix(a, append(slices.Clone(b[:from]), o[to:]...))
}

func damageCut(p *mutation, _ string, a *anatomy, b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return fix(a, b[:p.rng.IntN(len(b))])
}

// damageRemove removes a piece from the middle, so that the frame still ends with the trailer.
func damageRemove(p *mutation, _ string, a *anatomy, b []byte) []byte {
	if len(b) < 2 {
		return nil
	}
	from := p.place(a, b)
	n := 1 + p.rng.IntN(min(len(b)-from, 1+p.rng.IntN(200)))
	return fix(a, slices.Delete(b, from, from+n))
}

func damageRepeat(p *mutation, _ string, a *anatomy, b []byte) []byte {
	if len(b) < 2 {
		return nil
	}
	from := p.place(a, b)
	n := 1 + p.rng.IntN(min(len(b)-from, 200))
	return fix(a, slices.Insert(b, p.place(a, b), slices.Clone(b[from:from+n])...))
}

// isArchive reports whether the seed is an archive.
func (s *seedFile) isArchive() bool {
	return (s.class == stores || s.class == numpy) && bytes.HasPrefix(s.files[""], []byte("PK"))
}

// hasWords reports whether the seed has headers in words.
func (s *seedFile) hasWords() bool { return s.class == numpy }

func (s *seedFile) isZarr() bool { return s.class == zarrs }

// damageText replaces some parts of a text by others, or by one another.
func (p *mutation) damageText(text []byte, part *regexp.Regexp, others []string) []byte {
	text = slices.Clone(text)
	for range 1 + p.rng.IntN(3) {
		found := part.FindAllIndex(text, -1)
		if len(found) == 0 {
			break
		}
		w := found[p.rng.IntN(len(found))]
		with := others[p.rng.IntN(len(others))]
		if p.rng.IntN(3) == 0 {
			other := found[p.rng.IntN(len(found))]
			with = string(text[other[0]:other[1]])
		}
		text = slices.Replace(text, w[0], w[1], []byte(with)...)
	}
	return text
}
