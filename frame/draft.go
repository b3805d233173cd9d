package frame

import "slices"

// A draft is a state that is being made out of another one. Nobody else has it: what goes into it
// may be changed until its state is handed out, and not from then on.
type draft struct{ state }

// draft returns a copy of v to be changed. It shares what is never changed in place: the index, the
// contents of metalayers, and the source.
func (v *state) draft() *draft {
	d := &draft{*v}
	d.layers, d.vl = slices.Clone(v.layers), slices.Clone(v.vl)
	return d
}
