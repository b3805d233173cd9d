package expr

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a word of an expression.
type token struct {
	kind tokenKind
	text string
	pos  int
	end  int
}

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenName
	tokenNumber
	tokenString
	tokenOp
)

// operators are all operators and marks, longer ones before their beginnings.
var operators = [...]string{
	"...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=",
	"+", "-", "*", "/", "%", "&", "|", "^", "~", "<", ">", "=", "(", ")", "[", "]", ",", ":", ".",
}

// tokens cuts a text into tokens; the last one is tokenEnd.
func tokens(text string) ([]token, error) {
	var all []token
	for at := 0; ; {
		rest := strings.TrimLeft(text[at:], " \t\r\n")
		at = len(text) - len(rest)
		if rest == "" {
			return append(all, token{tokenEnd, "", at, at}), nil
		}

		kind, n, err := tokenAt(text, at)
		if err != nil {
			return nil, err
		}
		if last := len(all) - 1; kind == tokenName && last >= 0 && all[last].text == "." {
			n = plainLength(rest) // a field may be named np
		}

		all = append(all, token{kind, rest[:n], at, at + n})
		at += n
	}
}

// tokenAt returns the kind and the length of the token at a position.
func tokenAt(text string, at int) (tokenKind, int, error) {
	rest := text[at:]
	first, _ := utf8.DecodeRuneInString(rest)

	switch {
	case first == '_' || unicode.IsLetter(first):
		return tokenName, nameLength(rest), nil
	case isDigit(rest[0]) || rest[0] == '.' && len(rest) > 1 && isDigit(rest[1]):
		n := numberLength(rest)
		if tail := rest[n:]; tail != "" && nameLength(tail) > 0 {
			return 0, 0, Errorf(text, at, "%q is not a number", rest[:n+nameLength(tail)])
		}
		return tokenNumber, n, nil
	case first == '"' || first == '\'':
		end := strings.IndexByte(rest[1:], rest[0])
		if end < 0 || strings.ContainsAny(rest[:end+1], "\\\n") {
			return 0, 0, Errorf(text, at, "a string without an end, or with a backslash")
		}
		return tokenString, end + 2, nil
	}

	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			return tokenOp, len(op), nil
		}
	}
	return 0, 0, Errorf(text, at, "%q is not understood", first)
}

// nameLength returns the length of the name at the beginning of a text. A prefix "np." belongs to
// the name.
func nameLength(text string) int {
	n := plainLength(text)
	if name := text[:n]; (name == "np" || name == "numpy") && len(text) > n+1 && text[n] == '.' {
		if more := plainLength(text[n+1:]); more > 0 {
			return n + 1 + more
		}
	}
	return n
}

// plainLength is nameLength without prefixes.
func plainLength(text string) int {
	for i, r := range text {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return i
		}
	}
	return len(text)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// numberLength returns the length of the number at the beginning of a text: 12, 1_000, 0xff, 1.5e-3
// and the like.
func numberLength(text string) int {
	n := 0
	for n < len(text) {
		switch c := text[n]; {
		case isDigit(c) || c == '.' || c == '_':
		case n == 1 && text[0] == '0' && strings.IndexByte("xXbBoO", c) >= 0:
			return n + 1 + alphanumeric(text[n+1:])
		case (c == 'e' || c == 'E') && n+1 < len(text) && (isDigit(text[n+1]) ||
			n+2 < len(text) && (text[n+1] == '-' || text[n+1] == '+') && isDigit(text[n+2])):
			n++ // the sign, or the first digit
		default:
			return n
		}
		n++
	}
	return n
}

// alphanumeric returns the number of letters and digits at the beginning of a text.
func alphanumeric(text string) int {
	for i, c := range []byte(text) {
		if !isDigit(c) && c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') {
			return i
		}
	}
	return len(text)
}
