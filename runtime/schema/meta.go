package schema

import "github.com/lobsterc/lobsterc/runtime/value"

// metaOrder is the order of the keywords in the draft-07 meta-schema: faults of a schema are reported in it.
var metaOrder = []string{
	"$id", "$schema", "$ref", "$comment", "title", "description", "default", "readOnly", "writeOnly", "examples",
	"multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern",
	"additionalItems", "items", "maxItems", "minItems", "uniqueItems", "contains", "maxProperties", "minProperties", "required",
	"additionalProperties", "definitions", "properties", "patternProperties", "dependencies", "propertyNames", "const", "enum", "type",
	"format", "contentMediaType", "contentEncoding", "if", "then", "else", "allOf", "anyOf", "oneOf", "not",
}

// metaSource is what wording needs to know of the meta-schema: the order of its properties and of its type, and that
// lists of strings hold strings.
func metaSource() value.Value {
	properties := make([]value.Member, 0, len(metaOrder))
	for _, keyword := range metaOrder {
		properties = append(properties, value.M(keyword, value.Object()))
	}
	text := value.Object(value.M("type", value.String("string")))
	return value.Object(
		value.M("type", value.Array(value.String("object"), value.String("boolean"))),
		value.M("properties", value.Object(properties...)),
		value.M("definitions", value.Object(value.M("stringArray", value.Object(value.M("items", text))))),
	)
}
