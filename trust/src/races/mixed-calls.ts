// The calls of the accounting race: their users, their expected responses, and their cost by plain
// arithmetic.
import { setTimeout as pause } from "node:timers/promises";
import { findIdFromRequestId } from "@tollgate/gateway/storage/time-ids.ts";
import {
  generateAnswer,
  type SimulatedAnswer,
  wholeText,
} from "@tollgate/simulator/simulated-answer.ts";
import { readEvents } from "@tollgate/tests/harness/test-gateway.ts";
import { contentEvents } from "@tollgate/tests/relay/raw-clients.ts";
import type { RunGateway, RunMember } from "../runs/run-gateway.ts";
import { inParallel, type retryingCaller } from "./race-support.ts";

/** The number of calls of each kind in a hundred. */
const weights = { whole: 40, stream: 25, retried: 12, left: 12, failed: 8, refused: 3 } as const;
type MixedCallKind = keyof typeof weights;

interface MixedModelPrice {
  /** Quota units per prompt token. */
  ratio: number;
  completion_ratio: number;
}

/** Prices that are not whole units, so that every charge is rounded. */
const prices = {
  plain: { ratio: 0.7, completion_ratio: 3 },
  dear: { ratio: 2.3, completion_ratio: 4.5 },
} as const satisfies Record<string, MixedModelPrice>;

/** Responses are as long as the client allows, and no longer than this. */
const answerTokens = 40;
const wordsMax = 12;
/**
 * A channel that failed for a model is tried last for a while: with many models, many calls meet
 * the failure.
 */
const retriedModels = Array.from({ length: 200 }, (_, n) => `retried-${n}`);
const leavesAfterWordsMax = 10;
const groupRatios = { default: 1, vip: 1.37 } as const;
const membersAtOnce = 8;
const opening = 1_000_000_000_000;

type RetryingCaller = Pick<ReturnType<typeof retryingCaller>, "call">;

export interface Payer {
  member: RunMember;
  token: { id: number; key: string; name: string };
  groupRatio: number;
}

export interface MixedCall {
  kind: MixedCallKind;
  payer: number;
  model: string;
  /** Undefined when the response has no request id. */
  id: number | undefined;
  /** The provider's own count. */
  prompt: number;
  completion: number;
  /** Words that reached a client before it disconnected. */
  received: number;
  problem: string;
}

const listed = (model: string): MixedModelPrice => (model === "dear" ? prices.dear : prices.plain);

/** Millionths, so that the arithmetic uses integers only. */
const millionths = (ratio: number): bigint => BigInt(Math.round(ratio * 1e6));

/** The cost of the simulator's count, without any of the gateway's arithmetic: rounded up once. */
export function costOf(
  model: string,
  groupRatio: number,
  prompt: number,
  completion: number,
): number {
  const { ratio, completion_ratio } = listed(model);
  const weighted = BigInt(prompt) * 1_000_000n + BigInt(completion) * millionths(completion_ratio);
  const units = weighted * millionths(ratio) * millionths(groupRatio);
  const one = 10n ** 18n;
  return Number((units + one - 1n) / one);
}

/** Creates users of two groups with several tokens each, and their channels. */
export async function createMixedUsers(
  gateway: RunGateway,
  users: number,
  tokensEach: number,
): Promise<Payer[]> {
  const channel = (key: string, models: readonly string[], extra: Record<string, unknown> = {}) =>
    gateway.world.given.channel({
      key,
      models: models.join(","),
      group: Object.keys(groupRatios).join(","),
      model_configs: JSON.stringify(
        Object.fromEntries(models.map((model) => [model, listed(model)])),
      ),
      ...extra,
    });
  const answering = ["plain", "dear", ...retriedModels];
  for (const name of ["a", "b", "c"])
    await channel(`sim-tokens-${answerTokens}+as-${name}`, answering);
  await channel(`sim-fail-500+as-failing`, retriedModels, { priority: 9 });
  await channel("sim-fail-503+as-broken", ["broken"]);
  await channel(`sim-tokens-${answerTokens}+pace-15+as-paced`, ["paced"]);
  await gateway.root("PUT", "/api/option/", {
    key: "GroupRatio",
    value: JSON.stringify(groupRatios),
  });

  const groups = Object.entries(groupRatios);
  const made = await inParallel(Array.from({ length: users }), membersAtOnce, async (_, n) => {
    const [group, groupRatio] = groups[n % groups.length] ?? ["default", 1];
    const member = await gateway.addMember({ group });
    await gateway.root("POST", "/api/topup", { user_id: member.id, quota: opening });
    if (n % 2 === 0) await gateway.addBudget("user", member.id, "lifetime");
    const tokens = await Promise.all(
      Array.from({ length: tokensEach }, async (_one, t) => {
        const name = `${member.username} ${t}`;
        // Every other token has its own limit, which is another column to keep right.
        const limit = t % 2 === 1 ? { unlimited_quota: false, remain_quota: opening / 10 } : {};
        const token = await gateway.addToken(member.access, { name, ...limit });
        if (t === 0) await gateway.addBudget("token", token.id, "day");
        return { ...token, name };
      }),
    );
    return tokens.map((token) => ({ member, token, groupRatio }));
  });
  return made.flat();
}

