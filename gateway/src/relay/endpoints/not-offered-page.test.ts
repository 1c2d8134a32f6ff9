// docs/not-served.md is made of the table that answers.
import { join } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { expect, test } from "vitest";
import { notOfferedMessage, notOfferedRoutes, notOfferedSentences } from "./not-offered.ts";

const introduction = `# Addresses that are not served

<!-- Written by gateway/src/relay/endpoints/not-offered-page.test.ts from the table that answers: run it with -u after a change. -->

The APIs of providers and of other gateways have more addresses than this gateway serves. It answers these, and everything below
them, with 501, the reason and what serves the purpose here, in the format of the client's API (\`api_not_implemented\`,
\`UNIMPLEMENTED\`). A test compares the table with the addresses that the official libraries know. \`DELETE /v1/models/{model}\` is not
served either: it administers the operator's account. Any other address below \`/v1\` answers 404 with the code \`unknown_path\`.`;

/** Capabilities without an address of their own. */
const features = `## What other gateways do and this one does not

| Capability | Why | Instead |
|---|---|---|
| Slower limits for users with a low balance | a balance already bounds what is spent, exactly; a limit that follows it would refuse calls that are paid for, at a moment that no client can foresee | an alert on the balance, a budget by day, limits of the key |
| Requests counted by natural day | a call's worth differs by a factor of thousands: a day bounds money, which is what an operator loses | a budget with the window of a day in the site's time zone ([budgets.md](budgets.md)), limits by minute ([usage.md](usage.md)) |
| Prompt compression | the provider would read other words than the client sent, and the answer is the client's to judge | clients compact conversations themselves (\`POST /v1/responses/compact\`) |
| Memory endpoints | they would keep contents of calls for all clients of a key, and put them into requests that ask for none | conversations of the provider (\`/v1/conversations\`), or the client's own |
| A model as judge of answers | it doubles the cost of a call and delays each answer until it is whole | the operator's guard hook on requests ([guards.md](guards.md)), kept contents for a judge afterwards ([call-bodies.md](call-bodies.md)) |
`;

test("the page lists every address that is answered with a reason", async () => {
  const rows = notOfferedRoutes.map(({ templates, reason, instead = "", isAnthropicAlone }) => {
    const dialect = isAnthropicAlone ? " with the header `anthropic-version`" : "";
    const shown = templates.map((template) => `\`${template}\`${dialect}`).join(", ");
    return `| ${shown} | ${notOfferedSentences[reason]} | ${instead} |`;
  });
  const table = ["| Addresses | Why | Instead |", "|---|---|---|", ...rows].join("\n");
  await expect(`${introduction}\n\n${table}\n\n${features}`).toMatchFileSnapshot(
    join(repositoryDir, "docs/not-served.md"),
  );
});

test.each(notOfferedRoutes.flatMap(({ templates }) => templates))(
  "%s answers, and so does what is below it",
  (template) => {
    const path = template.replace("{id}", "some-id");
    for (const address of [path, `${path}/more`, path.replace("/v1beta/", "/v1/")])
      expect(notOfferedMessage("POST", address, true), address).toContain(
        " is not offered by this gateway: ",
      );
    if (!template.endsWith("{id}")) expect(notOfferedMessage("POST", `${path}x`)).toBeUndefined();
  },
);

test("a name of a model may have slashes, and no served address is caught", () => {
  expect(notOfferedMessage("POST", "/v1beta/models/publishers/google/m:predict")).toContain(
    "/v1/images/generations",
  );
  for (const served of [
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/responses/resp_1",
    "/v1/realtime",
    "/v1/models/a:b",
  ])
    expect(notOfferedMessage("GET", served)).toBeUndefined();
  expect(notOfferedMessage("DELETE", "/v1/models/m")).toContain("administers");
});
