package govalue

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
)

// putBytes fills raw with s and trailing NULs.
func putBytes(raw []byte, s string) error {
	if len(s) > len(raw) {
		return fmt.Errorf("text %q of %d bytes, there is room for %d: %w", clipped(s), len(s), len(raw), cairn.ErrBounds)
	}
	clear(raw[copy(raw, s):])
	return nil
}

// decodeText decodes UTF-32 without trailing NULs.
func decodeText(raw []byte, big bool) (string, error) {
	order := byteOrder(big)
	n := len(raw) &^ 3
	for n > 0 && order.Uint32(raw[n-4:]) == 0 {
		n -= 4
	}

	var room [128]byte
	text := room[:0]

	for i := 0; i < n; i += 4 {
		c := order.Uint32(raw[i:])
		if c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
			return "", cairn.Corruptf("text", int64(i), "%#x is no character", c)
		}
		text = utf8.AppendRune(text, rune(c))
	}
	return string(text), nil
}

// putText fills raw with s in UTF-32 and trailing NULs.
func putText(raw []byte, s string, big bool) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("text %q is not UTF-8: %w", clipped(s), cairn.ErrType)
	}
	if n := utf8.RuneCountInString(s); n > len(raw)/4 {
		return fmt.Errorf("text %q of %d characters, there is room for %d: %w", clipped(s), n, len(raw)/4, cairn.ErrBounds)
	}

	order := byteOrder(big)
	at := 0
	for _, c := range s {
		order.PutUint32(raw[at:], uint32(c))
		at += 4
	}
	clear(raw[at:])
	return nil
}

// clipped shortens a long text for errors.
func clipped(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

func byteOrder(big bool) binary.ByteOrder {
	if big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func int64At(raw []byte, big bool) int64 { return int64(byteOrder(big).Uint64(raw)) }
