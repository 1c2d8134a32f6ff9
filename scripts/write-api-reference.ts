/**
 * `npm run reference`: writes docs/api.md, and the Terraform provider's resources with their page,
 * from the contract.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "@tollgate/gateway/http/openapi.ts";
import { apiReference } from "./api-reference.ts";
import { readScriptOptions } from "./script-options.ts";
import { formatTerraformContract } from "./terraform-contract.ts";
import { buildTerraformPage } from "./terraform-page.ts";

readScriptOptions({
  command: "npm run reference",
  summary: "writes docs/api.md and the resources of the Terraform provider from the contract",
  options: {},
});
const write = (file: string, text: string): void =>
  writeFileSync(join(import.meta.dirname, "..", file), text);
write("docs/api.md", apiReference(openApiDocument("", undefined)));
write("docs/terraform.md", buildTerraformPage());
write("terraform/internal/provider/contract.json", formatTerraformContract());
