/**
 * Errors inside a stream in a form that its API does not have: a body of JSON between the events,
 * an event that is called an error, the words of a server in front of the provider's. A stream that
 * goes on to its end behind one would pass for a whole answer. Pure.
 */
import type { RelayCall, StreamEventFacts, StreamEventReader } from "../formats/api-format.ts";
import { parseErrorBody } from "../upstream/error-body.ts";
import {
  buildConnectionFailed,
  buildErrorInStream,
  type UpstreamError,
} from "../upstream/upstream-error.ts";
import { isRecord, type JsonRecord, text } from "../wire/json-parts.ts";
import { findEventData } from "../wire/sse-splitter.ts";

/** `readEvent` with errors of other forms. */
export const withStrayErrors =
  (readEvent: StreamEventReader): StreamEventReader =>
  (event) => {
    const facts = readEvent(event);
    // Nearly every event is content.
    if (facts.kind === "content" || facts.kind === "error") return facts;
    if (beginsAsBody.test(event)) return findStrayError(event, readBody(event)) ?? facts;
    if (facts.kind === "done" || facts.isLast || isOfItsApi(event)) return facts;
    return findStrayError(event, findEventData(event)) ?? facts;
  };

/** Some servers write the body of an error into the stream as it is. */
const beginsAsBody = /^\s*[{[]/;
const readBody = (event: string): string =>
  event
    .split(/\r\n|\n|\r/)
    .filter((line) => !/^(?:(?:data|event|id|retry):|:)/.test(line))
    .join("\n");

/** Events with a name or a type of their own are no errors, unless they say so: most end here. */
const isOfItsApi = (event: string): boolean =>
  /^(?::|event:(?! ?error\b)|data: ?\{"type":(?! ?"error"))/.test(event);

function findStrayError(event: string, data = ""): StreamEventFacts | undefined {
  const isNamed = /^event: ?error\s*$/m.test(event);
  const written = data.trim();
  if (written === "") return undefined;
  let json: unknown;
  try {
    json = JSON.parse(written);
  } catch {
    return isNamed ? buildErrorFacts(written) : undefined;
  }
  const [first] = Array.isArray(json) ? (json as unknown[]) : [json];
  if (isNamed ? json === null : !isRecord(first) || !isError(first)) return undefined;
  return buildErrorFacts(written);
}

const buildErrorFacts = (written: string): StreamEventFacts => ({
  kind: "error",
  textBytes: 0,
  error: parseErrorBody(Buffer.from(written)),
});

/** Members of an event that is part of an answer. */
const answerMembers = ["choices", "candidates", "promptFeedback", "usageMetadata", "usage"];

function isError(json: JsonRecord): boolean {
  const { error, object, type, detail, base_resp, message, code, status } = json;
  if (isSaid(error) || object === "error" || type === "error") return true;
  // MiniMax has the status in each event, and choices where it is zero.
  if (isRecord(base_resp) && base_resp.status_code !== 0 && json.choices == null) return true;
  if (answerMembers.some((member) => json[member] != null)) return false;
  return isSaid(detail) || (isSaid(message) && (isSaid(code) || isSaid(status)));
}

/** A status below 400 is of no error. */
const isSaid = (value: unknown): boolean =>
  typeof value === "number"
    ? value >= 400
    : isRecord(value) || Array.isArray(value) || text(value) !== "";

/** A stream that failed, or broke off, is no whole answer: another channel may give one. */
export function findBadEnd(call: RelayCall, events: readonly string[]): UpstreamError | undefined {
  const readEvent = withStrayErrors(call.upstream.createEventReader(call));
  let hasEnded = false;
  for (const event of events) {
    const { kind, isLast, error } = readEvent(event);
    if (kind === "error") return buildErrorInStream(error);
    hasEnded ||= kind === "done" || isLast === true;
  }
  return hasEnded ? undefined : buildConnectionFailed("the stream ended early");
}
