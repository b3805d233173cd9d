package lint

import (
	"strings"
	"testing"
)

// TestLimits compares the list of bounds with the code.
func TestLimits(t *testing.T) {
	checkPage(t, limitsPage, Limits, "refuses", "Limits")
}

func TestLimitsOfATree(t *testing.T) {
	tree, err := Load(files(map[string]string{
		"go.mod": "module example.org/m\n",
		"p/a.go": `package p
const (
	maxDepth = 10 // groups in groups
	maxIdle  = 3
)
// maxNodes bounds the nodes of a tree. It is large.
const maxNodes = 1 << 20
func f(n int) error {
	if n > maxNodes || n > maxDepth {
		return m.ErrLimit
	}
	return nil
}
func g() int { return maxIdle }
`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	const want = "| `p.maxDepth` | `10` | groups in groups |\n| `p.maxNodes` | `1 << 20` | the nodes of a tree |\n"
	if got := strings.TrimPrefix(string(Limits(tree)), limitsHead); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
