/**
 * Sends one short question to a channel to test whether it works. Nothing is held, charged or
 * retried.
 */

import { computeCompletionTokens, promptTokens } from "../../money/prices/price.ts";
import type { RelayCall, ReplyFacts, ReplyReader } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import type { ChannelAccess, ChannelIdentity, ServedModels } from "../routing/channel-parts.ts";
import { canServe, planUpstreamCall } from "../routing/translation-registry.ts";
import { redact } from "../upstream/redact-secrets.ts";
import { type SendDeps, send } from "../upstream/send.ts";
import { parseObject } from "../wire/json-parts.ts";

const answerMax = 1024 * 1024;
const question = "What is 1 + 1? Answer with the number alone.";
const answerTokensMax = 64;
const withinMs = 120_000;
/**
 * Characters of an answer or an error that administrators see: enough to judge by, too few to carry
 * a secret out.
 */
const shownMax = 200;

export interface ChannelProbeResult {
  ok: boolean;
  /** The beginning of the model's text or of the error, without secrets. */
  message: string;
  elapsedMs: number;
  modelName: string;
  promptTokens: number;
  completionTokens: number;
  /** No request was sent: the result says nothing about the channel. */
  isUntestable?: boolean;
  /** No response came at all, which may be a problem of the gateway. */
  isUnreachable?: boolean;
}

export async function askChannel(
  deps: SendDeps,
  channel: ChannelIdentity & ServedModels & ChannelAccess,
  requestedModel: string | undefined,
): Promise<ChannelProbeResult> {
  const started = performance.now();
  const modelName = requestedModel ?? [...channel.models, ...channel.coveredModels][0] ?? "";
  const result = (
    ok: boolean,
    message: string,
    promptTokens = 0,
    completionTokens = 0,
  ): ChannelProbeResult => {
    const elapsedMs = Math.round(performance.now() - started);
    return {
      ok,
      message: message.slice(0, shownMax),
      elapsedMs,
      modelName,
      promptTokens,
      completionTokens,
    };
  };
  const untestable = (why: string): ChannelProbeResult => ({
    ...result(false, why),
    isUntestable: true,
  });
  if (modelName === "") return untestable("the channel lists no model to test with");
  const upstreamModel = channel.modelMapping.get(modelName) ?? modelName;
  const urls = channel.urlsFor(upstreamModel);
  if (!canServe("chat_completions", urls))
    return untestable("channels of this type cannot be tested yet");

  const plan = planUpstreamCall(probeCall(upstreamModel), urls, upstreamModel);
  let timer: NodeJS.Timeout | undefined;
  const forwarded = await send(deps, plan.call, channel, upstreamModel, (upstream) => {
    clearTimeout(timer);
    timer = setTimeout(() => upstream.abort("no whole answer within 120 seconds"), withinMs);
  });
  if ("error" in forwarded) {
    clearTimeout(timer);
    const { reason, status } = forwarded.error;
    return { ...result(false, reason), isUnreachable: status === 0 };
  }
  const body = await forwarded.answer.readAll(answerMax).catch(() => Buffer.alloc(0));
  clearTimeout(timer);
  const failure = plan.call.upstream.errorIn?.(parseObject(body.toString("utf8")));
  if (failure?.status === 401) deps.providerTokens.invalidate(channel);
  if (failure) return result(false, redact(failure.message, ...forwarded.answer.secrets));
  const answer = parseAnswer(plan.call.upstream, body);
  if (!answer) return result(false, "the reply is not in the expected format");
  const usage = answer.usage?.usage;
  const text = redact(answer.text, ...forwarded.answer.secrets);
  return result(
    true,
    text,
    usage ? promptTokens(usage) : 0,
    usage ? computeCompletionTokens(usage) : 0,
  );
}

function parseAnswer(format: ReplyReader, body: Buffer): ReplyFacts | undefined {
  try {
    const json: unknown = JSON.parse(body.toString("utf8"));
    return typeof json === "object" && json !== null
      ? format.readReply(json as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function probeCall(model: string): RelayCall {
  const json = {
    model,
    messages: [{ role: "user", content: question }],
    max_tokens: answerTokensMax,
  };
  const body = Buffer.from(JSON.stringify(json));
  const { upstream } = chatCompletions;
  return {
    ...chatCompletions.parseRequest(json, false),
    client: chatCompletions,
    upstream,
    headers: [],
    body,
  };
}
