// What goes wrong at a provider: what each entry is told, in its own words, what it costs and what the trace keeps.
import type { TraceRecord } from "@tollgate/contract/traces.ts";
import { beforeAll, describe, expect } from "vitest";
import { type Family, families } from "./families.ts";
import type { Answer } from "./fixture.ts";
import type { Grid } from "./grid.ts";
import type { Play } from "./played-upstream.ts";
import { ask, errorAmong, errorIn, type RawEntry, type RawReply, type Told } from "./raw.ts";
import { slowFirstWord } from "./silences.ts";
import type { Stage } from "./stage.ts";
import { talkEntries, tokensOf } from "./talk.ts";
import { errorOf, streamOf, type Wire } from "./wires.ts";

type Row = Awaited<ReturnType<Stage["logged"]>>[number];

interface Outcome {
  entry: RawEntry;
  wire: Wire;
  reply: RawReply;
  log: Row;
  attempts: TraceRecord["attempts"];
}

interface Trouble {
  isStream: boolean;
  /** `goOn` is when the caller has read something. */
  play(wire: Wire, entry: RawEntry, goOn: Promise<void>): Play;
  check(outcome: Outcome): void;
}

const wordsOf = (wire: Wire, entry: RawEntry): Answer =>
  streamOf(wire, entry === "Completions" ? "completion" : "words");

const requestId = / \(request id: \d+\)$/;

/** A provider that refuses; the caller is shown its status, or another where the fault is not his. */
function refusal(
  status: number,
  shownTo: (wire: Wire) => number,
  check: (told: Told, outcome: Outcome) => void,
): Trouble {
  return {
    isStream: false,
    play: (wire) => errorOf(wire, status),
    check(outcome) {
      const { entry, wire, reply, log, attempts } = outcome;
      expect(reply.status).toBe(shownTo(wire));
      const told = errorIn(entry, reply.body);
      expect(told.message).toMatch(requestId);
      expect(log).toMatchObject({ outcome: "failed", quota: 0 });
      // Some providers refuse with status 200: then it is the one that they mean.
      expect(attempts).toMatchObject([{ outcome: "failed" }]);
      expect([errorOf(wire, status).status, status]).toContain(attempts[0]?.status);
      check(told, outcome);
    },
  };
}

/** Callers of these see what went wrong by a name of their own interface. */
const names: Readonly<Record<number, Partial<Record<RawEntry, string>>>> = {
  400: { Messages: "invalid_request_error", Gemini: "INVALID_ARGUMENT" },
  429: { Messages: "rate_limit_error", Gemini: "RESOURCE_EXHAUSTED" },
  500: { Messages: "api_error", Gemini: "INTERNAL" },
};
function expectName(status: number, { type }: Told, entry: RawEntry): void {
  const name = names[status]?.[entry];
  if (name !== undefined) expect(type).toBe(name);
}

/** Nothing of an answer has gone out, so there is none: a refusal, and nothing to pay. */
function expectNoAnswer({ entry, reply, log, attempts }: Outcome, reason: RegExp): void {
  expect(reply.status).toBe(502);
  expect(errorIn(entry, reply.body).message).toMatch(reason);
  expect(log).toMatchObject({ outcome: "failed", quota: 0 });
  expect(attempts).toMatchObject([{ outcome: "failed" }]);
}

/** Something has: the stream says how it ends, and what was delivered is paid for. */
function expectPart({ entry, reply, log, attempts }: Outcome, reason: RegExp): void {
  expect(reply.status).toBe(200);
  expect(errorAmong(entry, reply.events).message).toMatch(reason);
  expect(log.outcome).toBe("cut");
  expect(log.completion_tokens).toBeGreaterThan(0);
  expect(log.completion_tokens).toBeLessThanOrEqual(tokensOf.words.output);
  expect(log.quota).toBe(log.prompt_tokens + 4 * log.completion_tokens);
  expect(attempts).toMatchObject([{ status: 200, outcome: "cut" }]);
}

const saysWhy = /server had an error|overloaded/i;
const middle = "330 metres";

