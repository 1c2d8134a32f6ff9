package provider

import (
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// body is what a request sends; a plan may hold values that are known only when others exist.
type body struct {
	members    map[string]any
	hasUnknown bool
}

func (b *body) add(name string, value tftypes.Value) {
	if value.IsNull() {
		return
	}
	if !value.IsFullyKnown() {
		b.hasUnknown = true
		return
	}
	if sent, err := toJSON(value); err == nil {
		b.members[name] = sent
	}
}

// buildCreation sends what is configured: the gateway has a default for all else.
func (r *contractResource) buildCreation(plan, config map[string]tftypes.Value) body {
	made := body{members: map[string]any{}}
	for name, one := range r.of.Attributes {
		if !one.InCreation {
			continue
		}
		if !config[name].IsNull() {
			made.add(name, plan[name])
		} else if one.Secret {
			made.add(name, config[name+writeOnlySuffix])
		}
	}
	return made
}

// buildLate is what a creation does not take.
func (r *contractResource) buildLate(plan map[string]tftypes.Value) map[string]any {
	late := body{members: map[string]any{}}
	for name, one := range r.of.Attributes {
		if one.AfterCreation && plan[name].IsKnown() {
			late.add(name, plan[name])
		}
	}
	return late.members
}

// buildChange sends what is another than the state has; empty where nothing is.
func (r *contractResource) buildChange(plan, config, state map[string]tftypes.Value) body {
	made := body{members: map[string]any{}}
	for name, one := range r.of.Attributes {
		if !one.InChange {
			continue
		}
		if one.Secret && !plan[name+versionSuffix].Equal(state[name+versionSuffix]) {
			made.add(name, config[name+writeOnlySuffix])
		}
		if config[name].IsNull() || plan[name].Equal(state[name]) {
			continue
		}
		made.add(name, plan[name])
		if one.Difference != "" {
			made.add(one.Difference, state[name])
		}
	}
	return made
}

// buildState keeps what was planned, and takes the rest from the reply. What the gateway made of
// the members that were sent goes to `known`.
func (r *contractResource) buildState(plan map[string]tftypes.Value, reply map[string]any, known written, sent map[string]any) map[string]tftypes.Value {
	state := map[string]tftypes.Value{}
	for name, value := range plan {
		state[name] = value
	}
	for name, one := range r.of.Attributes {
		if one.Secret {
			state[name+writeOnlySuffix] = tftypes.NewValue(tftypes.String, nil)
			continue
		}
		value := pickMember(one, reply)
		_, isSent := sent[name]
		if !plan[name].IsKnown() {
			state[name] = fromJSON(plan[name].Type(), value)
		} else if !isSent {
			continue
		}
		if !one.ShownOnce {
			known[name] = formatMember(value)
		}
	}
	return state
}

// pickMember is the member of a reply that an attribute has its value from.
func pickMember(one attribute, reply map[string]any) any {
	if one.ReadWhere != "" && reply["subject"] != one.ReadWhere {
		return nil
	}
	return reply[one.Read]
}

// readReply takes the only row of a reply that is a list.
func readReply(data any) map[string]any {
	if list, ok := data.([]any); ok && len(list) > 0 {
		data = list[0]
	}
	reply, _ := data.(map[string]any)
	return reply
}

func readObject(raw tftypes.Value) map[string]tftypes.Value {
	members := map[string]tftypes.Value{}
	if !raw.IsNull() && raw.IsKnown() {
		_ = raw.As(&members)
	}
	return members
}

func formatID(state map[string]tftypes.Value) string {
	number := new(big.Float)
	if state["id"].IsNull() || state["id"].As(&number) != nil {
		return ""
	}
	return number.Text('f', 0)
}

func idMember(state map[string]tftypes.Value) any {
	id, _ := toJSON(state["id"])
	return id
}
