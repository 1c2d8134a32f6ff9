// Streams as providers write them, and as only a broken or hostile one would, each from a seed that
// repeats it.
import { awsException, awsMessage } from "@tollgate/tests/support/bedrock-fixture.ts";
import { randomFrom } from "@tollgate/tests/support/seeded-random.ts";
import { memoize } from "./memoize.ts";
import { grammars, type StreamGrammar } from "./stream-grammars.ts";

export interface StreamCase {
  seed: number;
  grammar: StreamGrammar;
  bytes: Buffer;
  /** The ascending offsets at which the stream is split into chunks. */
  cuts: number[];
  /** The connection breaks at the end instead of closing. */
  isBroken: boolean;
  eventBytesMax: number;
  wantsUsage: boolean;
  /** The model's name in the upstream's events, and the one that the client receives. */
  rename: readonly [from: string, to: string] | undefined;
  /** Bytes were changed after writing, so the meaning is unknown. */
  isMangled: boolean;
}

export const askedModel = "asked-model";
export const upstreamModel = "upstream-model-2026";

class Dice {
  readonly #random: () => number;
  constructor(seed: number) {
    this.#random = randomFrom(seed);
    // Neighbouring seeds start with similar numbers.
    for (let turn = 0; turn < 3; turn += 1) this.#random();
  }
  below(max: number): number {
    return Math.floor(this.#random() * max);
  }
  one(inSoMany: number): boolean {
    return this.#random() * inSoMany < 1;
  }
  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T;
  }
}

const words = [
  "one",
  " two",
  "three four",
  "",
  "Grüße, ",
  "世界",
  "🌍👨‍👩‍👧",
  'he said "no"',
  '"usage":{"prompt_tokens":900}',
  '{"error":{"message":"x"}}',
  '"finish_reason":"stop"',
  "data: [DONE]\n\n",
  "[DONE]",
  "\r\n\r\n",
  "\\",
  'back\\"slash\\\\',
  "\u0000\u001f\u2028\u2029\ufeff",
  "\ud83d",
  "x".repeat(300),
  "<html>",
];

const garbage = [
  "garbage",
  "null",
  "true",
  "17",
  '"text"',
  "[]",
  '[{"error":1}]',
  "{",
  "}",
  "not[DONE]",
  "[DONE] or not",
  "[done]",
  "\u0000",
  "undefined",
  "<!doctype html><title>502 Bad Gateway</title>",
  "event: x",
  "{}",
  '{"',
  "NaN",
];
const html =
  "<!doctype html>\n<html><head><title>502</title></head>\n\n<body>data: no\n</body></html>\n";
const otherFields = [
  "id: 7",
  "retry: 1000",
  "event: message",
  ": comment",
  ":",
  "data",
  "dat: x",
  "x:y:z",
  "DATA: {}",
];

/** The events that a provider of this grammar may send, as text. */
interface StreamSentences {
  begin: string[];
  words: string[];
  finish: string[];
  usages: string[];
  done: string | undefined;
  errors: string[];
  other: string;
  /** Truncated JSON, or JSON with something added. */
  broken: string[];
}

const figures = [0, 1, 7, 19, 120, 299];

function sentencesOf(grammar: StreamGrammar, write: (value: object) => string): StreamSentences {
  const all = words.map((text) => write(grammar.word(text)));
  return {
    begin: grammar.begin(upstreamModel).map(write),
    words: all,
    finish: grammar.finish().map(write),
    usages: figures.flatMap((input) =>
      figures.map((output) => write(grammar.usage(input, output))),
    ),
    done: grammar.done === "[DONE]" ? grammar.done : grammar.done && write(grammar.done),
    errors: words.map((text) => write(grammar.error(text))),
    other: write(grammar.other()),
    broken: all.flatMap((data) => [11, data.length - 3].flatMap((at) => brokenAt(data, at))),
  };
}