const troubles: Readonly<Record<string, Trouble>> = {
  // The caller's own key was fine, and nothing about ours is told.
  "wrong key": refusal(
    401,
    () => 502,
    ({ message }) => {
      expect(message).toContain("The upstream rejected the gateway's credentials");
    },
  ),

  "bad request": refusal(
    400,
    (wire) => Math.max(400, errorOf(wire, 400).status),
    (told, { entry, wire, reply }) => {
      expectName(reply.status, told, entry);
      expect(errorOf(wire, 400).bytes.toString()).toContain(
        JSON.stringify(told.message.replace(requestId, "")).slice(1, -1),
      );
    },
  ),

  "status 429": refusal(
    429,
    () => 429,
    (told, { entry, wire, reply }) => {
      expectName(429, told, entry);
      expect(reply.headers.get("retry-after")).toBe(errorOf(wire, 429).headers["retry-after"] ?? null);
    },
  ),

  "status 500": refusal(
    500,
    () => 500,
    (told, { entry }) => expectName(500, told, entry),
  ),

  "no JSON": {
    isStream: false,
    play: () => ({ status: 200, headers: { "content-type": "text/html" }, bytes: Buffer.from("<html>Hello</html>") }),
    check: (outcome) => expectNoAnswer(outcome, /gave no usable answer/),
  },

  "cut at once": {
    isStream: true,
    play: (wire, entry) => ({ answer: wordsOf(wire, entry), cutAfter: 1 }),
    check: (outcome) => expectNoAnswer(outcome, /gave no usable answer/),
  },

  "cut stream": {
    isStream: true,
    play(wire, entry) {
      const answer = wordsOf(wire, entry);
      // Behind the second piece of the answer, in the middle of an event.
      const found = answer.bytes.indexOf(middle);
      return { answer, cutAfter: found < 0 ? (frameEnds(answer.bytes)[framesBeforeMiddle] ?? 0) : found + 3 };
    },
    check: (outcome) => expectPart(outcome, /The upstream cut the stream/),
  },

  "error at once": {
    isStream: true,
    play: (wire) => streamOf(wire, "broken"),
    check: (outcome) => expectNoAnswer(outcome, saysWhy),
  },

  "error in stream": {
    isStream: true,
    play(wire, _entry, goOn) {
      const answer = streamOf(wire, "broken");
      const pauseAfter = wire.framing ? (frameEnds(answer.bytes).at(-2) ?? 0) : beginningOfLast(answer.bytes);
      return { answer, pauseAfter, goOn };
    },
    check: (outcome) => expectPart(outcome, saysWhy),
  },

  "damaged event": {
    isStream: true,
    play(wire, entry) {
      const answer = wordsOf(wire, entry);
      return { ...answer, bytes: Buffer.from(answer.bytes.toString().replace(/330 metres.*/, "330")) };
    },
    check({ wire, reply, log }) {
      // Every event that came could be read, the damaged one is missing, and the row says so.
      const repeatsItself = wire.name === "openai-responses";
      if (!repeatsItself) expect(JSON.stringify(reply.events)).not.toContain("metres");
      expect(log).toMatchObject({ outcome: "success", content: expect.stringContaining("damaged") });
      expect(log.prompt_tokens).toBe(tokensOf.words.input);
    },
  },
};

/** Where the messages of Amazon's framing end: each begins with its own length. */
function frameEnds(bytes: Buffer): number[] {
  const ends: number[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) ends.push(at + bytes.readUInt32BE(at));
  return ends;
}
/** Of the fixture of words: its first piece is among them. */
const framesBeforeMiddle = 4;

/** Where the last event begins. */
function beginningOfLast(bytes: Buffer): number {
  const text = bytes.toString("latin1").trimEnd();
  const blankLine = /\r?\n\r?\n/g;
  return [...text.matchAll(blankLine)].reduce((_, { index, 0: found }) => index + found.length, 0);
}

export const rawEntries: readonly RawEntry[] = [
  "Chat Completions",
  "Completions",
  "Responses",
  "Messages",
  "Gemini",
  "Embeddings",
];

