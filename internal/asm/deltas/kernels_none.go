//go:build purego || (!amd64 && !arm64)

package deltas

func take[L Latent]([]L, int) int { return 0 }
