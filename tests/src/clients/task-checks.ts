/**
 * What must be true of each task, over any provider, and what is the same straight and through the
 * gateway.
 */
import { requestIdFromId } from "@tollgate/gateway/storage/time-ids.ts";
import { expect } from "vitest";
import {
  answerText,
  type ConversationEndpoint,
  expectedToolCalls,
  imageBase64,
  toolResults,
} from "../conformance/conversation-scenario.ts";
import { providerFamilies } from "../conformance/provider-families.ts";
import type { ScriptedRequest } from "../conformance/scripted-provider.ts";
import type { ForeignClient, LibraryDriveReply } from "./foreign-clients.ts";
import type { ClientTask, TaskScenario } from "./foreign-tasks.ts";
import { playedWires } from "./played-provider.ts";
import { firstText } from "./task-provider.ts";

/** `LoggedEnd` says how a call ended, by its log row. */
export interface LoggedEnd {
  id: number;
  model: string;
  outcome: string;
  completion_tokens: number;
  quota: number;
}

export interface TaskOutcome {
  model: string;
  reply: LibraryDriveReply;
  /** `asked` is what the provider was asked for it, in order. */
  asked: readonly ScriptedRequest[];
  /** Rows of its calls. */
  logged: readonly LoggedEnd[];
}

interface CheckedTask extends TaskOutcome {
  client: ForeignClient;
  task: ClientTask;
  spoken: ConversationEndpoint;
}

export function checkTask(one: Omit<CheckedTask, keyof TaskOutcome>, outcome: TaskOutcome): void {
  taskChecks[one.task.played]({ ...one, ...outcome });
}

const taskChecks: Readonly<Record<TaskScenario, (one: CheckedTask) => void>> = {
  words(one) {
    const { task, reply, spoken, asked, logged } = one;
    expectAnswer(one);
    const [body] = asked.map((request) => request.body);
    if (task.does === "picture") expect(playedWires[spoken].pictures(body)).toEqual([imageBase64]);
    else expect(reply.requestId).toBe(requestIdFromId(logged[0]?.id ?? 0));
  },

  turn(one) {
    const { client, spoken, reply, asked } = one;
    const wire = playedWires[spoken];
    expectAnswer(one);
    expect(reply.calls).toEqual(expectedToolCalls.slice(0, 1));
    const body = asked.at(-1)?.body;
    expect(wire.results(body).map(toolResultIn)).toEqual([toolResults.get_weather]);
    if (sendsSignatures(spoken, client)) expect(wire.signatures(body)).toEqual([wire.signature]);
  },

  held({ reply, asked, logged }) {
    expect(reply.text).toBe(firstText);
    expect(asked).toHaveLength(1);
    expect(logged).toMatchObject([{ outcome: "client_left" }]);
    expect(logged[0]?.completion_tokens).toBeGreaterThan(0);
    expect(logged[0]?.quota).toBeGreaterThan(0);
  },

  broken({ reply, logged }) {
    expect(reply.error).toBeTruthy();
    expect(logged).toMatchObject([{ outcome: "cut" }]);
    expect(logged[0]?.completion_tokens).toBeGreaterThan(0);
  },

  silent({ reply, logged }) {
    expect(reply.error).toBeTruthy();
    expect(logged.map(({ outcome, quota }) => ({ outcome, quota }))).toEqual([
      { outcome: "client_left", quota: 0 },
    ]);
  },

  busy(one) {
    expectAnswer(one);
    expect(one.asked).toHaveLength(2);
    expect(one.logged.at(-1)).toMatchObject({ outcome: "success" });
  },

  "error-400"({ reply, logged }) {
    expect(reply.status).toBe(400);
    expectNoCharge(logged);
  },

  "error-429"({ reply, logged }) {
    expect(reply).toMatchObject({ status: 429, retryAfter: "7" });
    expectNoCharge(logged);
  },

  "error-overloaded"({ reply, spoken, logged }) {
    expect(reply.status).toBe(spoken === "Messages" ? 529 : 503);
    expectNoCharge(logged);
  },

  count: ({ reply }) => expect(reply.count).toBe(24),

  embeddings: ({ reply }) =>
    expect(reply.vectors).toEqual([
      [0.25, -0.5, 0.125],
      [0.5, 0.75, -1],
    ]),
};

function expectAnswer({ reply }: CheckedTask): void {
  expect(reply).not.toHaveProperty("error");
  expect(reply.text).toBe(answerText);
}

const expectNoCharge = (logged: readonly LoggedEnd[]): void =>
  expect(logged.map(({ outcome, quota }) => ({ outcome, quota }))).toEqual([
    { outcome: "failed", quota: 0 },
  ]);

/** The rows of the conformance grid that are called as these channels are. */
const families: Readonly<Record<ConversationEndpoint, string>> = {
  "Chat Completions": "OpenAI compatible",
  Responses: "OpenAI, by Responses alone",
  Messages: "Anthropic",
  Gemini: "Gemini",
};
/** OpenAI's library for Go sends nothing of a message that is not OpenAI's own. */
const dropsSignatures = ["openai-go"];

function sendsSignatures(spoken: ConversationEndpoint, { name, entry }: ForeignClient): boolean {
  const family = providerFamilies.find((one) => one.name === families[spoken]);
  return !dropsSignatures.includes(name) && family?.keepsSignatures.includes(entry) === true;
}

/** Wires and libraries wrap the result of a tool differently. */
function toolResultIn(text: string): unknown {
  const { content, result, ...rest } = JSON.parse(text) as { content?: unknown; result?: unknown };
  return content ?? (typeof result === "string" ? JSON.parse(result) : result) ?? rest;
}

/**
 * The words of a provider that is busy or failed concern its operator, and clients get the
 * gateway's own.
 */
const ownWords: readonly TaskScenario[] = ["broken", "error-429", "error-overloaded"];

/** `sameToPrograms` gives what a program reads, but for ids and addresses. */
export function sameToPrograms({ played }: ClientTask, reply: LibraryDriveReply): unknown {
  const { requestId: _, dump, message, kind, error, ...read } = reply;
  // A library that gives up tells where in the answer it waited: the scripted provider has sent its
  // head, the gateway has not.
  const failure = played === "silent" ? error !== undefined : error;
  const told =
    played === "silent" || ownWords.includes(played) ? {} : { message: wordsOf(message), kind };
  const parsed = JSON.stringify(dump ?? null, (name, value) =>
    /^_?(?:request_id|headers)$/.test(name) ? undefined : value,
  );
  return { ...read, failure, ...told, dump: JSON.parse(parsed) as unknown };
}

/**
 * Libraries print addresses, ids and the whole body around the words of an error; the gateway's id
 * ends its words.
 */
const wordsOf = (text: string | undefined): string | undefined =>
  text
    ?.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "")
    .replaceAll(/ \(Request-ID: [^)]*\)/g, "")
    .replace(/(message["']: ?["'].*?)(?:["'][,}]| \(request id:|$).*$/s, "$1");

/**
 * `sameRequest` gives what the provider was asked. The gateway asks streams to count, and Gemini
 * always by the version that has everything.
 */
export function sameRequest({ url, body }: ScriptedRequest): unknown {
  const { stream_options: _, ...rest } = body;
  return { path: url.replace(/^\/v1(?:beta)?\//, ""), body: rest };
}
