import { expect, test } from "vitest";
import { findWrongArrows } from "./arrows.ts";

/** One file with one line, and what is said about it. */
function judged(file: string, line: string): string[] {
  return findWrongArrows(new Map([[file, line]])).map(({ message }) => message);
}

test.each([
  // Between the workspaces.
  ["console/src/api-queries.ts", 'import { x } from "@tollgate/gateway/app.ts";', "never import each other"],
  ["console/src/api-queries.ts", 'import { x } from "../../gateway/src/app.ts";', "never import each other"],
  ["gateway/src/app.ts", 'import type { X } from "@tollgate/console/api-queries.ts";', "never import each other"],
  ["gateway/src/tokens/a.test.ts", 'import { x } from "@tollgate/console/api-queries.ts";', "never import each other"],
  ["gateway/src/app.ts", 'import { x } from "@tollgate/simulator/simulator.ts";', "gateway imports only contract"],
  [
    "console/src/components/a.ts",
    'import { x } from "@tollgate/tests/harness/eventually.ts";',
    "console imports only contract",
  ],
  [
    "simulator/src/a.ts",
    'import { x } from "@tollgate/gateway/money/price.ts";',
    "simulator imports no other workspace",
  ],
  ["contract/src/a.ts", 'import { x } from "@tollgate/gateway/money/price.ts";', "contract imports no other workspace"],
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
  ["gateway/src/storage/a.ts", 'import type { X } from "../money/price.ts";', "storage never imports money"],
  ["gateway/src/http/a.ts", 'import { x } from "../tokens/token-rules.ts";', "http never imports tokens"],
  ["gateway/src/http/a.ts", 'import { x } from "../relay/call.ts";', "http never imports relay"],
  ["gateway/src/tokens/a.ts", 'import { x } from "../relay/forward.ts";', "tokens never imports relay"],
  ["gateway/src/tokens/a.ts", 'import { x } from "../app.ts";', "tokens never imports app"],
  ["gateway/src/relay/a.ts", 'import { x } from "../app.ts";', "relay never imports app"],
  ["gateway/src/app.ts", 'import { x } from "./main.ts";', "app never imports main"],
  ["gateway/src/config.ts", 'import { x } from "./app.ts";', "config never imports app"],
  [
    "gateway/src/main.ts",
    'import { relay } from "./relay/relay.ts";',
    "only the openers of relay and server import the relay",
  ],
  [
    "gateway/src/open-management-api.ts",
    'import { relay } from "./relay/relay.ts";',
    "only the openers of relay and server import the relay",
  ],
  [
    "gateway/src/tokens/a.ts",
    'import { tokenRoutes } from "./token-routes.ts";',
    "only main, app and the openers touch routes",
  ],
  [
    "gateway/src/tokens/a.ts",
    'import type { X } from "../users/user-routes.ts";',
    "only main, app and the openers touch routes",
  ],
  [
    "gateway/src/tokens/a.ts",
    'import { tokenStore } from "./token-store.ts";',
    "only main, app and the openers construct stores",
  ],
  [
    "gateway/src/relay/a.ts",
    'import * as tokens from "../tokens/token-store.ts";',
    "only main, app and the openers construct stores",
  ],
  // Between the rooms of the relay.
  ["gateway/src/relay/wire/a.ts", 'import { x } from "../formats/gemini.ts";', "wire never imports values of formats"],
  [
    "gateway/src/relay/routing/a.ts",
    'import { x } from "../upstream/send.ts";',
    "routing never imports values of upstream",
  ],
  ["gateway/src/relay/upstream/a.ts", 'import { x } from "../routing/breakers.ts";', "upstream · stored-responses"],
  ["gateway/src/relay/endpoints/a.ts", 'import { x } from "../relay.ts";', "endpoints never imports values of relay"],
  ["gateway/src/relay/relay.ts", 'import { x } from "./realtime/a.ts";', "relay never imports values of realtime"],
  ["gateway/src/relay/attic/a.ts", 'import { x } from "../wire/json-spans.ts";', "attic is no room of the relay yet"],
  ["gateway/src/relay/wire/a.ts", 'import { x } from "../attic/a.ts";', "attic is no room of the relay yet"],
  // In the console.
  ["console/src/ui/a.tsx", 'import { api } from "../api.ts";', "ui imports nothing of ours"],
  ["console/src/ui/a.tsx", 'import { x } from "../components/quota-field.tsx";', "ui imports nothing of ours"],
  ["console/src/components/a.tsx", 'import { x } from "../features/tokens/x.ts";', "components never imports features"],
  ["console/src/components/a.tsx", 'import { x } from "../shell/x.ts";', "components never imports shell"],
  ["console/src/shell/a.tsx", 'import { x } from "../features/tokens/x.ts";', "shell never imports features"],
  ["console/src/api-queries.ts", 'import { x } from "./components/x.ts";', "api-queries never imports components"],
  ["console/src/features/tokens/a.tsx", 'import { x } from "../../routes.tsx";', "features never imports routes"],
  ["console/src/features/tokens/a.tsx", 'import { x } from "../users/x.ts";', "a feature imports no other feature"],
  ["console/src/routes.tsx", 'import { x } from "./main.tsx";', "routes never imports main"],
])("%s may not say %s", (file, line, reason) => {
  expect(judged(file, line)).toEqual([expect.stringContaining(reason)]);
});