/** Turns JSON into invalid JSON. */
const brokenAt = (data: string, at: number): string[] =>
  ["\u0000", "}", '"', "\\", "{", ","]
    .map((letter) => data.slice(0, at) + letter + data.slice(at))
    .concat(data.slice(0, at))
    .filter((changed) => !isJson(changed));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON as Python writes it. */
const spaced = (value: object): string => {
  const text = JSON.stringify(value, null, 1);
  return text.replaceAll(/\n\s*/g, " ").replaceAll(/([[{]) | ([\]}])/g, "$1$2");
};

const streamSentences = grammars.map((grammar) => [
  sentencesOf(grammar, (value) => JSON.stringify(value)),
  sentencesOf(grammar, spaced),
]);

/** The data of events in the order of sending. */
function dataOf(dice: Dice, all: StreamSentences): string[] {
  const reported: string[] = [];
  if (!dice.one(6)) reported.push(...all.begin);
  for (let count = dice.below(5); count > 0; count -= 1) {
    reported.push(dice.of(all.words));
    if (dice.one(8)) reported.push(all.other);
  }
  if (!dice.one(5)) reported.push(...all.finish);
  if (dice.one(2)) reported.push(dice.of(all.usages));
  if (all.done !== undefined && !dice.one(5)) reported.push(all.done);
  if (all.done !== undefined && dice.one(8)) reported.push(all.done);
  const anywhere = (data: string): void =>
    void reported.splice(dice.below(reported.length + 1), 0, data);
  if (dice.one(10)) anywhere(dice.of(all.errors));
  if (dice.one(6)) anywhere(dice.of(garbage));
  if (dice.one(12)) anywhere("");
  if (dice.one(12)) anywhere(dice.of(all.broken));
  if (dice.one(30)) anywhere(all.finish.at(-1) ?? all.other);
  if (dice.one(2_000))
    anywhere((all.words[0] as string).replace("one", () => "long ".repeat(dice.below(20_000))));
  return reported;
}

