package command

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// quoted matches a name of JSON in a table of the documents.
var quoted = regexp.MustCompile("`([a-z_]+)`")

// documented returns the names in the tables of fields of a section of docs/command.md.
func documented(t *testing.T, section string) (names []string) {
	t.Helper()
	_, rest, ok := strings.Cut(string(readFile(t, "../../../docs/command.md")), "\n## "+section+"\n")
	if !ok {
		t.Fatalf("docs/command.md has no section %s", section)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	inside := false
	for line := range strings.Lines(rest) {
		inside = strings.HasPrefix(line, "| field | content |") || inside && strings.HasPrefix(line, "|")
		if inside {
			for _, match := range quoted.FindAllStringSubmatch(line, -1) {
				names = append(names, match[1])
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// allNames adds the names of a type in JSON, and of what it has, but for types of package
// described.
func allNames(of reflect.Type, names []string) []string {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		return allNames(of.Elem(), names)
	case reflect.Struct:
	default:
		return names
	}
	if !strings.HasSuffix(of.PkgPath(), "/described") && of.PkgPath() != "time" {
		names = append(names, namesOf(of)...)
		for i := range of.NumField() {
			if of.Field(i).Tag.Get("json") != "" || of.Field(i).Anonymous {
				names = allNames(of.Field(i).Type, names)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestJSONIsDocumented compares the names that docs/command.md lists with those that verbs print.
func TestJSONIsDocumented(t *testing.T) {
	for section, types := range map[string][]reflect.Type{
		"stats":         {reflect.TypeFor[statistics]()},
		"diff":          {reflect.TypeFor[comparison](), reflect.TypeFor[treeComparison]()},
		"advise":        {reflect.TypeFor[advice]()},
		"log and prune": {reflect.TypeFor[commit](), reflect.TypeFor[pruned]()},
		"repair":        {reflect.TypeFor[repair]()},
	} {
		var have []string
		for _, of := range types {
			have = allNames(of, have)
		}
		lists := documented(t, section)
		for _, name := range have {
			if !slices.Contains(lists, name) {
				t.Errorf("%s prints %s, which docs/command.md does not list", section, name)
			}
		}
		for _, name := range lists {
			if !slices.Contains(have, name) && name != "null" {
				t.Errorf("docs/command.md lists %s, which %s does not print", name, section)
			}
		}
	}
}

// TestDocumentedJSONIsPrinted looks for names that are printed and not documented.
func TestDocumentedJSONIsPrinted(t *testing.T) {
	lists := map[string][]string{}
	for _, verb := range []string{"stats", "diff", "advise"} {
		lists[verb] = documented(t, verb)
	}
	t.Chdir(t.TempDir())
	writeFile(t, "a.npy", npyFile(t, "<f4", false, 4, 5))
	writeFile(t, "b.npy", npyFile(t, "<f4", false, 4, 5))
	cairnOK(t, "import", "a.npy", "a.b2nd")
	cairnOK(t, "calc", "-o", "b.b2nd", "a + 1", "a=a.b2nd")
	for _, line := range []string{"copy a.b2nd x.b2z::/g/a", "copy a.b2nd x.b2z::/only/a", "copy b.b2nd y.b2z::/g/a", "copy b.b2nd y.b2z::/b"} {
		cairnOK(t, strings.Fields(line)...)
	}
	for line, least := range map[string]int{
		"stats -json -hist 3 -quantiles 0.5 -chunks a.b2nd": 20,
		"diff -json a.b2nd b.b2nd":                          14,
		"diff -json x.b2z y.b2z":                            18,
		"advise -json -time 100ms a.b2nd":                   15,
	} {
		args := strings.Fields(line)
		r := cairnWith(t.Context(), nil, args...)
		var told any
		if err := json.Unmarshal([]byte(r.stdout), &told); err != nil {
			t.Fatalf("cairn %s: %v: %s%s", line, err, r.stdout, r.stderr)
		}
		printed := map[string]bool{}
		keysOfJSON(told, printed)
		for name := range printed {
			if !slices.Contains(lists[args[0]], name) {
				t.Errorf("cairn %s prints %s, which is not documented", line, name)
			}
		}
		if len(printed) < least {
			t.Errorf("cairn %s prints only %v", line, printed)
		}
	}
}

// keysOfJSON collects the names of all objects in a value.
func keysOfJSON(v any, names map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			keysOfJSON(e, names)
		}
	case map[string]any:
		for name, e := range v {
			names[name] = true
			keysOfJSON(e, names)
		}
	}
}