const troublesFor = (entry: RawEntry): string[] =>
  Object.keys(troubles).filter((name) => entry !== "Embeddings" || !troubles[name]?.isStream);

/** The columns of an entry's table. */
export const columnsFor = (entry: RawEntry): string[] => {
  const isTalk = (talkEntries as readonly string[]).includes(entry);
  return [...troublesFor(entry), ...(isTalk ? [slowFirstWord] : [])];
};

export const troublesOf = (entry: string): string => `${entry}, trouble`;

const wireFor = ({ wire, other }: Family, entry: RawEntry): Wire | undefined =>
  entry === "Completions" || entry === "Embeddings" ? other[entry] : wire[entry];

function whyNot({ isOneEvent, framing }: Wire, trouble: string): string | undefined {
  if (isOneEvent && troubles[trouble]?.isStream) return "The provider has no streams.";
  if (framing && trouble === "damaged event") return "Its messages carry checksums: a damaged one is a cut.";
  return undefined;
}

export function tryTroubles(grid: Grid, stage: Stage): void {
  for (const family of families) {
    for (const entry of rawEntries) {
      const tried = troublesFor(entry);
      const placeOf = (column: string) => ({ table: troublesOf(entry), row: family.name, column });
      const wire = wireFor(family, entry);
      if (!wire) {
        for (const name of tried) {
          grid.cannot(placeOf(name), "The provider has nothing of the kind: calls are refused.");
        }
        continue;
      }
      for (const name of tried) {
        const reason = whyNot(wire, name);
        if (reason) grid.cannot(placeOf(name), reason);
      }
      const possible = tried.filter((name) => whyNot(wire, name) === undefined);
      describe(`trouble of ${entry} over ${family.name}`, () => {
        let outcomes = new Map<string, Outcome>();
        beforeAll(async () => {
          outcomes = await meet(stage, family, entry, wire, possible);
        });
        for (const name of possible) {
          grid.try(placeOf(name), "", async () => {
            const outcome = outcomes.get(name);
            if (!outcome) throw new Error("the call left no trace");
            troubles[name]?.check(outcome);
          });
        }
      });
    }
  }
}

/** All of them one after the other, and then the books at once: asking for them is what takes time. */
async function meet(
  { world, upstream, access, channel, logged }: Stage,
  family: Family,
  entry: RawEntry,
  wire: Wire,
  tried: readonly string[],
): Promise<Map<string, Outcome>> {
  const replies = new Map<string, RawReply>();
  // A channel that failed is avoided for a while, for the model that it failed for: each has its own.
  const modelFor = (name: string) => `${family.model}-${entry}-${name}`.replaceAll(" ", "-").toLowerCase();
  const upstreamName = entry === "Embeddings" ? family.embedding : undefined;
  await channel({ ...family, ...(upstreamName && { upstream: upstreamName }) }, tried.map(modelFor));
  for (const name of tried) {
    const trouble = troubles[name];
    if (!trouble) continue;
    const hasRead = Promise.withResolvers<void>();
    upstream.play(trouble.play(wire, entry, hasRead.promise));
    replies.set(name, await ask(access, entry, modelFor(name), trouble.isStream, () => hasRead.resolve()));
  }
  const logs = new Map((await logged(tried.map(modelFor))).map((log) => [log.origin_model_name, log]));
  const traces = new Map<number, TraceRecord>();
  const ids = tried.map((name) => logs.get(modelFor(name))?.id ?? 0).join();
  for (const { id, data } of await world.rows<{ id: number; data: string }>(
    `select id, data from traces where id in (${ids})`,
  )) {
    traces.set(id, JSON.parse(data) as TraceRecord);
  }
  return new Map(
    tried.flatMap((name) => {
      const [reply, log] = [replies.get(name), logs.get(modelFor(name))];
      const attempts = log && traces.get(log.id)?.attempts;
      return reply && log && attempts ? [[name, { entry, wire, reply, log, attempts }]] : [];
    }),
  );
}
