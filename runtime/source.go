package runtime

import "embed"

// Source holds the runtime's own files and, in a lobsterc that make built, the archive of the third-party packages that the
// runtime can link (thirdparty/README.md). The compiler lays them out beside a generated program. Nothing else refers to it, so
// the linker drops it from every other program, and the copy beside a generated program leaves this file out.
//
//go:embed *
var Source embed.FS
