/** `npm run reference`: writes docs/api.md from the contract. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "@tollgate/gateway/http/openapi.ts";
import { apiReference } from "./api-reference.ts";
import { readScriptOptions } from "./script-options.ts";

readScriptOptions({
  command: "npm run reference",
  summary: "writes docs/api.md from the contract",
  options: {},
});
writeFileSync(
  join(import.meta.dirname, "../docs/api.md"),
  apiReference(openApiDocument("", undefined)),
);
