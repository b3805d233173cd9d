package npy

import (
	"strings"

	"github.com/cairn-go/cairn"
)

// value is the text of one value of a Python dict literal.
type value struct {
	text   string
	offset int // in the file
}

// splitDict cuts a Python dict literal with string keys into the texts of its values, without
// looking into them. Whatever the nesting, it needs no recursion: brackets are only counted.
func splitDict(text string, base int) (map[string]value, error) {
	s := scanner{text: text, base: base}
	s.space()
	if !s.skip('{') {
		return nil, s.fail("want a dict")
	}

	values := make(map[string]value)
	for {
		s.space()
		if s.skip('}') {
			break
		}

		key, err := s.key()
		if err != nil {
			return nil, err
		}
		if _, ok := values[key]; ok {
			return nil, s.fail("key %.20q comes twice", key)
		}
		v, err := s.value()
		if err != nil {
			return nil, err
		}
		values[key] = v
		s.skip(',')
	}

	if rest := strings.TrimSpace(text[s.at:]); rest != "" {
		return nil, s.fail("text after the dict: %.20q", rest)
	}
	return values, nil
}

type scanner struct {
	text string
	at   int
	base int
}

func (s *scanner) fail(format string, args ...any) error {
	return cairn.Corruptf(layer, int64(s.base+s.at), format, args...)
}

func (s *scanner) space() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
}

// skip steps over c if it is next.
func (s *scanner) skip(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// key reads a quoted string and the colon behind it.
func (s *scanner) key() (string, error) {
	start := s.at
	if err := s.quoted(); err != nil {
		return "", err
	}
	key := s.text[start+1 : s.at-1]
	s.space()
	if !s.skip(':') {
		return "", s.fail("want a colon after key %.20q", key)
	}
	return key, nil
}

// quoted steps over a string literal.
func (s *scanner) quoted() error {
	if s.at >= len(s.text) || s.text[s.at] != '\'' && s.text[s.at] != '"' {
		return s.fail("want a string")
	}
	quote := s.text[s.at]
	for i := s.at + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case quote:
			s.at = i + 1
			return nil
		}
	}
	return s.fail("string without end")
}

// value steps over everything up to the comma or brace that ends a value.
func (s *scanner) value() (value, error) {
	s.space()
	start := s.at
	depth := 0

	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case '\'', '"':
			if err := s.quoted(); err != nil {
				return value{}, err
			}
			continue
		case '(', '[', '{':
			depth++
		case ')', ']', '}', ',':
			if depth == 0 {
				if text := strings.TrimSpace(s.text[start:s.at]); text != "" && (c == ',' || c == '}') {
					return value{text, s.base + start}, nil
				}
				return value{}, s.fail("want a value")
			}
			if c != ',' {
				depth--
			}
		}
		s.at++
	}

	return value{}, s.fail("value without end")
}
