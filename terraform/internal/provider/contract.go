// Package provider is the Terraform provider: one resource for each row of contract.json, which
// `npm run reference` writes from the contract of the gateway.
package provider

import (
	_ "embed"
	"encoding/json"
)

//go:embed contract.json
var contractText []byte

// call is one operation of the management API.
type call struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Scope  string `json:"scope"`
}

// attributeType is a scalar, or a type that holds others.
type attributeType struct {
	Kind    string               `json:"kind"`
	Of      *attributeType       `json:"of"`
	Members map[string]attribute `json:"members"`
}

// attribute is a member of requests and replies; scripts/terraform-contract.ts explains each flag.
type attribute struct {
	Type          attributeType `json:"type"`
	Description   string        `json:"description"`
	Required      bool          `json:"required"`
	Read          string        `json:"read"`
	ReadWhere     string        `json:"read_where_subject"`
	Secret        bool          `json:"secret"`
	Sensitive     bool          `json:"sensitive"`
	ShownOnce     bool          `json:"shown_once"`
	InCreation    bool          `json:"in_creation"`
	InChange      bool          `json:"in_change"`
	AfterCreation bool          `json:"after_creation"`
	Difference    string        `json:"difference"`
}

func (a attribute) isSent() bool { return a.InCreation || a.InChange }

type resourceContract struct {
	Description     string               `json:"description"`
	Create          call                 `json:"create"`
	CreatesOneALine bool                 `json:"creates_one_a_line"`
	Read            call                 `json:"read"`
	Update          call                 `json:"update"`
	Delete          call                 `json:"delete"`
	Disables        bool                 `json:"disables"`
	Missing         string               `json:"missing"`
	Attributes      map[string]attribute `json:"attributes"`
}

type listContract struct {
	Description string `json:"description"`
	Read        call   `json:"read"`
}

type contract struct {
	Headers struct {
		DryRun struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"dry_run"`
		Idempotency string `json:"idempotency"`
	} `json:"headers"`
	ManagementKeyPrefix string                      `json:"management_key_prefix"`
	SecretOptions       string                      `json:"secret_options"`
	Resources           map[string]resourceContract `json:"resources"`
	Lists               map[string]listContract     `json:"lists"`
}

// theContract is part of the program: a file that does not parse is a mistake of the build.
var theContract = func() contract {
	var read contract
	if err := json.Unmarshal(contractText, &read); err != nil {
		panic(err)
	}
	return read
}()