test.each([
  ["console/src/api-queries.ts", 'import { x } from "@tollgate/contract/tokens.ts";'],
  ["gateway/src/app.ts", 'import { x } from "@tollgate/contract/tokens.ts";'],
  [
    "gateway/src/storage/migrations/0013-more.ts",
    'import type { X } from "../database.ts"; import { y } from "./0013-text.ts";',
  ],
  ["contract/src/a.ts", 'import * as z from "zod/mini"; import { x } from "./b.ts";'],
  ["contract/src/a.test.ts", 'import { test } from "vitest";'],
  ["gateway/src/main.ts", 'import { x } from "./app.ts"; import { y } from "./tokens/token-store.ts";'],
  ["gateway/src/app.ts", 'import { x } from "./relay/relay.ts"; import { y } from "./tokens/token-routes.ts";'],
  ["gateway/src/relay/a.ts", 'import { x } from "../money/hold.ts"; import { y } from "../config.ts";'],
  ["gateway/src/tokens/a.ts", 'import { x } from "../users/user-rules.ts"; import { y } from "../http/answer.ts";'],
  ["gateway/src/tokens/token-routes.ts", 'import type { TokenStore } from "./token-store.ts";'],
  ["gateway/src/tokens/a.ts", 'import { idleMs, type TokenStore } from "./token-store.ts";'],
  ["gateway/src/tokens/b-store.ts", 'import { tokenStore } from "./token-store.ts";'],
  ["gateway/src/config.ts", 'import { x } from "./http/address.ts"; import { y } from "./money/decimal.ts";'],
  ["gateway/src/tokens/a.test.ts", 'import { x } from "./token-store.ts"; import { y } from "../relay/relay.ts";'],
  ["gateway/src/relay/a.test.ts", 'import { x } from "@tollgate/simulator/simulator.ts";'],
  [
    "gateway/src/relay/relay.ts",
    'import { x } from "./routing/attempts.ts"; import { y } from "./wire/json-parts.ts";',
  ],
  ["gateway/src/relay/wire/a.ts", 'import type { X } from "../formats/gemini.ts"; import { y } from "./b.ts";'],
  ["gateway/src/relay/wire/a.test.ts", 'import { x } from "../formats/gemini.ts";'],
  ["gateway/src/relay/wire/a.test-support.ts", 'import { x } from "../formats/gemini.ts";'],
  ["tests/src/a.ts", 'import { x } from "@tollgate/gateway/tokens/token-store.ts";'],
  ["benchmarks/src/a.ts", 'import { x } from "@tollgate/gateway/relay/relay.ts";'],
  ["console/src/routes.tsx", 'const page = () => import("./features/tokens/token-list-page.tsx");'],
  ["console/src/features/tokens/a.tsx", 'import { x } from "./b.ts"; import { y } from "../../components/c.tsx";'],
  ["console/src/features/tokens/a.tsx", 'import { x } from "../../shell/x.ts"; import { y } from "../../ui/c.tsx";'],
  ["console/src/ui/a.tsx", 'import { x } from "./b.tsx"; import { y } from "react";'],
])("%s may say %s", (file, line) => {
  expect(judged(file, line)).toEqual([]);
});

