package netcdf

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strings"
)

// Header writes what the file holds, without the items, as CDL: what ncdump -h prints, byte for
// byte. name is what the file is called there; its folder and extension are left out.
func (f *File) Header(w io.Writer, name string) error {
	name = path.Base(name)
	name = strings.TrimSuffix(name, path.Ext(name))
	c := &cdl{w: bufio.NewWriter(w), classic: f.format != NetCDF4}
	c.line("netcdf %s {", cdlName(name))
	c.group(f.root)
	c.line("}")
	return c.w.Flush()
}

// A cdl writes the text of a header.
type cdl struct {
	w       *bufio.Writer // which keeps the first error
	indent  string        // of the group
	classic bool
}

func (c *cdl) line(format string, args ...any) {
	if format != "" {
		_, _ = c.w.WriteString(c.indent)
	}
	fmt.Fprintf(c.w, format, args...)
	_ = c.w.WriteByte('\n')
}

func (c *cdl) group(g *Group) {
	if len(g.Types) > 0 {
		c.line("types:")
	}
	for _, t := range g.Types {
		c.typ(t)
	}

	if len(g.Dimensions) > 0 {
		c.line("dimensions:")
	}
	for _, d := range g.Dimensions {
		if d.Unlimited {
			c.line("\t%s = UNLIMITED ; // (%d currently)", cdlName(d.Name), d.Len)
		} else {
			c.line("\t%s = %d ;", cdlName(d.Name), d.Len)
		}
	}

	if len(g.Variables) > 0 {
		c.line("variables:")
	}
	for _, v := range g.Variables {
		c.variable(v)
	}

	if len(g.Attributes) > 0 {
		kind := "global"
		if g.parent != nil {
			kind = "group"
		}
		c.line("")
		c.line("// %s attributes:", kind)
	}
	for i := range g.Attributes {
		c.attribute("", &g.Attributes[i])
	}

	for _, inner := range g.Groups {
		c.line("")
		c.line("group: %s {", cdlName(inner.Name))
		outer := c.indent
		c.indent += "  "
		c.group(inner)
		c.line("} // group %s", cdlName(inner.Name))
		c.indent = outer
	}
}

func (c *cdl) variable(v *Variable) {
	dims := make([]string, len(v.Dimensions))
	for i, d := range v.Dimensions {
		dims[i] = dimensionName(v.group, d)
	}

	list := ""
	if len(dims) > 0 {
		list = "(" + strings.Join(dims, ", ") + ")"
	}

	c.line("\t%s %s%s ;", cdlName(v.Type.Name), cdlName(v.Name), list)
	for i := range v.Attributes {
		c.attribute(cdlName(v.Name), &v.Attributes[i])
	}
}

// dimensionName returns the name of a dimension as a variable of a group refers to it: with its
// path if another dimension of that name is nearer.
func dimensionName(g *Group, d *Dimension) string {
	if near := g.dimension(d.Name); near == d || d.group == nil {
		return cdlName(d.Name)
	}
	return strings.TrimSuffix(d.group.Key(), "/") + "/" + cdlName(d.Name)
}

func (c *cdl) attribute(of string, a *Attribute) {
	prefix := ""
	if a.Type.Class != Atomic || a.Type.Name == "string" {
		prefix = cdlName(a.Type.Name) + " "
	}
	c.line("\t\t%s%s:%s = %s ;", prefix, of, cdlName(a.Name), c.values(a))
}

// typ writes the declaration of a type.
func (c *cdl) typ(t *Type) {
	switch t.Class {
	case Enum:
		parts := make([]string, len(t.Members))
		for i, m := range t.Members {
			parts[i] = fmt.Sprintf("%s = %d", cdlName(m.Name), m.Value)
		}
		c.line("  %s enum %s {%s} ;", t.Base.Name, cdlName(t.Name), strings.Join(parts, ", "))

	case Compound:
		c.line("  compound %s {", cdlName(t.Name))
		for _, m := range t.Members {
			shape := ""
			if len(m.Shape) > 0 {
				shape = "(" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(m.Shape)), ", "), "[]") + ")"
			}
			c.line("    %s %s%s ;", cdlName(m.Type.Name), cdlName(m.Name), shape)
		}
		c.line("  }; // %s", cdlName(t.Name))

	case VLen:
		c.line("  %s(*) %s ;", cdlName(t.Base.Name), cdlName(t.Name))
	case Opaque:
		c.line("  opaque(%d) %s ;", t.Size, cdlName(t.Name))
	}
}
