package lint

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write "+apiPage+" anew")

// checkPage compares a page that is made from the code with the code, or writes it anew.
func checkPage(t *testing.T, page string, made func(*Tree) []byte, does, run string) {
	t.Helper()
	tree, err := Load(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	want, name := made(tree), "../../../"+page
	if *update {
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}

	have, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("%s is not what the code %s; renew it with: go test ./internal/test/lint -run %s -update", page, does, run)
	}
}

// TestAPI compares the list of exported identifiers with the code.
func TestAPI(t *testing.T) {
	checkPage(t, apiPage, API, "exports", "API")
}

func TestAPIOfATree(t *testing.T) {
	tree, err := Load(files(map[string]string{
		"go.mod":          "module example.org/m\n",
		"a.go":            "package m\n\nconst Max = 1 << 2\n\nvar ErrA, errB error\n",
		"a_test.go":       "package m\n\nfunc Tested() {}\n",
		"cmd/x/a.go":      "package main\n\nfunc Do() {}\n",
		"p/internal/a.go": "package internal\n\nfunc Do() {}\n",
		"p/a.go": `package p
type ID uint8
const (
	A ID = iota
	B
	c
)
type Pair[K comparable, V any] struct {
	*ID
	Key, Other K
	value      V
}
func (p *Pair[K, V]) Get(
	k K,
) (V, error) { panic(0) }
func (i ID) String() string { return "" }
func (h hidden) Do() {}
type hidden struct{}
type Source interface {
	io.Reader
	Read(p []byte) (int, error)
	secret()
}
type Same = ID
func Open[T any](path string) (*Pair[string, T], error) { panic(0) }
`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	const want = "| root | 2 | 0 | 0 |\n| `p` | 8 | 2 | 2 |\n| all | 10 | 2 | 2 |\n" + `
## root

§
const Max = 1 << 2
var ErrA error
§

## §p§

§
const A ID
const B ID
func Open[T any](path string) (*Pair[string, T], error)
method (*Pair[K, V]) Get(k K) (V, error)
method (ID) String() string
type ID uint8
type Pair[K comparable, V any] struct
type Pair[K comparable, V any] struct, Key K
type Pair[K comparable, V any] struct, Other K
type Pair[K comparable, V any] struct, embedded *ID
type Same = ID
type Source interface
type Source interface, Read(p []byte) (int, error)
type Source interface, embedded io.Reader
§
`
	fenced := strings.ReplaceAll(strings.ReplaceAll(want, "\n§\n", "\n```\n"), "§", "`")
	if got := strings.TrimPrefix(string(API(tree)), apiHead); got != fenced {
		t.Errorf("got\n%s\nwant\n%s", got, fenced)
	}
}
