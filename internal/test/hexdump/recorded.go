package hexdump

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

// Bytes is a JSON string of hexadecimal digits.
type Bytes []byte

// UnmarshalText reads the digits.
func (b *Bytes) UnmarshalText(text []byte) (err error) {
	*b, err = hex.DecodeString(string(text))
	return err
}

// Recorded reads a JSON file with recorded output of C-Blosc2.
func Recorded[T any](t testing.TB, path string) *T {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	r := new(T)
	if err := json.Unmarshal(b, r); err != nil {
		t.Fatal(err)
	}
	return r
}
