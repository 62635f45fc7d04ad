// Package editor holds what editors want to know of workflow files: a JSON Schema for completion, hover texts and first
// checks while typing. The compiler itself does not use it; what it says is tested to agree with compiler/syntax.
package editor

import _ "embed"

// Schema is the JSON Schema (draft 7, which every editor knows) of workflow files. Unlike the compiler, which warns of them, it
// takes unknown keys for errors, since that is how editors show them; keys that start with x- are free.
//
//go:embed schema.json
var Schema string
