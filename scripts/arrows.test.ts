import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findWrongArrows } from "./arrows.ts";
import { gatewayWings } from "./gateway-wings.ts";

/** `judged` gives one file with one line, and what is said about it. */
function judged(file: string, line: string): string[] {
  return findWrongArrows(new Map([[file, line]])).map(({ message }) => message);
}

test.each([
  // Between the workspaces.
  [
    "console/src/api-queries.ts",
    'import { x } from "@tollgate/gateway/start/app.ts";',
    "never import each other",
  ],
  [
    "console/src/api-queries.ts",
    'import { x } from "../../gateway/src/start/app.ts";',
    "never import each other",
  ],
  [
    "gateway/src/start/app.ts",
    'import type { X } from "@tollgate/console/api-queries.ts";',
    "never import each other",
  ],
  [
    "gateway/src/accounts/tokens/a.test.ts",
    'import { x } from "@tollgate/console/api-queries.ts";',
    "never import each other",
  ],
  [
    "gateway/src/start/app.ts",
    'import { x } from "@tollgate/simulator/simulator.ts";',
    "gateway imports only contract",
  ],
  [
    "console/src/components/a.ts",
    'import { x } from "@tollgate/tests/harness/eventually.ts";',
    "console imports only contract",
  ],
  [
    "simulator/src/a.ts",
    'import { x } from "@tollgate/gateway/money/prices/price.ts";',
    "simulator imports no other workspace",
  ],
  [
    "contract/src/a.ts",
    'import { x } from "@tollgate/gateway/money/prices/price.ts";',
    "contract imports no other workspace",
  ],
  ["contract/src/a.ts", 'import { randomUUID } from "node:crypto";', "zod and nothing else"],
  ["contract/src/a.ts", 'import pino from "pino";', "zod and nothing else"],
  // In the gateway.
  [
    "gateway/src/storage/migrations/0013-more.ts",
    'import { histogramBoundsMs } from "../rollups.ts";',
    "a migration is frozen text",
  ],
  [
    "gateway/src/storage/migrations/0013-more.ts",
    'import { readFileSync } from "node:fs";',
    "a migration is frozen text",
  ],
  [
    "gateway/src/storage/a.ts",
    'import type { X } from "../money/price.ts";',
    "storage never imports money",
  ],
  [
    "gateway/src/http/a.ts",
    'import { x } from "../accounts/tokens/token-rules.ts";',
    "http never imports accounts",
  ],
  ["gateway/src/http/a.ts", 'import { x } from "../relay/call.ts";', "http never imports relay"],
  [
    "gateway/src/accounts/tokens/a.ts",
    'import { x } from "../../relay/forward.ts";',
    "accounts never imports relay",
  ],
  [
    "gateway/src/accounts/tokens/a.ts",
    'import { x } from "../../start/app.ts";',
    "accounts never imports start",
  ],
  ["gateway/src/relay/a.ts", 'import { x } from "../start/app.ts";', "relay never imports start"],
  ["gateway/src/start/app.ts", 'import { x } from "./main.ts";', "app never imports main"],
  [
    "gateway/src/config/config.ts",
    'import { x } from "../start/app.ts";',
    "config never imports start",
  ],
  [
    "gateway/src/start/main.ts",
    'import { relay } from "../relay/relay.ts";',
    "only the openers of relay and server import the relay",
  ],
  [
    "gateway/src/start/open-management-api.ts",
    'import { relay } from "../relay/relay.ts";',
    "only the openers of relay and server import the relay",
  ],
  [
    "gateway/src/accounts/tokens/a.ts",
    'import { tokenRoutes } from "./token-routes.ts";',
    "only main, app and the openers touch routes",
  ],
  [
    "gateway/src/accounts/tokens/a.ts",
    'import type { X } from "../users/user-routes.ts";',
    "only main, app and the openers touch routes",
  ],
  [
    "gateway/src/accounts/tokens/a.ts",
    'import { tokenStore } from "./token-store.ts";',
    "only main, app and the openers construct stores",
  ],
  [
    "gateway/src/relay/a.ts",
    'import * as tokens from "../accounts/tokens/token-store.ts";',
    "only main, app and the openers construct stores",
  ],
  [
    "gateway/src/attic/a.ts",
    'import { x } from "../http/b.ts";',
    "attic is no wing of the gateway yet",
  ],
  [
    "gateway/src/start/start-clock.ts",
    'import { x } from "./open-relay.ts";',
    "start-clock never imports open-relay",
  ],
  [
    "gateway/src/http/a.ts",
    'import { x } from "../attic/b.ts";',
    "attic is no wing of the gateway yet",
  ],
  // Between the rooms of the relay.
  [
    "gateway/src/relay/wire/a.ts",
    'import { x } from "../formats/gemini.ts";',
    "wire never imports values of formats",
  ],
  [
    "gateway/src/relay/routing/a.ts",
    'import { x } from "../upstream/send.ts";',
    "routing never imports values of upstream",
  ],
  [
    "gateway/src/relay/upstream/a.ts",
    'import { x } from "../routing/breakers.ts";',
    "upstream · stored-responses",
  ],
  [
    "gateway/src/relay/endpoints/a.ts",
    'import { x } from "../relay.ts";',
    "endpoints never imports values of relay",
  ],
  [
    "gateway/src/relay/relay.ts",
    'import { x } from "./realtime/a.ts";',
    "relay never imports values of realtime",
  ],
  [
    "gateway/src/relay/attic/a.ts",
    'import { x } from "../wire/json-spans.ts";',
    "attic is no room of the relay yet",
  ],
  [
    "gateway/src/relay/wire/a.ts",
    'import { x } from "../attic/a.ts";',
    "attic is no room of the relay yet",
  ],
  // In the console.
  ["console/src/ui/a.tsx", 'import { api } from "../api.ts";', "ui imports nothing of ours"],
  [
    "console/src/ui/a.tsx",
    'import { x } from "../components/quota-field.tsx";',
    "ui imports nothing of ours",
  ],
  [
    "console/src/components/a.tsx",
    'import { x } from "../features/tokens/x.ts";',
    "components never imports features",
  ],
  [
    "console/src/components/a.tsx",
    'import { x } from "../shell/x.ts";',
    "components never imports shell",
  ],
  [
    "console/src/shell/a.tsx",
    'import { x } from "../features/tokens/x.ts";',
    "shell never imports features",
  ],
  [
    "console/src/api-queries.ts",
    'import { x } from "./components/x.ts";',
    "api-queries never imports components",
  ],
  [
    "console/src/features/tokens/a.tsx",
    'import { x } from "../../routes.tsx";',
    "features never imports routes",
  ],
  [
    "console/src/features/tokens/a.tsx",
    'import { x } from "../users/x.ts";',
    "a feature imports no other feature",
  ],
  ["console/src/routes.tsx", 'import { x } from "./main.tsx";', "routes never imports main"],
])("%s may not say %s", (file, line, reason) => {
  expect(judged(file, line)).toEqual([expect.stringContaining(reason)]);
});

