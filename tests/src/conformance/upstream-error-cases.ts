/**
 * Failures of a provider: the error of each endpoint in its own format, the charge, and the trace.
 */
import type { TraceRecord } from "@tollgate/contract/figures/traces.ts";
import { beforeAll, describe, expect } from "vitest";
import type { ConformanceGateway } from "./conformance-gateway.ts";
import type { ConformanceGrid } from "./conformance-grid.ts";
import { conversationEndpoints, scenarioUsage } from "./conversation-scenario.ts";
import {
  errorAmong,
  errorIn,
  type RawClientReply,
  type RawEndpoint,
  type ReportedError,
  sendRaw,
} from "./endpoint-requests.ts";
import { slowFirstTokenColumn } from "./keep-alive-cases.ts";
import { type ProviderFamily, providerFamilies } from "./provider-families.ts";
import { errorOf, type ProviderWire, streamOf } from "./provider-wires.ts";
import type { ScriptedReply } from "./scripted-provider.ts";
import type { FixtureReply } from "./wire-fixtures.ts";

type LoggedCall = Awaited<ReturnType<ConformanceGateway["logged"]>>[number];

interface FailureOutcome {
  entry: RawEndpoint;
  wire: ProviderWire;
  reply: RawClientReply;
  log: LoggedCall;
  attempts: TraceRecord["attempts"];
}

interface FailureCase {
  isStream: boolean;
  /** `goOn` resolves when the client has read something. */
  play(wire: ProviderWire, endpoint: RawEndpoint, resume: Promise<void>): ScriptedReply;
  check(outcome: FailureOutcome): void;
}

const textStreamOf = (wire: ProviderWire, endpoint: RawEndpoint): FixtureReply =>
  streamOf(wire, endpoint === "Completions" ? "completion" : "words");

const requestId = / \(request id: \d+\)$/;

/**
 * A provider that refuses; the client gets its status, or another where the client is not at fault.
 */
function refusal(
  status: number,
  shownTo: (wire: ProviderWire) => number,
  check: (reported: ReportedError, outcome: FailureOutcome) => void,
): FailureCase {
  return {
    isStream: false,
    play: (wire) => errorOf(wire, status),
    check(outcome) {
      const { entry: endpoint, wire, reply, log, attempts } = outcome;
      expect(reply.status).toBe(shownTo(wire));
      const reported = errorIn(endpoint, reply.body);
      expect(reported.message).toMatch(requestId);
      expect(log).toMatchObject({ outcome: "failed", quota: 0 });
      // Some providers refuse with status 200: then it is the one that they mean.
      expect(attempts).toMatchObject([{ outcome: "failed" }]);
      expect([errorOf(wire, status).status, status]).toContain(attempts[0]?.status);
      check(reported, outcome);
    },
  };
}

/** Clients of these endpoints get the error by a name of their own format. */
const names: Readonly<Record<number, Partial<Record<RawEndpoint, string>>>> = {
  400: { Messages: "invalid_request_error", Gemini: "INVALID_ARGUMENT" },
  429: { Messages: "rate_limit_error", Gemini: "RESOURCE_EXHAUSTED" },
  500: { Messages: "api_error", Gemini: "INTERNAL" },
};
function expectName(status: number, { type }: ReportedError, endpoint: RawEndpoint): void {
  const name = names[status]?.[endpoint];
  if (name !== undefined) expect(type).toBe(name);
}

/** Nothing of an answer has gone out: a refusal, and no charge. */
function expectNoAnswer(
  { entry: endpoint, reply, log, attempts }: FailureOutcome,
  reason: RegExp,
): void {
  expect(reply.status).toBeGreaterThanOrEqual(429);
  expect(errorIn(endpoint, reply.body).message).toMatch(reason);
  expect(log).toMatchObject({ outcome: "failed", quota: 0 });
  expect(attempts).toMatchObject([{ outcome: "failed" }]);
}

/** Part of it has gone out: the stream ends with an error, and what was delivered is charged. */
function expectPartialAnswer(
  { entry: endpoint, reply, log, attempts }: FailureOutcome,
  reason: RegExp,
): void {
  expect(reply.status).toBe(200);
  expect(errorAmong(endpoint, reply.events).message).toMatch(reason);
  expect(log.outcome).toBe("cut");
  expect(log.completion_tokens).toBeGreaterThan(0);
  expect(log.completion_tokens).toBeLessThanOrEqual(scenarioUsage.words.output);
  expect(log.quota).toBe(log.prompt_tokens + 4 * log.completion_tokens);
  expect(attempts).toMatchObject([{ status: 200, outcome: "cut" }]);
}

