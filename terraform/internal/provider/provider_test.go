package provider

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The framework refuses a schema that it cannot serve: names, nested types, write-only secrets.
func TestEverySchemaIsServed(t *testing.T) {
	ctx := context.Background()
	for _, create := range (&tollgate{}).Resources(ctx) {
		one := create()
		var named resource.MetadataResponse
		one.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: "tollgate"}, &named)
		var said resource.SchemaResponse
		one.Schema(ctx, resource.SchemaRequest{}, &said)
		if found := said.Schema.ValidateImplementation(ctx); found.HasError() {
			t.Errorf("%s: %v", named.TypeName, found)
		}
	}
}

func text(value string) tftypes.Value    { return tftypes.NewValue(tftypes.String, value) }
func number(value int64) tftypes.Value   { return tftypes.NewValue(tftypes.Number, value) }
func none(of tftypes.Type) tftypes.Value { return tftypes.NewValue(of, nil) }

// A changed quota goes with the value before it, and a secret only when its version changes.
func TestChangeSendsDifferencesAndSecrets(t *testing.T) {
	user := &contractResource{name: "user", of: theContract.Resources["user"]}
	config := map[string]tftypes.Value{
		"quota": number(150), "username": text("alice"), "password_wo": text("another one"),
		"password_wo_version": number(2), "password": none(tftypes.String),
	}
	plan := map[string]tftypes.Value{
		"quota": number(150), "username": text("alice"), "password_wo": none(tftypes.String),
		"password_wo_version": number(2), "password": none(tftypes.String),
	}
	state := map[string]tftypes.Value{
		"quota": number(100), "username": text("alice"), "password_wo": none(tftypes.String),
		"password_wo_version": number(1), "password": none(tftypes.String),
	}
	for name := range user.of.Attributes {
		for _, values := range []map[string]tftypes.Value{config, plan, state} {
			if _, ok := values[name]; !ok {
				values[name] = none(tftypes.String)
			}
		}
	}
	sent, _ := json.Marshal(user.buildChange(plan, config, state).members)
	if string(sent) != `{"password":"another one","quota":150,"quota_read":100}` {
		t.Error(string(sent))
	}
	state["password_wo_version"] = number(2)
	state["quota"] = number(150)
	if sent := user.buildChange(plan, config, state).members; len(sent) != 0 {
		t.Errorf("nothing changed, and %v was sent", sent)
	}
}

// A tag is the name of the subject of a budget of tags alone.
func TestMemberWithAnotherName(t *testing.T) {
	tag := theContract.Resources["budget"].Attributes["tag"]
	reply := map[string]any{"subject": "user", "subject_name": "alice"}
	if found := pickMember(tag, reply); found != nil {
		t.Errorf("the tag of a user's budget is %v", found)
	}
	reply["subject"] = "tag"
	if found := pickMember(tag, reply); found != "alice" {
		t.Errorf("the tag is %v", found)
	}
}

func TestRefusalStandsAtItsField(t *testing.T) {
	token := &contractResource{name: "token", of: theContract.Resources["token"]}
	refused := &refusal{Message: "no", Fields: map[string]string{"name": "name is too long"}}
	found := token.explain("Not created", refused)
	if len(found) != 1 || !strings.Contains(found[0].Detail(), "name is too long") {
		t.Error(found)
	}
	if found := token.explain("Not created", errors.New("no route")); len(found) != 1 {
		t.Error(found)
	}
}
