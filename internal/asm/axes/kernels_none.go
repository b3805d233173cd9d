//go:build purego || !(amd64 || arm64)

package axes

func sumNear[T Number]([]T, int, int) int { return 0 }

func sumFar[T Number]([]T, int) int { return 0 }
