package frame

import "slices"

// A draft is a state under construction, a modified copy of another one. Only the change that makes
// it has access to it. Once its state is published, it must not be changed.
type draft struct{ state }

// draft returns a copy of v to modify. It shares with v what is never modified in place: the index,
// the contents of metalayers, and the source.
func (v *state) draft() *draft {
	d := &draft{*v}
	d.layers, d.vl = slices.Clone(v.layers), slices.Clone(v.vl)
	return d
}
