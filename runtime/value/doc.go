// Package value is the JSON value of workflows and pipelines, as JavaScript sees it: objects keep their order under
// JavaScript's key rule, numbers print as doubles do there (integers that a double cannot hold keep their digits while
// they are only passed on), strings may hold lone surrogates, and text equals JSON.stringify's byte for byte.
// See spec part 2, section 3.
//
// # How it is made fast
//
// Text is read in two steps. The scanner (scan.go) checks that it is JSON, eight bytes at a time, and finds out on the way
// whether it is what JSON.stringify would print (flagText) and whether the keys of its objects are distinct and in order
// (flagOrder). Then short arrays and objects (lazyLimit) are not parsed at all: the value is the text (raw.go). Get and At
// look for what they want in it, AppendJSON copies it, and AppendIndent goes through it once. Of larger ones the upper
// levels are parsed, so that every look into raw text is bounded.
//
// # What users of the package should know
//
//   - Get, At, Len and Path of raw text scan it: cheap once or twice for an item, not in a sort's comparison. Take the key out
//     of each item first.
//   - Items, MemberList, All and Members of raw text parse it anew each time (one level). Call them once.
//   - What a Decoder gives refers to the chunk it was read in. Whoever keeps a small part of many items detaches it (Detach,
//     Compact) or makes it with a Picker, whose results stand alone.
//   - Strings hold UTF-8, and lone surrogates as WTF-8 (ED A0 80 to ED BF BF). JSON text shows those as \udXXX. ToUTF8 gives
//     what Node would write to a file or a terminal; CleanUTF8 is for bytes that come from outside.
//   - A repDigits number is an integer whose digits JavaScript would change. Float, comparisons and StrictEqual see the double;
//     text keeps the digits.
//   - Errors of Parse and the decoders are *SyntaxError with the message of Node 22's JSON.parse.
package value
