package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// The numbers in the records of an archive, little-endian, by the signature of the record.
var archiveFields = map[string][]field{
	"PK\x03\x04": {{4, 2, true}, {6, 2, true}, {8, 2, true}, {14, 4, true}, {18, 4, true}, {22, 4, true}, {26, 2, true}, {28, 2, true}},
	"PK\x01\x02": {{8, 2, true}, {10, 2, true}, {16, 4, true}, {20, 4, true}, {24, 4, true}, {28, 2, true}, {30, 2, true}, {32, 2, true}, {34, 2, true}, {38, 4, true}, {42, 4, true}},
	"PK\x05\x06": {{4, 2, true}, {6, 2, true}, {8, 2, true}, {10, 2, true}, {12, 4, true}, {16, 4, true}, {20, 2, true}},
	"PK\x06\x06": {{4, 8, true}, {24, 8, true}, {32, 8, true}, {40, 8, true}, {48, 8, true}},
	"PK\x06\x07": {{4, 4, true}, {8, 8, true}, {16, 4, true}},
}

// examineArchive finds the records of an archive, and the parts of members that are frames.
func examineArchive(b []byte) *anatomy {
	a := &anatomy{}
	for i := 0; i+4 <= len(b); i++ {
		for _, f := range archiveFields[string(b[i:i+4])] {
			if i+f.at+f.width <= len(b) {
				a.small = append(a.small, field{i + f.at, f.width, true})
			}
		}
	}

	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return a
	}
	for _, f := range z.File {
		at, err := f.DataOffset()
		if err != nil || f.Method != zip.Store || f.UncompressedSize64 > uint64(int64(len(b))-at) {
			continue
		}

		m := examine(b[at : at+int64(f.UncompressedSize64)])
		for _, fields := range []struct{ from, to *[]field }{{&m.big, &a.big}, {&m.small, &a.small}, {&m.inside, &a.inside}} {
			for _, f := range *fields.from {
				f.at += int(at)
				*fields.to = append(*fields.to, f)
			}
		}
		for _, e := range m.chunks {
			a.chunks = append(a.chunks, extent{e.from + int(at), e.to + int(at)})
		}
	}
	return a
}

// evilNames returns names of members and files that lead out of their directory, or are easily
// confused with others.
func evilNames() []string {
	return []string{
		"../out.b2nd", "../../../../tmp/out.b2nd", "/abs.b2nd", "a/../../b.b2nd", "a//b.b2nd", "./a.b2nd", "a/./b.b2nd", "..\\out.b2nd", "C:\\out.b2nd", "C:/out.b2nd", "",
		".b2nd", "/", "a/", "embed.b2e", "g/embed.b2e", "embed.b2nd", "a.b2nd", "a.b2f", "a.b2nd/b.b2nd", "A.B2ND", "g/__vlmeta__.b2f", "__vlmeta__.b2f", "_meta.b2f", "x/_meta.b2nd",
		"a\x00b.b2nd", "a\nb.b2nd", "\xff\xfe.b2nd", "ü.b2nd", "a:b.b2nd", "con.b2nd", strings.Repeat("a/", 300) + "x.b2nd", strings.Repeat("a/", 30_000) + "x.b2nd",
		strings.Repeat("n", 60_000) + ".b2nd", strings.Repeat("../", 20_000) + "x.b2nd",
	}
}

// member is a member of an archive to write.
type member struct {
	name string
	data []byte
	lie  func(h *zip.FileHeader) // changes its header; may be nil
}

// damageMembers unpacks an archive, changes the list of its members, and writes it again, so that
// everything else in the archive is valid.
func damageMembers(p *mutation, _ string, _ *anatomy, b []byte) []byte {
	files, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil
	}

	var members []member
	for _, f := range files.File {
		at, err := f.DataOffset()
		if n := int64(f.CompressedSize64); err == nil && n >= 0 && at+n >= at && at+n <= int64(len(b)) {
			members = append(members, member{name: f.Name, data: b[at : at+n]})
		}
	}
	if len(members) == 0 {
		return nil
	}

	for range 1 + p.rng.IntN(3) {
		members = p.changeMembers(members)
	}
	out := packArchive(members)
	if p.rng.IntN(3) == 0 {
		p.overlapMembers(out)
	}
	return out
}

func (p *mutation) changeMembers(members []member) []member {
	m := &members[p.rng.IntN(len(members))]
	other := members[p.rng.IntN(len(members))]
	names := evilNames()

	switch p.rng.IntN(9) {
	case 0:
		m.name = names[p.rng.IntN(len(names))]
	case 1:
		m.name = other.name
	case 2:
		m.data = other.data
	case 3:
		m.data = p.other.files[p.other.order[p.rng.IntN(len(p.other.order))]]
	case 4:
		members = slices.Insert(members, p.rng.IntN(len(members)+1), member{name: names[p.rng.IntN(len(names))], data: other.data})
	case 5:
		for range p.rng.IntN(300) {
			members = append(members, other)
		}
	case 6:
		m.lie = func(h *zip.FileHeader) { h.Method = uint16(p.rng.IntN(13)) }
	case 7:
		m.lie = func(h *zip.FileHeader) {
			h.UncompressedSize64 = number(p.rng, h.UncompressedSize64)
			h.CompressedSize64 = number(p.rng, h.CompressedSize64)
		}
	case 8:
		m.lie = func(h *zip.FileHeader) { h.Extra = p.extra() }
	}
	return members
}

// extra returns an extra field with sizes and offset in 64 bits, or a damaged one.
func (p *mutation) extra() []byte {
	e := []byte{1, 0, byte(p.rng.IntN(40)), 0}
	for range p.rng.IntN(5) {
		e = binary.LittleEndian.AppendUint64(e, number(p.rng, 100))
	}
	return e
}

// packArchive writes an archive of uncompressed members.
func packArchive(members []member) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, CompressedSize64: uint64(len(m.data)), UncompressedSize64: uint64(len(m.data))}
		if m.lie != nil {
			m.lie(h)
		}
		w, err := z.CreateRaw(h)
		if err != nil {
			continue
		}
		if _, err := w.Write(m.data); err != nil {
			continue
		}
	}

	if z.Close() != nil {
		return nil
	}
	return out.Bytes()
}

// overlapMembers makes entries of the directory refer to the data of others.
func (p *mutation) overlapMembers(b []byte) {
	var at []int
	for i := 0; i+46 <= len(b); i++ {
		if string(b[i:i+4]) == "PK\x01\x02" {
			at = append(at, i+42)
		}
	}
	for range min(len(at), 1+p.rng.IntN(3)) {
		to := at[p.rng.IntN(len(at))]
		from := at[p.rng.IntN(len(at))]
		binary.LittleEndian.PutUint32(b[to:], binary.LittleEndian.Uint32(b[from:])+uint32(p.rng.IntN(3)*p.rng.IntN(100)))
	}
}

// maxPath is the longest path of a file.
const maxPath = 4096