test.each([
  ["console/src/api-queries.ts", 'import { x } from "@tollgate/contract/accounts/tokens.ts";'],
  ["gateway/src/start/app.ts", 'import { x } from "@tollgate/contract/accounts/tokens.ts";'],
  [
    "gateway/src/storage/migrations/0013-more.ts",
    'import type { X } from "../database.ts"; import { y } from "./0013-text.ts";',
  ],
  ["contract/src/a.ts", 'import * as z from "zod/mini"; import { x } from "./b.ts";'],
  ["contract/src/a.test.ts", 'import { test } from "vitest";'],
  [
    "gateway/src/start/main.ts",
    'import { x } from "./app.ts"; import { y } from "../accounts/tokens/token-store.ts";',
  ],
  [
    "gateway/src/start/app.ts",
    'import { x } from "../relay/relay.ts"; import { y } from "../accounts/tokens/token-routes.ts";',
  ],
  [
    "gateway/src/relay/a.ts",
    'import { x } from "../money/hold.ts"; import { y } from "../config/config.ts";',
  ],
  [
    "gateway/src/accounts/tokens/a.ts",
    'import { x } from "../users/user-rules.ts"; import { y } from "../../http/answer.ts";',
  ],
  [
    "gateway/src/accounts/tokens/token-routes.ts",
    'import type { TokenStore } from "./token-store.ts";',
  ],
  [
    "gateway/src/accounts/tokens/a.ts",
    'import { idleMs, type TokenStore } from "./token-store.ts";',
  ],
  ["gateway/src/accounts/tokens/b-store.ts", 'import { tokenStore } from "./token-store.ts";'],
  [
    "gateway/src/config/config.ts",
    'import { x } from "../http/address.ts"; import { y } from "../money/decimal.ts";',
  ],
  [
    "gateway/src/accounts/tokens/a.test.ts",
    'import { x } from "./token-store.ts"; import { y } from "../../relay/relay.ts";',
  ],
  ["gateway/src/relay/a.test.ts", 'import { x } from "@tollgate/simulator/simulator.ts";'],
  [
    "gateway/src/relay/relay.ts",
    'import { x } from "./routing/attempts.ts"; import { y } from "./wire/json-parts.ts";',
  ],
  [
    "gateway/src/relay/wire/a.ts",
    'import type { X } from "../formats/gemini.ts"; import { y } from "./b.ts";',
  ],
  ["gateway/src/relay/wire/a.test.ts", 'import { x } from "../formats/gemini.ts";'],
  ["gateway/src/relay/wire/a.test-support.ts", 'import { x } from "../formats/gemini.ts";'],
  ["tests/src/a.ts", 'import { x } from "@tollgate/gateway/accounts/tokens/token-store.ts";'],
  ["benchmarks/src/a.ts", 'import { x } from "@tollgate/gateway/relay/relay.ts";'],
  ["console/src/routes.tsx", 'const page = () => import("./features/tokens/token-list-page.tsx");'],
  [
    "console/src/features/tokens/a.tsx",
    'import { x } from "./b.ts"; import { y } from "../../components/c.tsx";',
  ],
  [
    "console/src/features/tokens/a.tsx",
    'import { x } from "../../shell/x.ts"; import { y } from "../../ui/c.tsx";',
  ],
  ["console/src/ui/a.tsx", 'import { x } from "./b.tsx"; import { y } from "react";'],
])("%s may say %s", (file, line) => {
  expect(judged(file, line)).toEqual([]);
});

