package frame

import (
	"bytes"
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/remains"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
)

// salvageWindow is how many bytes are searched for metalayers if the header cannot be read.
const salvageWindow = 64 << 10

// readHeader reads as much of a damaged header as possible.
func (s *salvage) readHeader() error {
	b, err := wire.ReadFull(s.file, nil, 0, min(s.size, salvageWindow))
	if err != nil {
		return err
	}
	h, err := format.ParseHeader(b, math.MaxInt64)
	if err == nil && h.Generation != format.Current {
		return fmt.Errorf("a damaged frame of generation %v: %w", h.Generation, cairn.ErrUnsupported)
	}

	if s.trusted = err == nil && h.HeaderLen <= s.size && h.HeaderLen <= s.env.engine.Limits.MaxHeader; s.trusted {
		s.head = h
		if h.HeaderLen > int64(len(b)) {
			if b, err = wire.ReadFull(s.file, b, 0, h.HeaderLen); err != nil {
				return err
			}
		}
		b = b[:h.HeaderLen]
	} else {
		s.report.Rebuilt = true
		s.head = format.Header{LayersAt: format.AtLayers, Version: format.VersionFixed,
			Level: chunk.DefaultLevel, TypeSize: 1, ChunkSize: -1, Threads: [2]int16{1, 1}}
		s.report.fault(err)
	}

	s.readLayers(b)
	s.dropBroken()
	s.geometry()
	return nil
}

// readLayers reads the fixed metalayers from b, the beginning of the frame.
func (s *salvage) readLayers(b []byte) {
	if len(b) < format.AtLayers {
		return
	}
	layers, err := metalist.ParseHeader(b, format.AtLayers)
	if err != nil {
		s.report.fault(err)
		if !s.trusted {
			b = b[:remains.FirstChunk(b, format.AtLayers)]
		}
		layers = s.looseLayers(b, format.AtLayers, metalist.MaxLayers, false)
		if len(layers)+len(s.report.Layers) == 0 {
			s.report.Layers = []LostLayer{{Err: err}}
		}
	}
	s.layers = cloneLayers(layers)
	if s.head.HeaderLen == 0 && err == nil {
		s.head.HeaderLen = format.HeaderSize(layers) // known from a valid list
	}
}

// looseLayers reads the metalayers of a damaged list, and reports those that are lost.
func (s *salvage) looseLayers(b []byte, from, limit int, variable bool) []meta.Layer {
	layers, lost := remains.LooseLayers(b, from, limit)
	for _, l := range lost {
		s.report.Layers = append(s.report.Layers, LostLayer{l.Name, variable, l.Err})
	}
	return layers
}

// readTrailer looks for the trailer at the offset in the header, at the end of the file, and at the
// offset from, if that is positive.
func (s *salvage) readTrailer(from int64) []meta.Layer {
	limit := s.env.engine.Limits.MaxTrailer
	h := s.head
	if h.Generation == format.Current && s.trusted && h.FrameLen <= s.size {
		if _, _, vl, err := readTrailer(s.file, 0, &h, limit); err == nil {
			return vl
		}
	}

	h.FrameLen = s.size
	_, _, vl, err := readTrailer(s.file, 0, &h, limit)
	if err == nil {
		return vl
	}

	s.report.fault(err)
	if from <= 0 || from >= s.size {
		s.report.Layers = append(s.report.Layers, LostLayer{Variable: true,
			Err: cairn.Corruptf(format.LayerTrailer, -1, "was not found")})
		return nil
	}

	b, err := wire.ReadFull(s.file, nil, from, min(s.size-from, limit))
	if err != nil {
		s.report.fault(err)
		return nil
	}

	if i := bytes.Index(b, []byte(format.RecordMagic)); i >= 0 {
		b = b[:i] // the record has a copy of the fixed metalayers
	}
	return s.looseLayers(b, 2, metalist.MaxVLLayers, true)
}

// soundVL returns the metalayers of variable length whose values decode.
func (s *salvage) soundVL(v *draft) []meta.Layer {
	sound := make([]meta.Layer, 0, len(v.vl))
	for _, l := range v.vl {
		if err := v.proveVL(l.Content); err != nil {
			s.report.Layers = append(s.report.Layers, LostLayer{Name: l.Name, Variable: true, Err: err})
			continue
		}
		sound = append(sound, l)
	}
	return sound
}
