/**
 * Marks for the prompt cache of Claude, set for clients that set none, on channels whose operator
 * wants it. What the model reads stays the same: the marks are put between the bytes of the
 * request, which otherwise stay. Pure.
 *
 * Anthropic and Amazon read a prompt as tools, system, messages; a mark caches all before it, and a
 * later request finds it up to 20 blocks before a mark of its own. At most four marks, none on
 * thinking or empty texts, none on a tool whose loading is deferred.
 */
import {
  buildRates,
  type FrozenPrice,
  groupRatioOne,
  picodollarsPerUnit,
  type Rates,
  thawPrice,
  type Usage,
} from "../../money/prices/price.ts";
import { tellDollars } from "../admission/told-dollars.ts";
import type { ApiEndpoint } from "../formats/api-format.ts";
import {
  type ByteSpan,
  type JsonSpan,
  listElements,
  listTopLevelSpans,
} from "../wire/json-spans.ts";

/**
 * A shorter beginning is not cached, and its mark costs nothing; of other models it is the shortest
 * that any has.
 */
const minimumTokens: readonly (readonly [model: RegExp, tokens: number])[] = [
  [/opus-4[-.][567]|haiku-4[-.]5|mythos/, 4_096],
  [/haiku-3|3[-.]5-haiku|3-haiku/, 2_048],
];
const minimumTokensOther = 1_024;
/**
 * Fewer than most texts have, so that no beginning is taken for too short: a mark too many does no
 * harm.
 */
const bytesPerToken = 3;

/** Bytes that a client writes for a mark of its own, or for one of the whole request. */
const ownMarks = [Buffer.from('"cache_control"'), Buffer.from('"cachePoint"')];

export interface MarkedBody {
  body: Buffer;
  marks: number;
}

/** `Insertion` is an insertion, or the text of a message that becomes a block. */
interface Insertion {
  at: number;
  text: string;
}

interface MarkDialect {
  /** The tools and how they are chosen. */
  toolsOf(
    body: Buffer,
    members: readonly JsonSpan[],
  ): { tools: ByteSpan | undefined; choice: string };
  /** Behind the last block of a list that may have a mark; none where no block may. */
  markList(body: Buffer, list: ByteSpan): Insertion[];
  /** A content or system that is a plain text. */
  markText(body: Buffer, text: ByteSpan): Insertion[];
}

const mark = '"cache_control":{"type":"ephemeral"}';
const markedBlocks: ReadonlySet<string> = new Set([
  "text",
  "image",
  "document",
  "tool_use",
  "tool_result",
]);

const quote = 0x22;
const openBrace = 0x7b;
const openBracket = 0x5b;

const parseValue = (body: Buffer, { start, end }: ByteSpan): unknown =>
  JSON.parse(body.toString("utf8", start, end));

function listMembers(body: Buffer, { start, end }: ByteSpan): JsonSpan[] {
  if (body[start] !== openBrace) return [];
  return listTopLevelSpans(body.subarray(start, end)).map((span) => ({
    key: span.key,
    keyStart: span.keyStart + start,
    start: span.start + start,
    end: span.end + start,
  }));
}

const listItems = (body: Buffer, { start, end }: ByteSpan): ByteSpan[] =>
  body[start] === openBracket
    ? listElements(body.subarray(start, end)).map((item) => ({
        start: item.start + start,
        end: item.end + start,
      }))
    : [];

const findMember = (members: readonly JsonSpan[], name: string): JsonSpan | undefined =>
  members.findLast(({ key }) => key === name);

function readText(body: Buffer, members: readonly JsonSpan[], name: string): string {
  const found = findMember(members, name);
  const value = found && body[found.start] === quote ? parseValue(body, found) : "";
  return typeof value === "string" ? value : "";
}

function isMarkable(body: Buffer, members: readonly JsonSpan[]): boolean {
  const type = readText(body, members, "type");
  // A tool of the client has no type, or `custom`.
  if (findMember(members, "name") && !markedBlocks.has(type))
    return findMember(members, "defer_loading") === undefined;
  return (
    markedBlocks.has(type) && (type !== "text" || readText(body, members, "text").trim() !== "")
  );
}

const messagesDialect: MarkDialect = {
  toolsOf(body, members) {
    const choice = findMember(members, "tool_choice");
    return {
      tools: findMember(members, "tools"),
      choice: choice ? readText(body, listMembers(body, choice), "type") : "",
    };
  },
  markList(body, list) {
    const block = listItems(body, list).findLast((item) =>
      isMarkable(body, listMembers(body, item)),
    );
    return block ? [{ at: block.end - 1, text: `,${mark}` }] : [];
  },
  markText(body, text) {
    if (String(parseValue(body, text)).trim() === "") return [];
    return [
      { at: text.start, text: '[{"type":"text","text":' },
      { at: text.end, text: `,${mark}}]` },
    ];
  },
};

const converseDialect: MarkDialect = {
  toolsOf(body, members) {
    const config = findMember(members, "toolConfig");
    const inner = config ? listMembers(body, config) : [];
    const choice = findMember(inner, "toolChoice");
    return {
      tools: findMember(inner, "tools"),
      choice: choice ? (listMembers(body, choice)[0]?.key ?? "") : "",
    };
  },
  markList(body, list) {
    const last = listItems(body, list).at(-1);
    const members = last ? listMembers(body, last) : [];
    const isEmpty =
      findMember(members, "text") !== undefined && readText(body, members, "text").trim() === "";
    if (!last || isEmpty || findMember(members, "reasoningContent")) return [];
    return [{ at: last.end, text: ',{"cachePoint":{"type":"default"}}' }];
  },
  markText: () => [],
};

