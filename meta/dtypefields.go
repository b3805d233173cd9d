package meta

// structOfList converts a list of (name, type), (name, type, shape) or ((title, name), type). A
// void field with an empty name is padding, as in .npy headers.
func structOfList(n pyNode, align bool) (DType, error) {
	b := newStruct(align)
	for i, item := range n.items {
		if item.kind != pyTuple || len(item.items) < 2 || len(item.items) > 3 {
			return DType{}, dtypeErrorf(item.at, "field %d is not a tuple of name, type and perhaps shape", i)
		}

		name, title, err := fieldName(item.items[0])
		if err != nil {
			return DType{}, err
		}
		t, err := dtypeOf(item.items[1], align)
		if err != nil {
			return DType{}, err
		}

		if len(item.items) == 3 {
			if t, err = subArray(t, item.items[2]); err != nil {
				return DType{}, err
			}
		}

		if name == "" && title == "" && t.form == scalarForm && t.kind == 0 {
			b.end += int64(t.size)
			if b.end > maxDTypeSize {
				return DType{}, dtypeErrorf(item.at, "structure is larger than %d bytes", maxDTypeSize)
			}
			continue
		}

		if err := b.add(item, name, title, i, t, nil); err != nil {
			return DType{}, err
		}
	}
	return b.finish(n.at, nil)
}

// fieldName converts a name or (title, name).
func fieldName(n pyNode) (name, title string, err error) {
	if n.kind == pyTuple && len(n.items) == 2 && n.items[0].kind == pyString && n.items[1].kind == pyString {
		return n.items[1].text, n.items[0].text, nil
	}
	if n.kind != pyString {
		return "", "", dtypeErrorf(n.at, "%v is not the name of a field", n.kind)
	}
	return n.text, "", nil
}

// structOfDict converts a dict with the lists 'names', 'formats', 'offsets' and 'titles', and with
// 'itemsize' and 'aligned'. The first two keys are required. 'aligned': False does not override
// align, as in NumPy.
func structOfDict(n pyNode, align bool) (DType, error) {
	parts := map[string]*pyNode{}
	for i := 0; i < len(n.items); i += 2 {
		key := n.items[i]
		if key.kind != pyString {
			return DType{}, dtypeErrorf(key.at, "%v is not a key of a structure", key.kind)
		}
		switch key.text {
		case "names", "formats", "offsets", "titles", "itemsize", "aligned":
			parts[key.text] = &n.items[i+1]
		default:
			return DType{}, dtypeErrorf(key.at, "%q is not a key of a structure", clip(key.text))
		}
	}

	if parts["names"] == nil || parts["formats"] == nil {
		return DType{}, dtypeErrorf(n.at, "structure without names or formats")
	}

	names := parts["names"].items
	for _, part := range []string{"names", "formats", "offsets", "titles"} {
		list := parts[part]
		if list == nil {
			continue
		}
		if list.kind != pyList && list.kind != pyTuple {
			return DType{}, dtypeErrorf(list.at, "%s of a structure: %v is not a list", part, list.kind)
		}
		if len(list.items) != len(names) {
			return DType{}, dtypeErrorf(list.at, "structure with %d names but %d %s", len(names), len(list.items), part)
		}
	}

	if a := parts["aligned"]; a != nil {
		if a.kind != pyBool && a.kind != pyInt {
			return DType{}, dtypeErrorf(a.at, "%v where True or False should be", a.kind)
		}
		align = align || a.num != 0
	}

	b := newStruct(align)
	for i := range names {
		if err := b.addFromDict(parts, i); err != nil {
			return DType{}, err
		}
	}
	return b.finish(n.at, parts["itemsize"])
}

// addFromDict adds field i of a structure in dict form. The caller has checked the lengths of the
// lists.
func (b *structBuilder) addFromDict(parts map[string]*pyNode, i int) error {
	name := parts["names"].items[i]
	if name.kind != pyString {
		return dtypeErrorf(name.at, "%v is not the name of a field", name.kind)
	}

	t, err := dtypeOf(parts["formats"].items[i], b.align)
	if err != nil {
		return err
	}

	title := ""
	if list := parts["titles"]; list != nil && list.items[i].kind != pyNone {
		if list.items[i].kind != pyString {
			return dtypeErrorf(list.items[i].at, "%v is not the title of a field", list.items[i].kind)
		}
		title = list.items[i].text
	}

	var offset *pyNode
	if list := parts["offsets"]; list != nil {
		offset = &list.items[i]
	}

	return b.add(name, name.text, title, i, t, offset)
}
