/** `npm run reference`: writes docs/api.md from the contract. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "@tollgate/gateway/http/openapi.ts";
import { apiReference } from "./api-reference.ts";

writeFileSync(join(import.meta.dirname, "../docs/api.md"), apiReference(openApiDocument("", undefined)));
