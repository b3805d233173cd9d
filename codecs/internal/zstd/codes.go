package zstd

import "github.com/cairn-go/cairn/internal/asm/zstdseq"

// A table is one of the three tables for decoding sequences.
type table int

// The tables, in the order of their descriptions.
const (
	literalLengths table = iota
	offsets
	matchLengths
)

// A tableKind contains the constants of RFC 8878 §3.1.1.3.2 for one table.
type tableKind struct {
	maxLog     uint8
	maxCode    int
	templates  [64]zstdseq.Entry // meanings of the codes
	predefined predefined
}

// predefined is a table without a description, as counts and as entries.
type predefined struct {
	log     uint8
	entries []zstdseq.Entry
}

// tableKinds holds constants only.
var tableKinds = [3]tableKind{
	literalLengths: {maxLog: 9, maxCode: 35, templates: literalTemplates, predefined: makePredefined(6, literalCounts[:], &literalTemplates)},
	offsets:        {maxLog: 8, maxCode: 31, templates: offsetTemplates, predefined: makePredefined(5, offsetCounts[:], &offsetTemplates)},
	matchLengths:   {maxLog: 9, maxCode: 52, templates: matchTemplates, predefined: makePredefined(6, matchCounts[:], &matchTemplates)},
}

var (
	literalTemplates = lengthTemplates(0, []uint8{
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	})
	matchTemplates = lengthTemplates(3, []uint8{
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	})
	offsetTemplates = distanceTemplates()
)

// The default distributions (RFC 8878 §3.1.1.3.2.2).
var (
	literalCounts = [...]int16{
		4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
	}
	matchCounts = [...]int16{
		1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		-1, -1, -1, -1, -1, -1, -1,
	}
	offsetCounts = [...]int16{
		1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1,
	}
)

// lengthTemplates returns the entries of lengths: each code begins where the previous one ends.
func lengthTemplates(base int32, extra []uint8) (t [64]zstdseq.Entry) {
	for code, bits := range extra {
		t[code] = zstdseq.MakeEntry(0, 0, bits, base)
		base += 1 << bits
	}
	return t
}

// distanceTemplates returns the entries of distances: code n means n more bits below a one (RFC
// 8878 §3.1.1.3.2.1.1).
func distanceTemplates() (t [64]zstdseq.Entry) {
	for code := range 32 {
		t[code] = zstdseq.MakeEntry(0, 0, uint8(code), int32(int64(1)<<code-3))
	}
	return t
}

func makePredefined(log uint8, counts []int16, templates *[64]zstdseq.Entry) predefined {
	b := counted(log, counts)
	t := new([zstdseq.TableSize]zstdseq.Entry)
	b.fill(t, templates)
	return predefined{log, t[:1<<log]}
}
