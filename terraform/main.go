// The Terraform provider for a Tollgate gateway.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"terraform-provider-tollgate/internal/provider"
)

// version is set by the linker: go build -ldflags "-X main.version=0.2.0".
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "wait for a debugger in place of a start by Terraform")
	flag.Parse()
	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/tollgate/tollgate",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}
