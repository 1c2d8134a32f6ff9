/**
 * Recognisers of the run of an agent that a call belongs to, by the members that agents already
 * send. One table, best evidence first: the name that a client chose for us, those of other
 * gateways, those of agents, members of bodies, traces. A name is chosen by its client, so it only
 * ever means something together with the owner of the key. Pure.
 */
import type { IncomingHttpHeaders } from "node:http";
import { findTag, readTagList } from "@tollgate/contract/accounts/tags.ts";
import { isRecord, type JsonRecord, parseObject, record, text } from "../wire/json-parts.ts";

export interface SentRun {
  /** Two recognisers that find the same text do not mean the same run. */
  recogniser: RunRecogniser;
  id: string;
}

interface CallSources {
  headers: IncomingHttpHeaders;
  body: JsonRecord;
}

/** A tag that names a run; a key that requires it takes every other name of a run as well. */
export const runTagKey = "run";

/** Long enough for every id that agents are known to send; a longer text is no id. */
const idMax = 200;
const chosenId = /^[\w.:~/+=@-]{1,200}$/;
/** Shorter texts are counters or words that many runs share. */
const madeId = /^[\w.:~/+=@-]{8,200}$/;
/**
 * Applications set some members once for all of their calls: only what looks random names a run.
 */
const randomId = /^(?:[a-z]{2,10}_)?(?=[\w-]*\d)[0-9a-zA-Z-]{24,64}$/;
/** A body member that is read as JSON is no longer than this. */
const embeddedMax = 2_000;

const readHeader = ({ headers }: CallSources, name: string): string => text(headers[name]);
const readMetadata = ({ body }: CallSources): JsonRecord => record(body.metadata);

const vendorEnd = "-session-id";

/**
 * The session of any other agent: `x-acme-session-id`, but no name of a parent, which other calls
 * have as their own.
 */
function findVendorSession({ headers }: CallSources): string {
  for (const name in headers) {
    if (!name.endsWith(vendorEnd)) continue;
    const vendor = /^x-([a-z0-9-]{1,40})-session-id$/.exec(name)?.[1];
    const value = vendor === undefined || vendor.endsWith("parent") ? "" : text(headers[name]);
    if (madeId.test(value)) return value;
  }
  return "";
}

const codexHeaders = ["session-id", "session_id", "thread-id", "conversation_id"];
/** A child session of OpenCode counts for its parent. */
const openCodeHeaders = ["x-parent-session-id", "x-session-id"];

const readFirstHeader = (sources: CallSources, names: readonly string[]): string =>
  names.map((name) => readHeader(sources, name)).find((value) => value !== "") ?? "";

function findCodexSession(sources: CallSources): string {
  if (!/^codex/i.test(readHeader(sources, "user-agent"))) return "";
  return readFirstHeader(sources, codexHeaders);
}

/** Claude Code's: JSON in newer versions, `user_…_account_…_session_…` in older ones. */
function parseClaudeUser(userId: string): string {
  if (userId.length > embeddedMax) return "";
  if (userId.startsWith("{")) return text(parseObject(userId).session_id);
  return /_session_([0-9a-f-]{36})$/.exec(userId)?.[1] ?? "";
}

const parseTag = (header: string): string => {
  if (!header.includes(runTagKey) || header.length > embeddedMax) return "";
  const tag = findTag(runTagKey, new Map(readTagList(header) ?? []).get(runTagKey) ?? "");
  return tag?.[1] ?? "";
};

const parseBaggage = (header: string): string =>
  header.length > embeddedMax ? "" : (/(?:^|,)\s*session\.id=([^;,\s]+)/.exec(header)?.[1] ?? "");

