package zarr

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// A GroupView presents arrays as a Zarr group that is stored nowhere. Groups of readers that list
// nothing, as over HTTP, have the members that their consolidated metadata names.
type GroupView struct {
	Attributes meta.Map // what JSON has no form for is left out
	// Members are what is in the group, at any depth. Groups come before their members.
	Members []Member
	// Loose leaves out the consolidated metadata: the members are not all that there are.
	Loose bool
}

// A Member is an array or a group below a group.
type Member struct {
	Path       string // "a" or "below/a"
	Array      *View  // nil for a group
	Attributes meta.Map
}

// Document returns a document of the group by its name: "zarr.json", ".zgroup", ".zattrs" or
// ".zmetadata". Arrays that a version has no dtype for are left out.
func (g *GroupView) Document(name string) ([]byte, error) {
	switch name {
	case nameV3:
		doc, err := groupV3(g.Attributes)
		if err != nil || g.Loose {
			return doc, err
		}

		all, err := g.all3()
		if err != nil {
			return nil, err
		}

		doc = bytes.TrimSuffix(doc, []byte("\n}"))
		doc = append(doc, ",\n  \"consolidated_metadata\": {\n    \"kind\": \"inline\",\n"+
			"    \"must_understand\": false,\n    \"metadata\": "...)
		return append(append(doc, all...), "\n  }\n}"...), nil
	case nameGroupV2:
		return []byte("{\n  \"zarr_format\": 2\n}"), nil
	case nameAttributesV2:
		return viewAttributes(g.Attributes)
	case nameConsolidated:
		if !g.Loose {
			return g.consolidatedV2()
		}
	}
	return nil, fmt.Errorf("the group has no %q: %w", clip(name), cairn.ErrNotFound)
}

func groupV3(attributes meta.Map) ([]byte, error) {
	a, err := viewAttributes(attributes)
	return fmt.Appendf(nil, "{\n  \"zarr_format\": 3,\n  \"node_type\": \"group\",\n  \"attributes\": %s\n}", a), err
}

func viewAttributes(attributes meta.Map) ([]byte, error) {
	return appendJSON(nil, append(meta.Map{}, expressible(attributes, nil)...), "")
}

// all3 returns the metadata of all members in version 3.
func (g *GroupView) all3() ([]byte, error) {
	var all entries
	for _, m := range g.Members {
		if m.Array == nil {
			doc, err := groupV3(m.Attributes)
			if err != nil {
				return nil, err
			}
			all.add(m.Path, doc)
		} else if d := &m.Array.docs[1]; d.err == nil {
			all.add(m.Path, d.meta)
		}
	}
	return all.bytes(), nil
}

func (g *GroupView) consolidatedV2() ([]byte, error) {
	var all entries
	for _, m := range append([]Member{{Attributes: g.Attributes}}, g.Members...) {
		prefix := strings.TrimPrefix(m.Path+"/", "/")
		if m.Array != nil {
			if d := &m.Array.docs[0]; d.err == nil {
				all.add(prefix+nameArrayV2, d.meta)
				all.add(prefix+nameAttributesV2, d.attributes)
			}
			continue
		}

		attributes, err := viewAttributes(m.Attributes)
		if err != nil {
			return nil, err
		}
		all.add(prefix+nameGroupV2, []byte("{\n  \"zarr_format\": 2\n}"))
		all.add(prefix+nameAttributesV2, attributes)
	}
	return fmt.Appendf(nil, "{\n  \"zarr_consolidated_format\": 1,\n  \"metadata\": %s\n}", all.bytes()), nil
}

// entries are the members of a JSON object whose values are documents.
type entries struct{ b []byte }

func (e *entries) add(name string, doc []byte) {
	if len(e.b) > 0 {
		e.b = append(e.b, ",\n"...)
	}
	e.b = append(append(appendText(e.b, name), ": "...), doc...)
}

func (e *entries) bytes() []byte {
	return append(append([]byte("{"), e.b...), '}')
}
