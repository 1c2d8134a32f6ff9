// The answers of a folder of recordings, to the clients of all four formats: the same text, calls,
// end and count, whole and streamed. The folder beside it holds a few of our own, in the shapes
// that providers send; another one is named so:
//
//   RECORDINGS=FOLDER npx vitest run --project large tests/src/conformance/recordings
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { startAnswer } from "@tollgate/trust/usage/answered-call.ts";
import { expect, test } from "vitest";
import { type ConversationEndpoint, conversationEndpoints } from "./conversation-scenario.ts";
import { callOf, planOver } from "./in-process-relay.ts";
import { type Recording, readRecordings, readTold } from "./recordings.ts";
import { dataOf } from "./stream-grammar.ts";

const folder = process.env.RECORDINGS ?? join(import.meta.dirname, "recorded-answers");

/** `explained` are answers of which some clients read something else, and why that is right. */
const explained: Readonly<
  Record<string, { clients: readonly ConversationEndpoint[]; why: string }>
> = {
  "amazon-bedrock/amazon-bedrock-json-with-tool.1.chunks.txt": {
    clients: ["Messages"],
    why: "nothing was counted, and Messages has its counts always",
  },
  "anthropic/anthropic-advisor-20260301.1.json": {
    clients: ["Chat Completions", "Responses", "Gemini"],
    why: "`usage` is of the last model alone, and clients are told what is charged: every model that `iterations` names",
  },
  "anthropic/spliced-message-start.chunks.txt": {
    clients: ["Chat Completions", "Responses"],
    why: "the provider begins its message anew inside the arguments of a call, and what was streamed cannot be taken back",
  },
  "openai/programmatic-tool-calling.2.chunks.txt": {
    clients: ["Chat Completions", "Gemini"],
    why: "a usage of only zeros is no count, and these formats can leave it out",
  },
  "openai/programmatic-tool-calling.2.json": {
    clients: ["Chat Completions", "Gemini"],
    why: "a usage of only zeros is no count, and these formats can leave it out",
  },
  "xai/xai-x-search-tool.chunks.txt": {
    clients: ["Chat Completions", "Messages", "Gemini"],
    why: "the custom calls are of tools that the provider has run itself, and are none for the client",
  },
};

/** What the client reads of the bytes that it receives. */
async function relay({ speaks, isStream, bodies }: Recording, client: ConversationEndpoint) {
  const plan = planOver({ ...callOf(client), isStream }, speaks);
  const answer = startAnswer(plan, isStream ? "text/event-stream" : "application/json");
  const events = bodies.map((body) => {
    const { type } = JSON.parse(body) as { type?: string };
    return `${type === undefined ? "" : `event: ${type}\n`}data: ${body}\n\n`;
  });
  const end = speaks === "chat_completions" ? ["data: [DONE]\n\n"] : [];
  await answer.send(...(isStream ? [...events, ...end] : bodies));
  answer.end();
  await answer.result();
  const { received } = answer.response;
  return readTold(
    client,
    isStream ? dataOf(received).filter((data) => data !== "[DONE]") : [received],
  );
}

test("every recorded answer says the same to clients of every format, but for explained ones", async () => {
  const different: Record<string, ConversationEndpoint[]> = {};
  const recordings = readRecordings(folder);
  for (const one of recordings)
    for (const client of conversationEndpoints) {
      const told = await relay(one, client).catch((error: unknown) => error);
      if (!isDeepStrictEqual(told, one.told))
        different[one.name] = [...(different[one.name] ?? []), client];
    }
  console.log(`${recordings.length} answers to ${conversationEndpoints.length} kinds of clients`);
  expect(recordings.length).toBeGreaterThan(0);
  const known = Object.entries(explained).filter(([name]) =>
    recordings.some((one) => one.name === name),
  );
  expect(different).toEqual(
    Object.fromEntries(known.map(([name, { clients }]) => [name, clients])),
  );
});
