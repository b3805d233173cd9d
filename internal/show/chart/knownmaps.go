package chart

import (
	"image/color"
	"strconv"
	"strings"
)

// The colour maps that scientists know by name, as colours at places of 0 to 255 with straight
// lines between them in sRGB. The places are the fewest for which no channel differs by more than
// one step from the 256 colours that Matplotlib 3.11 has for the name; testdata/colourmaps.py finds
// them.
//
// Viridis, magma, inferno and plasma are by Nathaniel Smith, Stéfan van der Walt and Eric Firing,
// who gave them away under CC0. Cividis is by Jamie Nuñez, Christopher Anderton and Ryan Renslow
// (doi:10.1371/journal.pone.0199239). RdBu is a scheme of ColorBrewer 2.0, developed by Cynthia
// Brewer (https://colorbrewer.org), under the Apache License 2.0.
const (
	viridis = "0:440154 17:481a6c 35:46307e 58:3e4c8a 93:2d708e 129:20928c 144:1fa088 " +
		"157:25ac82 172:38b977 184:4ec36b 203:77d153 233:c5e021 242:dde318 248:ece51b " +
		"255:fde725"
	magma = "0:000004 2:010106 12:06051a 29:19103f 42:2c115f 54:400f74 66:54137d 90:792282 " +
		"120:aa337d 143:cf4070 159:e55064 172:f2645c 187:fa7f5e 206:fea36f 227:feca8d " +
		"255:fcfdbf"
	inferno = "0:000004 6:02020e 21:110a30 35:260c51 45:380962 58:4d0d6c 80:71196e " +
		"103:952667 126:b93556 150:d94d3d 172:ef6c23 194:fa9207 201:fc9f07 207:fcaa0f " +
		"220:fac42a 232:f5db4c 241:f1ec6d 248:f3f68a 255:fcffa4"
	plasma = "0:0d0887 2:130789 12:2a0593 35:5102a3 54:6f00a8 67:8305a7 85:9c179e 113:bd3786 " +
		"153:e16462 188:f79044 216:feb82c 233:fbd324 251:f2f227 255:f0f921"
	cividis = "0:00224e 17:002e6c 23:013271 26:0c3470 32:1a386f 47:31436d 83:555c6d " +
		"130:7e7d78 162:9d9576 195:bfb06b 224:dec958 241:f1d945 251:fde334 255:fee838"
	rdbu = "0:67001f 26:b3192c 49:d35a4a 76:f3a481 102:fddbc7 128:f6f7f7 153:d1e5f0 " +
		"177:96c7df 204:4393c3 230:2065ab 255:053061"
)

// fillKnown computes the colours of a map that is given by colours at places, in as many steps as
// the table has.
func fillKnown(table []color.RGBA, places string) {
	var at []float64
	var colours [][3]float64
	for place := range strings.FieldsSeq(places) {
		number, hex, _ := strings.Cut(place, ":")
		n, _ := strconv.Atoi(number)
		rgb, _ := strconv.ParseUint(hex, 16, 32)
		at = append(at, float64(n))
		colours = append(colours, [3]float64{float64(rgb >> 16), float64(rgb >> 8 & 255), float64(rgb & 255)})
	}

	right := 1
	for i := range table {
		t := 255 * float64(i) / float64(len(table)-1)
		for right < len(at)-1 && at[right] < t {
			right++
		}

		w := (t - at[right-1]) / (at[right] - at[right-1])
		channel := func(c int) uint8 {
			from := colours[right-1][c]
			return uint8(from + w*(colours[right][c]-from) + 0.5)
		}
		table[i] = color.RGBA{channel(0), channel(1), channel(2), 255}
	}
}