/** `namesCause` is in the gateway's words: those of a provider that failed concern its operator. */
const namesCause = /The provider failed with status 5\d\d|rate limit is reached/;
const middle = "330 metres";

const tooLongWords =
  /^(?:prompt is too long|This model's maximum context length is exceeded, please reduce the length of the messages|Your input exceeds the context window of this model|The input token count exceeds the maximum number of tokens allowed): (?=.)/;

const failureCases: Readonly<Record<string, FailureCase>> = {
  // The client's own key was fine, and nothing about the channel's is revealed.
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
    (reported, { entry: endpoint, wire, reply }) => {
      expectName(reply.status, reported, endpoint);
      // Agents shorten a conversation at the words of their dialect, whoever answers.
      const said = reported.message.replace(requestId, "").replace(tooLongWords, "");
      expect(errorOf(wire, 400).bytes.toString()).toContain(JSON.stringify(said).slice(1, -1));
    },
  ),

  "status 429": refusal(
    429,
    () => 429,
    (reported, { entry: endpoint, wire, reply }) => {
      expectName(429, reported, endpoint);
      expect(reply.headers.get("retry-after")).toBe(
        errorOf(wire, 429).headers["retry-after"] ?? null,
      );
    },
  ),

  "status 500": refusal(
    500,
    () => 500,
    (reported, { entry: endpoint }) => expectName(500, reported, endpoint),
  ),

  "no JSON": {
    isStream: false,
    play: () => ({
      status: 200,
      headers: { "content-type": "text/html" },
      bytes: Buffer.from("<html>Hello</html>"),
    }),
    check: (outcome) => expectNoAnswer(outcome, /gave no usable answer/),
  },

  "cut at once": {
    isStream: true,
    play: (wire, endpoint) => ({ answer: textStreamOf(wire, endpoint), cutAfter: 1 }),
    check: (outcome) => expectNoAnswer(outcome, /gave no usable answer/),
  },

  "cut stream": {
    isStream: true,
    play(wire, endpoint) {
      const answer = textStreamOf(wire, endpoint);
      // Behind the second piece of the answer, in the middle of an event.
      const found = answer.bytes.indexOf(middle);
      return {
        answer,
        cutAfter: found < 0 ? (frameEnds(answer.bytes)[framesBeforeMiddle] ?? 0) : found + 3,
      };
    },
    check: (outcome) => expectPartialAnswer(outcome, /The upstream cut the stream/),
  },

  "error at once": {
    isStream: true,
    play: (wire) => streamOf(wire, "broken"),
    check: (outcome) => expectNoAnswer(outcome, namesCause),
  },

  "error in stream": {
    isStream: true,
    play(wire, _entry, resume) {
      const answer = streamOf(wire, "broken");
      const pauseAfter = wire.framing
        ? (frameEnds(answer.bytes).at(-2) ?? 0)
        : beginningOfLast(answer.bytes);
      return { answer, pauseAfter, resume };
    },
    check: (outcome) => expectPartialAnswer(outcome, namesCause),
  },

  "damaged event": {
    isStream: true,
    play(wire, endpoint) {
      const answer = textStreamOf(wire, endpoint);
      return {
        ...answer,
        bytes: Buffer.from(answer.bytes.toString().replace(/330 metres.*/, "330")),
      };
    },
    check({ wire, reply, log }) {
      // Every event that came could be read, the damaged one is missing, and the log row records
      // that.
      const repeatsItself = wire.name === "openai-responses";
      if (!repeatsItself) expect(JSON.stringify(reply.events)).not.toContain("metres");
      expect(log).toMatchObject({
        outcome: "success",
        content: expect.stringContaining("damaged"),
      });
      expect(log.prompt_tokens).toBe(scenarioUsage.words.input);
    },
  },
};

/** `frameEnds` says where the messages of Amazon's framing end: each begins with its own length. */
function frameEnds(bytes: Buffer): number[] {
  const ends: number[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at))
    ends.push(at + bytes.readUInt32BE(at));
  return ends;
}
/** `framesBeforeMiddle` is that of the fixture of words: its first piece is among them. */
const framesBeforeMiddle = 4;

/** `beginningOfLast` says where the last event begins. */
function beginningOfLast(bytes: Buffer): number {
  const text = bytes.toString("latin1").trimEnd();
  const blankLine = /\r?\n\r?\n/g;
  return [...text.matchAll(blankLine)].reduce((_, { index, 0: found }) => index + found.length, 0);
}

