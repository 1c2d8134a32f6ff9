package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A secret has three attributes: one that the state keeps, one that nothing keeps, and the number
// that sends the latter again.
const (
	writeOnlySuffix = "_wo"
	versionSuffix   = "_wo_version"
)

func buildSchema(of resourceContract) schema.Schema {
	attributes := map[string]schema.Attribute{}
	for name, one := range of.Attributes {
		if !one.Secret {
			attributes[name] = buildAttribute(one, manner{
				required:  one.Required,
				optional:  !one.Required && one.isSent(),
				computed:  !one.Required,
				sensitive: one.Sensitive || one.ShownOnce,
			})
			continue
		}
		attributes[name] = schema.StringAttribute{
			MarkdownDescription: one.Description + ". The state keeps it; `" + name + writeOnlySuffix + "` is kept nowhere",
			Optional:            true,
			Sensitive:           true,
		}
		attributes[name+writeOnlySuffix] = schema.StringAttribute{
			MarkdownDescription: one.Description + ". Neither plan nor state keeps it: `" + name + versionSuffix + "` sends it again",
			Optional:            true,
			Sensitive:           true,
			WriteOnly:           true,
		}
		attributes[name+versionSuffix] = schema.Int64Attribute{
			MarkdownDescription: "Any other number sends `" + name + writeOnlySuffix + "` again",
			Optional:            true,
		}
	}
	return schema.Schema{MarkdownDescription: of.Description, Attributes: attributes}
}

// manner is how an attribute gets its value.
type manner struct{ required, optional, computed, sensitive bool }

func buildAttribute(one attribute, how manner) schema.Attribute {
	said := one.Description
	switch one.Type.Kind {
	case "string":
		return schema.StringAttribute{MarkdownDescription: said, Required: how.required, Optional: how.optional, Computed: how.computed, Sensitive: how.sensitive}
	case "integer":
		return schema.Int64Attribute{MarkdownDescription: said, Required: how.required, Optional: how.optional, Computed: how.computed, Sensitive: how.sensitive}
	case "number":
		return schema.Float64Attribute{MarkdownDescription: said, Required: how.required, Optional: how.optional, Computed: how.computed, Sensitive: how.sensitive}
	case "boolean":
		return schema.BoolAttribute{MarkdownDescription: said, Required: how.required, Optional: how.optional, Computed: how.computed, Sensitive: how.sensitive}
	case "object":
		return schema.SingleNestedAttribute{MarkdownDescription: said, Required: how.required, Optional: how.optional, Computed: how.computed, Sensitive: how.sensitive, Attributes: buildMembers(one.Type)}
	case "list":
		if one.Type.Of.Kind == "object" {
			return schema.ListNestedAttribute{MarkdownDescription: said, Required: how.required, Optional: how.optional, Computed: how.computed, Sensitive: how.sensitive, NestedObject: schema.NestedAttributeObject{Attributes: buildMembers(*one.Type.Of)}}
		}
		return schema.ListAttribute{MarkdownDescription: said, Required: how.required, Optional: how.optional, Computed: how.computed, Sensitive: how.sensitive, ElementType: buildElementType(*one.Type.Of)}
	case "map":
		if one.Type.Of.Kind == "object" {
			return schema.MapNestedAttribute{MarkdownDescription: said, Required: how.required, Optional: how.optional, Computed: how.computed, Sensitive: how.sensitive, NestedObject: schema.NestedAttributeObject{Attributes: buildMembers(*one.Type.Of)}}
		}
		return schema.MapAttribute{MarkdownDescription: said, Required: how.required, Optional: how.optional, Computed: how.computed, Sensitive: how.sensitive, ElementType: buildElementType(*one.Type.Of)}
	}
	panic("contract.json has an unknown type: " + one.Type.Kind)
}

// buildMembers are sent as a whole: the gateway fills in none of them.
func buildMembers(object attributeType) map[string]schema.Attribute {
	members := map[string]schema.Attribute{}
	for name, one := range object.Members {
		members[name] = buildAttribute(one, manner{required: one.Required, optional: !one.Required})
	}
	return members
}

func buildElementType(of attributeType) attr.Type {
	switch of.Kind {
	case "string":
		return types.StringType
	case "integer":
		return types.Int64Type
	case "number":
		return types.Float64Type
	case "boolean":
		return types.BoolType
	case "list":
		return types.ListType{ElemType: buildElementType(*of.Of)}
	case "map":
		return types.MapType{ElemType: buildElementType(*of.Of)}
	}
	panic("contract.json has an unknown type of elements: " + of.Kind)
}
