/** docs/api.md: the OpenAPI document of the gateway as a page. Pure. */

import { scopeAccess } from "@tollgate/contract/accounts/scopes.ts";
import { apiExamples, readExampleCommand } from "@tollgate/contract/api/api-examples.ts";
import {
  clientGroup,
  type DescribedOperation,
  listDescribedOperations,
} from "@tollgate/contract/api/described-operations.ts";
import { errorTable } from "@tollgate/contract/api/errors.ts";
import { formatSchemaText } from "@tollgate/contract/api/schema-text.ts";

const introduction = `# API reference

<!-- Written by \`npm run reference\` from the contract. -->

A running gateway describes itself at \`/api/openapi.json\` (OpenAPI 3.1), from which clients are generated, and shows it to people at
\`/reference\`.

| API | Under | Credential |
|---|---|---|
| The client API, for programs that call models | \`/v1\`, \`/v1beta\` | An API key (a token): \`Authorization: Bearer sk-…\`, or the header of the vendor (\`x-api-key\`, \`x-goog-api-key\`) |
| The management API, for programs that administer the gateway | \`/api\` | A management key: \`Authorization: Bearer tgm-…\`, with the scope that the operation names |

An operation without a scope is for people who are signed in. Below, \`?\` marks what may be left out, and bounds are comments.`;

const limits = `## Limits

- A management key has 120 calls a minute. Calls of people and access tokens are limited by route (\`API_RATE_LIMIT\`). A refusal is 429
  with \`Retry-After\`.
- A key of the client API has the limits of its token: calls and tokens a minute, calls at once, quota, and budgets.
- A creation, and a change of a user, that carries an \`Idempotency-Key\` (1 to 128 visible ASCII characters) is done once: a repetition within a day gets the
  first result. An API key, a code or a signing secret that only this reply shows is in a repetition for ten minutes; afterwards it is masked or
  left out. A management key is masked in each repetition, for the gateway keeps its hash alone: delete the key whose reply was lost. Take a
  random value for each creation, such as a UUID, and keep it as a secret until then.
- A change that carries \`Dry-Run: true\` is checked and not made: who calls, the scopes of a key, the form of the input. The reply is
  \`{ "success": true, "message": "", "data": null, "dry_run": true }\`, or the refusal. What only the change itself finds out, such as an id
  that does not exist, is not asked. A server without the feature \`dry_run\` in \`GET /api/status\` makes the change.
- Quota and amounts are units: 500,000 to the dollar. Times that end in \`_time\` are Unix seconds, those that end in \`_at\` milliseconds.
- A list takes \`p\` (page, from 0) and \`size\`, and tells its \`total\`.`;

const replies = `## Replies

A reply of the management API is \`{ "success": true, "message": "", "data": … }\`, or a refusal with a code:

\`\`\`json
{ "success": false, "message": "This token does not exist", "code": "token_not_found" }
\`\`\`

Some refusals have the HTTP status 200, so look at \`success\`. A reply with status 400 names each wrong field in \`fields\`. A query parameter
that an address does not know is passed over on a GET and named in \`x-tollgate-ignored\`; a filter of the family of one-api that is not
served, and any unknown one of a deletion or an act on many, is refused with \`filter_unknown\`. The client
API answers in the format of the address that was called, errors included.`;

const fenced = (text: string, language = "ts") => `\`\`\`${language}\n${text}\n\`\`\``;

function operationText({
  method,
  path,
  id,
  group,
  summary,
  description,
  ...operation
}: DescribedOperation): string {
  const { format, query, body, example, data } = operation;
  return [
    `### \`${method} ${path}\``,
    `${summary}. ${group === clientGroup ? "" : description} (\`${id}\`)`.replace(".  (", ". ("),
    ...(format === undefined ? [] : [`Format: <${format}>`]),
    ...(query ? ["Query:", fenced(formatSchemaText(query))] : []),
    ...(body ? ["Body:", fenced(formatSchemaText(body))] : []),
    ...(example === undefined ? [] : [fenced(JSON.stringify(example), "json")]),
    ...(data ? ["Data of the reply:", fenced(formatSchemaText(data))] : []),
  ].join("\n\n");
}

const examples = (): string =>
  [
    "## Examples",
    "`TOLLGATE_URL` is the address of the gateway, `TOLLGATE_KEY` a management key, `API_KEY` the key of a token. Tests run each command.",
    ...apiExamples.flatMap((example) => [
      `${example.title}:`,
      fenced(readExampleCommand(example), "sh"),
    ]),
  ].join("\n\n");

function scopesText(): string {
  const rows = Object.entries(scopeAccess).map(([scope, access]) => `| \`${scope}\` | ${access} |`);
  return [
    "## Scopes",
    "",
    "| Scope | Lowest role that may give it to a key |",
    "|---|---|",
    ...rows,
  ].join("\n");
}

function errorsText(): string {
  const rows = Object.entries(errorTable).map(
    ([code, [status, message]]) => `| \`${code}\` | ${status} | ${message} |`,
  );
  return ["## Codes of refusals", "", "| Code | Status | Message |", "|---|---|---|", ...rows].join(
    "\n",
  );
}

/** `document` is the OpenAPI document of the gateway. */
export function apiReference(document: unknown): string {
  const operations = listDescribedOperations(document);
  const groups = [...new Set(operations.map(({ group }) => group))];
  const sections = groups.map((group) => {
    const own = operations.filter((one) => one.group === group);
    const title = group === clientGroup ? "Client API" : `Management API: ${group}`;
    return [`## ${title}`, ...own.map(operationText)].join("\n\n");
  });
  const parts = [
    introduction,
    examples(),
    replies,
    limits,
    scopesText(),
    ...sections,
    errorsText(),
  ];
  return `${parts.join("\n\n")}\n`;
}