export const rawEntries: readonly RawEndpoint[] = [
  "Chat Completions",
  "Completions",
  "Responses",
  "Messages",
  "Gemini",
  "Embeddings",
];

const failureColumnsFor = (endpoint: RawEndpoint): string[] =>
  Object.keys(failureCases).filter(
    (name) => endpoint !== "Embeddings" || !failureCases[name]?.isStream,
  );

/** The columns of an entry's table. */
export const columnsFor = (endpoint: RawEndpoint): string[] => {
  const isTalk = (conversationEndpoints as readonly string[]).includes(endpoint);
  return [...failureColumnsFor(endpoint), ...(isTalk ? [slowFirstTokenColumn] : [])];
};

export const failureColumnsOf = (endpoint: string): string => `${endpoint}, trouble`;

const wireFor = (
  { wire, other }: ProviderFamily,
  endpoint: RawEndpoint,
): ProviderWire | undefined =>
  endpoint === "Completions" || endpoint === "Embeddings" ? other[endpoint] : wire[endpoint];

function whyNot({ isOneEvent, framing }: ProviderWire, failure: string): string | undefined {
  if (isOneEvent && failureCases[failure]?.isStream) return "The provider has no streams.";
  if (framing && failure === "damaged event")
    return "Its messages carry checksums: a damaged one is a cut.";
  return undefined;
}

export function testUpstreamErrors(grid: ConformanceGrid, gateway: ConformanceGateway): void {
  for (const family of providerFamilies) {
    for (const endpoint of rawEntries) {
      const tried = failureColumnsFor(endpoint);
      const cellOf = (column: string) => ({
        table: failureColumnsOf(endpoint),
        row: family.name,
        column,
      });
      const wire = wireFor(family, endpoint);
      if (!wire) {
        for (const name of tried) {
          grid.cannot(cellOf(name), "The provider has nothing of the kind: calls are refused.");
        }
        continue;
      }
      for (const name of tried) {
        const reason = whyNot(wire, name);
        if (reason) grid.cannot(cellOf(name), reason);
      }
      const possible = tried.filter((name) => whyNot(wire, name) === undefined);
      describe(`trouble of ${endpoint} over ${family.name}`, () => {
        let outcomes = new Map<string, FailureOutcome>();
        beforeAll(async () => {
          outcomes = await meet(gateway, family, endpoint, wire, possible);
        });
        for (const name of possible) {
          grid.test(cellOf(name), "", async () => {
            const outcome = outcomes.get(name);
            if (!outcome) throw new Error("the call left no trace");
            failureCases[name]?.check(outcome);
          });
        }
      });
    }
  }
}

/**
 * `meet` gives all of them one after the other, and then the books at once: asking for them is what
 * takes time.
 */
async function meet(
  { world: gateway, upstream, access, channel, logged }: ConformanceGateway,
  family: ProviderFamily,
  endpoint: RawEndpoint,
  wire: ProviderWire,
  tried: readonly string[],
): Promise<Map<string, FailureOutcome>> {
  const replies = new Map<string, RawClientReply>();
  // A channel that failed is avoided for a while, for the model that it failed for: each has its
  // own.
  const modelFor = (name: string) =>
    `${family.model}-${endpoint}-${name}`.replaceAll(" ", "-").toLowerCase();
  const upstreamName = endpoint === "Embeddings" ? family.embedding : undefined;
  await channel(
    { ...family, ...(upstreamName && { upstream: upstreamName }) },
    tried.map(modelFor),
  );
  for (const name of tried) {
    const failure = failureCases[name];
    if (!failure) continue;
    const hasRead = Promise.withResolvers<void>();
    upstream.play(failure.play(wire, endpoint, hasRead.promise));
    replies.set(
      name,
      await sendRaw(access, endpoint, modelFor(name), failure.isStream, () => hasRead.resolve()),
    );
  }
  const logs = new Map(
    (await logged(tried.map(modelFor))).map((log) => [log.origin_model_name, log]),
  );
  const traces = new Map<number, TraceRecord>();
  const ids = tried.map((name) => logs.get(modelFor(name))?.id ?? 0).join();
  for (const { id, data } of await gateway.rows<{ id: number; data: string }>(
    `select id, data from traces where id in (${ids})`,
  )) {
    traces.set(id, JSON.parse(data) as TraceRecord);
  }
  return new Map(
    tried.flatMap((name) => {
      const [reply, log] = [replies.get(name), logs.get(modelFor(name))];
      const attempts = log && traces.get(log.id)?.attempts;
      return reply && log && attempts
        ? [[name, { entry: endpoint, wire, reply, log, attempts }]]
        : [];
    }),
  );
}
