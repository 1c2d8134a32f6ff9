package provider

import (
	"context"
	"net/http"
	"os"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const (
	urlVariable = "TOLLGATE_URL"
	keyVariable = "TOLLGATE_KEY"
	// dryRunFeature is how a gateway says that it knows dry runs; one that does not know them would
	// make the change.
	dryRunFeature = "dry_run"
)

type tollgate struct{ version string }

type settings struct {
	URL types.String `tfsdk:"url"`
	Key types.String `tfsdk:"key"`
}

// New makes the provider.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &tollgate{version: version} }
}

func (p *tollgate) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "tollgate"
	resp.Version = p.version
}

func (p *tollgate) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Channels, keys, accounts, teams, budgets, virtual models and settings of a Tollgate gateway",
		Attributes: map[string]schema.Attribute{
			"url": schema.StringAttribute{
				MarkdownDescription: "The address of the gateway, with its path where it has one; or " + urlVariable,
				Optional:            true,
			},
			"key": schema.StringAttribute{
				MarkdownDescription: "A management key with the scopes of the resources, or a personal access token; or " + keyVariable,
				Optional:            true,
				Sensitive:           true,
			},
		},
	}
}

func (p *tollgate) Configure(ctx context.Context, asked provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var given settings
	resp.Diagnostics.Append(asked.Config.Get(ctx, &given)...)
	// A plan may know the address only when the machine exists that it is of.
	if resp.Diagnostics.HasError() || given.URL.IsUnknown() || given.Key.IsUnknown() {
		return
	}
	base, key := given.URL.ValueString(), given.Key.ValueString()
	if base == "" {
		base = os.Getenv(urlVariable)
	}
	if key == "" {
		key = os.Getenv(keyVariable)
	}
	if base == "" || key == "" {
		resp.Diagnostics.AddError("No gateway", "Set `url` and `key` of the provider, or "+urlVariable+" and "+keyVariable+".")
		return
	}
	made := newClient(base, key, p.version)
	data, err := made.send(ctx, request{call: call{Method: http.MethodGet, Path: "/api/status"}})
	if err != nil {
		resp.Diagnostics.AddError("The gateway does not answer", err.Error())
		return
	}
	features, _ := readReply(data)["features"].([]any)
	made.checks = slices.Contains(features, any(dryRunFeature))
	resp.ResourceData = made
	resp.DataSourceData = made
}

func (p *tollgate) Resources(context.Context) []func() resource.Resource {
	all := []func() resource.Resource{func() resource.Resource { return &optionResource{} }}
	for name, of := range theContract.Resources {
		all = append(all, func() resource.Resource { return &contractResource{name: name, of: of} })
	}
	return all
}

func (p *tollgate) DataSources(context.Context) []func() datasource.DataSource {
	var all []func() datasource.DataSource
	for name, of := range theContract.Lists {
		all = append(all, func() datasource.DataSource { return &listSource{name: name, of: of} })
	}
	return all
}
