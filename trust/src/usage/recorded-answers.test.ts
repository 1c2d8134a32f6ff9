// What real providers report is what the client pays: whole, streamed, in their own framing, and
// through every translation.
import { noUsage, type Usage } from "@tollgate/gateway/money/prices/price.ts";
import { defaultPrice } from "@tollgate/gateway/money/prices/price-book.ts";
import { imageGenerations } from "@tollgate/gateway/relay/formats/images.ts";
import { embeddings, rerank } from "@tollgate/gateway/relay/formats/openai-basic-formats.ts";
import { transcriptions } from "@tollgate/gateway/relay/formats/transcriptions.ts";
import {
  converseEvents as converseFraming,
  invokeEvents,
} from "@tollgate/gateway/relay/providers/bedrock-events.ts";
import type { UpstreamPlan } from "@tollgate/gateway/relay/routing/translation-registry.ts";
import {
  callOf,
  model,
  parseCall,
  planOver,
} from "@tollgate/tests/conformance/in-process-relay.ts";
import { converseMessages, invokeMessages } from "@tollgate/tests/support/bedrock-fixture.ts";
import { formCall } from "@tollgate/tests/support/form-call.ts";
import { describe, expect, test } from "vitest";
import { answeredFrames, answeredStream, answeredWhole } from "./answered-call.ts";
import type { RecordedAnswer } from "./recorded-answer.ts";
import { billedOf, recordedAnswers } from "./recorded-answers.ts";
import { recordingNames, unchargedRecordings } from "./recording-names.ts";
import { converseEvents, eventsOf, replyOf } from "./write-recorded-answers.ts";

const clients = ["Chat Completions", "Responses", "Messages", "Gemini"] as const;
const named = (answers: readonly RecordedAnswer[]): [string, RecordedAnswer][] =>
  answers.map((answer) => [answer.after.join(", "), answer]);
const speaking = (format: RecordedAnswer["speaks"]) =>
  named(recordedAnswers.filter(({ speaks }) => speaks === format));

describe.each(named(recordedAnswers))("%s", (_, one) => {
  test("a whole answer costs what its usage says", { tags: ["S2-02", "S2-25"] }, async () => {
    for (const client of clients) {
      const plan = planOver({ ...callOf(client), isStream: false }, one.speaks);
      const result = await answeredWhole(plan, replyOf(one));
      expect([client, result.outcome, result.usage]).toEqual([client, "success", billedOf(one)]);
      expect(result.uncounted).toBeUndefined();
    }
  });

  test("a stream costs what its usage says", { tags: ["S2-01", "S2-02", "S2-25"] }, async () => {
    const events = [
      ...eventsOf(one).map((data) => `data: ${JSON.stringify(data)}\n\n`),
      ...(one.speaks === "chat_completions" ? ["data: [DONE]\n\n"] : []),
    ];
    for (const client of clients) {
      const plan = planOver(callOf(client), one.speaks);
      const { result } = await answeredStream(plan, events, {
        arrived: events.length,
        ending: "whole",
      });
      expect([client, result?.outcome]).toEqual([client, "success"]);
      if (one.stream === "not_counted") expect(result?.details?.reason).toBe("none_reported");
      else
        expect([client, result?.usage, result?.uncounted]).toEqual([
          client,
          billedOf(one),
          undefined,
        ]);
    }
  });
});

/** Frames are read wherever they are split: a length that divides none of them. */
const pieceLength = 37;

test.each(speaking("bedrock_converse").filter(([, { stream }]) => stream !== "not_counted"))(
  "%s: Amazon's frames cost what the usage in them says",
  { tags: ["S2-02"] },
  async (_, one) => {
    const plan = planOver(callOf("Messages"), "bedrock_converse");
    const bytes = converseMessages(...converseEvents(one));
    const result = await answeredFrames(plan, converseFraming, bytes, pieceLength);
    expect([result?.outcome, result?.usage]).toEqual(["success", billedOf(one)]);
  },
);

test.each(speaking("claude_messages"))(
  "%s: Claude in Amazon's frames costs what its usage says",
  { tags: ["S2-02"] },
  async (_, one) => {
    const plan = planOver(callOf("Chat Completions"), "claude_messages");
    const result = await answeredFrames(
      plan,
      invokeEvents,
      invokeMessages(...eventsOf(one)),
      pieceLength,
    );
    expect([result?.outcome, result?.usage]).toEqual(["success", billedOf(one)]);
  },
);

