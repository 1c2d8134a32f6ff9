/** The wait that an upstream asks for, wherever it says so, and its meaning for routing. Pure. */
import { isRecord } from "./json-parts.ts";

export type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The longest wait that is obeyed: a channel that an upstream closed for a day would be missed. */
const retryAfterMaxMs = 60_000;

const numberPattern = /^\d+(\.\d+)?$/;
const readNumber = (text: string, unitMs: number): number | undefined =>
  numberPattern.test(text) ? Number(text) * unitMs : undefined;

type WaitReader = (text: string, now: number) => number | undefined;

/** The exact ones first: OpenAI and Azure send `retry-after` in whole seconds besides. */
const waitHeaders: Readonly<Record<string, WaitReader>> = {
  "retry-after-ms": (text) => readNumber(text, 1),
  "x-ms-retry-after-ms": (text) => readNumber(text, 1),
  "retry-after": (text, now) => readNumber(text, 1_000) ?? Date.parse(text) - now,
};

/** `34s` or `1.5s`, as Google writes durations. */
const readGoogleDuration: WaitReader = (text) =>
  text.endsWith("s") ? readNumber(text.slice(0, -1), 1_000) : undefined;

/**
 * OpenAI's and Google's sentences: "Please try again in 6.5s", "in 320ms", "in 1m30.5s"; "Please
 * retry in 34s".
 */
const saidWait =
  /\b(?:try again|retry) in (?:(\d{1,4})h)?(?:(\d{1,4})m(?!s))?(?:(\d{1,6}(?:\.\d{1,9})?) ?(ms|s|seconds?))?(?!\w)/i;

/** The wait that a message asks for in words, in milliseconds. */
export function readSaidWait(message: string): number | undefined {
  const [said, hours = "0", minutes = "0", rest = "0", unit] = saidWait.exec(message) ?? [];
  if (said === undefined) return undefined;
  const ms =
    Number(hours) * 3_600_000 +
    Number(minutes) * 60_000 +
    Number(rest) * (unit === "ms" ? 1 : 1_000);
  return ms > 0 ? ms : undefined;
}

/** Google sends no header: the wait is in a detail of the error, `google.rpc.RetryInfo`. */
export const findRetryDelay = (details: unknown): string | undefined => {
  const delays = Array.isArray(details)
    ? details.map((one: unknown) => isRecord(one) && one.retryDelay)
    : [];
  return delays.find((delay) => typeof delay === "string");
};

/**
 * The wait in whole milliseconds that the headers of an error ask for, else its body, else its
 * words. Negative and unreadable values count as absent, long ones are capped.
 */
export function readRetryAfter(
  headers: ReplyHeaders,
  retryDelay: string | undefined,
  now: number,
  message = "",
): number | undefined {
  const said: [string | string[] | undefined, WaitReader][] = [
    ...Object.entries(waitHeaders).map(([name, read]): [ReplyHeaders[string], WaitReader] => [
      headers[name],
      read,
    ]),
    [retryDelay, readGoogleDuration],
  ];
  const waits = said.map(([text, read]) =>
    typeof text === "string" ? read(text.trim(), now) : undefined,
  );
  const wait = [...waits, readSaidWait(message)].find(
    (ms) => ms !== undefined && Number.isFinite(ms) && ms >= 0,
  );
  return wait === undefined ? undefined : Math.min(Math.ceil(wait), retryAfterMaxMs);
}

/**
 * `findRestStated` says how long a channel or key rests because its rate limit names the time;
 * undefined where the gateway decides by itself.
 */
export const findRestStated = (
  status: number,
  retryAfterMs: number | undefined,
): number | undefined =>
  status === 429 && retryAfterMs !== undefined
    ? Math.min(Math.max(retryAfterMs, 0), retryAfterMaxMs)
    : undefined;
