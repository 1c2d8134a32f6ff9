/** What an operator changes about every call of a channel: headers, and members of the body. Pure. */
import { headerIssue, isHeaderValue, parameterIssue } from "@tollgate/contract/channel-overrides.ts";
import { type JsonRecord, record } from "../wire/json-parts.ts";
import { topLevelSpans } from "../wire/json-spans.ts";
import { headerIn, withoutHeaders } from "./header-list.ts";
import { InvalidChannelKey, type UpstreamRequest } from "./provider.ts";

/** Stands for the channel's key in the value of a header. */
const keyPlaceholder = "{{key}}";
const openBrace = 0x7b;

/**
 * The request with the `custom_headers` and `param_override` of a channel's settings. Settings that were stored before
 * they were checked are taken as far as they are allowed. Throws `LoginRelayRefused` for a key that fits into no header.
 */
export function applyOverrides(
  request: UpstreamRequest,
  { custom_headers, param_override }: JsonRecord,
  key: string,
): UpstreamRequest {
  const headers = Object.entries(record(custom_headers)).filter(([name, value]) => !headerIssue(name, value));
  const parameters = Object.entries(record(param_override)).filter(([name]) => !parameterIssue(name));
  if (headers.length === 0 && parameters.length === 0) return request;
  return {
    ...request,
    headers: withHeaders(request.headers, headers as [string, string][], key),
    body: withParameters(request, parameters),
  };
}

/** Each takes the place of every header of its name, in whatever case. */
function withHeaders(headers: readonly string[], added: readonly [string, string][], key: string): string[] {
  const remaining = withoutHeaders(headers, ...added.map(([name]) => name.toLowerCase()));
  return [...remaining, ...added.flatMap(([name, value]) => [name, withKey(name, value, key)])];
}

function withKey(name: string, value: string, key: string): string {
  const whole = value.replaceAll(keyPlaceholder, () => key);
  if (!isHeaderValue(whole)) throw new InvalidChannelKey(`the key does not fit into the header ${name}`);
  return whole;
}

/** Bodies of other types than JSON stay as they are. What is kept keeps its bytes; null removes a member. */
function withParameters({ headers, body }: UpstreamRequest, parameters: readonly [string, unknown][]): Buffer {
  const type = headerIn(headers, "content-type") ?? "";
  if (parameters.length === 0 || !type.includes("json") || body[0] !== openBrace) return body;
  const names = new Set(parameters.map(([name]) => name));
  const members = [
    ...topLevelSpans(body)
      .filter((span) => !names.has(span.key))
      .map(({ key, start, end }) => `${JSON.stringify(key)}:${body.toString("utf8", start, end)}`),
    ...parameters
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
  ];
  return Buffer.from(`{${members.join(",")}}`);
}
