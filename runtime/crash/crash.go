// Package crash lets a panic on any goroutine end the process in good order: in tool mode even a bug of ours must leave one JSON document on
// stdout. A panic on the main goroutine reaches Main by itself; every other goroutine that runs code of a program defers Guard.
package crash

import (
	"runtime/debug"
	"sync/atomic"
)

var handler atomic.Pointer[func(p any, stack []byte)]

// Handle sets what is called with a panic and its stack. It is to end the process.
func Handle(f func(p any, stack []byte)) { handler.Store(&f) }

// Guard is deferred first thing in a goroutine.
func Guard() {
	if p := recover(); p != nil {
		Report(p)
	}
}

// Report hands over what a goroutine recovered itself. Without a handler the panic goes on.
func Report(p any) {
	f := handler.Load()
	if f == nil {
		panic(p)
	}
	(*f)(p, debug.Stack())
}
