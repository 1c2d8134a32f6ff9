package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// listSource is a list of names that contract.json describes.
type listSource struct {
	name   string
	of     listContract
	client *client
}

var _ datasource.DataSourceWithConfigure = &listSource{}

func (l *listSource) Metadata(_ context.Context, asked datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = asked.ProviderTypeName + "_" + l.name
}

func (l *listSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: l.of.Description,
		Attributes: map[string]schema.Attribute{
			"names": schema.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: l.of.Description},
		},
	}
}

func (l *listSource) Configure(_ context.Context, asked datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	if made, ok := asked.ProviderData.(*client); ok {
		l.client = made
	}
}

func (l *listSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	data, err := l.client.send(ctx, request{call: l.of.Read})
	if err != nil {
		resp.Diagnostics.AddError("Not read", err.Error())
		return
	}
	list, _ := data.([]any)
	names := make([]string, 0, len(list))
	for _, one := range list {
		if name, ok := one.(string); ok {
			names = append(names, name)
		}
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("names"), names)...)
}
