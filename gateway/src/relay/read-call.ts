/** What is asked for: the body, read within limits, and the few fields of it that the gateway acts on. */
import type { IncomingMessage } from "node:http";
import * as z from "zod/mini";
import { estimatePromptTokens } from "./estimate.ts";
import { isNestedDeeperThan, topLevelSpans } from "./json-spans.ts";
import { badRequest, Refused } from "./relay-refusal.ts";

const bodyMax = 32 * 1024 * 1024;
const modelNameMax = 200;
const tokensMax = 10_000_000;
const messagesMax = 100_000;
/** Deeper than anything a provider takes; walking further would only serve to exhaust somebody's stack. */
const depthMax = 100;

/** One chat completion as the caller wrote it. */
export interface Call {
  model: string;
  isStream: boolean;
  /** The caller asked for the usage event at the end of a stream. */
  wantsUsage: boolean;
  /** As the caller wrote them, beside the request for usage. */
  streamOptions: Readonly<Record<string, unknown>>;
  /** `max_completion_tokens` or `max_tokens`. */
  maxTokens: number | undefined;
  /** Answers per call, `n`. */
  answers: number;
  promptEstimate: number;
  body: Buffer;
}

const tokenLimit = z.optional(z.nullable(z.int().check(z.minimum(0), z.maximum(tokensMax))));

interface Message {
  role: string;
  content?: unknown;
  tool_calls?: unknown;
}

/** Looked at where it is: a schema would copy every message of a long conversation. */
const message = z.custom<Message>(
  (value) => typeof value === "object" && value !== null && typeof (value as { role?: unknown }).role === "string",
  "must be an object with a role",
);

/** Only the fields we act on; everything else is the provider's business and goes through untouched. */
const chatRequest = z.object({
  model: z.string().check(z.minLength(1), z.maxLength(modelNameMax)),
  messages: z.array(message).check(z.minLength(1), z.maxLength(messagesMax)),
  stream: z.optional(z.nullable(z.boolean())),
  stream_options: z.optional(z.nullable(z.looseObject({ include_usage: z.optional(z.nullable(z.boolean())) }))),
  max_tokens: tokenLimit,
  max_completion_tokens: tokenLimit,
  n: z.optional(z.nullable(z.int().check(z.minimum(1), z.maximum(128)))),
});

export async function readChatCall(request: IncomingMessage, isEstimateRough: boolean): Promise<Call> {
  const body = await readBody(request);
  const text = body.toString("utf8");
  const json = parseJson(text);
  refuseAmbiguous(body, text, json);
  if (isNestedDeeperThan(body, depthMax)) throw tooDeep();
  const parsed = z.safeParse(chatRequest, json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join(".") ?? "";
    throw badRequest("invalid_text_request", `${where || "body"}: ${issue?.message ?? "is not valid"}`, where);
  }
  const { model, messages, stream, stream_options, max_tokens, max_completion_tokens, n } = parsed.data;
  return {
    model,
    isStream: stream === true,
    wantsUsage: stream_options?.include_usage === true,
    streamOptions: stream_options ?? {},
    maxTokens: max_completion_tokens ?? max_tokens ?? undefined,
    answers: n ?? 1,
    promptEstimate: estimatePromptTokens(messages, (json as { tools?: unknown }).tools, isEstimateRough),
    body,
  };
}

/**
 * A body that says `model` twice, or in capitals besides, is read differently by different parsers: what we price and
 * what the upstream serves would not be the same. The bytes are only walked when the text gives a reason to.
 */
function refuseAmbiguous(body: Buffer, text: string, json: unknown): void {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return;
  const names = Object.keys(json);
  const isOnce = text.indexOf('"model"') === text.lastIndexOf('"model"') && !text.includes("\\u");
  const all = isOnce ? names : topLevelSpans(body).map(({ key }) => key);
  const twice = all.length > names.length || all.filter((name) => name.toLowerCase() === "model").length > 1;
  if (twice) throw badRequest("invalid_text_request", "The body has the same member twice");
}

const tooDeep = (): Refused => badRequest("invalid_text_request", `The body is nested deeper than ${depthMax} levels`);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest("invalid_text_request", `The body is not valid JSON: ${(error as Error).message}`);
  }
}

const tooLarge = (): Refused =>
  new Refused({
    status: 413,
    type: "invalid_request_error",
    code: "request_too_large",
    message: `The body is larger than ${bodyMax / 1024 / 1024} MiB`,
    // The rest of it is not read: whoever sends without end would keep the connection for ever.
    closesConnection: true,
  });

/** Refuses before it buffers: a length that is announced is not read, one that lies is cut off. */
function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > bodyMax) return Promise.reject(tooLarge());
  if (request.headers["content-encoding"] && request.headers["content-encoding"] !== "identity") {
    const message = "Compressed bodies are not accepted; send plain JSON";
    return Promise.reject(
      new Refused({ status: 415, type: "invalid_request_error", code: "unsupported_encoding", message }),
    );
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let hasEnded = false;
    const cut = (): void => {
      if (!hasEnded) reject(badRequest("invalid_text_request", "The body ended too early"));
    };
    // A caller who broke off while we looked up the key has no events left to tell us.
    if (request.destroyed && !request.complete) return cut();
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bodyMax) chunks.push(chunk);
      else {
        request.removeAllListeners("data");
        request.pause();
        reject(tooLarge());
      }
    });
    request.on("end", () => {
      hasEnded = true;
      const [only] = chunks;
      resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks, size));
    });
    request.on("error", cut);
    request.on("close", cut);
  });
}
