package store

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/keylist"
	"github.com/cairn-go/cairn/ndarray"
)

// A leafList holds the leaves of a store sorted by key. One goroutine may change it while others
// read it.
type leafList struct {
	mu     sync.RWMutex
	all    []Leaf
	shared atomic.Bool // a caller may hold all, so copy it before changing it
	undo   []func()    // steps that undo the current change
}

// reset replaces the leaves. A file takes precedence over an embedded leaf of the same key, as in
// python-blosc2.
func (l *leafList) reset(leaves []Leaf) error {
	// Refuse keys that contain ".." and the like, or that are nested too deep.
	// Otherwise callers that turn keys into paths could be led out of their folder.
	for i := range leaves {
		switch key := leaves[i].Key; {
		case path.Clean(key) != key:
			return cairn.Corruptf("store", -1, "the key %.100q has an empty element or one that is \".\" or \"..\"", key)
		case strings.Count(key, "/") > maxDepth:
			return fmt.Errorf("the key %.100q is more than %d groups deep: %w", key, maxDepth, cairn.ErrLimit)
		}
	}

	slices.SortStableFunc(leaves, func(a, b Leaf) int {
		if a.Key == b.Key {
			return boolInt(a.Embedded) - boolInt(b.Embedded)
		}
		return strings.Compare(a.Key, b.Key)
	})
	leaves = slices.CompactFunc(leaves, func(a, b Leaf) bool { return a.Key == b.Key })

	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = leaves
	l.undo = nil
	l.shared.Store(false)
	return nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// snapshot returns the current leaves. The slice is never changed afterwards.
func (l *leafList) snapshot() []Leaf {
	l.mu.RLock()
	defer l.mu.RUnlock()
	l.shared.Store(true)
	return l.all
}

// measure sets the sizes that are not known yet, by file.
func (l *leafList) measure(sizes map[string]int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unshare()
	for i := range l.all {
		if leaf := &l.all[i]; leaf.Size == unknownSize {
			leaf.Size = sizes[leaf.File]
		}
	}
}

// get returns the leaf of a key.
func (l *leafList) get(key string) (Leaf, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	i, ok := l.search(key)
	if !ok {
		return Leaf{}, false
	}
	return l.all[i], true
}

// isGroup reports whether there are leaves below a key.
func (l *leafList) isGroup(key string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	from, to := l.within(key)
	return from < to
}

// children returns the nodes directly below a group, without frames of attributes.
func (l *leafList) children(group string) (nodes []ndarray.Node) {
	l.mu.RLock()
	defer l.mu.RUnlock()

	from, to := l.within(group)
	key := func(i int) string { return l.all[from+i].Key }
	for _, c := range keylist.Children(to-from, key, strings.TrimSuffix(group, "/")+"/") {
		if c.Index >= 0 && !hidden(c.Key) {
			nodes = append(nodes, l.all[from+c.Index].node(c.Key))
		}
		if c.Group {
			nodes = append(nodes, ndarray.Node{Key: c.Key, Kind: ndarray.GroupNode})
		}
	}
	return nodes
}

// below returns the leaves below a group at any depth.
func (l *leafList) below(group string) []Leaf {
	l.mu.RLock()
	defer l.mu.RUnlock()
	l.shared.Store(true)
	from, to := l.within(group)
	return l.all[from:to]
}

// within returns the range of the leaves below a group. The caller holds the lock.
func (l *leafList) within(group string) (from, to int) {
	if group == "/" {
		return 0, len(l.all)
	}
	prefix := group + "/"
	from, _ = l.search(prefix)
	n := sort.Search(len(l.all)-from, func(i int) bool { return !strings.HasPrefix(l.all[from+i].Key, prefix) })
	return from, from + n
}

// search returns the index of a key, or where to insert it. The caller holds the lock.
func (l *leafList) search(key string) (int, bool) {
	return slices.BinarySearchFunc(l.all, key, func(l Leaf, key string) int { return strings.Compare(l.Key, key) })
}

// unshare copies all if it is shared. The caller holds the lock for writing.
func (l *leafList) unshare() {
	if l.shared.Swap(false) {
		l.all = slices.Clone(l.all)
	}
}

// begin starts a change, which relist undoes.
func (l *leafList) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.undo = l.undo[:0]
}

// set adds a leaf or replaces the one of the same key.
func (l *leafList) set(leaf Leaf) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(leaf)
}

func (l *leafList) put(leaf Leaf) {
	l.unshare()
	i, found := l.search(leaf.Key)
	if !found {
		l.all = slices.Insert(l.all, i, leaf)
		l.undo = append(l.undo, func() {
			i, _ := l.search(leaf.Key)
			l.remove(i, i+1)
		})
		return
	}

	old := l.all[i]
	l.all[i] = leaf
	l.undo = append(l.undo, func() { l.put(old) })
}

// unset removes a leaf if it is in the list.
func (l *leafList) unset(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i, found := l.search(key); found {
		l.remove(i, i+1)
	}
}

// unsetGroup removes the leaves below a group.
func (l *leafList) unsetGroup(group string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(l.within(group))
}

func (l *leafList) remove(from, to int) {
	l.unshare()
	for _, leaf := range l.all[from:to] {
		l.undo = append(l.undo, func() { l.put(leaf) })
	}
	l.all = slices.Delete(l.all, from, to)
}

// relist undoes everything since begin.
func (l *leafList) relist() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, undo := range slices.Backward(l.undo) {
		undo()
	}
	l.undo = nil
}