test("openai-error.1: a stream that fails before its first content costs nothing, and another channel may answer", async () => {
  const error = {
    type: "insufficient_quota",
    code: "insufficient_quota",
    message: "No money is left.",
    param: null,
  };
  const response = { id: "r", object: "response", status: "in_progress", output: [], usage: null };
  const events = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    { type: "error", error },
    { type: "response.failed", response: { ...response, status: "failed", error } },
  ].map((data) => `data: ${JSON.stringify(data)}\n\n`);
  const plan = planOver(callOf("Responses"), "response_api");
  const { result } = await answeredStream(plan, events, {
    arrived: events.length,
    ending: "whole",
  });
  expect(result).toBeUndefined();
});

const byPicture = { ...defaultPrice, rates: { ...defaultPrice.rates, images: 40_000_000_000n } };
const embedding = parseCall(embeddings, { model, input: ["a word", "two words"] });
const ranking = parseCall(rerank, { model, query: "a word", documents: ["one", "two"] });
const drawing = parseCall(imageGenerations, { model, prompt: "an otter" });

interface OtherAnswer {
  plan: UpstreamPlan;
  reply: unknown;
  billed: Partial<Usage>;
  price?: typeof defaultPrice;
}

const otherAnswers: Readonly<Record<string, OtherAnswer>> = {
  "google-vertex-embedding": {
    plan: planOver(embedding, "vertex_embeddings"),
    reply: {
      predictions: [6, 7].map((token_count) => ({
        embeddings: { statistics: { token_count, truncated: false }, values: [0.1, -0.2] },
      })),
      metadata: { billableCharacterCount: 41 },
    },
    billed: { input: 13 },
  },
  "togetherai-reranking.1": {
    plan: planOver(ranking, "rerank"),
    reply: {
      object: "rerank",
      model: "m",
      results: [{ index: 0, relevance_score: 0.7 }],
      usage: { prompt_tokens: 3_010, completion_tokens: 0, total_tokens: 3_010 },
    },
    billed: { input: 3_010 },
  },
  "cohere-reranking.1": {
    plan: planOver(ranking, "rerank"),
    reply: {
      id: "r",
      results: [{ index: 1, relevance_score: 0.1 }],
      meta: { api_version: { version: "2" }, billed_units: { search_units: 2 } },
    },
    billed: { search_units: 2 },
  },
  "voyage-reranking.1": {
    plan: planOver(ranking, "rerank"),
    reply: {
      object: "list",
      data: [{ relevance_score: 0.5, index: 1 }],
      model: "m",
      usage: { total_tokens: 14 },
    },
    billed: { input: 14 },
  },
  "openai-image": {
    plan: planOver(drawing, "images_generations"),
    reply: {
      created: 1_770_000_000,
      data: [{ b64_json: "iVBORw0KGgo=", revised_prompt: "a small otter" }],
    },
    billed: { images: 1 },
    price: byPicture,
  },
};

test.each(Object.entries(otherAnswers))(
  "%s: costs what its usage says",
  async (_, { plan, reply, billed, price }) => {
    const { outcome, usage } = await answeredWhole(plan, reply, { ...(price && { price }) });
    expect([outcome, usage]).toEqual(["success", { ...noUsage, ...billed }]);
  },
);

/** Seconds of silence as a WAV file: 8,000 bytes a second. */
function wav(seconds: number): Blob {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + seconds * 8_000, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8_000, 24);
  header.writeUInt32LE(8_000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write("data", 36);
  header.writeUInt32LE(seconds * 8_000, 40);
  return new Blob([Buffer.concat([header, Buffer.alloc(seconds * 8_000)])]);
}

test("groq-transcription-text: a transcript as plain text, which counts nothing, costs the length of its recording", async () => {
  const call = await formCall(transcriptions, { model, response_format: "text", file: wav(3) });
  const bySecond = { ...defaultPrice, rates: { ...defaultPrice.rates, seconds: 1_000_000n } };
  const { outcome, usage } = await answeredWhole(planOver(call, "audio_transcription"), " Hello.", {
    price: bySecond,
  });
  expect([outcome, usage]).toEqual(["success", { ...noUsage, seconds: 3 }]);
});

test("every recording has an answer, or a reason why the gateway charges nothing for it", () => {
  const others = [...Object.keys(otherAnswers), "groq-transcription-text", "openai-error.1"];
  const covered = [
    ...recordedAnswers.flatMap(({ after }) => after),
    ...others,
    ...Object.keys(unchargedRecordings),
  ];
  const recorded = new Set(Object.values(recordingNames).flat());
  expect(covered.toSorted()).toEqual([...recorded].toSorted());
});
