package ndarray_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// drawnTree is a tree of nodes by group; a group without any cannot be listed.
type drawnTree map[string][]ndarray.Node

func (t drawnTree) Children(ctx context.Context, group string) ([]ndarray.Node, error) {
	if nodes, ok := t[group]; ok {
		return nodes, ctx.Err()
	}
	return nil, fmt.Errorf("%q: %w", group, cairn.ErrNotFound)
}

func (t drawnTree) Open(context.Context, string) (ndarray.Source, error) { return nil, nil }
func (t drawnTree) Attributes(context.Context, string) (meta.Map, error) { return nil, nil }
func (t drawnTree) Close() error                                         { return nil }
func node(key string, kind ndarray.NodeKind) ndarray.Node                { return ndarray.Node{Key: key, Kind: kind} }
func walked(ctx context.Context, t ndarray.Tree, group string, most int) string {
	var b strings.Builder
	for n, err := range ndarray.Walk(ctx, t, group) {
		fmt.Fprintf(&b, "%s %v", n.Key, n.Kind)
		if err != nil {
			fmt.Fprintf(&b, " (%v)", err)
		}
		b.WriteString("\n")
		if most--; most == 0 {
			break
		}
	}
	return b.String()
}

var drawn = drawnTree{
	"/":  {node("/a", ndarray.GroupNode), node("/b", ndarray.LinkNode), node("/c", ndarray.GroupNode), node("/d", ndarray.ArrayNode)},
	"/a": {node("/a/x", ndarray.ArrayNode), node("/a/y", ndarray.DamagedNode)},
	"/d": {node("/d", ndarray.ArrayNode)},
}

func TestWalkGoesOnBehindAGroupThatCannotBeListed(t *testing.T) {
	want := "/a group\n/a/x array\n/a/y damaged\n/b link\n/c group\n/c group (\"/c\": cairn: not found)\n/d array\n"
	want = strings.Replace(want, "cairn: not found", cairn.ErrNotFound.Error(), 1)
	if got := walked(t.Context(), drawn, "/", 0); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestWalkOfAGroupAnArrayAndNothing(t *testing.T) {
	for group, want := range map[string]string{
		"a":   "/a/x array\n/a/y damaged\n",
		"/d/": "/d array\n",
		"/no": "/no group (\"/no\": " + cairn.ErrNotFound.Error() + ")\n",
	} {
		if got := walked(t.Context(), drawn, group, 0); got != want {
			t.Errorf("%s: got\n%swant\n%s", group, got, want)
		}
	}
}

func TestWalkEndsWithItsLoopAndItsContext(t *testing.T) {
	if got, want := walked(t.Context(), drawn, "/", 2), "/a group\n/a/x array\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := walked(ctx, drawn, "/", 0); !strings.Contains(got, context.Canceled.Error()) || strings.Count(got, "\n") != 1 {
		t.Errorf("got\n%s", got)
	}
}

// selfTree is a group that holds itself.
type selfTree struct{ drawnTree }

func (selfTree) Children(_ context.Context, group string) ([]ndarray.Node, error) {
	return []ndarray.Node{node(group+"/a", ndarray.GroupNode)}, nil
}

func TestWalkOfAGroupInItselfEnds(t *testing.T) {
	var last error
	count := 0
	for _, err := range ndarray.Walk(t.Context(), selfTree{}, "/") {
		count++
		last = err
	}
	if !errors.Is(last, cairn.ErrLimit) || count > 1100 {
		t.Errorf("%d nodes, then %v", count, last)
	}
}