test.each([
  'import { x } from "../../relay/forward.ts";',
  'import "../../relay/forward.ts";',
  'export { x } from "../../relay/forward.ts";',
  'export * from "../../relay/forward.ts";',
  'export type { X } from "../../relay/forward.ts";',
  'const x = await import("../../relay/forward.ts");',
  'type X = import("../../relay/forward.ts").X;',
])("%s is an import", (line) => {
  expect(judged("gateway/src/accounts/tokens/a.ts", line)).toHaveLength(1);
});

test("words in comments, strings and JSX are no imports", () => {
  const source = `
    // import { x } from "../features/a.ts";
    const text = 'import { x } from "../features/a.ts"';
    export const A = () => <p>import from "../features/a.ts"</p>;`;
  expect(judged("console/src/ui/a.tsx", source)).toEqual([]);
});

test("a wrong arrow is named with its file and line", () => {
  const source =
    'import { y } from "./y.ts";\n\nimport { x } from "../../relay/upstream/forward.ts";\n';
  expect(findWrongArrows(new Map([["gateway/src/accounts/tokens/a.ts", source]]))).toEqual([
    {
      file: "gateway/src/accounts/tokens/a.ts",
      line: 3,
      message:
        "imports gateway/src/relay/upstream/forward.ts: accounts never imports relay: see scripts/gateway-wings.ts",
    },
  ]);
});

const tokens = "gateway/src/accounts/tokens";

