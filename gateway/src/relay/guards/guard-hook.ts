/** Asks the operator's own service about the texts of a request, signed as notices are. */
import * as z from "zod/mini";
import type { Egress } from "../../egress/egress.ts";
import { requestText } from "../../egress/request-text.ts";
import { buildWebhookHeaders } from "../../egress/standard-webhook.ts";

/** The client waits for it before each call. */
const timeoutMs = 2_000;
/** An answer may hold all texts again, with escapes. */
const replyBytesMax = 40 * 1024 * 1024;
/** `messageMax` is what clients read of the reason. */
const messageMax = 500;

/** `GuardQuestion` is one question. The names are a contract (docs/guards.md). */
export interface GuardQuestion {
  call: string;
  user: string;
  group: string;
  key: string;
  model: string;
  endpoint: string;
  texts: readonly string[];
}

const answers = z.discriminatedUnion("action", [
  z.object({ action: z.literal("allow") }),
  z.object({ action: z.literal("deny"), message: z.optional(z.string()) }),
  z.object({ action: z.literal("replace"), texts: z.array(z.string()) }),
]);
export type GuardAnswer = z.output<typeof answers>;

export interface GuardHookTarget {
  address: string;
  /** `whsec_` and the key in base64. */
  secret: string;
}

export interface GuardHookDeps {
  egress: Egress;
  now(): number;
}

/**
 * Rejects when there is no answer in time, or one that is none: the caller decides what that means.
 */
export async function askGuardHook(
  { address, secret }: GuardHookTarget,
  question: GuardQuestion,
  { egress, now }: GuardHookDeps,
): Promise<GuardAnswer> {
  const body = JSON.stringify(question);
  const signed = buildWebhookHeaders([secret], {
    id: question.call,
    seconds: Math.floor(now() / 1000),
    body,
  });
  const headers = {
    accept: "application/json",
    "content-type": "application/json; charset=utf-8",
    ...signed,
  };
  const request = { method: "POST", url: address, headers, body, replyBytesMax } as const;
  const { status, text } = await requestText(egress, request, AbortSignal.timeout(timeoutMs));
  if (status !== 200) throw new GuardHookFailed(`the status is ${status}`);
  return readAnswer(text, question.texts.length);
}

/** The answer of the hook is none. The message holds nothing of it. */
export class GuardHookFailed extends Error {}

export function readAnswer(text: string, count: number): GuardAnswer {
  const parsed = answers.safeParse(parseJson(text));
  if (!parsed.success) throw new GuardHookFailed("the answer is not allow, deny or replace");
  const answer = parsed.data;
  if (answer.action === "replace" && answer.texts.length !== count)
    throw new GuardHookFailed("the answer has another number of texts");
  return answer;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new GuardHookFailed("the answer is not JSON");
  }
}

/** `showMessage` gives one line, as an error of the API. */
export const showMessage = (message = ""): string =>
  message
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, messageMax);
