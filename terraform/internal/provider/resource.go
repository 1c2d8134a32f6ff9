package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// disabledStatus is what a resource gets that no key may delete.
const disabledStatus = 2

// contractResource is a resource that contract.json describes.
type contractResource struct {
	name   string
	of     resourceContract
	client *client
}

var (
	_ resource.ResourceWithConfigure      = &contractResource{}
	_ resource.ResourceWithImportState    = &contractResource{}
	_ resource.ResourceWithModifyPlan     = &contractResource{}
	_ resource.ResourceWithValidateConfig = &contractResource{}
)

func (r *contractResource) Metadata(_ context.Context, asked resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = asked.ProviderTypeName + "_" + r.name
}

func (r *contractResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = buildSchema(r.of)
}

func (r *contractResource) Configure(_ context.Context, asked resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if made, ok := asked.ProviderData.(*client); ok {
		r.client = made
	}
}

func (r *contractResource) ValidateConfig(_ context.Context, asked resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config := readObject(asked.Config.Raw)
	for name, one := range r.of.Attributes {
		if one.Secret && !config[name].IsNull() && !config[name+writeOnlySuffix].IsNull() {
			resp.Diagnostics.AddAttributeError(path.Root(name), "Two values of one secret",
				fmt.Sprintf("Set `%s` or `%s%s`, not both.", name, name, writeOnlySuffix))
		}
	}
}

// ModifyPlan completes a plan: what is not configured stays as it is, what cannot change is made
// anew, and the gateway says before anything is written what it would refuse.
func (r *contractResource) ModifyPlan(ctx context.Context, asked resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if asked.Plan.Raw.IsNull() {
		return
	}
	config, plan, state := readObject(asked.Config.Raw), readObject(asked.Plan.Raw), readObject(asked.State.Raw)
	isNew := asked.State.Raw.IsNull()
	isReplaced := false
	for name, one := range r.of.Attributes {
		if isNew {
			break
		}
		if !plan[name].IsKnown() && config[name].IsNull() {
			plan[name] = state[name]
		}
		if one.InCreation && !one.InChange && !config[name].IsNull() && !plan[name].Equal(state[name]) {
			resp.RequiresReplace = append(resp.RequiresReplace, path.Root(name))
			isReplaced = true
		}
	}
	resp.Plan.Raw = tftypes.NewValue(asked.Plan.Raw.Type(), plan)
	if r.client == nil || !r.client.checks || isReplaced {
		return
	}
	body, id, of := r.buildCreation(plan, config), "", r.of.Create
	if !isNew {
		body, id, of = r.buildChange(plan, config, state), formatID(state), r.of.Update
	}
	if body.hasUnknown || (!isNew && len(body.members) == 0) {
		return
	}
	if !isNew {
		body.members["id"] = idMember(state)
	}
	if _, err := r.client.send(ctx, request{call: of, id: id, body: body.members, dryRun: true}); err != nil {
		resp.Diagnostics.Append(r.explain("The gateway refuses this", err)...)
	}
}

func (r *contractResource) Create(ctx context.Context, asked resource.CreateRequest, resp *resource.CreateResponse) {
	plan, config := readObject(asked.Plan.Raw), readObject(asked.Config.Raw)
	body := r.buildCreation(plan, config)
	if r.of.CreatesOneALine {
		for name, one := range r.of.Attributes {
			text, _ := body.members[name].(string)
			if one.Secret && strings.Contains(strings.TrimSpace(text), "\n") {
				resp.Diagnostics.AddAttributeError(path.Root(name), "Several lines",
					"The gateway makes one for each line, and a resource is one of them. Make a resource for each line.")
				return
			}
		}
	}
	data, err := r.client.send(ctx, request{call: r.of.Create, body: body.members})
	if err != nil {
		resp.Diagnostics.Append(r.explain("Not created", err)...)
		return
	}
	reply := readReply(data)
	known := written{}
	state := r.buildState(plan, reply, known, body.members)
	resp.State.Raw = tftypes.NewValue(asked.Plan.Raw.Type(), state)
	if late := r.buildLate(plan); len(late) > 0 {
		late["id"] = idMember(state)
		changed, err := r.client.send(ctx, request{call: r.of.Update, body: late})
		if err != nil {
			// The resource exists, and Terraform marks it as one to be made anew.
			resp.Diagnostics.Append(r.explain("Created, and then not changed", err)...)
		} else {
			reply = readReply(changed)
			resp.State.Raw = tftypes.NewValue(asked.Plan.Raw.Type(), r.buildState(state, reply, known, late))
		}
	}
	resp.Diagnostics.Append(known.keep(ctx, resp.Private)...)
}