test.each([
  'import { x } from "../relay/forward.ts";',
  'import "../relay/forward.ts";',
  'export { x } from "../relay/forward.ts";',
  'export * from "../relay/forward.ts";',
  'export type { X } from "../relay/forward.ts";',
  'const x = await import("../relay/forward.ts");',
  'type X = import("../relay/forward.ts").X;',
])("%s is an import", (line) => {
  expect(judged("gateway/src/tokens/a.ts", line)).toHaveLength(1);
});

test("words in comments, strings and JSX are no imports", () => {
  const source = `
    // import { x } from "../features/a.ts";
    const text = 'import { x } from "../features/a.ts"';
    export const A = () => <p>import from "../features/a.ts"</p>;`;
  expect(judged("console/src/ui/a.tsx", source)).toEqual([]);
});

test("a wrong arrow is named with its file and line", () => {
  const source = 'import { y } from "./y.ts";\n\nimport { x } from "../relay/upstream/forward.ts";\n';
  expect(findWrongArrows(new Map([["gateway/src/tokens/a.ts", source]]))).toEqual([
    {
      file: "gateway/src/tokens/a.ts",
      line: 3,
      message:
        "imports gateway/src/relay/upstream/forward.ts: main → app → openers → relay → features → storage · limits · http: tokens never imports relay",
    },
  ]);
});

const tokens = "gateway/src/tokens";

test("a circle is told once, by its shortest way around", () => {
  const sources = new Map([
    [`${tokens}/a.ts`, '\nimport { b } from "./b.ts";'],
    [`${tokens}/b.ts`, 'import { c } from "./c.ts"; import { d } from "./d.ts";'],
    [`${tokens}/c.ts`, 'import { d } from "./d.ts";'],
    [`${tokens}/d.ts`, 'export { a } from "@tollgate/gateway/tokens/a.ts";'],
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

test.each(['import type { A } from "./a.ts";', 'import { type A } from "./a.ts";', 'export type { A } from "./a.ts";'])(
  "a circle may not be closed by a type: %s",
  (line) => {
    const sources = new Map([
      [`${tokens}/a.ts`, 'import { b } from "./b.ts";'],
      [`${tokens}/b.ts`, line],
    ]);
    expect(findWrongArrows(sources)).toHaveLength(1);
  },
);

test("folders that import each other are named at their level, though no file is in a circle", () => {
  const sources = new Map([
    ["gateway/src/identity/users/a.ts", 'import { b } from "../sessions/b.ts";'],
    ["gateway/src/identity/users/d.ts", ""],
    ["gateway/src/identity/sessions/b.ts", ""],
    [
      "gateway/src/identity/sessions/c.ts",
      '\nimport { x } from "../../tokens/x.ts";\nimport { d } from "../users/d.ts";',
    ],
    ["gateway/src/tokens/x.ts", 'import type { A } from "../identity/users/a.ts";'],
    ["gateway/src/tokens/x.test.ts", 'import { a } from "../identity/users/a.ts";'],
  ]);
  expect(findWrongArrows(sources)).toEqual([
    {
      file: "gateway/src/identity/sessions/c.ts",
      line: 3,
      message: "folders of gateway/src/identity import each other: sessions → users → sessions",
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
