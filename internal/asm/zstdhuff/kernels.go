package zstdhuff

func (s *Streams) singleRounds(t *Single, n int) { s.singleRoundsGeneric(t, n) }

func (s *Streams) doubleRounds(d *Double, n int) { s.doubleRoundsGeneric(d, n) }
