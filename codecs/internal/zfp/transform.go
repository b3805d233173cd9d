package zfp

// forward decorrelates a cell in place along each dimension, the fastest first.
func forward[I integer](cell []I) {
	for i := 0; i < len(cell); i += side {
		row := cell[i : i+side : i+side]
		row[0], row[1], row[2], row[3] = lift(row[0], row[1], row[2], row[3])
	}

	for step := side; step < len(cell); step *= side {
		for i := 0; i < len(cell); i += side * step {
			a, b, c, d := quarters(cell[i:i+side*step], step)
			for k := range a {
				a[k], b[k], c[k], d[k] = lift(a[k], b[k], c[k], d[k])
			}
		}
	}
}

// backward undoes forward, except for the lowest bits.
func backward[I integer](cell []I) {
	for step := len(cell) / side; step >= side; step /= side {
		for i := 0; i < len(cell); i += side * step {
			a, b, c, d := quarters(cell[i:i+side*step], step)
			for k := range a {
				a[k], b[k], c[k], d[k] = drop(a[k], b[k], c[k], d[k])
			}
		}
	}

	for i := 0; i < len(cell); i += side {
		row := cell[i : i+side : i+side]
		row[0], row[1], row[2], row[3] = drop(row[0], row[1], row[2], row[3])
	}
}

// quarters divides s into four parts of n.
func quarters[I integer](s []I, n int) (a, b, c, d []I) {
	return s[:n], s[n:][:n], s[2*n:][:n], s[3*n:][:n]
}

// lift turns four neighbours into their mean and three differences. Integers overflow silently.
//
//	     ( 4  4  4  4)
//	1/16 ( 5  1 -1 -5)
//	     (-4  4  4 -4)
//	     (-2  6 -6  2)
func lift[I integer](x, y, z, w I) (I, I, I, I) {
	x, w = halve(x, w)
	z, y = halve(z, y)
	x, z = halve(x, z)
	w, y = halve(w, y)
	w += y >> 1
	y -= w >> 1
	return x, y, z, w
}

// drop undoes lift.
func drop[I integer](x, y, z, w I) (I, I, I, I) {
	y += w >> 1
	w -= y >> 1
	w, y = double(w, y)
	x, z = double(x, z)
	z, y = double(z, y)
	x, w = double(x, w)
	return x, y, z, w
}

// halve returns the mean of two integers, rounded down, and the distance of the second above it.
func halve[I integer](a, b I) (mean, above I) {
	mean = (a + b) >> 1
	return mean, b - mean
}

// double undoes halve, except for the lowest bit.
func double[I integer](mean, above I) (a, b I) {
	b = above + mean
	return 2*mean - b, b
}
