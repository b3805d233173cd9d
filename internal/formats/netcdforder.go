package formats

import (
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/netcdf"
)

// groupsAndTypes makes the groups of a NetCDF file that is written as a whole, in its order, and
// the types that it defines.
func (n *netcdfWriting) groupsAndTypes() {
	if n.format != netcdf.NetCDF4 || n.origin.netcdf == nil {
		return
	}

	base := strings.TrimSuffix(Key(n.Base), "/") + "/"
	var visit func(g *netcdf.Group)
	visit = func(g *netcdf.Group) {
		key := g.Key()
		within := strings.HasPrefix(key+"/", base) || key == "/"
		around := strings.HasPrefix(base, strings.TrimSuffix(key, "/")+"/")
		if within && n.Tree || around {
			n.group(key).Types = g.Types
		}
		for _, inner := range g.Groups {
			visit(inner)
		}
	}
	visit(n.origin.netcdf.Root())
}

// ownType returns the type that a NetCDF file defines for a variable, if items of a dtype are what
// it has; nil for others.
func (n *netcdfWriting) ownType(key string, d meta.DType) *netcdf.Type {
	v := n.origin.vars[Key(key)]
	if n.format != netcdf.NetCDF4 || v == nil || v.Type.Class == netcdf.Atomic {
		return nil
	}
	if t, err := v.Type.HDF5(); err != nil || !t.Fits(d) {
		return nil
	}
	return v.Type
}

// sortDimensions gives groups their dimensions in the order of the NetCDF file that these come
// from, also those that no variable has.
func (n *netcdfWriting) sortDimensions() {
	if n.origin.netcdf == nil || !n.Tree {
		return
	}
	for key, g := range n.groups {
		from := n.origin.groups[path.Join("/", key)]
		if from == nil {
			continue
		}

		rank := map[string]int{}
		for i, d := range from.Dimensions {
			rank[d.Name] = i
			has := slices.ContainsFunc(g.Dimensions, func(own *netcdf.Dimension) bool { return own.Name == d.Name })
			if has || d.Len == 0 && n.format != netcdf.NetCDF4 {
				continue
			}
			g.Dimensions = append(g.Dimensions, &netcdf.Dimension{Name: d.Name, Len: d.Len, Unlimited: d.Unlimited})
		}
		slices.SortStableFunc(g.Dimensions, func(a, b *netcdf.Dimension) int {
			return rankOf(rank, a.Name) - rankOf(rank, b.Name)
		})
	}
}

func rankOf(rank map[string]int, name string) int {
	if i, ok := rank[name]; ok {
		return i
	}
	return len(rank)
}
