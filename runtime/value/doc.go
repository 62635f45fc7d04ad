// Package value is the JSON value of workflows and pipelines, as JavaScript sees it: objects keep their order under
// JavaScript's key rule, numbers print as doubles do there (integers that a double cannot hold keep their digits while
// they are only passed on), strings may hold lone surrogates, and text equals JSON.stringify's byte for byte.
// See spec part 2, section 3.
package value