/** Events as text, with their line ends and the lines between and around them. */
function written(dice: Dice, reported: readonly string[]): string {
  const defaults = dice.of(["\n", "\n", "\r\n", "\r", "mixed"]);
  const end = (): string => (defaults === "mixed" ? dice.of(["\n", "\r\n", "\r"]) : defaults);
  const afterColon = dice.of([" ", " ", "", "  "]);
  let text = dice.one(8) ? "\uFEFF" : "";
  const hasNames = dice.one(3);
  for (const data of reported) {
    if (dice.one(10)) text += dice.of(otherFields) + end() + (dice.one(2) ? end() : "");
    if (hasNames) text += `event: named${end()}`;
    const lines = dice.one(12) ? data.split(/(?<=,)(?=")/) : [data];
    for (const line of lines) text += `data:${afterColon}${line}${end()}`;
    if (!dice.one(40)) text += end();
    if (dice.one(20)) text += end();
  }
  if (dice.one(100)) text += html;
  if (dice.one(6)) text = text.replace(/[\r\n]+$/, "");
  return text;
}

const event = { ":message-type": "event" };
/** A copy: a slice of Node's pool would keep the whole pool in memory. */
const own = (bytes: Buffer): Buffer => {
  const copy = Buffer.alloc(bytes.length);
  bytes.copy(copy);
  return copy;
};
const converseFrame = memoize((data) => {
  const [type = "contentBlockDelta", inner] = Object.entries(objectIn(data))[0] ?? [];
  if (type.endsWith("Exception")) return own(awsException(type, "it failed"));
  return own(
    awsMessage(
      { ":event-type": type, ...event },
      inner === undefined ? data : JSON.stringify(inner),
    ),
  );
});
const invokeFrame = memoize((data) => {
  if (objectIn(data).type === "error")
    return own(awsException("modelStreamErrorException", "it failed"));
  const bytes = Buffer.from(data).toString("base64");
  return own(
    awsMessage({ ":event-type": "chunk", ...event }, JSON.stringify({ bytes, p: "abcdef" })),
  );
});

/** A frame for each event, sometimes a damaged one. */
function framed(dice: Dice, reported: readonly string[], wire: "converse" | "invoke"): Buffer {
  const frames = reported.map(wire === "converse" ? converseFrame : invokeFrame);
  if (dice.one(8) && frames.length > 0) {
    const at = dice.below(frames.length);
    const frame = Buffer.from(frames[at] as Buffer);
    const place = dice.of([0, 3, 4, 7, 8, 11, 12, frame.length - 1, dice.below(frame.length)]);
    frame[place] = (frame[place] ?? 0) ^ (1 << dice.below(8));
    frames[at] = frame;
  }
  return Buffer.concat(frames);
}

function objectIn(data: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : {};
  } catch {
    return {};
  }
}

/** Bytes that are changed, removed or added anywhere. */
function mangled(dice: Dice, bytes: Buffer): Buffer {
  const all = [...bytes];
  for (let count = 1 + dice.below(4); count > 0 && all.length > 0; count -= 1) {
    const at = dice.below(all.length);
    if (dice.one(3)) all.splice(at, 1 + dice.below(3));
    else if (dice.one(2)) all.splice(at, 0, dice.of([0, 10, 13, 34, 58, 123, 125, 239, 255, 92]));
    else all[at] = dice.below(256);
  }
  return Buffer.from(all);
}

/** Among others an event just below, at, or just above the maximum size. */
function long(dice: Dice, reported: readonly string[], eventBytesMax: number): string {
  const around = 'data: {"x":""}\n\n'.length;
  const size = Math.max(0, eventBytesMax - around + dice.of([-9, -1, 0, 1, 2, 9, 200, -200]));
  const event = `data: {"x":"${"x".repeat(size)}"}${dice.one(8) ? "" : "\n\n"}`;
  const others = reported.map((data) => `data: ${data.replaceAll("\n", " ")}\n\n`);
  others.splice(dice.below(others.length + 1), 0, event);
  return others.join("");
}

const usualMax = 1024 * 1024;
const smallMax = 2_000;

export function streamCase(seed: number): StreamCase {
  const dice = new Dice(seed);
  const which = dice.below(grammars.length);
  const grammar = grammars[which] as StreamGrammar;
  const { wire } = grammar;
  const reported = dataOf(dice, streamSentences[which]?.[dice.one(4) ? 1 : 0] as StreamSentences);
  const isLong = wire === "events" && dice.one(40);
  const eventBytesMax = isLong && !dice.one(500) ? smallMax : usualMax;
  const text = (): Buffer =>
    Buffer.from(isLong ? long(dice, reported, eventBytesMax) : written(dice, reported));
  let bytes = wire === "events" ? text() : framed(dice, reported, wire);
  const isMangled = !isLong && dice.one(20);
  if (isMangled) bytes = mangled(dice, bytes);
  if (dice.one(8)) bytes = bytes.subarray(0, dice.below(bytes.length + 1));
  return {
    seed,
    grammar,
    bytes,
    cuts: cutsOf(dice, bytes.length),
    isBroken: dice.one(8),
    eventBytesMax,
    wantsUsage: dice.one(2),
    // Only this format has the model's name in its own place.
    rename:
      wire === "events" && dice.one(3) ? [`"${upstreamModel}"`, `"${askedModel}"`] : undefined,
    isMangled,
  };
}

function cutsOf(dice: Dice, length: number): number[] {
  const kind = dice.below(40);
  if (kind === 0 && dice.one(15) && length < 2_000) return Array.from({ length }, (_, at) => at);
  if (kind < 12) return [dice.below(length + 1)];
  if (kind < 16) return [];
  const cuts = Array.from({ length: 1 + dice.below(12) }, () => dice.below(length + 1));
  return cuts.sort((one, other) => one - other);
}

/** `cutAgain` does the same stream, split differently for each `time`. */
export const cutAgain = (one: StreamCase, time: number): StreamCase => ({
  ...one,
  cuts: cutsOf(new Dice(one.seed ^ Math.imul(time, 0x5bd1e995)), one.bytes.length),
});
