package ir

import _ "embed"

// Schema is the JSON Schema of the IR's JSON, for tools that read or write it.
//
//go:embed schema.json
var Schema string
