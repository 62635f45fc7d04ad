package runtime

import "github.com/lobsterc/lobsterc/runtime/drive"

// The comparisons of conditions; see package drive.

// Less is x < y in a condition.
func Less(x, y Value) bool { return drive.Less(x, y) }

// LessEqual is x <= y in a condition.
func LessEqual(x, y Value) bool { return drive.LessEqual(x, y) }

// Greater is x > y in a condition.
func Greater(x, y Value) bool { return drive.Greater(x, y) }

// GreaterEqual is x >= y in a condition.
func GreaterEqual(x, y Value) bool { return drive.GreaterEqual(x, y) }

// And is x && y where both sides must be evaluated.
func And(x, y bool) bool { return drive.And(x, y) }

// Or is x || y where both sides must be evaluated.
func Or(x, y bool) bool { return drive.Or(x, y) }
