/** `npm run reference`: writes docs/api.md from the contract. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "@tollgate/gateway/http/openapi.ts";
import { apiReference, type ReferencePaths } from "./api-reference.ts";

const { paths } = openApiDocument("", undefined) as { paths: ReferencePaths };
writeFileSync(join(import.meta.dirname, "../docs/api.md"), apiReference(paths));
