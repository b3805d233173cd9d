package ndarray

import "github.com/cairn-go/cairn/chunk"

// engines are a worker's decoder and encoder, made when first needed. There are two pairs: the narrow one works on one block at a time,
// because other workers have the other CPUs; the wide one has a chunk to itself and uses all.
type engines struct {
	dec [2]*chunk.Decoder
	enc [2]*chunk.Encoder
}

// ready selects the engines for a call: blocks is how many blocks of a chunk may be worked on at a time.
func (w *worker) ready(u *Untyped, blocks int, write bool) error {
	k := min(blocks-1, 1)
	if w.engines.dec[k] == nil {
		o := u.decode
		o.Workers = blocks
		w.engines.dec[k] = chunk.NewDecoder(&o)
	}
	w.dec = w.engines.dec[k]
	if !write {
		return nil
	}
	if w.engines.enc[k] == nil {
		o := u.encode
		o.Workers = blocks
		enc, err := chunk.NewEncoder(&o)
		if err != nil {
			return err
		}
		w.engines.enc[k] = enc
	}
	w.enc = w.engines.enc[k]
	return nil
}
