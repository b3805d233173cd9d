package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// The properties of codecs, filters and kinds of dtypes belong in the tables of these folders, and
// other code reads the rows. So a new codec needs nothing but a new row.
var tables = []string{"codecs/...", "shuffle/...", "internal/test/filtertest", "meta", "internal/govalue", "internal/cf"}

// tellApart lists the files that may compare with individual codecs, filters or kinds, with the
// reasons.
var tellApart = map[string]string{
	"chunk/options.go":              "a 16-byte header has a bit for each of three filters",
	"chunk/encode.go":               deltas,
	"chunk/reader.go":               deltas,
	"chunk/fetch.go":                deltas,
	"chunk/rewrite.go":              deltas,
	"chunk/vlencode.go":             deltas,
	"chunk/tune.go":                 "the split rule of C-Blosc2 asks for a byte shuffle",
	"internal/rounding/rounding.go": "what can be rounded",
	"internal/delimited/value.go":   "which texts are items of which dtype",
	"ndarray/filters.go":            "what floats are, which lossy codecs and filters confine themselves to",
	"internal/show/item/item.go":    "how items look as text",
	"serve/internal/api/order.go":   "what is reversed for little-endian order",
	"check/interop/spec.go":         "what the real library fails at",
	"check/harness/zarrita.go":      "what zarrita knows",
	"check/serve/draw.go":           "which items all readers give back as they are",

	"hdf5/newtype.go":  "HDF5's datatypes for dtypes",
	"zarr/dtypev3.go":  "Zarr's names of dtypes",
	"zarr/document.go": "which items xarray masks",
	"zarr/fill.go":     "how items look as JSON",
	"zarr/missing.go":  "which items xarray masks",
	"zarr/number.go":   "what filters of numcodecs calculate with",

	"compute/calctexts.go":         "which items are texts and dates in expressions",
	"internal/cf/groups/arrays.go": "in which dtype times of groups are",
	"internal/cf/joins/form.go":    "which dtype holds the items of several",
	"internal/cf/joins/convert.go": "which items become which",
	"internal/cf/coords/value.go":  "what items are as coordinates",

	"cmd/internal/command/internal/diff/numbers.go": "which items are compared as which numbers",

	"internal/test/storagetest/trace.go": "kinds of its own, of operations",
}

const deltas = "delta refers to block 0 of the chunk, which only a chunk can hand out"

// kinds are the kind letters of dtypes.
const kinds = "?biufcmMSUVO"

// checkFacts reports comparisons with individual codecs, filters and kinds of dtypes outside of
// their tables.
func checkFacts(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		if matchAny(tables, p.Dir) {
			continue
		}

		for _, f := range p.Files {
			if _, may := tellApart[f.Name]; may || f.Test {
				continue
			}

			asksKind := callsKind(f.Syntax)
			for _, e := range compared(f.Syntax) {
				if what := fact(e, asksKind); what != "" {
					out = append(out, t.problem("facts", f.Name, e.Pos(),
						"%s is told apart here; make what matters about it a field of its row, and ask that", what))
				}
			}
		}
	}
	return out
}

// compared returns the operands of == and !=, and the values of switch cases.
func compared(f *ast.File) (operands []ast.Expr) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				operands = append(operands, n.X, n.Y)
			}
		case *ast.CaseClause:
			operands = append(operands, n.List...)
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Has" {
				operands = append(operands, n.Args...)
			}
		}
		return true
	})
	return operands
}

// callsKind reports whether a file calls a method Kind.
func callsKind(f *ast.File) (asks bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Kind" {
			asks = true
		}
		return !asks
	})
	return asks
}

// fact describes an operand that is an individual codec, filter or kind.
func fact(e ast.Expr, asksKind bool) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		from, ok := e.X.(*ast.Ident)
		if !ok {
			return ""
		}

		name := e.Sel.Name
		codecs := []string{"BloscLZ", "LZ4", "LZ4HC", "Snappy", "Zlib", "Zstd"}
		filters := []string{"Byte", "Bit", "Delta"}
		switch {
		case from.Name == "codecs" && slices.Contains(codecs, name):
			return "codec " + name
		case from.Name == "shuffle" && name != "IDNone" &&
			(strings.HasPrefix(name, "ID") || slices.Contains(filters, name)):
			return "filter " + name
		}
	case *ast.BasicLit:
		if asksKind && e.Kind == token.CHAR && len(e.Value) == 3 && strings.Contains(kinds, e.Value[1:2]) {
			return fmt.Sprintf("dtype kind %s", e.Value)
		}
	}
	return ""
}