func (r *contractResource) Read(ctx context.Context, asked resource.ReadRequest, resp *resource.ReadResponse) {
	state := readObject(asked.State.Raw)
	data, err := r.client.send(ctx, request{call: r.of.Read, id: formatID(state)})
	if r.isMissing(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		resp.Diagnostics.Append(r.explain("Not read", err)...)
		return
	}
	reply, known := readReply(data), readWritten(ctx, asked.Private)
	for name, one := range r.of.Attributes {
		isKept := one.Secret || one.ShownOnce || (one.Difference != "" && !state[name].IsNull())
		if isKept {
			continue
		}
		value := pickMember(one, reply)
		text := formatMember(value)
		if before, ok := known[name]; ok && before == text {
			continue
		}
		state[name] = fromJSON(state[name].Type(), value)
		known[name] = text
	}
	resp.State.Raw = tftypes.NewValue(asked.State.Raw.Type(), state)
	resp.Diagnostics.Append(known.keep(ctx, resp.Private)...)
}

func (r *contractResource) Update(ctx context.Context, asked resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, config, state := readObject(asked.Plan.Raw), readObject(asked.Config.Raw), readObject(asked.State.Raw)
	known := readWritten(ctx, asked.Private)
	body := r.buildChange(plan, config, state)
	if len(body.members) > 0 {
		body.members["id"] = idMember(state)
		data, err := r.client.send(ctx, request{call: r.of.Update, body: body.members})
		if err != nil {
			resp.Diagnostics.Append(r.explain("Not changed", err)...)
			return
		}
		plan = r.buildState(plan, readReply(data), known, body.members)
	}
	resp.State.Raw = tftypes.NewValue(asked.Plan.Raw.Type(), plan)
	resp.Diagnostics.Append(known.keep(ctx, resp.Private)...)
}

func (r *contractResource) Delete(ctx context.Context, asked resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := readObject(asked.State.Raw)
	if r.of.Disables && strings.HasPrefix(r.client.key, theContract.ManagementKeyPrefix) {
		body := map[string]any{"id": idMember(state), "status": disabledStatus}
		_, err := r.client.send(ctx, request{call: r.of.Update, body: body})
		if err != nil && !r.isMissing(err) {
			resp.Diagnostics.Append(r.explain("Not disabled", err)...)
			return
		}
		resp.Diagnostics.AddWarning("Disabled, not deleted",
			"No management key may delete this: it is disabled, and Terraform forgets it. People delete it in the console.")
		return
	}
	_, err := r.client.send(ctx, request{call: r.of.Delete, id: formatID(state)})
	if err != nil && !r.isMissing(err) {
		resp.Diagnostics.Append(r.explain("Not deleted", err)...)
	}
}

// ImportState takes an id or a uuid.
func (r *contractResource) ImportState(ctx context.Context, asked resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	data, err := r.client.send(ctx, request{call: r.of.Read, id: asked.ID})
	if err != nil {
		resp.Diagnostics.Append(r.explain("Not found", err)...)
		return
	}
	id, _ := readReply(data)["id"].(json.Number)
	number, err := id.Int64()
	if err != nil {
		resp.Diagnostics.AddError("Not found", "The reply has no id.")
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), number)...)
}

func (r *contractResource) isMissing(err error) bool {
	var refused *refusal
	return errors.As(err, &refused) && refused.Code == r.of.Missing
}

// explain puts what is wrong with a field at the field.
func (r *contractResource) explain(summary string, err error) diag.Diagnostics {
	var said diag.Diagnostics
	var refused *refusal
	if !errors.As(err, &refused) || len(refused.Fields) == 0 {
		said.AddError(summary, err.Error())
		return said
	}
	for field, sentence := range refused.Fields {
		name, _, _ := strings.Cut(field, ".")
		if _, ok := r.of.Attributes[name]; ok {
			said.AddAttributeError(path.Root(name), summary, field+": "+sentence)
		} else {
			said.AddError(summary, field+": "+sentence)
		}
	}
	return said
}
