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
const isCodex = ({ headers }: CallSources): boolean => /^codex/i.test(text(headers["user-agent"]));
const readMetadata = ({ body }: CallSources): JsonRecord => record(body.metadata);

/**
 * The session of any other agent: `x-acme-session-id`, but no name of a parent, which other calls
 * have as their own.
 */
function findVendorSession({ headers }: CallSources): string {
  for (const name in headers) {
    const vendor = /^x-([a-z0-9-]{1,40})-session-id$/.exec(name)?.[1];
    const value = vendor === undefined || vendor.endsWith("parent") ? "" : text(headers[name]);
    if (madeId.test(value)) return value;
  }
  return "";
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

interface RecogniserRow {
  read(sources: CallSources): string;
  /** `like` is the form that the text must have; other texts are passed over. */
  like: RegExp;
}

/** `runRecognisers` are in the order in which they win over each other. */
export const runRecognisers = {
  tollgate: { read: (sources) => readHeader(sources, "x-tollgate-run"), like: chosenId },
  tag: { read: (sources) => parseTag(readHeader(sources, "x-tollgate-tags")), like: chosenId },
  litellm_trace: { read: (sources) => readHeader(sources, "x-litellm-trace-id"), like: madeId },
  litellm_session: { read: (sources) => readHeader(sources, "x-litellm-session-id"), like: madeId },
  claude_code: { read: (sources) => readHeader(sources, "x-claude-code-session-id"), like: madeId },
  helicone: { read: (sources) => readHeader(sources, "helicone-session-id"), like: madeId },
  vendor_session: { read: findVendorSession, like: madeId },
  codex: {
    read: (sources) =>
      isCodex(sources)
        ? ["session-id", "session_id", "thread-id", "conversation_id"]
            .map((name) => readHeader(sources, name))
            .find((value) => value !== "") || ""
        : "",
    like: madeId,
  },
  /** A child session of OpenCode counts for its parent. */
  session: {
    read: (sources) =>
      readHeader(sources, "x-parent-session-id") || readHeader(sources, "x-session-id"),
    like: madeId,
  },
  session_affinity: { read: (sources) => readHeader(sources, "x-session-affinity"), like: madeId },
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
  baggage: { read: (sources) => parseBaggage(readHeader(sources, "baggage")), like: madeId },
  traceparent: {
    read: (sources) => parseTraceId(readHeader(sources, "traceparent")),
    like: madeId,
  },
} as const satisfies Record<string, RecogniserRow>;
export type RunRecogniser = keyof typeof runRecognisers;

const rows = Object.entries(runRecognisers) as [RunRecogniser, RecogniserRow][];

/** Undefined for a call that names none. */
export function findRun(headers: IncomingHttpHeaders, json?: unknown): SentRun | undefined {
  const sources = { headers, body: isRecord(json) ? json : {} };
  for (const [recogniser, { read, like }] of rows) {
    const id = read(sources);
    if (id !== "" && id.length <= idMax && like.test(id)) return { recogniser, id };
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
