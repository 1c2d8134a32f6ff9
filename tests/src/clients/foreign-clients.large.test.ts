/**
 * Libraries of other languages, straight at a scripted provider and through the gateway: over a
 * channel that speaks their format they parse the very same answer; over every other one a program
 * reads the same from it.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  answerText,
  city,
  conversationEndpoints,
  expectedToolCalls,
  reasoningText,
  type ScenarioName,
  scenarioUsage,
  truncatedText,
} from "../conformance/conversation-scenario.ts";
import { streamOf, wholeOf } from "../conformance/provider-wires.ts";
import { completeReply } from "../conformance/wire-fixtures.ts";
import {
  type DrivingCommand,
  drive,
  type ForeignClient,
  type ForeignJob,
  type LibraryDriveReply,
  type PlayedScenario,
  playedScenarios,
} from "./foreign-clients.ts";
import { foreignLanguages } from "./foreign-languages.ts";
import {
  type PlayedGateway,
  playedModel,
  playedWires,
  startPlayedGateway,
} from "./played-provider.ts";

/** Packages are fetched, and Go's are compiled, once on a machine. */
const installWithinMs = 900_000;
/** LiteLLM asks Anthropic for an object by a tool of its own. */
const ownTool = "json_tool_call";
const isEverything = process.env.CLIENTS === "all";

let world: PlayedGateway;
beforeAll(async () => {
  world = await startPlayedGateway(playedScenarios, (played, wire, asked) => {
    if (played.startsWith("error")) return completeReply(wire.errors ?? wire.name, played);
    return wire.isStream(asked) ? streamOf(wire, played) : wholeOf(wire, played);
  });
}, 120_000);
afterAll(async () => {
  expect(await world.gateway.audit()).toBe("The books agree.");
  await world.close();
});

/** The id of a call stands at the end of its message, and in headers. */
function withoutIds({ dump, requestId: _, ...reply }: LibraryDriveReply): unknown {
  const text = JSON.stringify(dump ?? null, (name, value) =>
    /^_?(?:request_id|headers)$/.test(name) ? undefined : value,
  );
  return { ...reply, dump: JSON.parse(text) };
}

const isTold = (played: PlayedScenario): played is Extract<PlayedScenario, ScenarioName> =>
  !played.startsWith("error");

function expectScenario(
  reply: LibraryDriveReply,
  played: PlayedScenario,
  { tellsThoughts }: ForeignClient,
): void {
  if (!isTold(played)) {
    expect(reply.status).toBe(Number(played.replace("error-", "")));
    return;
  }
  expect(reply).not.toHaveProperty("error");
  const calls =
    played === "tools"
      ? expectedToolCalls
      : played === "thinking"
        ? expectedToolCalls.slice(0, 1)
        : [];
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

const driven = foreignLanguages.filter(
  ({ isAlwaysDriven = false }) => isEverything || isAlwaysDriven,
);

describe.each(driven)("$name", (language) => {
  const possible = language.availability();
  const reason = possible.available ? "" : ` (${possible.reason})`;
  const [first] = language.clients;

  describe.skipIf(!possible.available).each(isEverything ? language.clients : [first])(
    `$name${reason}`,
    (client) => {
      let command: DrivingCommand;
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
            model: playedModel(played, spoken),
            stream,
            does: played === "structured" ? "structured" : "ask",
          }));
        const { upstream, gateway, key } = world;
        upstream.play();
        const through = await drive(command, jobsAt(gateway.url, key));
        const declared = upstream.requests.map(({ body }) => playedWires[spoken].toolNames(body));
        for (const names of declared.filter(([first]) => first !== undefined && first !== ownTool))
          expect(names).toEqual(["get_weather", "get_time"]);
        const straight =
          client.entry === spoken ? await drive(command, jobsAt(upstream.url, "k-client")) : [];
        const different = told.flatMap(({ played, stream }, at) => {
          const reply = through[at] as LibraryDriveReply;
          const own = straight[at];
          try {
            if (own && isTold(played)) expect(withoutIds(reply)).toEqual(withoutIds(own));
            else expectScenario(reply, played, client);
            return [];
          } catch {
            const heard = JSON.stringify({ ...reply, dump: undefined });
            const atProvider = own
              ? `, straight ${JSON.stringify({ ...own, dump: undefined })}`
              : "";
            return [`${played}, ${stream ? "streamed" : "whole"}: ${heard}${atProvider}`];
          }
        });
        expect(different).toEqual([]);
      });
    },
  );
});
