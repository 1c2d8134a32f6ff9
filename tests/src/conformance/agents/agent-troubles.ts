// What goes wrong at a provider while an agent works: it must do its task all the same, by trying
// again.
import type { TruncatedReply } from "../scripted-provider.ts";
import type { FixtureReply } from "../wire-fixtures.ts";
import type { AgentAnswer, AgentDialect, AgentTurn } from "./agent-dialects.ts";

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

/** A conversation that is too long, in the words of each dialect. */
const tooLong: Readonly<Record<AgentDialect, unknown>> = {
  chat: {
    error: {
      message:
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens. Please reduce the length of the messages.",
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    },
  },
  responses: {
    error: {
      message:
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
      type: "invalid_request_error",
      param: "input",
      code: "context_length_exceeded",
    },
  },
  messages: {
    type: "error",
    error: {
      type: "invalid_request_error",
      message: "prompt is too long: 210000 tokens > 200000 maximum",
    },
  },
  gemini: {
    error: {
      code: 400,
      message:
        "The input token count (1300000) exceeds the maximum number of tokens allowed (1048576).",
      status: "INVALID_ARGUMENT",
    },
  },
};

/** `AgentTrouble` is what goes wrong in a run, beside none. */
export const agentTroubles = ["none", "once", "overflow"] as const;
export type AgentTrouble = (typeof agentTroubles)[number];

export interface TroubledReply {
  reply: FixtureReply | TruncatedReply;
  /** The provider counts it: it was answered whole. */
  isCounted: boolean;
}

type Troubles = (
  turn: Pick<AgentTurn, "results" | "tools">,
  planned: AgentAnswer,
  answer: FixtureReply,
) => TroubledReply;

const refuse = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
  reply: {
    status,
    headers: { "content-type": "application/json", ...headers },
    bytes: Buffer.from(JSON.stringify(body)),
  },
  isCounted: false,
});

/** The troubles of one run. */
export const createTroubles: Readonly<Record<AgentTrouble, (dialect: AgentDialect) => Troubles>> = {
  none: () => (_turn, _planned, answer) => ({ reply: answer, isCounted: true }),
  once: createRepeatable,
  overflow: createOverflow,
};

/**
 * The second call is limited, and the first answer in words breaks off behind them. A call of a
 * tool is not broken off: an agent that has begun to run it runs it twice, and the scripted model
 * would take that for two results.
 */
function createRepeatable(dialect: AgentDialect): Troubles {
  let calls = 0;
  let hasCut = false;
  return (_turn, planned, answer) => {
    calls += 1;
    if (calls === 2) return refuse(429, limited[dialect], { "retry-after": retryAfterSeconds });
    if (hasCut || !("words" in planned)) return { reply: answer, isCounted: true };
    hasCut = true;
    const said = answer.bytes.indexOf(JSON.stringify(planned.words).slice(1, -1));
    const eventEnd = answer.bytes.indexOf("\n\n", said) + 2;
    // An answer of one event breaks off inside it.
    const cutAfter = eventEnd > said && eventEnd < answer.bytes.length ? eventEnd : said;
    return { reply: { answer, cutAfter }, isCounted: false };
  };
}

/** The conversation is too long once, when the first tool has answered. */
function createOverflow(dialect: AgentDialect): Troubles {
  let hasOverflowed = false;
  return ({ results, tools }, _planned, answer) => {
    if (hasOverflowed || results === 0 || tools.length === 0)
      return { reply: answer, isCounted: true };
    hasOverflowed = true;
    return refuse(400, tooLong[dialect]);
  };
}