const parseTraceId = (header: string): string =>
  /^[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-/.exec(header)?.[1] ?? "";

/** `parse` finds the id in a header that holds more than it. */
type HeaderRow = { header: string; parse?: (header: string) => string; like: RegExp };
/** `headers` are those without which `read` finds nothing; what reads the body names none. */
type ReadRow = {
  read: (sources: CallSources) => string;
  headers?: readonly string[];
  like: RegExp;
};
/** `like` is the form that the text must have; other texts are passed over. */
type RecogniserRow = HeaderRow | ReadRow;

/** `runRecognisers` are in the order in which they win over each other. */
export const runRecognisers = {
  tollgate: { header: "x-tollgate-run", like: chosenId },
  tag: { header: "x-tollgate-tags", parse: parseTag, like: chosenId },
  litellm_trace: { header: "x-litellm-trace-id", like: madeId },
  litellm_session: { header: "x-litellm-session-id", like: madeId },
  claude_code: { header: "x-claude-code-session-id", like: madeId },
  helicone: { header: "helicone-session-id", like: madeId },
  /** Its headers are known by their end (`namesRun`). */
  vendor_session: { read: findVendorSession, headers: [], like: madeId },
  codex: { read: findCodexSession, headers: codexHeaders, like: madeId },
  session: {
    read: (sources) => readFirstHeader(sources, openCodeHeaders),
    headers: openCodeHeaders,
    like: madeId,
  },
  session_affinity: { header: "x-session-affinity", like: madeId },
  claude_user: {
    read: (sources) => parseClaudeUser(text(readMetadata(sources).user_id)),
    like: madeId,
  },
  metadata_session: { read: (sources) => text(readMetadata(sources).session_id), like: madeId },
  body_session: {
    read: ({ body }) => text(body.litellm_session_id) || text(body.session_id),
    like: madeId,
  },
  cache_key: { read: ({ body }) => text(body.prompt_cache_key), like: randomId },
  baggage: { header: "baggage", parse: parseBaggage, like: madeId },
  traceparent: { header: "traceparent", parse: parseTraceId, like: madeId },
} as const satisfies Record<string, RecogniserRow>;
export type RunRecogniser = keyof typeof runRecognisers;

const rows = Object.entries(runRecognisers) as [RunRecogniser, RecogniserRow][];
const headersOf = (row: RecogniserRow) => ("read" in row ? row.headers : [row.header]);
const bodyRows = rows.filter(([, row]) => !headersOf(row));
const runHeaders = new Set(rows.flatMap(([, row]) => headersOf(row) ?? []));

/**
 * `namesRun` asks each header that was sent once: asking for each that could have been sent costs
 * more, since the engine remembers where a name is and not that it is nowhere.
 */
function namesRun(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (runHeaders.has(name) || name.endsWith(vendorEnd)) return true;
  return false;
}

function readRow(row: RecogniserRow, sources: CallSources): string {
  if ("read" in row) return row.read(sources);
  const sent = sources.headers[row.header];
  if (sent === undefined) return "";
  return row.parse ? row.parse(text(sent)) : text(sent);
}

/** Undefined for a call that names none. */
export function findRun(headers: IncomingHttpHeaders, json?: unknown): SentRun | undefined {
  const sources = { headers, body: isRecord(json) ? json : {} };
  for (const [recogniser, row] of namesRun(headers) ? rows : bodyRows) {
    const id = readRow(row, sources);
    if (id !== "" && id.length <= idMax && row.like.test(id)) return { recogniser, id };
  }
  return undefined;
}

/** `agents` go by the beginning of the user agent; the names that people know. */
const agents: readonly (readonly [beginning: RegExp, name: string])[] = [
  [/^claude-cli\//i, "Claude Code"],
  [/^codex/i, "Codex"],
  [/^geminicli/i, "Gemini CLI"],
  [/^opencode\//i, "OpenCode"],
  [/^kilo-code\//i, "Kilo Code"],
  [/^qwencode\//i, "Qwen Code"],
  [/^pi(?:-coding-agent)?\//i, "pi"],
];

/** The agent that made a call; empty for an unknown one. */
export const findAgent = (headers: IncomingHttpHeaders): string => {
  const userAgent = text(headers["user-agent"]);
  return agents.find(([beginning]) => beginning.test(userAgent))?.[1] ?? "";
};
