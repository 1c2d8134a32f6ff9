// The first requests of coding agents as they send them, with long texts cut: none of their tools
// is refused, lost or priced as another.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentDialects } from "@tollgate/tests/conformance/agents/agent-dialects.ts";
import { describe, expect, test } from "vitest";
import { callOfJson } from "../read-request.ts";
import { canServe, losesTools, planUpstreamCall } from "../routing/translation-registry.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import type { ApiEndpoint, ClientFormat, RelayCall } from "./api-format.ts";
import { chatCompletions } from "./chat-completions.ts";
import { isClientTool, readDeclaredTools } from "./declared-tools.ts";
import { detectFormat } from "./detect-format.ts";
import { findGeminiFormat } from "./gemini-endpoints.ts";
import { responses } from "./responses.ts";

const folder = join(import.meta.dirname, "../../../../tests/src/conformance/agents/first-requests");
const kept = readdirSync(folder).map((name) => ({
  name: name.replace(".json", ""),
  ...read(name),
}));

function read(name: string): { path: string; body: JsonRecord } {
  return JSON.parse(readFileSync(join(folder, name), "utf8")) as { path: string; body: JsonRecord };
}

function formatAt(path: string): ClientFormat {
  const [bare = ""] = path.split("?");
  if (bare.endsWith("/responses")) return responses;
  if (bare.endsWith("/messages")) return anthropicMessages;
  if (bare.endsWith("/chat/completions")) return chatCompletions;
  const format = findGeminiFormat(bare, path);
  if (!format) throw new Error(`no format at ${path}`);
  return format;
}

function callOf({ path, body }: { path: string; body: JsonRecord }): RelayCall {
  const format = formatAt(path);
  const formatFor = (json: unknown): ClientFormat => detectFormat(format, json);
  const namedModel = /models\/([^:]+):/.exec(path)?.[1];
  const options = { formatFor, isEstimateRough: true, hasChoice: () => true, isServed: () => true };
  return callOfJson(
    Buffer.from(JSON.stringify(body)),
    {},
    { ...options, ...(namedModel && { namedModel }) },
  );
}

const spoken: Readonly<Record<(typeof agentDialects)[number], ApiEndpoint>> = {
  chat: "chat_completions",
  responses: "response_api",
  messages: "claude_messages",
  gemini: "gemini",
};

test("the requests of ten agents are kept", () => {
  expect(kept.length).toBeGreaterThanOrEqual(10);
});

describe.each(kept)("the first request of $name", (request) => {
  const call = callOf(request);
  const own = readDeclaredTools(request.body).filter(isClientTool);

  test("is its own format, costs nothing extra, and needs its tools", () => {
    expect(call.client.endpoint).toBe(formatAt(request.path).endpoint);
    expect(call.costMembers).toBeUndefined();
    expect(call.neededTools).toBe("functions");
    expect(own.length).toBeGreaterThan(0);
  });

  test.each(agentDialects)("keeps all tools that the client runs over %s", (dialect) => {
    const urls = { [spoken[dialect]]: new URL("http://provider.example/v1") };
    expect(canServe(call.client.endpoint, urls)).toBe(true);
    expect(losesTools(call.client.endpoint, urls, call.neededTools)).toBe(false);
    const sent = JSON.parse(
      planUpstreamCall(call, urls, call.model).call.body.toString("utf8"),
    ) as JsonRecord;
    const declared = readDeclaredTools(sent).flatMap(({ functionDeclarations, ...tool }) =>
      functionDeclarations === undefined ? [tool] : records(functionDeclarations),
    );
    const count = own.flatMap(({ functionDeclarations, ...tool }) =>
      functionDeclarations === undefined ? [tool] : records(functionDeclarations),
    ).length;
    expect(declared.length).toBeGreaterThanOrEqual(count);
    for (const { name, function: called } of call.client.endpoint === spoken[dialect]
      ? []
      : declared)
      expect(String(name ?? record(called).name)).toMatch(/^[\w-]{1,64}$/);
  });
});
