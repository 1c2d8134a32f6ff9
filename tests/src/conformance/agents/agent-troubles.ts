// What goes wrong at a provider while an agent works: it must do its task all the same, by trying
// again.
import type { TruncatedReply } from "../scripted-provider.ts";
import type { FixtureReply } from "../wire-fixtures.ts";
import type { AgentAnswer, AgentDialect } from "./agent-dialects.ts";

const retryAfterSeconds = "1";

/** A 429 in the words of each dialect. */
const limited: Readonly<Record<AgentDialect, unknown>> = {
  chat: {
    error: {
      message: "Rate limit reached for requests",
      type: "requests",
      param: null,
      code: "rate_limit_exceeded",
    },
  },
  responses: {
    error: {
      message: "Rate limit reached for requests",
      type: "requests",
      param: null,
      code: "rate_limit_exceeded",
    },
  },
  messages: {
    type: "error",
    error: { type: "rate_limit_error", message: "This request would exceed your rate limit" },
  },
  gemini: {
    error: {
      code: 429,
      message: "Resource has been exhausted (e.g. check quota).",
      status: "RESOURCE_EXHAUSTED",
    },
  },
};

export interface TroubledReply {
  reply: FixtureReply | TruncatedReply;
  /** The provider counts it: it was answered whole. */
  isCounted: boolean;
}

/**
 * Troubles of one run: its second call is limited, and its first answer in words breaks off behind
 * them. A call of a tool is not broken off: an agent that has begun to run it runs it twice, and
 * the scripted model would take that for two results.
 */
export function createTroubles(
  dialect: AgentDialect,
): (planned: AgentAnswer, answer: FixtureReply) => TroubledReply {
  let calls = 0;
  let hasCut = false;
  return (planned, answer) => {
    calls += 1;
    if (calls === 2) {
      const headers = { "content-type": "application/json", "retry-after": retryAfterSeconds };
      return {
        reply: { status: 429, headers, bytes: Buffer.from(JSON.stringify(limited[dialect])) },
        isCounted: false,
      };
    }
    if (hasCut || !("words" in planned)) return { reply: answer, isCounted: true };
    hasCut = true;
    const said = answer.bytes.indexOf(JSON.stringify(planned.words).slice(1, -1));
    const eventEnd = answer.bytes.indexOf("\n\n", said) + 2;
    // An answer of one event breaks off inside it.
    const cutAfter = eventEnd > said && eventEnd < answer.bytes.length ? eventEnd : said;
    return { reply: { answer, cutAfter }, isCounted: false };
  };
}
