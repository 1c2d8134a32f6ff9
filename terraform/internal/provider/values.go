package provider

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// toJSON turns a known value of Terraform into what a request sends.
func toJSON(value tftypes.Value) (any, error) {
	if value.IsNull() {
		return nil, nil
	}
	switch kind := value.Type(); {
	case kind.Is(tftypes.String):
		var text string
		err := value.As(&text)
		return text, err
	case kind.Is(tftypes.Bool):
		var flag bool
		err := value.As(&flag)
		return flag, err
	case kind.Is(tftypes.Number):
		number := new(big.Float)
		err := value.As(&number)
		return json.Number(number.Text('f', -1)), err
	case kind.Is(tftypes.List{}), kind.Is(tftypes.Set{}), kind.Is(tftypes.Tuple{}):
		var elements []tftypes.Value
		if err := value.As(&elements); err != nil {
			return nil, err
		}
		list := make([]any, len(elements))
		for at, element := range elements {
			one, err := toJSON(element)
			if err != nil {
				return nil, err
			}
			list[at] = one
		}
		return list, nil
	case kind.Is(tftypes.Map{}), kind.Is(tftypes.Object{}):
		members := map[string]tftypes.Value{}
		if err := value.As(&members); err != nil {
			return nil, err
		}
		object := map[string]any{}
		for name, member := range members {
			// A member that is left out has the gateway's default.
			if member.IsNull() {
				continue
			}
			one, err := toJSON(member)
			if err != nil {
				return nil, err
			}
			object[name] = one
		}
		return object, nil
	}
	return nil, fmt.Errorf("a value of the type %s cannot be sent", value.Type())
}

// fromJSON turns a member of a reply into a value of Terraform; null where it is none of the type.
func fromJSON(kind tftypes.Type, read any) tftypes.Value {
	none := tftypes.NewValue(kind, nil)
	switch value := read.(type) {
	case string:
		if kind.Is(tftypes.String) {
			return tftypes.NewValue(kind, value)
		}
	case bool:
		if kind.Is(tftypes.Bool) {
			return tftypes.NewValue(kind, value)
		}
	case json.Number:
		number, _, err := big.ParseFloat(value.String(), 10, 512, big.ToNearestEven)
		if err == nil && kind.Is(tftypes.Number) {
			return tftypes.NewValue(kind, number)
		}
	case []any:
		if list, ok := kind.(tftypes.List); ok {
			elements := make([]tftypes.Value, len(value))
			for at, element := range value {
				elements[at] = fromJSON(list.ElementType, element)
			}
			return tftypes.NewValue(kind, elements)
		}
	case map[string]any:
		switch of := kind.(type) {
		case tftypes.Object:
			members := map[string]tftypes.Value{}
			for name, member := range of.AttributeTypes {
				members[name] = fromJSON(member, value[name])
			}
			return tftypes.NewValue(kind, members)
		case tftypes.Map:
			members := map[string]tftypes.Value{}
			for name, member := range value {
				members[name] = fromJSON(of.ElementType, member)
			}
			return tftypes.NewValue(kind, members)
		}
	}
	return none
}

// formatMember is the text by which two values of a reply are compared.
func formatMember(read any) string {
	text, err := json.Marshal(read)
	if err != nil {
		return ""
	}
	return string(text)
}
