package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// What items mean, attributes of the CF conventions and of NetCDF say. A single package reads them,
// and others ask it. Whoever writes attributes names them freely: files for demonstrations, tests
// and checks do.
const reader = "internal/cf"

// attributesOfMeaning are the attributes that only the reader reads. Those that are words of other
// things too, such as arguments of functions, count where they are looked up or listed.
var (
	attributesOfMeaning = []string{
		"_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned", "valid_min", "valid_max",
		"valid_range", "standard_name", "long_name", "calendar", "flag_values", "flag_masks", "flag_meanings",
		"grid_mapping", "grid_mapping_name", "cell_methods", "cell_measures", "ancillary_variables",
		"formula_terms", "climatology",
	}
	wordsOfMeaning = []string{"units", "axis", "bounds", "coordinates", "positive"}
)

// otherMeaning lists the folders and files in which such names are others, with the reasons.
var otherMeaning = map[string]string{
	"compute/calcindex.go":                "the axis is an argument of functions",
	"compute/calcreduce.go":               "the axis is an argument of functions",
	"zarr/dtypev3.go":                     "dates of Zarr have a scale_factor in their dtype",
	"cmd/internal/command/internal/demo/": "writes files for demonstrations",
	"internal/test/lint/meaning.go":       "the lists above",
	"check/":                              "writes files, and judges what others make of them",
}

// checkMeaning reports attributes that are read elsewhere than in the reader.
func checkMeaning(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		if p.Dir == reader {
			continue
		}
		for _, f := range p.Files {
			if f.Test || hasOtherMeaning(p.Dir, f.Name) {
				continue
			}
			for _, lit := range readNames(f.Syntax) {
				out = append(out, t.problem("meaning", f.Name, lit.Pos(),
					"the attribute %s is read here; what it means, %s says", lit.Value, reader))
			}
		}
	}
	return out
}

func hasOtherMeaning(dir, file string) bool {
	for name := range otherMeaning {
		if name == file || match(name+"...", dir) {
			return true
		}
	}
	return false
}

// readNames returns the names of attributes that are an index, compared, in a list of texts, or an
// argument. Words count as arguments of methods that look something up.
func readNames(f *ast.File) (found []*ast.BasicLit) {
	add := func(words bool, all ...ast.Expr) {
		for _, e := range all {
			lit, ok := e.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				continue
			}
			name, err := strconv.Unquote(lit.Value)
			known := slices.Contains(attributesOfMeaning, name) || words && slices.Contains(wordsOfMeaning, name)
			if err == nil && known {
				found = append(found, lit)
			}
		}
	}

	add(true, compared(f)...)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			add(true, n.Index)
		case *ast.CallExpr:
			sel, method := n.Fun.(*ast.SelectorExpr)
			add(method && sel.Sel.Name == "Get", n.Args...)
		case *ast.CompositeLit:
			array, ok := n.Type.(*ast.ArrayType)
			if ok && fmt.Sprint(array.Elt) == "string" {
				add(true, n.Elts...)
			}
		}
		return true
	})
	return found
}