test("a circle is told once, by its shortest way around", () => {
  const sources = new Map([
    [`${tokens}/a.ts`, '\nimport { b } from "./b.ts";'],
    [`${tokens}/b.ts`, 'import { c } from "./c.ts"; import { d } from "./d.ts";'],
    [`${tokens}/c.ts`, 'import { d } from "./d.ts";'],
    [`${tokens}/d.ts`, 'export { a } from "@tollgate/gateway/accounts/tokens/a.ts";'],
    [`${tokens}/e.ts`, 'import { a } from "./a.ts";'],
  ]);
  expect(findWrongArrows(sources)).toEqual([
    {
      file: `${tokens}/a.ts`,
      line: 2,
      message: `imports go in a circle: ${["a", "b", "d", "a"].map((name) => `${tokens}/${name}.ts`).join(" → ")}`,
    },
  ]);
});

test("two circles are told apart, and a file may not import itself", () => {
  const sources = new Map([
    [`${tokens}/a.ts`, 'import { b } from "./b.ts"; import { c } from "./c.ts";'],
    [`${tokens}/b.ts`, 'const a = () => import("./a.ts");'],
    [`${tokens}/c.ts`, 'import { d } from "./d.ts";'],
    [`${tokens}/d.ts`, 'import { c } from "./c.ts";'],
    [`${tokens}/e.ts`, 'import { e } from "./e.ts";'],
  ]);
  expect(findWrongArrows(sources).map(({ file }) => file)).toEqual(
    ["a", "c", "e"].map((name) => `${tokens}/${name}.ts`),
  );
});

test.each([
  'import type { A } from "./a.ts";',
  'import { type A } from "./a.ts";',
  'export type { A } from "./a.ts";',
])("a circle may not be closed by a type: %s", (line) => {
  const sources = new Map([
    [`${tokens}/a.ts`, 'import { b } from "./b.ts";'],
    [`${tokens}/b.ts`, line],
  ]);
  expect(findWrongArrows(sources)).toHaveLength(1);
});

test("folders that import each other are named at their level, though no file is in a circle", () => {
  const sources = new Map([
    ["gateway/src/accounts/identity/users/a.ts", 'import { b } from "../sessions/b.ts";'],
    ["gateway/src/accounts/identity/users/d.ts", ""],
    ["gateway/src/accounts/identity/sessions/b.ts", ""],
    [
      "gateway/src/accounts/identity/sessions/c.ts",
      '\nimport { x } from "../../tokens/x.ts";\nimport { d } from "../users/d.ts";',
    ],
    ["gateway/src/accounts/tokens/x.ts", 'import type { A } from "../identity/users/a.ts";'],
    ["gateway/src/accounts/tokens/x.test.ts", 'import { a } from "../identity/users/a.ts";'],
  ]);
  expect(findWrongArrows(sources)).toEqual([
    {
      file: "gateway/src/accounts/identity/sessions/c.ts",
      line: 3,
      message:
        "folders of gateway/src/accounts/identity import each other: sessions → users → sessions",
    },
  ]);
});

test("a folder and a file beside it may not import each other", () => {
  const sources = new Map([
    ["gateway/src/money/prices/a.ts", 'import { b } from "../b.ts";'],
    ["gateway/src/money/prices/c.ts", ""],
    ["gateway/src/money/b.ts", 'import { c } from "./prices/c.ts";'],
  ]);
  expect(findWrongArrows(sources).map(({ message }) => message)).toEqual([
    "folders of gateway/src/money import each other: b.ts → prices → b.ts",
  ]);
});

test.each(Object.entries(gatewayWings))(
  "the README of the wing %s names the wings that it imports",
  (wing, known) => {
    const readme = readFileSync(
      join(import.meta.dirname, "../gateway/src", wing, "README.md"),
      "utf8",
    );
    const named = /^- \*\*Imports\*\*: (.*?)\.$/m.exec(readme)?.[1] ?? "";
    const names = [...named.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    if (wing === "start") expect(named).toBe("every wing");
    else expect(names.toSorted()).toEqual(known.toSorted());
  },
);
