package whole

import (
	"fmt"
	"path"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/data"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A Calculation is what an expression makes of the variables of a file, each of which takes the
// place of a name in it.
type Calculation struct {
	results map[string]ndarray.Source // by key
	extents map[string]int64          // of the dimensions of the results
	before  map[string]int64          // of those of what they are made of
	moved   map[string]ndarray.Source // the coordinates of dimensions that are others than before
	groups  map[string]string         // where these are: the group of the variable
}

// Add adds the result for a variable with a key. coordinates are those of the dimensions of the
// result, and moved the names of those that are others than before.
func (c *Calculation) Add(key string, of, result ndarray.Source, coordinates map[string]ndarray.Source, moved []string) error {
	if c.results == nil {
		c.results = map[string]ndarray.Source{}
		c.extents = map[string]int64{}
		c.before = map[string]int64{}
		c.moved = map[string]ndarray.Source{}
		c.groups = map[string]string{}
	}
	own, err := ndarray.LabelsOf(of)
	if err != nil {
		return err
	}
	l, err := ndarray.LabelsOf(result)
	if err != nil {
		return err
	}

	shape := of.Shape()
	for i, name := range own.Dims {
		c.before[name] = shape[i]
	}
	left := result.Shape()
	for i, name := range l.Dims {
		if n, ok := c.extents[name]; ok && n != left[i] {
			return fmt.Errorf("%s has %d items along %s, and another result %d; choose variables: %w", key, left[i], name, n,
				cairn.ErrBounds)
		}
		c.extents[name] = left[i]
		if n, ok := c.before[name]; !ok || n != left[i] || slices.Contains(moved, name) {
			c.moved[name] = coordinates[name]
			c.groups[name] = path.Dir(key)
		}
	}

	l.MaxShape = growthOf(l.Dims, left, own)
	l.Attributes = withReferences(l.Attributes, own, l.Dims)
	c.results[key] = &relabelled{result, l}
	return nil
}

// growthOf returns how far a result may grow: along dimensions without bound as before.
func growthOf(dims []string, shape ndarray.Shape, of ndarray.Labels) ndarray.Shape {
	if of.MaxShape == nil {
		return nil
	}
	most := slices.Clone(shape)
	for i, name := range dims {
		if k := slices.Index(of.Dims, name); k >= 0 && name != "" && of.MaxShape[k] < 0 {
			most[i] = of.MaxShape[k]
		}
	}
	return most
}

// withReferences adds the attributes that say where items are, which hold whatever is computed, if
// the dimensions stay.
func withReferences(attributes meta.Map, of ndarray.Labels, dims []string) meta.Map {
	if !slices.Equal(of.Dims, dims) {
		return attributes
	}
	attributes = slices.Clone(attributes)
	for _, p := range of.Attributes {
		has := slices.ContainsFunc(attributes, func(q meta.Pair) bool { return q.Key == p.Key })
		places := slices.ContainsFunc(cf.References(meta.Map{p}), func(r cf.Reference) bool {
			return r.Role == cf.Coordinate || r.Role == cf.Mapping
		})
		if !has && places {
			attributes = append(attributes, p)
		}
	}
	return attributes
}

// Outputs returns the keys of what is written, and what is not there as before: results, and
// coordinates of dimensions that have moved. gone are the names of what is left out: coordinates
// and bounds along dimensions that nothing has any more, or that are others.
func (c *Calculation) Outputs(arrays []data.Array) (keys []string, own map[string]ndarray.Source, gone map[string]bool, err error) {
	own = map[string]ndarray.Source{}
	gone = map[string]bool{}
	kept := map[string]bool{} // dimensions of variables that are written
	for name := range c.extents {
		kept[name] = true
	}
	for _, a := range arrays {
		if a.Role != cf.Data || c.results[a.Key] != nil {
			continue
		}
		for _, name := range a.Dims {
			kept[name] = true
			if _, is := c.moved[name]; is && name != "" {
				return nil, nil, nil, fmt.Errorf("%s stays as it is along %s, of which the results have other items; choose variables: %w",
					a.Key, name, cairn.ErrBounds)
			}
		}
	}

	placed := map[string]bool{}
	for _, a := range arrays {
		result := c.results[a.Key]
		if result == nil && a.Role != cf.Data {
			name := ""
			for _, dim := range a.Dims {
				_, is := c.moved[dim]
				_, was := c.before[dim]
				if is || was && !kept[dim] {
					name = dim
				}
			}
			if src := c.moved[name]; src != nil && a.Name == name && slices.Equal(a.Dims, []string{name}) {
				result = src
				placed[name] = true
			} else if name != "" {
				gone[a.Name] = true
				continue
			}
		}
		if result != nil {
			own[a.Key] = result
		}
		keys = append(keys, a.Key)
	}

	for _, name := range sortedNames(c.moved) {
		key := path.Join(c.groups[name], name)
		if c.moved[name] != nil && !placed[name] && own[key] == nil && !slices.Contains(keys, key) {
			own[key] = c.moved[name]
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		delete(gone, path.Base(key)) // there is another one in some group
	}
	return keys, own, gone, nil
}

func sortedNames(of map[string]ndarray.Source) (names []string) {
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
