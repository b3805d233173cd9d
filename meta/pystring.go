package meta

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// str parses a string in single or double quotes.
func (p *pyParser) str() (string, error) {
	start := p.pos
	quote := p.text[p.pos]
	p.pos++

	var out strings.Builder
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		switch {
		case c == quote:
			p.pos++
			if !utf8.ValidString(out.String()) {
				return "", dtypeErrorf(start, "string is not valid UTF-8")
			}
			return out.String(), nil
		case c == '\n':
			return "", dtypeErrorf(p.pos, "line break in a string")
		case c == '\\':
			if err := p.escape(&out); err != nil {
				return "", err
			}
		default:
			out.WriteByte(c)
			p.pos++
		}
	}
	return "", dtypeErrorf(start, "string without an end")
}

// escape parses one escape sequence from its backslash.
func (p *pyParser) escape(out *strings.Builder) error {
	at := p.pos
	if p.pos+1 >= len(p.text) {
		return dtypeErrorf(at, "string ends in a backslash")
	}

	c := p.text[p.pos+1]
	p.pos += 2
	if i := strings.IndexByte(`\'"abfnrtv`, c); i >= 0 {
		out.WriteByte("\\'\"\a\b\f\n\r\t\v"[i])
		return nil
	}

	switch {
	case c == '\n': // a continued line
	case c == 'x':
		return p.codePoint(out, at, 2)
	case c == 'u':
		return p.codePoint(out, at, 4)
	case c == 'U':
		return p.codePoint(out, at, 8)
	case c >= '0' && c <= '7':
		end := p.pos
		for end < len(p.text) && end < at+4 && p.text[end] >= '0' && p.text[end] <= '7' {
			end++
		}
		// Three octal digits are at most 511, so this parses.
		v, _ := strconv.ParseUint(p.text[at+1:end], 8, 32)
		out.WriteRune(rune(v))
		p.pos = end
	case c == 'N':
		return dtypeErrorf(at, "named characters are not supported")
	default: // Python keeps unknown escapes unchanged
		out.WriteByte('\\')
		out.WriteByte(c)
	}
	return nil
}

// codePoint parses the hexadecimal digits of an escape that began at offset at.
func (p *pyParser) codePoint(out *strings.Builder, at, digits int) error {
	if len(p.text)-p.pos < digits {
		return dtypeErrorf(at, "escape sequence without an end")
	}

	v, err := strconv.ParseUint(p.text[p.pos:p.pos+digits], 16, 32)
	if err != nil || v > unicode.MaxRune || !utf8.ValidRune(rune(v)) {
		return dtypeErrorf(at, "escape sequence %q is no character", p.text[at:p.pos+digits])
	}

	out.WriteRune(rune(v))
	p.pos += digits
	return nil
}

// appendPython appends s in the form of Python's repr: in single quotes, or in double quotes if s
// has only single ones, with escapes for all characters that are not printable.
func appendPython(dst []byte, s string) []byte {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}

	dst = append(dst, quote)
	for _, r := range s {
		switch {
		case r == rune(quote) || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case unicode.IsPrint(r):
			dst = utf8.AppendRune(dst, r)
		case r < 0x100:
			dst = fmt.Appendf(dst, `\x%02x`, r)
		case r < 0x10000:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		}
	}
	return append(dst, quote)
}
