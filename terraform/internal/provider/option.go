package provider

import (
	"context"
	"net/http"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// optionResource is one setting of the gateway. Settings are neither made nor deleted: a
// destroyed one has its default again.
type optionResource struct{ client *client }

type option struct {
	Key           types.String `tfsdk:"key"`
	Value         types.String `tfsdk:"value"`
	Secret        types.String `tfsdk:"secret"`
	SecretWO      types.String `tfsdk:"secret_wo"`
	SecretVersion types.Int64  `tfsdk:"secret_wo_version"`
}

var (
	_ resource.ResourceWithConfigure      = &optionResource{}
	_ resource.ResourceWithImportState    = &optionResource{}
	_ resource.ResourceWithValidateConfig = &optionResource{}

	secretOption = regexp.MustCompile(theContract.SecretOptions)
	listOptions  = call{Method: http.MethodGet, Path: "/api/option/"}
	updateOption = call{Method: http.MethodPut, Path: "/api/option/"}
)

func (o *optionResource) Metadata(_ context.Context, asked resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = asked.ProviderTypeName + "_option"
}

func (o *optionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "One setting of the gateway; destroyed, it has its default again",
		Attributes: map[string]schema.Attribute{
			"key": schema.StringAttribute{
				MarkdownDescription: "The name of the setting",
				Required:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"value": schema.StringAttribute{
				MarkdownDescription: "Text, whatever the setting holds: `\"true\"`, `\"2\"`, JSON",
				Optional:            true,
			},
			"secret": schema.StringAttribute{
				MarkdownDescription: "The value of a secret setting. The state keeps it; `secret_wo` is kept nowhere",
				Optional:            true,
				Sensitive:           true,
			},
			"secret_wo": schema.StringAttribute{
				MarkdownDescription: "The value of a secret setting. Neither plan nor state keeps it: `secret_wo_version` sends it again",
				Optional:            true,
				Sensitive:           true,
				WriteOnly:           true,
			},
			"secret_wo_version": schema.Int64Attribute{
				MarkdownDescription: "Any other number sends `secret_wo` again",
				Optional:            true,
			},
		},
	}
}

func (o *optionResource) Configure(_ context.Context, asked resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if made, ok := asked.ProviderData.(*client); ok {
		o.client = made
	}
}

func (o *optionResource) ValidateConfig(ctx context.Context, asked resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config option
	resp.Diagnostics.Append(asked.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.Key.IsUnknown() {
		return
	}
	given := 0
	for _, one := range []types.String{config.Value, config.Secret, config.SecretWO} {
		if !one.IsNull() {
			given++
		}
	}
	if given != 1 {
		resp.Diagnostics.AddError("One value", "Set one of `value`, `secret` and `secret_wo`.")
	}
	if secretOption.MatchString(config.Key.ValueString()) == !config.Value.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("key"), "The wrong attribute for this setting",
			"`value` is for settings that can be read, `secret` and `secret_wo` for those that cannot.")
	}
}

func (o *optionResource) Create(ctx context.Context, asked resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config option
	resp.Diagnostics.Append(asked.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(asked.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	known, err := o.write(ctx, config)
	if err != nil {
		resp.Diagnostics.AddError("Not changed", err.Error())
		return
	}
	resp.Diagnostics.Append(known.keep(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (o *optionResource) Update(ctx context.Context, asked resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, config option
	resp.Diagnostics.Append(asked.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(asked.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	known, err := o.write(ctx, config)
	if err != nil {
		resp.Diagnostics.AddError("Not changed", err.Error())
		return
	}
	resp.Diagnostics.Append(known.keep(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// write returns what the gateway made of a value that can be read.
func (o *optionResource) write(ctx context.Context, config option) (written, error) {
	key := config.Key.ValueString()
	value := config.Value.ValueString() + config.Secret.ValueString() + config.SecretWO.ValueString()
	body := map[string]any{"key": key, "value": value}
	if _, err := o.client.send(ctx, request{call: updateOption, body: body}); err != nil {
		return nil, err
	}
	row, err := o.find(ctx, key)
	if err != nil || row == nil {
		return written{}, err
	}
	return written{"value": formatMember(row["value"])}, nil
}

// find gives no row for a secret.
func (o *optionResource) find(ctx context.Context, key string) (map[string]any, error) {
	data, err := o.client.send(ctx, request{call: listOptions})
	if err != nil {
		return nil, err
	}
	rows, _ := data.([]any)
	for _, one := range rows {
		if row, ok := one.(map[string]any); ok && row["key"] == key {
			return row, nil
		}
	}
	return nil, nil
}

func (o *optionResource) Read(ctx context.Context, asked resource.ReadRequest, resp *resource.ReadResponse) {
	var state option
	resp.Diagnostics.Append(asked.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || secretOption.MatchString(state.Key.ValueString()) {
		return
	}
	row, err := o.find(ctx, state.Key.ValueString())
	if err != nil {
		resp.Diagnostics.AddError("Not read", err.Error())
		return
	}
	if row == nil {
		resp.State.RemoveResource(ctx)
		return
	}
	known := readWritten(ctx, asked.Private)
	text := formatMember(row["value"])
	if known["value"] == text {
		return
	}
	value, _ := row["value"].(string)
	state.Value = types.StringValue(value)
	known["value"] = text
	resp.Diagnostics.Append(known.keep(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (o *optionResource) Delete(ctx context.Context, asked resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state option
	resp.Diagnostics.Append(asked.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	key := state.Key.ValueString()
	body := map[string]any{"key": key, "value": "", "clear": true}
	if !secretOption.MatchString(key) {
		row, err := o.find(ctx, key)
		if err != nil {
			resp.Diagnostics.AddError("Not read", err.Error())
			return
		}
		body = map[string]any{"key": key, "value": row["default_value"]}
	}
	if _, err := o.client.send(ctx, request{call: updateOption, body: body}); err != nil {
		resp.Diagnostics.AddError("Not set back", err.Error())
	}
}

// ImportState takes the name of a setting.
func (o *optionResource) ImportState(ctx context.Context, asked resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("key"), asked, resp)
}