const kinds = Object.entries(weights).flatMap(([kind, weight]) =>
  Array.from({ length: weight }, () => kind as MixedCallKind),
);

export async function mixedCall(
  { call: ask }: RetryingCaller,
  payers: readonly Payer[],
  n: number,
  random: () => number,
): Promise<MixedCall> {
  const below = (limit: number): number => Math.floor(random() * limit);
  const kind = kinds[below(kinds.length)] ?? "whole";
  const payer = below(payers.length);
  const model = {
    whole: below(2) === 0 ? "plain" : "dear",
    stream: below(2) === 0 ? "plain" : "dear",
    retried: retriedModels[below(retriedModels.length)] ?? "",
    left: "paced",
    failed: "broken",
    refused: "nobody-has-this",
  }[kind];
  // Every question is unique and determines its response: a response to another call would be
  // noticed.
  const content = [
    `mark-${n}`,
    ...Array.from({ length: below(wordsMax) }, (_, word) => `w${word}`),
  ].join(" ");
  const isStream = kind === "stream" || kind === "left" || (kind !== "whole" && below(2) === 0);
  const max_tokens = kind === "left" ? answerTokens : 1 + below(answerTokens);
  const expected = dueAnswer(content, max_tokens);
  const call: MixedCall = {
    kind,
    payer,
    model,
    id: undefined,
    prompt: expected.usage.prompt,
    completion: expected.usage.completion,
    received: 0,
    problem: "",
  };
  const disconnect = new AbortController();
  const leavesAfter = below(leavesAfterWordsMax);
  try {
    const response = await ask(
      payers[payer]?.token.key ?? "",
      {
        model,
        max_tokens,
        stream: isStream,
        ...(isStream && below(2) === 0 && { stream_options: { include_usage: true } }),
        messages: [{ role: "user", content }],
      },
      { signal: disconnect.signal },
    );
    call.id = findIdFromRequestId(response.headers.get("x-oneapi-request-id") ?? "");
    const wrong =
      kind === "left"
        ? await readThenDisconnect(response, disconnect, leavesAfter, expected, call)
        : responseProblem(kind, isStream, response.status, await response.text(), expected);
    if (wrong) call.problem = `${kind} call ${n} (${call.id}): ${wrong}`;
  } catch (cause) {
    call.problem = `${kind} call ${n}: ${String(cause)}`;
  }
  return call;
}

/** The simulator's words and token count for this question. */
const dueAnswer = (content: string, maxTokens: number): SimulatedAnswer =>
  generateAnswer(
    {
      model: "",
      messages: [{ role: "user", text: content, images: 0 }],
      tools: [],
      choices: 1,
      maxTokens,
      stream: false,
      wantsUsage: false,
    },
    { tokens: answerTokens },
  );

function responseProblem(
  kind: MixedCallKind,
  isStream: boolean,
  status: number,
  text: string,
  expected: SimulatedAnswer,
): string {
  if (kind === "failed") return status >= 500 ? "" : `answered ${status} ${text}`;
  if (kind === "refused")
    return text.includes("model_not_found") ? "" : `answered ${status} ${text}`;
  if (status !== 200) return `answered ${status} ${text.slice(0, 300)}`;
  const words = wholeText(expected.tokens);
  if (isStream) {
    const found = readEvents(text);
    return found.text === words && found.events.at(-1) === "[DONE]"
      ? ""
      : `not its own answer: ${found.text}`;
  }
  const { choices, usage } = JSON.parse(text) as {
    choices: { message: { content: string } }[];
    usage: { prompt_tokens: number; completion_tokens: number };
  };
  if (choices[0]?.message.content !== words)
    return `not its own answer: ${choices[0]?.message.content}`;
  const reported = [usage.prompt_tokens, usage.completion_tokens];
  return reported[0] === expected.usage.prompt && reported[1] === expected.usage.completion
    ? ""
    : `its usage was told as ${reported}`;
}

/**
 * Disconnects after so many words; the received text must be the beginning of the call's own
 * response.
 */
async function readThenDisconnect(
  response: Response,
  disconnect: AbortController,
  leavesAfter: number,
  expected: SimulatedAnswer,
  call: MixedCall,
): Promise<string> {
  if (response.status !== 200) return `answered ${response.status} ${await response.text()}`;
  let read = "";
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  while (reader && contentEvents(read) < leavesAfter) {
    const { done, value } = await reader.read();
    if (done) break;
    read += decoder.decode(value, { stream: true });
  }
  // A moment between two words.
  await pause(leavesAfter);
  disconnect.abort();
  call.received = contentEvents(read);
  const { text } = readEvents(read.slice(0, read.lastIndexOf("\n\n") + 2));
  return wholeText(expected.tokens).startsWith(text) ? "" : `not its own answer: ${text}`;
}