const dialects: Readonly<Partial<Record<ApiEndpoint, MarkDialect>>> = {
  claude_messages: messagesDialect,
  bedrock_converse: converseDialect,
};

/**
 * A forced tool ends the conversation with its first answer, as programs use it that want one
 * object.
 */
const forcedChoices: ReadonlySet<string> = new Set(["tool", "any"]);

/**
 * `paysBack` says that one read pays for the write before it, by the charge of the call: elsewhere,
 * marks would make it dearer.
 */
export const paysBack = (rates: Rates): boolean =>
  rates.cache_write_5m - rates.input < rates.input - rates.cache_read;

/**
 * `setPromptMarks` marks the end of the tools, the system and the conversation, and where the
 * conversation ended one turn before, which is where the request before wrote it. Undefined where
 * the client marks its requests, where nothing says that the beginning comes again, and where it is
 * too short for any cache: a single question without tools is asked once.
 */
export function setPromptMarks(
  body: Buffer,
  endpoint: ApiEndpoint,
  model: string,
  rates: Rates,
): MarkedBody | undefined {
  const dialect = dialects[endpoint];
  if (!dialect || !model.includes("claude") || !paysBack(rates)) return undefined;
  if (ownMarks.some((own) => body.includes(own))) return undefined;
  const members = listTopLevelSpans(body);
  const { tools, choice } = dialect.toolsOf(body, members);
  const system = findMember(members, "system");
  const messages = readMessages(body, findMember(members, "messages"));
  const hasAnswer = messages.some(({ role }) => role === "assistant");
  const isAgent =
    tools !== undefined && listItems(body, tools).length > 0 && !forcedChoices.has(choice);
  if (!hasAnswer && !isAgent) return undefined;

  const least =
    (minimumTokens.find(([names]) => names.test(model))?.[1] ?? minimumTokensOther) * bytesPerToken;
  let length = 0;
  const insertions: Insertion[] = [];
  let marks = 0;
  const markEnd = (place: ByteSpan | undefined): void => {
    if (!place || length < least) return;
    const isText = body[place.start] === quote;
    const added = isText ? dialect.markText(body, place) : dialect.markList(body, place);
    if (added.length > 0) marks += 1;
    insertions.push(...added);
  };
  for (const part of [tools, system]) {
    length += part ? part.end - part.start : 0;
    markEnd(part);
  }
  const ends = findTurnEnds(messages);
  for (const [index, { content }] of messages.entries()) {
    length += content ? content.end - content.start : 0;
    if (ends.includes(index)) markEnd(content);
  }
  return marks === 0 ? undefined : { body: insert(body, insertions), marks };
}

interface ReadMessage {
  role: string;
  content: ByteSpan | undefined;
}

const readMessages = (body: Buffer, list: ByteSpan | undefined): ReadMessage[] =>
  (list ? listItems(body, list) : []).map((item) => {
    const members = listMembers(body, item);
    return { role: readText(body, members, "role"), content: findMember(members, "content") };
  });

/** The last message of the client, and the last one before the answer in front of it. */
function findTurnEnds(messages: readonly ReadMessage[]): number[] {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const answer = messages.findLastIndex(({ role }, index) => role === "assistant" && index < last);
  const before = messages.findLastIndex(({ role }, index) => role === "user" && index < answer);
  return [before, last];
}

function insert(body: Buffer, insertions: readonly Insertion[]): Buffer {
  const parts: Buffer[] = [];
  let copied = 0;
  for (const { at, text } of insertions.toSorted((one, other) => one.at - other.at)) {
    parts.push(body.subarray(copied, at), Buffer.from(text));
    copied = at;
  }
  return Buffer.concat([...parts, body.subarray(copied)]);
}

/**
 * `computeMarksSaved` gives, in units, what reading from the cache has saved a call, less the cost
 * of writing to it.
 */
export function computeMarksSaved(usage: Usage, price: FrozenPrice): number {
  const rates = buildRates(thawPrice(price), usage);
  const { cache_read: read, cache_write_5m: written } = usage;
  const picos =
    BigInt(read) * (rates.input - rates.cache_read) -
    BigInt(written) * (rates.cache_write_5m - rates.input);
  return Number((picos * BigInt(price.group_ratio)) / (picodollarsPerUnit * BigInt(groupRatioOne)));
}

/** `composeMarksNote` tells the same for the log row of the call. */
export function composeMarksNote(
  marks: number,
  { cache_read, cache_write_5m }: Pick<Usage, "cache_read" | "cache_write_5m">,
  saved: number,
): string {
  const set = `the gateway set ${marks === 1 ? "1 mark" : `${marks} marks`} for the prompt cache`;
  if (cache_read === 0 && cache_write_5m === 0) return `${set}, which the provider did not use`;
  return saved < 0
    ? `${set}, whose writing cost ${tellDollars(-saved, "up")}`
    : `${set}, which saved ${tellDollars(saved, "down")}`;
}
