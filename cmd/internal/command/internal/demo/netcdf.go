package demo

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
)

// Numbers of the classic format of NetCDF; package netcdf describes the format.
const (
	cdfDimensions, cdfVariables, cdfAttributes = 10, 11, 12

	cdfChar, cdfShort, cdfInt, cdfFloat = 2, 3, 4, 5
)

// packedFactor is the scale_factor of the temperatures of monthly.nc.
const packedFactor = 0.01

// A cdf is the header of a file of CDF-2.
type cdf []byte

func (c *cdf) word(n int) { *c = binary.BigEndian.AppendUint32(*c, uint32(n)) }

func (c *cdf) text(s string) {
	c.word(len(s))
	*c = append(*c, s...)
	*c = append(*c, make([]byte, -len(s)&3)...)
}

// list begins a list of n elements.
func (c *cdf) list(tag, n int) {
	c.word(tag)
	c.word(n)
}

// A cdfVariable is a variable with size bytes in each record, or in all.
type cdfVariable struct {
	name       string
	dims       []int
	kind, size int
	texts      []string // attributes and their values
	packed     bool
}

func (c *cdf) variable(v *cdfVariable, begin int) {
	c.text(v.name)
	c.word(len(v.dims))
	for _, d := range v.dims {
		c.word(d)
	}

	n := len(v.texts) / 2
	if v.packed {
		n += 2
	}
	c.list(cdfAttributes, n)
	for i := 0; i < len(v.texts); i += 2 {
		c.text(v.texts[i])
		c.word(cdfChar)
		c.text(v.texts[i+1])
	}

	if v.packed {
		c.text("scale_factor")
		c.list(cdfFloat, 1)
		c.word(int(math.Float32bits(packedFactor)))
		c.text("_FillValue")
		c.list(cdfShort, 1)
		*c = append(*c, 0x80, 0, 0, 0)
	}

	c.word(v.kind)
	c.word(v.size)
	*c = binary.BigEndian.AppendUint64(*c, uint64(begin))
}

// header returns the header of monthly.nc. The offsets of variables follow from its length.
func (d *demo) header(length int) cdf {
	var c cdf
	c = append(c, "CDF\x02"...)
	c.word(len(d.monthly.begins))
	c.list(cdfDimensions, 3)
	for i, name := range []string{"time", "lat", "lon"} {
		c.text(name)
		c.word([]int{0, lats, lons}[i])
	}

	c.list(cdfAttributes, 1)
	c.text("title")
	c.word(cdfChar)
	c.text("Monthly temperature of an invented planet")

	variables := []cdfVariable{
		{name: "lat", dims: []int{1}, kind: cdfFloat, size: 4 * lats, texts: []string{"long_name", "Latitude", "units", "degrees_north"}},
		{name: "lon", dims: []int{2}, kind: cdfFloat, size: 4 * lons, texts: []string{"long_name", "Longitude", "units", "degrees_east"}},
		{name: "time", dims: []int{0}, kind: cdfInt, size: 4,
			texts: []string{"units", "days since " + firstDay.Format("2006-01-02"), "calendar", "proleptic_gregorian"}},
		{name: "temperature", dims: []int{0, 1, 2}, kind: cdfShort, size: 2 * lats * lons, packed: true,
			texts: []string{"long_name", "Mean temperature at 2 m", "units", "degC"}},
	}

	c.list(cdfVariables, len(variables))
	for i := range variables {
		c.variable(&variables[i], length)
		length += variables[i].size
	}
	return c
}

func (d *demo) putNetCDF(f io.Writer) error {
	w := bufio.NewWriter(f)
	all := []any{[]byte(d.header(len(d.header(0)))), latitudes(), longitudes()}
	means := d.monthly.means()

	for i, begin := range d.monthly.begins {
		record := make([]int16, lats*lons)
		for k, v := range means[i*lats*lons:][:lats*lons] {
			record[k] = int16(math.Round(float64(v) / packedFactor))
		}
		all = append(all, begin, record)
	}

	for _, part := range all {
		if err := binary.Write(w, binary.BigEndian, part); err != nil {
			return err
		}
	}
	return w.Flush()
}
