package job

import (
	"fmt"
	"sync"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

func TestOutputIsThatOfOneProcess(t *testing.T) {
	for name, c := range newSite(t).cases() {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			o := *c.o
			o.Output, o.TaskBytes, o.MaxReads = "out.b2nd", 8000, 20
			j := s.job(&o)
			s.work(j)
			s.seal(j, "")
			once := s.read("out.b2nd")
			many := s.job(&o)
			var wg sync.WaitGroup
			for range 5 {
				wg.Go(func() {
					if err := many.Work(t.Context(), Arrays(s.fs), nil); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			s.seal(many, "many.b2nd")
			if s.read("many.b2nd") != once {
				t.Errorf("the output of five workers differs from that of one")
			}
			save := ndarray.CopyOptions{FS: s.fs}
			if c.save != nil {
				save = *c.save
				save.FS = s.fs
			}
			if err := ndarray.Save(t.Context(), "saved.b2nd", s.source(&o), &save); err != nil {
				t.Fatal(err)
			}
			s.sameChunks("out.b2nd", "saved.b2nd")
			if j.plan.Tasks < 2 && name != "empty" && name != "item" && name != "none left" {
				t.Errorf("%d tasks", j.plan.Tasks)
			}
		})
	}
}

// sameChunks compares arrays by their encoded chunks and metalayers.
func (s *site) sameChunks(a, b string) {
	s.t.Helper()
	var told [2][]string
	for k, path := range []string{a, b} {
		u, err := ndarray.Open(path, &ndarray.OpenOptions{FS: s.fs})
		if err != nil {
			s.t.Fatal(err)
		}
		defer u.Close()
		f := u.Frame()
		vl, err := f.VLLayers()
		if err != nil {
			s.t.Fatal(err)
		}
		info := f.Info()
		told[k] = append(told[k], fmt.Sprintf("%q %q", f.Layers(), vl),
			fmt.Sprint(info.Codec, info.Level, info.Pipeline, info.Split, info.TypeSize, info.ChunkSize, info.BlockSize))
		for i := range f.NumChunks() {
			c, err := f.EncodedChunk(nil, i)
			if err != nil {
				s.t.Fatal(err)
			}
			told[k] = append(told[k], string(c))
		}
	}
	if len(told[0]) != len(told[1]) {
		s.t.Fatalf("%d chunks, want %d", len(told[0])-2, len(told[1])-2)
	}
	for i := range told[0] {
		if told[0][i] != told[1][i] {
			s.t.Errorf("item %d of %s: %.200q, want %.200q", i, a, told[0][i], told[1][i])
		}
	}
}
