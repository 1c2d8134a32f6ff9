/** What a key of the simulator may ask for. */

export type ScriptedFailure = {
  status: number;
  /** Sent unchanged, so that tests can use absurd and negative values. */
  retryAfter?: string;
  /** `retry-after-ms`, sent unchanged, and no `retry-after`. */
  retryAfterMs?: string;
  /** Retry-After as an HTTP date this many seconds ahead. */
  retryDateSeconds?: number;
  message?: string;
  type?: string;
  code?: string;
};

/** `ScriptedCost` is what the provider says that it charged for one model on one UTC day. */
export type ScriptedCost = {
  /** `YYYY-MM-DD`. */
  day: string;
  model: string;
  requests?: number;
  /** `input` comes with cached tokens. */
  input?: number;
  cached?: number;
  output?: number;
  dollars?: number;
  currency?: string;
  /** The project or workspace, and the API key, that a report may be limited to. */
  project?: string;
  apiKey?: string;
};

/** Unusual encodings of a stream that a parser must survive; some are valid, some are not. */
export const wireQuirks = [
  "crlf",
  "cr",
  "bom",
  "no-space",
  "comments",
  "split",
  "nul",
  "huge-line",
  "no-blank",
  "no-done",
  "double-done",
] as const;

export type WireQuirk = (typeof wireQuirks)[number];

export type ScriptedBehaviour = {
  /** Each reply says that no request is left of the rate limit for this time. */
  spentSeconds?: number;
  /** Closes the connection before the first byte of the reply. */
  drop?: true;
  /** Never sends headers. */
  hang?: true;
  slowMs?: number;
  /**
   * With it, `slowMs` is the median and this the 99th percentile of a fixed, skewed sequence of
   * delays.
   */
  slowMsP99?: number;
  fail?: ScriptedFailure;
  /** An HTML page with status 200 instead of a reply. */
  html?: true;
  malformed?: true;
  truncateJson?: true;
  noUsage?: true;
  /** Writes as much as it wants, whatever limit the request states. */
  noLimit?: true;
  wire?: WireQuirk;
  /** The delay between two events of a stream. */
  paceMs?: number;
  /**
   * After this many content events: close the connection (cut), reset it, stop sending, or send an
   * error and end.
   */
  cutAfter?: number;
  resetAfter?: number;
  stallAfter?: number;
  errorAfter?: number;
  tokens?: number;
  /** This text instead of generated words. */
  text?: string;
  reasoningTokens?: number;
  cachedTokens?: number;
  /** The models that this key may use; any model when absent. */
  models?: string[];
  /** The days on which models of OpenAI's list end; none is stated when absent. */
  ends?: Record<string, string | null>;
  /** A batch runs for this many questions about it, and has ended at the next one. */
  batchPolls?: number;
  /** `batchEnd` says how a batch ends, if not `completed`. */
  batchEnd?: string;
  /** Lines of a batch that are answered, if not all. */
  batchAnswers?: number;
  /** Takes a batch and closes the connection before it answers. */
  batchLost?: true;
  /** A video runs for this many questions about it, and has ended at the next one. */
  videoPolls?: number;
  /** `videoEnd` says how a video ends, if not `completed`. */
  videoEnd?: string;
  /** What a video is in the end, if not what was asked for. */
  videoMade?: { seconds?: string; size?: string };
  /** Takes a video and closes the connection before it answers. */
  videoLost?: true;
  /** Knows no video any more. */
  videoGone?: true;
  /** `costs` are what the cost APIs report to this key. */
  costs?: ScriptedCost[];
};

/** `first: 3` applies to the key's first three calls, `every: 10` to each tenth. */
export type Directive = ScriptedBehaviour & { first?: number; every?: number };
