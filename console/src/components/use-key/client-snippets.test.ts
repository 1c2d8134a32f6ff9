import type { DisplayedModel } from "@tollgate/contract/catalogue/models.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { allClients, findLimits, listSnippets } from "./client-snippets.ts";

const target = { origin: "https://gate.example", key: "sk-secret", model: "gpt-5" };
const textOf = (client: (typeof allClients)[number]) =>
  JSON.stringify(listSnippets(client, target));

test.each(allClients)("%s gets the address, the key and the model", (client) => {
  expect(textOf(client)).toContain(target.origin);
  expect(textOf(client)).toContain(target.key);
  expect(textOf(client)).toContain(target.model);
});

test("no client is given a doubled version: those that append it themselves get the bare address", () => {
  for (const client of allClients) {
    const appendsVersion = ["anthropic", "claude-code", "gemini-cli", "cherry-studio"].includes(
      client,
    );
    expect(textOf(client).includes("gate.example/v1")).toBe(!appendsVersion);
    expect(textOf(client)).not.toContain("/v1/v1");
  }
});

test("agents are told the window of a model where it is known, and nothing where it is not", () => {
  const limits = { context: 400_000, output: 128_000 };
  const known = (client: (typeof allClients)[number]) =>
    JSON.stringify(listSnippets(client, { ...target, limits }));
  for (const client of ["codex", "opencode", "kilo", "pi"] as const) {
    expect(known(client)).toContain("400000");
    expect(textOf(client)).not.toContain("undefined");
  }
});

test("the window comes from the first channel that knows it", () => {
  const shown = (more: object) => ({
    channel_name: "",
    channel_type: 1,
    models: { m: { max_tokens: 0, ...more } as DisplayedModel },
  });
  expect(findLimits({ a: shown({}), b: shown({ context_window: 9, max_tokens: 4 }) }, "m")).toEqual(
    {
      context: 9,
      output: 4,
    },
  );
  expect(findLimits({ a: shown({ context_window: 9 }) }, "m")).toEqual({ context: 9, output: 9 });
  expect(findLimits({ a: shown({ context_window: 0 }) }, "m")).toBeUndefined();
  expect(findLimits({}, "m")).toBeUndefined();
});

test("whatever a model is called, a shell passes the body on as it was written", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 30 }).filter((name) => !name.includes("\0")),
      (model) => {
        const [snippet] = listSnippets("curl", { ...target, model });
        const text = snippet !== undefined && "text" in snippet ? snippet.text : "";
        const body = text.slice(text.indexOf("-d ") + 3);
        // What a POSIX shell makes of it: quoted parts as they are, and escaped quotes between
        // them.
        const printed = body.replaceAll(/'([^']*)'|\\(')/g, "$1$2");
        expect(JSON.parse(printed).model).toBe(model);
      },
    ),
  );
});
