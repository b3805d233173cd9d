package delimited

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// maxText is the most characters of an entry that is a text.
const maxText = 64 << 10

// usualMissing are words that stand for nothing, besides empty entries.
var usualMissing = []string{"NA", "N/A", "NaN", "nan", "-NaN", "-nan", "n/a", "#N/A", "#NA", "<NA>", "NULL", "null",
	"None", "NaT"}

// missingWords returns the words that stand for nothing; nil means the usual ones.
func missingWords(words []string) map[string]bool {
	if words == nil {
		words = usualMissing
	}
	all := map[string]bool{"": true}
	for _, word := range words {
		all[word] = true
	}
	return all
}

// A kind is what entries of a column can be. Those that are not texts are in order: what holds all
// entries of a column is looked for from the first one on.
type kind uint8

const (
	boolKind kind = iota
	intKind
	floatKind
	timeKind
	textKind
)

// A guess collects what the entries of a column can be.
type guess struct {
	rows    int64 // with entries that are not missing
	missing int64
	not     [textKind]bool // what at least one entry is not
	inexact bool           // an integer that a float64 does not hold
	digits  int            // of fractions of seconds; -1 if there are days only
	clock   bool           // times have more than days
	width   int            // of texts, in characters
}

// add notes an entry.
func (g *guess) add(text string, missing map[string]bool) {
	g.width = max(g.width, characters(text))
	if text = strings.TrimSpace(text); missing[text] {
		g.missing++
		return
	}
	g.rows++

	if _, ok := parseBool(text); !ok {
		g.not[boolKind] = true
	}
	g.addNumber(text)
	if g.not[timeKind] {
		return
	}
	t, ok := parseTime(text)
	if !ok {
		g.not[timeKind] = true
		return
	}
	g.clock = g.clock || t.clock
	g.digits = max(g.digits, t.digits)
}

// addNumber notes whether an entry is a number.
func (g *guess) addNumber(text string) {
	if !g.not[intKind] {
		v, err := strconv.ParseInt(text, 10, 64)
		g.not[intKind] = err != nil
		g.inexact = g.inexact || v < -1<<53 || v > 1<<53
	}
	if g.not[intKind] && !g.not[floatKind] {
		_, ok := parseFloat(text)
		g.not[floatKind] = !ok
	}
}

// kind returns what all entries are.
func (g *guess) kind() kind {
	if g.rows == 0 {
		return floatKind
	}
	for k, not := range g.not {
		if not {
			continue
		}
		switch k := kind(k); {
		case k == boolKind && g.missing > 0: // there is no third value
		case k == intKind && g.missing > 0 && g.inexact: // which floats with NaN would change
			return textKind
		case k == intKind && g.missing > 0:
			return floatKind
		default:
			return k
		}
	}
	return textKind
}

var (
	floatType = mustParse("<f8")
	intType   = mustParse("<i8")
	boolType  = mustParse("?")
)

func mustParse(text string) meta.DType {
	d, err := meta.ParseDType(text)
	if err != nil {
		panic("delimited: " + err.Error())
	}
	return d
}

// dtype returns the dtype of a column.
func (g *guess) dtype() (meta.DType, error) {
	switch g.kind() {
	case boolKind:
		return boolType, nil
	case intKind:
		return intType, nil
	case floatKind:
		return floatType, nil
	case timeKind:
		return meta.ParseDType("<M8[" + g.unit() + "]")
	}
	if g.width > maxText {
		return meta.DType{}, fmt.Errorf("texts of %d characters, the most is %d: %w", g.width, maxText, cairn.ErrLimit)
	}
	return meta.ParseDType("<U" + strconv.Itoa(max(1, g.width)))
}

// unit returns the coarsest unit that holds all times.
func (g *guess) unit() string {
	switch {
	case !g.clock:
		return "D"
	case g.digits == 0:
		return "s"
	case g.digits <= 3:
		return "ms"
	case g.digits <= 6:
		return "us"
	}
	return "ns"
}

// parseBool returns the bool that a text is.
func parseBool(text string) (value, ok bool) {
	switch text {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}

// parseFloat returns the decimal number that a text is. One that is too large is infinite.
func parseFloat(text string) (float64, bool) {
	unsigned := strings.TrimLeft(text, "+-")
	switch strings.ToLower(unsigned) {
	case "inf", "infinity", "nan":
	default:
		if unsigned == "" || strings.Trim(unsigned, "0123456789.eE+-") != "" {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil || v != 0 && v-v != 0 // infinite by its size
}

// A moment is a time as a text has it.
type moment struct {
	at     time.Time
	clock  bool
	digits int // of the fraction of seconds
}

// timeLayouts are the forms of times. Seconds may have a fraction.
var timeLayouts = []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00",
	"2006-01-02T15:04:05Z07:00"}

// parseTime returns the time that a text is: a day, or one with hours and minutes and perhaps
// seconds and an offset.
func parseTime(text string) (moment, bool) {
	if len(text) < len(time.DateOnly) || text[4] != '-' || text[7] != '-' {
		return moment{}, false
	}
	if len(text) > len(time.DateOnly) && text[len(time.DateOnly)] == ' ' {
		text = text[:len(time.DateOnly)] + "T" + text[len(time.DateOnly)+1:]
	}
	for _, layout := range timeLayouts {
		at, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		m := moment{at: at, clock: layout != time.DateOnly}
		if _, fraction, ok := strings.Cut(text, "."); ok {
			m.digits = len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
		}
		return m, m.digits <= 9
	}
	return moment{}, false
}
