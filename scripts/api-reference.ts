/** docs/api.md: the OpenAPI document of the gateway as a page. Pure. */
import { errorTable } from "@tollgate/contract/errors.ts";
import { type DocumentSchema, schemaText } from "@tollgate/contract/schema-text.ts";
import { scopeAccess } from "@tollgate/contract/scopes.ts";
import { apiExamples, exampleCommand } from "./api-examples.ts";

interface ReferenceParameter {
  name: string;
  in: string;
  required?: boolean;
  schema: DocumentSchema;
}
type ReferenceContent = Readonly<Record<string, { schema: DocumentSchema; example?: unknown }>>;

interface ReferenceOperation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description: string;
  externalDocs?: { url: string };
  parameters: readonly ReferenceParameter[];
  requestBody?: { content: ReferenceContent };
  responses: { 200: { content?: ReferenceContent } };
}

export type ReferencePaths = Readonly<Record<string, Readonly<Record<string, ReferenceOperation>>>>;

const clientTag = "client-api";

const introduction = `# API reference

<!-- Written by \`npm run reference\` from the contract. -->

A running gateway describes itself at \`/api/openapi.json\` (OpenAPI 3.1), from which clients are generated.

| API | Under | Credential |
|---|---|---|
| The client API, for programs that call models | \`/v1\`, \`/v1beta\` | An API key (a token): \`Authorization: Bearer sk-…\`, or the header of the vendor (\`x-api-key\`, \`x-goog-api-key\`) |
| The management API, for programs that administer the gateway | \`/api\` | A management key: \`Authorization: Bearer tgm-…\`, with the scope that the operation names |

An operation without a scope is for people who are signed in. Below, \`?\` marks what may be left out, and bounds are comments.`;

const limits = `## Limits

- A management key has 120 calls a minute. Calls of people and access tokens are limited by route (\`API_RATE_LIMIT\`). A refusal is 429
  with \`Retry-After\`.
- A key of the client API has the limits of its token: calls and tokens a minute, calls at once, quota, and budgets.
- A creation that carries an \`Idempotency-Key\` (1 to 128 visible ASCII characters) is done once: a repetition within a day gets the
  first result.
- Quota and amounts are units: 500,000 to the dollar. Times that end in \`_time\` are Unix seconds, those that end in \`_at\` milliseconds.
- A list takes \`p\` (page, from 0) and \`size\`, and tells its \`total\`.`;

const replies = `## Replies

A reply of the management API is \`{ "success": true, "message": "", "data": … }\`, or a refusal with a code:

\`\`\`json
{ "success": false, "message": "This token does not exist", "code": "token_not_found" }
\`\`\`

Some refusals have the HTTP status 200, so look at \`success\`. A reply with status 400 names each wrong field in \`fields\`. The client
API answers in the format of the address that was called, errors included.`;

const fenced = (text: string, language = "ts") => `\`\`\`${language}\n${text}\n\`\`\``;

const jsonOf = (content: ReferenceContent | undefined) => content?.["application/json"];

/** Of a reply in the envelope, what `data` holds; undefined for one without data. */
function dataOf(content: ReferenceContent | undefined): DocumentSchema | undefined {
  const schema = jsonOf(content)?.schema;
  const success = schema?.anyOf?.find(({ properties }) => properties?.success !== undefined);
  const data = success?.properties?.data;
  return data?.type === "null" ? undefined : data;
}

function operationText(method: string, path: string, operation: ReferenceOperation): string {
  const { operationId, summary, description, externalDocs, parameters, requestBody, responses } = operation;
  const inQuery = parameters.filter((one) => one.in === "query");
  const query: DocumentSchema = {
    properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
    required: inQuery.filter(({ required }) => required === true).map(({ name }) => name),
  };
  const body = jsonOf(requestBody?.content);
  const data = dataOf(responses[200].content);
  const isOfClients = operation.tags.includes(clientTag);
  return [
    `### \`${method.toUpperCase()} ${path}\``,
    `${summary}. ${isOfClients ? "" : description} (\`${operationId}\`)`.replace(".  (", ". ("),
    ...(externalDocs ? [`Format: <${externalDocs.url}>`] : []),
    ...(inQuery.length > 0 ? ["Query:", fenced(schemaText(query))] : []),
    ...(body && !isOfClients ? ["Body:", fenced(schemaText(body.schema))] : []),
    ...(body?.example === undefined ? [] : [fenced(JSON.stringify(body.example), "json")]),
    ...(data ? ["Data of the reply:", fenced(schemaText(data))] : []),
  ].join("\n\n");
}

const examples = (): string =>
  [
    "## Examples",
    "`TOLLGATE_URL` is the address of the gateway, `TOLLGATE_KEY` a management key, `API_KEY` the key of a token. Tests run each command.",
    ...apiExamples.flatMap((example) => [`${example.title}:`, fenced(exampleCommand(example), "sh")]),
  ].join("\n\n");

function scopesText(): string {
  const rows = Object.entries(scopeAccess).map(([scope, access]) => `| \`${scope}\` | ${access} |`);
  return ["## Scopes", "", "| Scope | Lowest role that may give it to a key |", "|---|---|", ...rows].join("\n");
}

function errorsText(): string {
  const rows = Object.entries(errorTable).map(
    ([code, [status, message]]) => `| \`${code}\` | ${status} | ${message} |`,
  );
  return ["## Codes of refusals", "", "| Code | Status | Message |", "|---|---|---|", ...rows].join("\n");
}

export function apiReference(paths: ReferencePaths): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation, tag: operation.tags[0] ?? "" })),
  );
  const tags = [clientTag, ...new Set(operations.map(({ tag }) => tag).filter((tag) => tag !== clientTag))];
  const sections = tags.map((tag) => {
    const own = operations.filter((one) => one.tag === tag);
    const title = tag === clientTag ? "Client API" : `Management API: ${tag}`;
    return [`## ${title}`, ...own.map(({ method, path, operation }) => operationText(method, path, operation))].join(
      "\n\n",
    );
  });
  const parts = [introduction, examples(), replies, limits, scopesText(), ...sections, errorsText()];
  return `${parts.join("\n\n")}\n`;
}
