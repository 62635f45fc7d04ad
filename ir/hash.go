package ir

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash is the program's identity: "sha256:" and the SHA-256 of its canonical JSON without descriptions, in hex. A state that
// was saved by one program is resumed only by a program with the same hash.
func Hash(p *Program) string {
	sum := sha256.Sum256(encode(p, encoder{meaning: true}).AppendJSON(nil))
	return "sha256:" + hex.EncodeToString(sum[:])
}
