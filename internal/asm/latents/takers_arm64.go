//go:build !purego

package latents

import "unsafe"

// The kernels are named by the bits of latents, and of their offsets at most.

//go:noescape
func take8by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take8by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take16by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take16by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take16by28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take32by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take32by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take32by28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take32by57NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take64nearby0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take64nearby14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take64nearby28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take64nearby57NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take64by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take64by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take64by28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take64by57NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func take64by64NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int) uint

//go:noescape
func join8by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join8by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join16by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join16by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join16by28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join32by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join32by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join32by28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join32by57NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join64nearby0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join64nearby14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join64nearby28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join64nearby57NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join64by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join64by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join64by28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

//go:noescape
func join64by57NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64,
	turns int, table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

var takers = [5][5]taker{
	{take8by0NEON, take8by14NEON},
	{take16by0NEON, take16by14NEON, take16by28NEON},
	{take32by0NEON, take32by14NEON, take32by28NEON, take32by57NEON},
	{take64nearby0NEON, take64nearby14NEON, take64nearby28NEON, take64nearby57NEON},
	{take64by0NEON, take64by14NEON, take64by28NEON, take64by57NEON, take64by64NEON},
}

var joiners = [5][4]joiner{
	{join8by0NEON, join8by14NEON},
	{join16by0NEON, join16by14NEON, join16by28NEON},
	{join32by0NEON, join32by14NEON, join32by28NEON, join32by57NEON},
	{join64nearby0NEON, join64nearby14NEON, join64nearby28NEON, join64nearby57NEON},
	{join64by0NEON, join64by14NEON, join64by28NEON, join64by57NEON},
}
