/** Asks one channel for a word, to see whether it works: nothing is held, charged or retried. */
import type { Egress } from "../egress/egress.ts";
import type { RelayChannel } from "./channel-table.ts";
import { forward } from "./forward.ts";
import { openAiCompatible } from "./providers/open-ai-compatible.ts";
import type { Call } from "./read-call.ts";
import { usageFrom } from "./stream-usage.ts";

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
}

export async function askChannel(
  egress: Egress,
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
  if (!channel.chatUrl) return untestable("channels of this type cannot be tested yet");

  const request = openAiCompatible.toUpstream(callFor(modelName), channel, channel.mapping.get(modelName) ?? modelName);
  let timer: NodeJS.Timeout | undefined;
  const forwarded = await forward(egress, request, (upstream) => {
    timer = setTimeout(() => upstream.abort("no whole answer within 120 seconds"), withinMs);
  });
  if ("trouble" in forwarded) {
    clearTimeout(timer);
    return told(false, forwarded.trouble.reason);
  }
  const body = await forwarded.answer.whole(answerMax).catch(() => Buffer.alloc(0));
  clearTimeout(timer);
  const answer = answerIn(body);
  if (!answer) return told(false, "the answer is no whole chat completion");
  const usage = usageFrom(answer.usage)?.usage;
  return told(true, answer.text.slice(0, 500), usage ? usage.input + usage.cache_read : 0, usage?.output ?? 0);
}

function answerIn(body: Buffer): { text: string; usage: unknown } | undefined {
  try {
    const { choices, usage } = JSON.parse(body.toString("utf8")) as {
      choices: { message?: { content?: unknown } }[];
      usage?: unknown;
    };
    const content = choices[0]?.message?.content;
    return { text: typeof content === "string" ? content : "", usage };
  } catch {
    return undefined;
  }
}

function callFor(model: string): Call {
  const body = { model, messages: [{ role: "user", content: question }], max_tokens: answerTokensMax };
  return {
    model,
    isStream: false,
    wantsUsage: false,
    streamOptions: {},
    maxTokens: answerTokensMax,
    answers: 1,
    promptEstimate: 0,
    body: Buffer.from(JSON.stringify(body)),
  };
}
