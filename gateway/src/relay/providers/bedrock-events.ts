/** Rewrites the messages of Bedrock's streams into server-sent events. */

import { writeNamedSse } from "../translations/chat-parts.ts";
import { type AwsEventMessage, AwsEventSplitter } from "../wire/aws-events.ts";
import { type JsonRecord, parseObject, text } from "../wire/json-parts.ts";
import type { StreamFraming } from "../wire/stream-splitter.ts";

const contentType = "application/vnd.amazon.eventstream";

/** Stream errors by Anthropic's names for them, whose models these mostly are. */
const errorTypes: Readonly<Record<string, string>> = {
  throttlingException: "rate_limit_error",
  serviceUnavailableException: "overloaded_error",
  validationException: "invalid_request_error",
  modelTimeoutException: "timeout_error",
};

function findError({ headers, payload }: AwsEventMessage): string | undefined {
  const kind = headers.get(":message-type");
  if (kind !== "exception" && kind !== "error") return undefined;
  const code = headers.get(":exception-type") ?? headers.get(":error-code") ?? "";
  const message =
    text(parseObject(payload.toString("utf8")).message) || (headers.get(":error-message") ?? code);
  return writeNamedSse({
    type: "error",
    error: { type: errorTypes[code] ?? "api_error", code, message },
  });
}

/** A line break between tokens of JSON has no meaning; in an event it would end a line. */
const flattenLine = (json: string): string =>
  /[\r\n]/.test(json) ? json.replaceAll(/[\r\n]/g, " ") : json;

/** Each message becomes an object under the name of its type, as Amazon's libraries return it. */
function readConverseEvent(message: AwsEventMessage): string {
  const error = findError(message);
  if (error !== undefined) return error;
  const { headers, payload } = message;
  return `data: {${JSON.stringify(headers.get(":event-type") ?? "")}:${flattenLine(payload.toString("utf8"))}}\n\n`;
}

/** Bedrock adds this to the model's last event. */
const metrics = "amazon-bedrock-invocationMetrics";
const leadingType = /^\{"type":"(\w+)"/;

/**
 * Each message holds one of the model's own events in base64. Its bytes pass unchanged, except for
 * Bedrock's addition.
 */
function invokeEvent(message: AwsEventMessage): string {
  const error = findError(message);
  if (error !== undefined) return error;
  const { bytes } = parseObject(message.payload.toString("utf8"));
  if (typeof bytes !== "string") return "";
  const json = Buffer.from(bytes, "base64").toString("utf8");
  const [, type] = leadingType.exec(json) ?? [];
  if (type !== undefined && !json.includes(metrics))
    return `event: ${type}\ndata: ${flattenLine(json)}\n\n`;
  const { [metrics]: _, ...event }: JsonRecord = parseObject(json);
  // Passed on as it is: the reader of the stream handles malformed events.
  return typeof event.type === "string" ? writeNamedSse(event) : `data: ${flattenLine(json)}\n\n`;
}

export const converseEvents: StreamFraming = {
  contentType,
  splitter: () => new AwsEventSplitter(readConverseEvent),
};
export const invokeEvents: StreamFraming = {
  contentType,
  splitter: () => new AwsEventSplitter(invokeEvent),
};
