// Support for adapter tests: calls and settings as a channel has them, and streams that arrive in
// pieces.

import { deepEqual, equal } from "node:assert/strict";
import { findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import type { RelayCall, StreamEventFacts } from "@tollgate/gateway/relay/formats/api-format.ts";
import { chatCompletions } from "@tollgate/gateway/relay/formats/chat-completions.ts";
import type {
  ProviderAdapter,
  ProviderSettings,
  UpstreamRequest,
} from "@tollgate/gateway/relay/providers/provider.ts";
import type { Translation } from "@tollgate/gateway/relay/translations/translation.ts";
import type { JsonRecord } from "@tollgate/gateway/relay/wire/json-parts.ts";
import { SseSplitter } from "@tollgate/gateway/relay/wire/sse-splitter.ts";
import { translatedBody } from "./translate-request.ts";

export const question = { model: "m", messages: [{ role: "user", content: "hi" }] };

export function callOf(json: object = question, more: Partial<RelayCall> = {}): RelayCall {
  const body = Buffer.from(JSON.stringify(json));
  return {
    ...chatCompletions.parseRequest({ ...question, ...json }, false),
    client: chatCompletions,
    upstream: chatCompletions.upstream,
    headers: [],
    body,
    ...more,
  };
}

export function settingsOf(
  id: number,
  base?: string,
  config: JsonRecord = {},
  other = "",
): ProviderSettings {
  const type = findChannelType(id);
  if (!type) throw new Error(`there is no type ${id}`);
  return {
    type,
    base: (base ?? type.defaultBaseUrl).replace(/\/+$/, ""),
    config,
    other,
    profiles: new Map(),
  };
}

export interface AdapterTarget {
  provider: ProviderAdapter;
  translation: Translation;
  settings: ProviderSettings;
  model: string;
  secret: string;
  now?: number;
}

/** The request that the provider receives for one chat. */
export async function writeRequest(
  json: object,
  to: AdapterTarget,
  call: Partial<RelayCall> = {},
): Promise<UpstreamRequest> {
  const { provider, translation, settings, model, secret, now = 0 } = to;
  const body = Buffer.from(
    JSON.stringify(translatedBody(translation, { ...question, ...json }, model, call.isStream)),
  );
  const translated = callOf(question, { upstream: translation.target, body, ...call });
  const url = provider.endpoints(settings, model)[translation.target.endpoint];
  if (!url) throw new Error(`${model} is not served`);
  const headers = ["content-type", "application/json", ...provider.credentials(secret, translated)];
  const request = { url, headers, body: translation.target.writeBody(translated, model, null) };
  return (
    (await provider.finish?.(request, translated, model, { settings, secret, now })) ?? request
  );
}

export const bodyOf = ({ body }: UpstreamRequest): JsonRecord =>
  JSON.parse(body.toString("utf8")) as JsonRecord;

export function headersOf({ headers }: UpstreamRequest): Record<string, string> {
  const pairs = headers.flatMap((name, at) =>
    at % 2 === 0 ? [[name, headers[at + 1] ?? ""]] : [],
  );
  return Object.fromEntries(pairs) as Record<string, string>;
}

export interface PlayedStream {
  facts: StreamEventFacts[];
  /** `output` is what the client receives. */
  output: string;
}

/** Plays a stream that arrives in the given pieces. */
export function playStream(
  translation: Translation,
  pieces: readonly Buffer[],
  call = callOf(),
): PlayedStream {
  const splitter = new SseSplitter();
  const read = translation.target.createEventReader(call);
  const answers = translation.createReplyTranslator({ ...call, wantsUsage: true });
  const facts: StreamEventFacts[] = [];
  let output = "";
  for (const { bytes, ends } of [...pieces.map((piece) => splitter.push(piece)), splitter.end()]) {
    let start = 0;
    for (const end of ends) {
      const event = bytes.toString("utf8", start, end);
      start = end;
      facts.push(read(event));
      // The translation writes nothing after an error.
      if (facts.at(-1)?.kind === "error") return { facts, output };
      output += answers.translateEvent(event);
    }
  }
  return { facts, output: output + answers.finish() };
}

/** Expects the same output wherever the stream is split in two. */
export function expectSameAtEveryCut(translation: Translation, stream: string): PlayedStream {
  const bytes = Buffer.from(stream);
  const whole = playStream(translation, [bytes]);
  for (let at = 1; at < bytes.length; at += 1) {
    const { facts, output } = playStream(translation, [bytes.subarray(0, at), bytes.subarray(at)]);
    deepEqual([at, facts], [at, whole.facts]);
    equal(withoutTime(output), withoutTime(whole.output), `cut at ${at}`);
  }
  return whole;
}

const withoutTime = (output: string): string => output.replaceAll(/"created":\d+/g, "");

export interface ChatChunk {
  id: string;
  choices: { delta: JsonRecord; finish_reason: string | null }[];
  usage?: JsonRecord;
}

export const chunksIn = (output: string): ChatChunk[] =>
  output
    .split("\n\n")
    .filter((text) => text.startsWith("data: {"))
    .map((text) => JSON.parse(text.slice(6)) as ChatChunk);

/** Values that may stand in the place of any field of a reply. */
const odd: readonly unknown[] = [null, 7, -1, "x", [], {}, [null], [[]], [{}], { a: [1] }, true];
export const oddValues = odd.map((value): [unknown] => [value]);
