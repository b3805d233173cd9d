package console

import (
	"testing"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/cells"
)

// TestEnvironmentMayRuleOutColors sets the variables by which users want no colours.
func TestEnvironmentMayRuleOutColors(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"nothing": {nil, false}, "NO_COLOR": {map[string]string{"NO_COLOR": "1"}, true},
		"empty": {map[string]string{"NO_COLOR": ""}, false}, "dumb": {map[string]string{"TERM": "dumb"}, true},
	} {
		if got := isDull(func(key string) string { return c.env[key] }); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestWhatTerminalsKnow(t *testing.T) {
	environment := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	for _, c := range []struct {
		env   []string
		depth cells.Depth
		kitty bool
	}{
		{nil, cells.Palette, false},
		{[]string{"TERM", "xterm-256color"}, cells.Palette, false},
		{[]string{"TERM", "xterm-256color", "COLORTERM", "truecolor"}, cells.TrueColor, false},
		{[]string{"TERM", "xterm-kitty"}, cells.TrueColor, true},
		{[]string{"TERM", "xterm-kitty", "TMUX", "/tmp/x"}, cells.TrueColor, false},
		{[]string{"TERM", "xterm-256color", "TERM_PROGRAM", "WezTerm", "COLORTERM", "truecolor"}, cells.TrueColor, true},
	} {
		get := environment(c.env...)
		if d, k := depthOf(get), knowsKitty(get); d != c.depth || k != c.kitty {
			t.Errorf("%v: depth %d, kitty %v", c.env, d, k)
		}
	}
}
