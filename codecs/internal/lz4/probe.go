package lz4

// A probe tells noise, such as the low mantissa bytes of measurements, from what merely starts
// badly. It runs only when nothing has matched for a while, so what compresses pays nothing for it;
// what it finds to be noise costs neither the search nor, later, the copying out of a stream that
// holds literals only. The constants are measured (docs/performance.md).
const (
	probeFrom  = 4096 // shorter sources are searched in less time than the probe would save
	probeAfter = 1024 // bytes without a match before it

	sampleCount = 8  // samples, evenly spread
	sampleSize  = 64 // bytes each
)

// noiseLimit is how large the sum of squared counts may be for noise. Of n bytes with 256 values of
// equal chance it is n + n(n-1)/256 on average; this is 1.12 times that, which bytes of 7.8 bits of
// entropy just reach.
const noiseLimit = sampled*112/100 + sampled*(sampled-1)*112/25600

// fewLimit is the sum from which on bytes have few values: about that of ten equally frequent ones.
const fewLimit = sampled * sampled / 10

const sampled = sampleCount * sampleSize

// noise reports whether the values of a sample of src are about equally frequent.
func noise(src []byte) bool { return sumOfSquares(src) <= noiseLimit }

// fewValues reports whether most bytes of src have one of few values, as far as a sample shows. Of
// what is shorter than a sample it knows nothing.
func fewValues(src []byte) bool { return len(src) >= sampled && sumOfSquares(src) > fewLimit }

// sumOfSquares counts how often each value is in a sample of src and adds up the squares.
func sumOfSquares(src []byte) int {
	var counts [256]uint16
	for i := range sampleCount {
		at := (len(src) - sampleSize) / (sampleCount - 1) * i
		for _, b := range src[at:][:sampleSize] {
			counts[b]++
		}
	}
	sum := 0
	for _, n := range counts {
		sum += int(n) * int(n)
	}
	return sum
}
