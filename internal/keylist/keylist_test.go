package keylist

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
)

func TestChildrenAreWhatIsDirectlyBelow(t *testing.T) {
	keys := []string{"/a", "/a-b", "/a/b", "/a/b/c", "/a/d", "/a0", "/b//c", "/c/", "/e/f/g"}
	list := func(prefix string) (text string) {
		for _, c := range Children(len(keys), func(i int) string { return keys[i] }, prefix) {
			text += fmt.Sprintf("%s %d %v\n", c.Key, c.Index, c.Group)
		}
		return text
	}
	for prefix, want := range map[string]string{
		"/":     "/a 0 true\n/a-b 1 false\n/a0 5 false\n/b -1 true\n/c -1 true\n/e -1 true\n",
		"/a/":   "/a/b 2 true\n/a/d 4 false\n",
		"/b/":   "",
		"/c/":   "",
		"/e/":   "/e/f -1 true\n",
		"/none": "",
		"/z/":   "",
	} {
		if got := list(prefix); got != want {
			t.Errorf("%q: got\n%swant\n%s", prefix, got, want)
		}
	}
}

func TestChildrenAreThoseOfASlowSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		known := map[string]bool{}
		for range 1 + rng.IntN(30) {
			key := ""
			for range 1 + rng.IntN(4) {
				key += "/" + []string{"a", "a-", "a0", "b", "-", "~"}[rng.IntN(6)]
			}
			known[key] = true
		}
		var keys []string
		for key := range known {
			keys = append(keys, key)
		}
		slices.Sort(keys)

		group := path.Dir(keys[rng.IntN(len(keys))])
		prefix := strings.TrimSuffix(group, "/") + "/"
		var want []Child
		for i, key := range keys {
			rest, ok := strings.CutPrefix(key, prefix)
			if !ok {
				continue
			}
			name, _, deeper := strings.Cut(rest, "/")
			at := slices.IndexFunc(want, func(c Child) bool { return c.Key == prefix+name })
			if at < 0 {
				at = len(want)
				want = append(want, Child{Key: prefix + name, Index: -1})
			}
			if deeper {
				want[at].Group = true
			} else {
				want[at].Index = i
			}
		}
		slices.SortFunc(want, func(a, b Child) int { return strings.Compare(a.Key, b.Key) })
		if got := Children(len(keys), func(i int) string { return keys[i] }, prefix); !slices.Equal(got, want) {
			t.Fatalf("%q in %q: got %v, want %v", prefix, keys, got, want)
		}
	}
}

// Whatever is below its children, a group takes a few looks at the list for each of them.
func TestChildrenOfManyKeysTakeFewLooks(t *testing.T) {
	const groups, each = 100, 10_000
	looks := 0
	key := func(i int) string {
		looks++
		return fmt.Sprintf("/g%02d/%04d", i/each, i%each)
	}
	if got := Children(groups*each, key, "/"); len(got) != groups || looks > 50*groups {
		t.Errorf("%d children after %d looks", len(got), looks)
	}
}
