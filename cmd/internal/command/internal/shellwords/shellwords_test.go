package shellwords

import (
	"slices"
	"testing"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{`cairn info a.b2z::/x`, []string{"cairn", "info", "a.b2z::/x"}},
		{`cairn  info `, []string{"cairn", "info", ""}},
		{`cairn info 'a b'::/x`, []string{"cairn", "info", "a b::/x"}},
		{`cairn info "a $b`, []string{"cairn", "info", "a $b"}},
		{`cairn info "a \"\x`, []string{"cairn", "info", `a "\x`}},
		{`cairn info a\ b\:\`, []string{"cairn", "info", "a b:"}},
		{`cairn info '' `, []string{"cairn", "info", "", ""}},
		{`cairn info $(x)`, []string{"cairn", "info", "$(x)"}},
	} {
		if got := Parse(c.line, ":=").Unquoted(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}

// TestInsertions inserts words with characters that a shell acts upon.
func TestInsertions(t *testing.T) {
	for _, c := range []struct{ line, word, want string }{
		{`cairn info a::`, "a::/b", "/b"},
		{`cairn info a::/b`, "a::/b c", `/b\ c`},
		{`cairn info a\ b::`, "a b::$(echo>x)", `\$\(echo\>x\)`},
		{`cairn info a::/x`, "a::/x:y", "/x:y"},
		{`cairn info a::/x:`, "a::/x:y*", `y\*`},
		{`cairn info a::/x\:`, "a::/x:y", "/x:y"},
		{`cairn info 'a::`, "a::/b c", "a::/b c"},
		{`cairn info 'a::`, "a::/it's", ""},
		{`cairn info "a::`, "a::/$x`y` \"\\", "a::/\\$x\\`y\\` \\\"\\\\"},
		{`cairn info "a::`, "a::/!x", ""},
		{`cairn info 'a b'::/`, "a b::/;c&|<>{}~#!?[]é'\"", `/\;c\&\|\<\>\{\}\~\#\!\?\[\]é\'\"`},
		{`cairn copy -codec=z`, "-codec=zstd", "zstd"},
	} {
		got, ok := Parse(c.line, ":=").Insertion(c.word)
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s, %q: inserts %s, want %s", c.line, c.word, got, c.want)
		}
	}
}

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{"": "''", "a::/b": "a::/b", "a b": "'a b'", "it's": `'it'\''s'`, "~x": "'~x'",
		"a\x1b[1m'\xff\n\\": `$'a\x1b[1m\'\xff\x0a\\'`} {
		if got := Quote(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
