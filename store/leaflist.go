package store

import (
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// A leafList holds the leaves of a store in the order of their keys. Any number of goroutines may
// read it beside the one that changes it.
type leafList struct {
	mu   sync.RWMutex
	all  []Leaf
	lent atomic.Bool // somebody may be going over all, which is not changed in place then
	undo []func()    // of what the change under way did
}

// reset replaces the leaves. Of two with one key the file counts, as in python-blosc2.
func (l *leafList) reset(leaves []Leaf) error {
	if err := checkListed(leaves); err != nil {
		return err
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
	l.all, l.undo = leaves, nil
	l.lent.Store(false)
	return nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// snapshot returns the leaves as they are now, which nobody changes.
func (l *leafList) snapshot() []Leaf {
	l.mu.RLock()
	defer l.mu.RUnlock()
	l.lent.Store(true)
	return l.all
}

// get returns the leaf that has a key.
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

// below returns the leaves in a group, or deeper.
func (l *leafList) below(group string) []Leaf {
	l.mu.RLock()
	defer l.mu.RUnlock()
	l.lent.Store(true)
	from, to := l.within(group)
	return l.all[from:to]
}

// within returns where the leaves below a group begin and end. The caller holds the lock.
func (l *leafList) within(group string) (from, to int) {
	if group == "/" {
		return 0, len(l.all)
	}
	prefix := group + "/"
	from, _ = l.search(prefix)
	n := sort.Search(len(l.all)-from, func(i int) bool { return !strings.HasPrefix(l.all[from+i].Key, prefix) })
	return from, from + n
}

// search returns where a key is in the list, or belongs. The caller holds the lock.
func (l *leafList) search(key string) (int, bool) {
	return slices.BinarySearchFunc(l.all, key, func(l Leaf, key string) int { return strings.Compare(l.Key, key) })
}

// own makes all a slice that can be changed in place. The caller holds the lock alone.
func (l *leafList) own() {
	if l.lent.Swap(false) {
		l.all = slices.Clone(l.all)
	}
}

// begin starts a change, which relist takes back.
func (l *leafList) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.undo = l.undo[:0]
}

// set puts a leaf in the place of the one that has its key.
func (l *leafList) set(leaf Leaf) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(leaf)
}

func (l *leafList) put(leaf Leaf) {
	l.own()
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

// unset takes a leaf off the list, if it is there.
func (l *leafList) unset(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i, found := l.search(key); found {
		l.remove(i, i+1)
	}
}

// unsetGroup takes the leaves of a group off the list.
func (l *leafList) unsetGroup(group string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(l.within(group))
}

func (l *leafList) remove(from, to int) {
	l.own()
	for _, leaf := range l.all[from:to] {
		l.undo = append(l.undo, func() { l.put(leaf) })
	}
	l.all = slices.Delete(l.all, from, to)
}

// relist takes back what was done since begin.
func (l *leafList) relist() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, undo := range slices.Backward(l.undo) {
		undo()
	}
	l.undo = nil
}
