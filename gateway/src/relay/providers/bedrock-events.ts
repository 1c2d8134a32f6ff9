/** What the messages of Bedrock's streams mean, as server-sent events. */

import { namedSse } from "../translations/chat-parts.ts";
import { type AwsEventMessage, AwsEventSplitter } from "../wire/aws-events.ts";
import { type JsonRecord, parsedObject, text } from "../wire/json-parts.ts";
import type { StreamFraming } from "../wire/stream-splitter.ts";

const contentType = "application/vnd.amazon.eventstream";

/** Errors inside a stream by the names that Anthropic, whose models these mostly are, has for the same. */
const errorTypes: Readonly<Record<string, string>> = {
  throttlingException: "rate_limit_error",
  serviceUnavailableException: "overloaded_error",
  validationException: "invalid_request_error",
  modelTimeoutException: "timeout_error",
};

function errorIn({ headers, payload }: AwsEventMessage): string | undefined {
  const kind = headers.get(":message-type");
  if (kind !== "exception" && kind !== "error") return undefined;
  const code = headers.get(":exception-type") ?? headers.get(":error-code") ?? "";
  const message = text(parsedObject(payload.toString("utf8")).message) || (headers.get(":error-message") ?? code);
  return namedSse({ type: "error", error: { type: errorTypes[code] ?? "api_error", code, message } });
}

/** Between the parts of JSON a line break means nothing, in an event it would. */
const onOneLine = (json: string): string => (/[\r\n]/.test(json) ? json.replaceAll(/[\r\n]/g, " ") : json);

/** Every message is an object under the name of its type, as the libraries of Amazon hand it on. */
function converseEvent(message: AwsEventMessage): string {
  const error = errorIn(message);
  if (error !== undefined) return error;
  const { headers, payload } = message;
  return `data: {${JSON.stringify(headers.get(":event-type") ?? "")}:${onOneLine(payload.toString("utf8"))}}\n\n`;
}

/** Written into the last event of the model by Bedrock. */
const metrics = "amazon-bedrock-invocationMetrics";
const leadingType = /^\{"type":"(\w+)"/;

/** Every message holds one of the model's own events in base64: its bytes go on, but for what Bedrock added. */
function invokeEvent(message: AwsEventMessage): string {
  const error = errorIn(message);
  if (error !== undefined) return error;
  const { bytes } = parsedObject(message.payload.toString("utf8"));
  if (typeof bytes !== "string") return "";
  const json = Buffer.from(bytes, "base64").toString("utf8");
  const [, type] = leadingType.exec(json) ?? [];
  if (type !== undefined && !json.includes(metrics)) return `event: ${type}\ndata: ${onOneLine(json)}\n\n`;
  const { [metrics]: _, ...event }: JsonRecord = parsedObject(json);
  // What is no event is handed on as it is: whoever reads it knows what to do with damage.
  return typeof event.type === "string" ? namedSse(event) : `data: ${onOneLine(json)}\n\n`;
}

export const converseEvents: StreamFraming = { contentType, splitter: () => new AwsEventSplitter(converseEvent) };
export const invokeEvents: StreamFraming = { contentType, splitter: () => new AwsEventSplitter(invokeEvent) };
