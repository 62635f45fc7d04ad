// Package torture holds the tests of what a compiled program promises when it is killed, when its disk is full, and when many
// resume it at once: nothing lost, nothing done twice. They compile real workflows and run them as processes.
//
// Every step of these workflows does one thing: it appends its own path, which LOBSTERC_EFFECT holds, to a log. So the log says which effects
// have happened, and a test that is asked about an interrupted step answers from the log.
package torture
