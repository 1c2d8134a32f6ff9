/**
 * Libraries of other languages, straight at a scripted provider and through the gateway: over a channel that speaks their format they
 * parse the very same answer; over every other one a program reads the same from it.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  answerText,
  type ConversationEndpoint,
  city,
  conversationEndpoints,
  expectedToolCalls,
  reasoningText,
  type ScenarioName,
  scenarioUsage,
  truncatedText,
} from "../conformance/conversation-scenario.ts";
import {
  anthropicWire,
  geminiWire,
  openaiChatWire,
  openaiResponsesWire,
  type ProviderWire,
  streamOf,
  wholeOf,
} from "../conformance/provider-wires.ts";
import { type ScriptedProvider, startScriptedProvider } from "../conformance/scripted-provider.ts";
import { completeReply } from "../conformance/wire-fixtures.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import {
  drive,
  type ForeignClient,
  type ForeignJob,
  foreignLanguages,
  type LibraryDriveReply,
  type PlayedScenario,
  playedScenarios,
} from "./foreign-clients.ts";

/** Packages are fetched, and Go's are compiled, once on a machine. */
const installWithinMs = 900_000;
/** LiteLLM asks Anthropic for an object by a tool of its own. */
const ownTool = "json_tool_call";
const isEverything = process.env.CLIENTS === "all";

const wires: Readonly<Record<ConversationEndpoint, ProviderWire>> = {
  "Chat Completions": openaiChatWire,
  Responses: openaiResponsesWire,
  Messages: anthropicWire,
  Gemini: geminiWire,
};
const channelTypes: Readonly<Record<ConversationEndpoint, object>> = {
  "Chat Completions": { type: 50 },
  Responses: { type: 50, config: JSON.stringify({ api_format: "response" }) },
  Messages: { type: 14 },
  Gemini: { type: 24 },
};
/** A model's name says what it answers, and in which format. */
const modelOf = (played: PlayedScenario, spoken: ConversationEndpoint): string => `${played}.${wires[spoken].name}`;
const allModels = conversationEndpoints.flatMap((spoken) => playedScenarios.map((played) => modelOf(played, spoken)));

let upstream: ScriptedProvider;
let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  upstream = await startScriptedProvider();
  upstream.setDefault((asked) => {
    const model = typeof asked.body?.model === "string" ? asked.body.model : decodeURIComponent(asked.url);
    const [name = ""] = allModels.filter((known) => model.includes(known));
    const wire = Object.values(wires).find((one) => name.endsWith(`.${one.name}`));
    const [played = ""] = name.split(".");
    if (!wire) return completeReply("openai-chat", "error-400");
    if (played.startsWith("error")) return completeReply(wire.errors ?? wire.name, played);
    return wire.isStream(asked) ? streamOf(wire, played) : wholeOf(wire, played);
  });
  gateway = await startTestGateway({ upstreams: [upstream.url] });
  for (const spoken of conversationEndpoints) {
    const models = playedScenarios.map((played) => modelOf(played, spoken)).join();
    const base_url = upstream.url;
    await gateway.given.channel({ key: "k-provider", base_url, models, ...channelTypes[spoken] });
  }
  key = (await gateway.given.token()).key;
}, 120_000);
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
  await upstream.close();
});

/** The id of a call stands at the end of its message, and in headers. */
function withoutIds({ dump, ...reply }: LibraryDriveReply): unknown {
  const text = JSON.stringify(dump ?? null, (name, value) =>
    /^_?(?:request_id|headers)$/.test(name) ? undefined : value,
  );
  return { ...reply, dump: JSON.parse(text) };
}

const isTold = (played: PlayedScenario): played is Extract<PlayedScenario, ScenarioName> => !played.startsWith("error");

function expectScenario(reply: LibraryDriveReply, played: PlayedScenario, { tellsThoughts }: ForeignClient): void {
  if (!isTold(played)) {
    expect(reply.status).toBe(Number(played.replace("error-", "")));
    return;
  }
  expect(reply).not.toHaveProperty("error");
  const calls = played === "tools" ? expectedToolCalls : played === "thinking" ? expectedToolCalls.slice(0, 1) : [];
  expect(reply.calls).toEqual(calls);
  if (played === "words") expect(reply.text).toBe(answerText);
  if (played === "structured") expect(JSON.parse(reply.text)).toEqual(city);
  if (played === "length") {
    expect(reply.text).toBe(truncatedText);
    if (reply.finish !== "") expect(reply.finish).toMatch(/length|max_?(output_)?tokens/i);
  }
  if (played === "thinking" && tellsThoughts) expect(reply.thought).toBe(reasoningText);
  if (reply.tokens !== null) expect(reply.tokens).toEqual(scenarioUsage[played]);
}

const driven = foreignLanguages.filter(({ isAlwaysDriven = false }) => isEverything || isAlwaysDriven);

describe.each(driven)("$name", (language) => {
  const possible = language.availability();
  const reason = possible.available ? "" : ` (${possible.reason})`;
  const [first] = language.clients;

  describe.skipIf(!possible.available).each(isEverything ? language.clients : [first])(`$name${reason}`, (client) => {
    let command: readonly [string, ...string[]];
    beforeAll(async () => {
      command = await language.install();
    }, installWithinMs);

    test.each(conversationEndpoints)("over a provider of %s", async (spoken) => {
      const told = (client.does ?? playedScenarios).flatMap((played) =>
        [false, true].map((stream) => ({ played, stream })),
      );
      const jobsAt = (url: string, secret: string): ForeignJob[] =>
        told.map(({ played, stream }) => ({
          client: client.name,
          url,
          key: secret,
          model: modelOf(played, spoken),
          stream,
          does: played === "structured" ? "structured" : "ask",
        }));
      upstream.play();
      const through = await drive(command, jobsAt(gateway.url, key));
      const declared = upstream.requests.map(({ body }) => wires[spoken].toolNames(body));
      for (const names of declared.filter(([first]) => first !== undefined && first !== ownTool))
        expect(names).toEqual(["get_weather", "get_time"]);
      const straight = client.entry === spoken ? await drive(command, jobsAt(upstream.url, "k-client")) : [];
      const different = told.flatMap(({ played, stream }, at) => {
        const reply = through[at] as LibraryDriveReply;
        const own = straight[at];
        try {
          if (own && isTold(played)) expect(withoutIds(reply)).toEqual(withoutIds(own));
          else expectScenario(reply, played, client);
          return [];
        } catch {
          const heard = JSON.stringify({ ...reply, dump: undefined });
          const atProvider = own ? `, straight ${JSON.stringify({ ...own, dump: undefined })}` : "";
          return [`${played}, ${stream ? "streamed" : "whole"}: ${heard}${atProvider}`];
        }
      });
      expect(different).toEqual([]);
    });
  });
});
