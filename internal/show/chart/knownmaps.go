package chart

import (
	"image/color"
	"strconv"
	"strings"
)

// The colour maps that scientists know by name, as colours at places of 0 to 255 with straight
// lines between them in sRGB. The places are the fewest for which no channel differs by more than
// one step from the 256 colours that Matplotlib 3.11 has for the name.
//
// Viridis, magma, inferno and plasma are by Nathaniel Smith, Stéfan van der Walt and Eric Firing,
// who gave them away under CC0. Cividis is by Jamie Nuñez, Christopher Anderton and Ryan Renslow
// (doi:10.1371/journal.pone.0199239). RdBu is a scheme of ColorBrewer 2.0, developed by Cynthia
// Brewer (https://colorbrewer.org), under the Apache License 2.0.
const (
	viridis = "0:440154 20:481d6f 35:46307e 58:3e4c8a 94:2d718e 132:1f948c 147:1fa287 162:2ab07f " +
		"179:44bf70 198:6ccd5a 223:aadc32 237:d0e11c 244:e2e418 253:f8e621 255:fde725"
	magma = "0:000004 7:03030f 20:0e0b2b 37:241253 48:36106b 58:471078 74:601880 105:912b81 " +
		"133:bf3a77 152:dc4869 168:ef5d5e 182:f8765c 196:fc9065 216:feb67c 244:fde9aa 255:fcfdbf"
	inferno = "0:000004 7:030210 22:120a32 35:260c51 45:380962 58:4d0d6c 81:721a6e 105:982766 " +
		"128:bc3754 151:da4e3c 172:ef6c23 193:fa9008 199:fb9b06 206:fca80d 217:fbbe23 229:f6d543 " +
		"238:f2e661 246:f2f482 254:fafda1 255:fcffa4"
	plasma = "0:0d0887 8:220690 31:4b03a1 52:6c00a8 68:8405a7 88:a01a9c 122:c6417d 161:e76e5b " +
		"193:f9973f 221:fec029 232:fcd225 252:f1f426 255:f0f921"
	cividis = "0:00224e 20:003070 23:013271 28:123570 39:263d6e 60:3f4c6c 87:595e6e 136:848279 " +
		"175:aaa073 206:cbb965 231:e6d051 237:edd54a 252:fee434 255:fee838"
	rdbu = "0:67001f 26:b3192c 52:d7634f 78:f5a886 103:fddcc9 128:f6f7f7 154:cfe4ef 180:8dc2dc " +
		"204:4393c3 230:2065ab 255:053061"
)

// fillKnown computes the colours of a map that is given by colours at places.
func fillKnown(table *[mapSteps]color.RGBA, places string) {
	var at []float64
	var colours [][3]float64
	for place := range strings.FieldsSeq(places) {
		number, hex, _ := strings.Cut(place, ":")
		n, _ := strconv.Atoi(number)
		rgb, _ := strconv.ParseUint(hex, 16, 32)
		at = append(at, float64(n)/255)
		colours = append(colours, [3]float64{float64(rgb >> 16), float64(rgb >> 8 & 255), float64(rgb & 255)})
	}

	right := 1
	for i := range table {
		t := float64(i) / (mapSteps - 1)
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
