package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// oldToken is a key that was made before, as `GET /api/token/7` shows it: masked.
const oldToken = `{"id":7,"uuid":"0194-old","name":"deploy","key":"sk-tg-ab**********yz",
	"status":1,"unlimited_quota":true,"remain_quota":0,"expired_time":-1,"models":"","subnet":"",
	"groups":"","mcp_tools":"","tags":"","required_tags":"","bodies":"","cache_seconds":0,
	"rpm_limit":0,"tpm_limit":0,"max_parallel_requests":0}`

// startGateway answers what the import of a token asks, and fails on anything that changes one.
func startGateway(t *testing.T) string {
	answer := func(data string) http.HandlerFunc {
		return func(w http.ResponseWriter, asked *http.Request) {
			if asked.Method != http.MethodGet {
				t.Errorf("%s %s was sent", asked.Method, asked.URL.Path)
			}
			fmt.Fprintf(w, `{"success":true,"data":%s}`, data)
		}
	}
	routes := http.NewServeMux()
	routes.HandleFunc("/api/status", answer(`{"features":[]}`))
	routes.HandleFunc("/api/token/7", answer(oldToken))
	routes.HandleFunc("/api/token/0194-old", answer(oldToken))
	routes.HandleFunc("/api/token/", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"success":false,"code":"token_not_found","message":"This token does not exist"}`)
	})
	server := httptest.NewServer(routes)
	t.Cleanup(server.Close)
	return server.URL
}

// served is the provider as Terraform talks to it.
type served struct {
	tfprotov6.ProviderServer
	t    *testing.T
	kind tftypes.Object
}

func serve(t *testing.T) *served {
	ctx := context.Background()
	server := providerserver.NewProtocol6(New("test")())()
	said, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := said.ResourceSchemas["tollgate_token"].ValueType().(tftypes.Object)
	settings := said.Provider.ValueType()
	config, err := tfprotov6.NewDynamicValue(settings, tftypes.NewValue(settings, map[string]tftypes.Value{
		"url": text(startGateway(t)), "key": text("a key"),
	}))
	if err != nil {
		t.Fatal(err)
	}
	configured, err := server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: &config})
	if err != nil || len(configured.Diagnostics) > 0 {
		t.Fatal(err, configured)
	}
	return &served{server, t, kind}
}

// importToken is `terraform import tollgate_token.deploy ID`: the import, and the read after it.
func (s *served) importToken(id string) (*tfprotov6.DynamicValue, []byte) {
	ctx := context.Background()
	imported, err := s.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: "tollgate_token", ID: id})
	if err != nil || len(imported.Diagnostics) > 0 {
		s.t.Fatal(err, imported.Diagnostics)
	}
	one := imported.ImportedResources[0]
	read, err := s.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: "tollgate_token", CurrentState: one.State, Private: one.Private})
	if err != nil || len(read.Diagnostics) > 0 {
		s.t.Fatal(err, read.Diagnostics)
	}
	return read.NewState, read.Private
}

func (s *served) members(value *tfprotov6.DynamicValue) map[string]tftypes.Value {
	raw, err := value.Unmarshal(s.kind)
	if err != nil {
		s.t.Fatal(err)
	}
	return readObject(raw)
}

func (s *served) pack(members map[string]tftypes.Value) *tfprotov6.DynamicValue {
	packed, err := tfprotov6.NewDynamicValue(s.kind, tftypes.NewValue(s.kind, members))
	if err != nil {
		s.t.Fatal(err)
	}
	return &packed
}

// The gateway shows a key once, to whoever made it: a key that is imported has none in the state.
func TestImportedTokenHasNoKey(t *testing.T) {
	s := serve(t)
	for _, id := range []string{"7", "0194-old"} {
		state, _ := s.importToken(id)
		found := s.members(state)
		if !found["key"].IsNull() {
			t.Errorf("import of %s: the state has the key %s", id, found["key"])
		}
		if !found["name"].Equal(text("deploy")) || formatID(found) != "7" {
			t.Errorf("import of %s: %v", id, found)
		}
	}
}

// Nothing is planned for what stands as it is configured, and the key stays unknown to nobody.
func TestImportedTokenPlansNothing(t *testing.T) {
	s := serve(t)
	state, private := s.importToken("7")
	before := s.members(state)
	config, proposed := map[string]tftypes.Value{}, map[string]tftypes.Value{}
	for name, value := range before {
		config[name], proposed[name] = none(value.Type()), value
	}
	config["name"] = text("deploy")
	planned, err := s.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "tollgate_token", PriorState: state, PriorPrivate: private,
		Config: s.pack(config), ProposedNewState: s.pack(proposed),
	})
	if err != nil || len(planned.Diagnostics) > 0 {
		t.Fatal(err, planned.Diagnostics)
	}
	for name, value := range s.members(planned.PlannedState) {
		if !value.Equal(before[name]) {
			t.Errorf("%s: %s is planned, and it is %s", name, value, before[name])
		}
	}
}

func TestImportOfWhatIsNotThere(t *testing.T) {
	s := serve(t)
	imported, err := s.ImportResourceState(context.Background(), &tfprotov6.ImportResourceStateRequest{TypeName: "tollgate_token", ID: "8"})
	if err != nil {
		t.Fatal(err)
	}
	said, _ := json.Marshal(imported.Diagnostics)
	if !strings.Contains(string(said), "does not exist") {
		t.Errorf("the import says %s", said)
	}
}
