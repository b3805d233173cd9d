// Package shellwords reads the words of a command line as a shell does, and quotes words for it. It
// expands nothing.
package shellwords

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words are the words of a line whose last word is being completed.
type Words struct {
	words []string // without quotes
	kept  int      // bytes of the last word, without quotes, that the shell keeps
	quote byte     // the quote that is open at the end, or 0
}

// Parse reads a line up to the cursor. A shell such as bash replaces only what follows the last of
// some characters that is not quoted in the last word, or an open quote.
func Parse(line, breaks string) Words {
	w := Words{words: []string{""}}
	inWord := false
	add := func(c byte) {
		w.words[len(w.words)-1] += string(c)
		inWord = true
	}
	end := func() int { return len(w.words[len(w.words)-1]) }

	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case w.quote == '\'' && c != '\'', w.quote == '"' && c != '"' && c != '\\':
			add(c)
		case w.quote != 0 && c == w.quote:
			w.quote = 0
		case c == '\\':
			if i++; i == len(line) {
				break // nothing follows yet
			}
			if w.quote == '"' && !strings.ContainsRune("$`\"\\", rune(line[i])) {
				add(c)
			}
			add(line[i])
		case c == '\'' || c == '"':
			w.quote = c
			w.kept = end()
			inWord = true
		case c == ' ' || c == '\t' || c == '\n':
			if inWord {
				w.words = append(w.words, "")
			}
			inWord = false
			w.kept = 0
		default:
			add(c)
			if strings.IndexByte(breaks, c) >= 0 {
				w.kept = end()
			}
		}
	}
	return w
}

// Unquoted returns the words without their quotes. The last one may be empty.
func (w Words) Unquoted() []string { return w.words }

// Insertion returns what a shell has to insert for the last word to become another one, which
// begins with it; false if that cannot be written within the open quote.
func (w Words) Insertion(word string) (string, bool) {
	if len(word) < w.kept {
		return "", false
	}
	rest := word[w.kept:]
	switch w.quote {
	case '\'':
		return rest, !strings.Contains(rest, "'")
	case '"': // history expansion works inside
		return escape(rest, func(c rune) bool { return strings.ContainsRune("$`\"\\", c) }), !strings.Contains(rest, "!")
	}
	return escape(rest, special), true
}

// special reports whether a shell may take a character of a word for something else.
func special(c rune) bool {
	plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.ContainsRune("/._-:+,@%=", c) || c > 0x7f
	return !plain
}

func escape(word string, special func(c rune) bool) string {
	var b strings.Builder
	for _, c := range word {
		if special(c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Quote returns a word as a shell reads it: in quotes if it has to be. Characters that terminals
// act upon are escaped in the way of bash and zsh.
func Quote(word string) string {
	if strings.IndexFunc(word, hidden) >= 0 {
		return dollars(word)
	}
	if word != "" && strings.IndexFunc(word, special) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func hidden(r rune) bool { return !unicode.IsPrint(r) }

// dollars returns a word in the quotes $'…', with bytes of hidden characters as \x1b.
func dollars(word string) string {
	var b strings.Builder
	b.WriteString("$'")

	for len(word) > 0 {
		r, size := utf8.DecodeRuneInString(word)
		switch {
		case hidden(r) || r == utf8.RuneError && size == 1:
			for _, c := range []byte(word[:size]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
		word = word[size:]
	}

	b.WriteString("'")
	return b.String()
}
