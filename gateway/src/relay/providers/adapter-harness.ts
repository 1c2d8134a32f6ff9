// For the tests of adapters: calls and settings as a channel has them, and streams that arrive in pieces.
import { deepEqual, equal } from "node:assert/strict";
import { channelType } from "@tollgate/contract/channel-types.ts";
import { EventSplitter } from "../event-splitter.ts";
import type { Json } from "../json-parts.ts";
import { chatCompletions } from "../shapes/chat-completions.ts";
import type { Call, EventFacts } from "../shapes/shape.ts";
import type { Translation } from "../translations/translation.ts";
import type { Provider, ProviderSettings, UpstreamRequest } from "./provider.ts";

export const question = { model: "m", messages: [{ role: "user", content: "hi" }] };

export function callOf(json: object = question, more: Partial<Call> = {}): Call {
  const body = Buffer.from(JSON.stringify(json));
  return {
    ...chatCompletions.read({ ...question, ...json }, false),
    shape: chatCompletions,
    headers: [],
    body,
    ...more,
  };
}

export function settingsOf(id: number, base?: string, config: Json = {}, other = ""): ProviderSettings {
  const type = channelType(id);
  if (!type) throw new Error(`there is no type ${id}`);
  return { type, base: (base ?? type.defaultBaseUrl).replace(/\/+$/, ""), config, other, profiles: new Map() };
}

export interface Written {
  provider: Provider;
  translation: Translation;
  settings: ProviderSettings;
  model: string;
  secret: string;
  now?: number;
}

/** The request for one chat, as the provider would get it. */
export async function written(json: object, to: Written, call: Partial<Call> = {}): Promise<UpstreamRequest> {
  const { provider, translation, settings, model, secret, now = 0 } = to;
  const body = Buffer.from(JSON.stringify(translation.body({ ...question, ...json }, model, call.isStream)));
  const translated = callOf(question, { shape: translation.to, body, ...call });
  const url = provider.entries(settings, model)[translation.to.entry];
  if (!url) throw new Error(`${model} is not served`);
  const headers = ["content-type", "application/json", ...provider.credentials(secret, translated)];
  const request = { url, headers, body: translation.to.bodyFor(translated, model, null) };
  return (await provider.finish?.(request, translated, model, { settings, secret, now })) ?? request;
}

export const bodyOf = ({ body }: UpstreamRequest): Json => JSON.parse(body.toString("utf8")) as Json;

export function headersOf({ headers }: UpstreamRequest): Record<string, string> {
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""]] : []));
  return Object.fromEntries(pairs) as Record<string, string>;
}

export interface Played {
  facts: EventFacts[];
  /** What the caller reads. */
  told: string;
}

/** A stream that comes in the given pieces. */
export function played(translation: Translation, pieces: readonly Buffer[], call = callOf()): Played {
  const splitter = new EventSplitter();
  const read = translation.to.events(call);
  const answers = translation.answers({ ...call, wantsUsage: true });
  const facts: EventFacts[] = [];
  let told = "";
  for (const { bytes, ends } of [...pieces.map((piece) => splitter.push(piece)), splitter.end()]) {
    let start = 0;
    for (const end of ends) {
      const event = bytes.toString("utf8", start, end);
      start = end;
      facts.push(read(event));
      // Nothing of the translation comes after an error.
      if (facts.at(-1)?.kind === "error") return { facts, told };
      told += answers.event(event);
    }
  }
  return { facts, told: told + answers.end() };
}

/** The same answer, wherever the stream is cut in two. */
export function expectSameAtEveryCut(translation: Translation, stream: string): Played {
  const bytes = Buffer.from(stream);
  const whole = played(translation, [bytes]);
  for (let at = 1; at < bytes.length; at += 1) {
    const { facts, told } = played(translation, [bytes.subarray(0, at), bytes.subarray(at)]);
    deepEqual([at, facts], [at, whole.facts]);
    equal(withoutTime(told), withoutTime(whole.told), `cut at ${at}`);
  }
  return whole;
}

const withoutTime = (told: string): string => told.replaceAll(/"created":\d+/g, "");

export interface Chunk {
  id: string;
  choices: { delta: Json; finish_reason: string | null }[];
  usage?: Json;
}

export const chunksIn = (told: string): Chunk[] =>
  told
    .split("\n\n")
    .filter((text) => text.startsWith("data: {"))
    .map((text) => JSON.parse(text.slice(6)) as Chunk);

/** What stands in the place of everything that an answer may hold. */
const odd: readonly unknown[] = [null, 7, -1, "x", [], {}, [null], [[]], [{}], { a: [1] }, true];
export const oddValues = odd.map((value): [unknown] => [value]);
