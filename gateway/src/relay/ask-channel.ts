/** Asks one channel for a word, to see whether it works: nothing is held, charged or retried. */

import { completionTokens, promptTokens } from "../money/price.ts";
import type { RelayChannel } from "./channel-table.ts";
import { parsedObject } from "./json-parts.ts";
import { type Sending, send } from "./send.ts";
import { chatCompletions } from "./shapes/chat-completions.ts";
import type { AnswerFacts, Call, Shape } from "./shapes/shape.ts";
import { canServe, wayTo } from "./ways.ts";
import { wordsWithout } from "./without-secrets.ts";

const answerMax = 1024 * 1024;
const question = "What is 1 + 1? Answer with the number alone.";
const answerTokensMax = 64;
const withinMs = 120_000;

export interface ChannelAnswer {
  ok: boolean;
  /** The model's words, or what went wrong. */
  message: string;
  elapsedMs: number;
  modelName: string;
  promptTokens: number;
  completionTokens: number;
  /** Nothing was asked: this says nothing about the channel. */
  isUntestable?: boolean;
  /** No answer came at all: the trouble may be ours. */
  isUnreachable?: boolean;
}

export async function askChannel(
  sending: Sending,
  channel: RelayChannel,
  wanted: string | undefined,
): Promise<ChannelAnswer> {
  const started = performance.now();
  const modelName = wanted ?? [...channel.models][0] ?? "";
  const told = (ok: boolean, message: string, promptTokens = 0, completionTokens = 0): ChannelAnswer => {
    const elapsedMs = Math.round(performance.now() - started);
    return { ok, message, elapsedMs, modelName, promptTokens, completionTokens };
  };
  const untestable = (why: string): ChannelAnswer => ({ ...told(false, why), isUntestable: true });
  if (modelName === "") return untestable("the channel lists no model to test with");
  const upstreamModel = channel.mapping.get(modelName) ?? modelName;
  const urls = channel.urlsFor(upstreamModel);
  if (!canServe("chat_completions", urls)) return untestable("channels of this type cannot be tested yet");

  const way = wayTo(callFor(chatCompletions, upstreamModel), urls, upstreamModel);
  let timer: NodeJS.Timeout | undefined;
  const forwarded = await send(sending, way.call, channel, upstreamModel, (upstream) => {
    clearTimeout(timer);
    timer = setTimeout(() => upstream.abort("no whole answer within 120 seconds"), withinMs);
  });
  if ("trouble" in forwarded) {
    clearTimeout(timer);
    const { reason, status } = forwarded.trouble;
    return { ...told(false, reason), isUnreachable: status === 0 };
  }
  const body = await forwarded.answer.whole(answerMax).catch(() => Buffer.alloc(0));
  clearTimeout(timer);
  const failure = way.call.shape.failure?.(parsedObject(body.toString("utf8")));
  if (failure?.status === 401) sending.logins.forget(channel);
  if (failure) return told(false, wordsWithout(failure.message, ...forwarded.answer.secrets));
  const answer = answerIn(way.call.shape, body);
  if (!answer) return told(false, "the answer is not of the shape that was asked for");
  const usage = answer.usage?.usage;
  return told(true, answer.text.slice(0, 500), usage ? promptTokens(usage) : 0, usage ? completionTokens(usage) : 0);
}

function answerIn(shape: Shape, body: Buffer): AnswerFacts | undefined {
  try {
    const json: unknown = JSON.parse(body.toString("utf8"));
    return typeof json === "object" && json !== null ? shape.answer(json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function callFor(shape: Shape, model: string): Call {
  const json = shape.probe(model, question, answerTokensMax);
  return { ...shape.read(json, false), model, shape, headers: [], body: Buffer.from(JSON.stringify(json)) };
}
