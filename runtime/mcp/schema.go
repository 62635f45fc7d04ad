package mcp

import (
	"encoding/json"
	"slices"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Arg is a declared argument of a workflow.
type Arg = drive.Arg

// inputSchema is the JSON Schema of a workflow's arguments. Secret ones are left out: their values come from the environment.
func inputSchema(args []Arg) json.RawMessage {
	var properties []value.Member
	var required []string
	for _, a := range args {
		if a.Secret {
			continue
		}
		properties = append(properties, value.M(a.Name, property(a)))
		if a.Required && a.Default.IsAbsent() {
			required = append(required, a.Name)
		}
	}
	members := []value.Member{value.M("type", value.String("object")), value.M("properties", value.Object(properties...))}
	if len(required) > 0 {
		members = append(members, value.M("required", value.Strings(required...)))
	}
	return value.Object(members...).AppendJSON(nil)
}

func property(a Arg) value.Value {
	var members []value.Member
	kind := a.Type
	if kind == "" {
		kind = kindOf(a.Default)
	}
	if kind != "" {
		members = append(members, value.M("type", value.String(kind)))
	}
	if a.Description != "" {
		members = append(members, value.M("description", value.String(a.Description)))
	}
	return value.Object(append(members, value.M("default", a.Default))...)
}

// kindOf is the type that a default gives its argument; one without a default, or with null, takes anything.
func kindOf(v value.Value) string {
	switch v.Kind() {
	case value.StringKind:
		return "string"
	case value.NumberKind:
		return "number"
	case value.BoolKind:
		return "boolean"
	case value.ArrayKind:
		return "array"
	case value.ObjectKind:
		return "object"
	}
	return ""
}

// resumeSchema is the input of the tool that answers a gate.
const resumeSchema = `{"type":"object","properties":{` +
	`"token":{"type":"string","description":"the resumeToken or approvalId of the run that waits"},` +
	`"approve":{"type":"boolean","description":"the person's answer to an approval"},` +
	`"response":{"description":"the person's answer to a request for input; it must fit the request's responseSchema"},` +
	`"cancel":{"type":"boolean","description":"true gives the run up"}},"required":["token"]}`

// approvalForm is what a person fills in for an approval.
const approvalForm = `{"type":"object","properties":{"approve":{"type":"boolean","title":"Approve"}},"required":["approve"]}`

// inputForm is what a person fills in for a schema: forms have flat fields only. A schema of one value is that of a field: the
// form has in a field of its own. ok is false when no form can stand for the schema.
func inputForm(schema value.Value) (form value.Value, kind formKind, ok bool) {
	if isField(schema) {
		return value.Object(
			value.M("type", value.String("object")),
			value.M("properties", value.Object(value.M("response", schema))),
			value.M("required", value.Strings("response")),
		), formValue, true
	}
	if schema.Get("type").Text() != "object" || schema.Get("properties").Len() == 0 {
		return value.Value{}, "", false
	}
	for key := range schema.Members() {
		if !slices.Contains([]string{"type", "properties", "required", "title", "description", "additionalProperties", "$schema"}, key) {
			return value.Value{}, "", false
		}
	}
	for _, p := range schema.Get("properties").Members() {
		if !isField(p) {
			return value.Value{}, "", false
		}
	}
	return schema, formObject, true
}

// isField tells whether a schema can be a field of a form.
func isField(schema value.Value) bool {
	switch schema.Get("type").Text() {
	case "string", "number", "integer", "boolean":
		return schema.Kind() == value.ObjectKind
	}
	return false
}
