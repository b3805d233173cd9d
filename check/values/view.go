package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// view compares what view shows. Beside the array there are xarray's values of it as plain numbers:
// in a NetCDF file of the same name, of which view must show the same to the byte, and in a npy
// file, whose items must have the same colours.
func (c *checker) view(want *wanted, k int) error {
	variants := [][]string{{"-log"}, {"-limits", "10%,90%"}, {"-map", "balance"}, {"-limits", "-5,60"}}
	for _, flags := range [][]string{
		{}, {"-color", "always"}, {"-s", ":, 1, 2"}, {"-hist"}, variants[k%len(variants)],
	} {
		// Run a command for the array and for the plain one, and compare what they print.
		args := append([]string{"view", "-grid", "3"}, flags...)
		operand := filepath.Base(c.path) + "::v"
		got, err := c.runIn(c.dir, append(args, operand)...)
		if err != nil {
			return err
		}

		plain, err := c.runIn(c.plain, append(args, operand)...)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, plain) {
			return fmt.Errorf("%q shows\n%s\nand of plain numbers\n%s", args, got, plain)
		}
	}

	if err := c.limits(want); err != nil {
		return err
	}
	return c.pictures(want)
}

// ends matches the ends of the scale below a field in the terminal.
var ends = regexp.MustCompile(`(?m)^(\S+) .*@ (\S+)`)

// limits compares the ends of the scale of the first slice, which are printed with few digits.
func (c *checker) limits(want *wanted) error {
	out, err := c.run("view", c.path+"::v")
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	found := ends.FindStringSubmatch(lines[len(lines)-1])
	if found == nil {
		return fmt.Errorf("no scale in %q", lines[len(lines)-1])
	}

	low, high := extent(want.Values[:rows*columns])
	for i, v := range []float64{low, high} {
		got, err := strconv.ParseFloat(strings.ReplaceAll(found[i+1], "−", "-"), 64)
		if err != nil {
			return err
		}
		c.compared++
		if near := math.Max(0.011*(high-low), 0.006*math.Abs(v)); low < high && math.Abs(got-v) > near {
			return fmt.Errorf("the scale ends at %v, want %v", got, v)
		}
	}
	return nil
}

// extent returns the least and the greatest value. Without any they are 0 and 1.
func extent(values []*float64) (low, high float64) {
	low = math.Inf(1)
	high = math.Inf(-1)
	for _, v := range values {
		if v != nil {
			low = min(low, *v)
			high = max(high, *v)
		}
	}
	if low > high {
		return 0, 1
	}
	return low, high
}

// pictures compares the colours of all items.
func (c *checker) pictures(want *wanted) error {
	operand := filepath.Base(c.path) + "::v"
	packed, file, err := c.picture(c.dir, operand)
	if err != nil {
		return err
	}

	_, same, err := c.picture(c.plain, operand)
	if err != nil {
		return err
	}
	if !bytes.Equal(file, same) {
		return errors.New("the picture is not that of plain numbers")
	}

	plain, _, err := c.picture(c.plain, strings.TrimSuffix(filepath.Base(c.path), ".nc")+".npy")
	if err != nil {
		return err
	}

	low, high := extent(want.Values)
	if len(packed.items) != len(want.Values) || len(plain.items) != len(want.Values) {
		return fmt.Errorf("%d items and %d plain ones in pictures, want %d", len(packed.items), len(plain.items), len(want.Values))
	}
	for i, v := range want.Values {
		c.compared++
		got := packed.items[i]
		if got != plain.items[i] {
			return fmt.Errorf("item %d is %v, and %v of plain numbers", i, got, plain.items[i])
		}
		if !packed.has(got, v, low, high) {
			return fmt.Errorf("item %d of value %v is %v, which is not that of the scale", i, show(v), got)
		}
	}
	return nil
}

// The size of a slice.
const rows, columns = 4, 5

// A picture is what a picture of fields shows.
type picture struct {
	items  []color.RGBA
	bar    []color.RGBA // the colours of the scale, from the least value
	absent color.RGBA   // the colour beside the bar
}

// has reports whether a colour is that of a value. The bar and the items may round to neighbours of
// its steps.
func (p *picture) has(got color.RGBA, v *float64, low, high float64) bool {
	if v == nil {
		return got == p.absent
	}
	at := 0.5
	if low < high {
		at = (*v - low) / (high - low)
	}
	place := int(at * float64(len(p.bar)-1))
	const near = 3
	return slices.Contains(p.bar[max(0, place-near):min(len(p.bar), place+near+1)], got)
}

// picture lets view write a picture of all slices, and reads it.
func (c *checker) picture(dir, operand string) (*picture, []byte, error) {
	name := filepath.Join(dir, "view.png")
	if _, err := c.runIn(dir, "view", "-grid", "3", "-size", "640x520", "-o", name, operand); err != nil {
		return nil, nil, err
	}
	file, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	if err := os.Remove(name); err != nil {
		return nil, nil, err
	}
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, nil, err
	}
	p, err := look(img)
	return p, file, err
}

// look finds the fields and the bar, which have frames.
func look(img image.Image) (*picture, error) {
	boxes := frames(img)
	if len(boxes) < 2 {
		return nil, fmt.Errorf("%d frames in a picture", len(boxes))
	}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA) }
	p := &picture{}
	last := boxes[len(boxes)-1]
	for x := last.Min.X; x < last.Max.X; x++ {
		p.bar = append(p.bar, at(x, last.Min.Y))
	}
	const beside = 20 // pixels
	p.absent = at(last.Min.X-beside, last.Min.Y)

	for _, b := range boxes[:len(boxes)-1] {
		items := make([]color.RGBA, rows*columns)
		seen := make([]bool, len(items))
		for y := range b.Dy() - 1 { // ticks begin in the pixels beside the left and the lower line
			for x := 1; x < b.Dx(); x++ {
				i := y*rows/b.Dy()*columns + x*columns/b.Dx()
				got := at(b.Min.X+x, b.Min.Y+y)
				if seen[i] && got != items[i] {
					return nil, fmt.Errorf("item %d of a field has %v and %v", i, items[i], got)
				}
				items[i] = got
				seen[i] = true
			}
		}
		p.items = append(p.items, items...)
	}
	return p, nil
}

// frames returns what is inside of the frames, from the top. A frame has two long lines, above and
// below, from the same place to the same place.
func frames(img image.Image) (boxes []image.Rectangle) {
	const long = 60
	ink := color.RGBA{32, 36, 44, 255}
	tops := map[[2]int]int{}
	area := img.Bounds()

	for y := area.Min.Y; y < area.Max.Y; y++ {
		from := area.Min.X
		for x := area.Min.X; x <= area.Max.X; x++ {
			if x < area.Max.X && color.RGBAModel.Convert(img.At(x, y)) == ink {
				continue
			}
			if key := [2]int{from, x}; x-from >= long {
				if top, ok := tops[key]; ok {
					boxes = append(boxes, image.Rect(from+1, top+1, x-1, y))
					delete(tops, key)
				} else {
					tops[key] = y
				}
			}
			from = x + 1
		}
	}
	return boxes
}
