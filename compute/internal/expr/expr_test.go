package expr

import (
	"errors"
	"strings"
	"testing"
)

// text writes a node with all parentheses.
func text(n *Node) string {
	var args []string
	for _, a := range n.Args {
		args = append(args, text(a))
	}
	switch n.Kind {
	case Unary:
		return "(" + n.Text + args[0] + ")"
	case Binary:
		return "(" + args[0] + n.Text + args[1] + ")"
	case Index:
		return args[0] + "[" + n.Text + "]"
	case String:
		if strings.Contains(n.Text, "'") {
			return `"` + n.Text + `"`
		}
		return "'" + n.Text + "'"
	case Tuple:
		return "{" + strings.Join(args, ",") + "}"
	case Call:
		for _, k := range n.Keys {
			args = append(args, k.Name+"="+text(k.Value))
		}
		return n.Text + "(" + strings.Join(args, ",") + ")"
	}
	return n.Text
}

func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"a - mean(b, axis=0)":        "(a-mean(b,axis=0))",
		"a+b*c-d":                    "((a+(b*c))-d)",
		"-a**2":                      "(-(a**2))",
		"2**-b**2":                   "(2**(-(b**2)))",
		"a & b == c":                 "((a&b)==c)",
		"a | b ^ c & d << 1 + 2":     "(a|(b^(c&(d<<(1+2)))))",
		"~(a < 1) & (b>=2.5e-3)":     "((~(a<1))&(b>=2.5e-3))",
		"a // b % c / d":             "(((a//b)%c)/d)",
		"np.where(a!=b, 0xff, 1_0.)": "where((a!=b),0xff,1_0.)",
		"sum(a, axis=(0, 2),)":       "sum(a,axis={0,2})",
		"sum(a, axis='time')":        "sum(a,axis='time')",
		"a[1:, [0, 2]][::-1] * -1":   "(a[1:, [0, 2]][::-1]*(-1))",
		"(a,)":                       "{a}",
		"()":                         "{}",
		"température + .5":           "(température+.5)",
		" ( ( a ) ) ":                "a",
	} {
		n, err := Parse(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
		} else if got := text(n); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}

func TestMistakesPointAtTheirPlace(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "at character 1: the expression ends too early",
		"a +":                                  "at character 4: the expression ends too early",
		"a b":                                  `at character 3: unexpected "b"`,
		"(a":                                   `at character 3: ")" is missing`,
		"é + $":                                `at character 5: '$' is not understood`,
		"a and b":                              `at character 3: "and" has no meaning for arrays, write &`,
		"x if a else b":                        `at character 3: "if" has no meaning for arrays, write where(`,
		"a < b < c":                            "at character 7: a chain of comparisons, write (a < b) & (b < c)",
		"12abc":                                `at character 1: "12abc" is not a number`,
		"f(x=1, a)":                            "at character 8: an argument without a keyword after one with",
		"a[1":                                  `at character 2: "]" is missing`,
		"a = b":                                `at character 3: unexpected "="`,
		"'abc":                                 "at character 1: a string without an end",
		"f(a b)":                               `at character 5: unexpected "b"`,
		"a.mean()":                             "at character 3: arrays have no methods, write mean(…) with the array as its first argument",
		"a.":                                   "at character 3: the expression ends too early",
		"1 .x":                                 `at character 3: unexpected "."`,
		"(((a)":                                `at character 6: ")" is missing`,
		"a[']']":                               "at character 2: \"'\" is not a selection",
		"f(,)":                                 `at character 3: unexpected ","`,
		strings.Repeat("-", MaxDepth+1) + "a":  "parts nested more than 200 deep",
		strings.Repeat("(", MaxDepth+1) + "a":  "parts nested more than 200 deep",
		strings.Repeat("1+", MaxDepth+1) + "a": "parts nested more than 200 deep",
		strings.Repeat(" ", MaxLength+1):       "an expression of 16385 bytes, at most 16384 are allowed",
	} {
		_, err := Parse(in)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", in, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a - mean(b, axis=0)", "a[1:, [0, 2]][::-1] * -1", "where(a > 0x1f, b, 1e-3)",
		"~a & (b != c) ** 2 // 3", "f('x', k=(1, 2))", "np.sqrt(a)", "(((((", `"'" + np.np.a`, "a.np.b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		n, err := Parse(in)
		if err != nil {
			if e := (*Error)(nil); !errors.As(err, &e) || e.Pos > len(in) {
				t.Fatalf("%q: %v", in, err)
			}
			return
		}
		full := text(n)
		if len(full) > MaxLength || n.Kind == Tuple {
			return
		}
		if strings.Contains(full, "{") { // no notation of the grammar
			return
		}
		again, err := Parse(full)
		if deep := (*Error)(nil); errors.As(err, &deep) && strings.Contains(err.Error(), "nested") {
			return
		}
		if err != nil || text(again) != full {
			t.Fatalf("%q is %q, which is %v: %v", in, full, again, err)
		}
	})
}
