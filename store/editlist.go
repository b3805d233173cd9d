package store

import "slices"

// A listed is what a key stood for before the list of leaves changed.
type listed struct {
	key string
	old Leaf
	was bool // there was a leaf
}

// ownList makes the list of leaves one that can be changed where it is: somebody may be going over
// the one that there is.
func (e *Editor) ownList() {
	if e.lent.Swap(false) {
		e.leaves = slices.Clone(e.leaves)
	}
}

// setLeaf notes a leaf in the place of the one that has its key.
func (e *Editor) setLeaf(l Leaf) {
	e.ownList()
	i, found := e.search(l.Key)
	if !found {
		e.undo = append(e.undo, listed{key: l.Key})
		e.leaves = slices.Insert(e.leaves, i, l)
		return
	}
	e.undo = append(e.undo, listed{l.Key, e.leaves[i], true})
	e.leaves[i] = l
}

// unsetLeaf takes a leaf off the list, if it is there.
func (e *Editor) unsetLeaf(key string) {
	if i, found := e.search(key); found {
		e.unset(i, i+1)
	}
}

// unsetGroup takes the leaves of a group off the list.
func (e *Editor) unsetGroup(group string) {
	from, to := e.within(group)
	e.unset(from, to)
}

func (e *Editor) unset(from, to int) {
	e.ownList()
	for _, l := range e.leaves[from:to] {
		e.undo = append(e.undo, listed{l.Key, l, true})
	}
	e.leaves = slices.Delete(e.leaves, from, to)
}

// relist brings the list back to what it was when undo was empty.
func (e *Editor) relist() {
	undo := e.undo
	for _, u := range slices.Backward(undo) {
		if u.was {
			e.setLeaf(u.old)
		} else {
			e.unsetLeaf(u.key)
		}
	}
	e.undo = nil
}
