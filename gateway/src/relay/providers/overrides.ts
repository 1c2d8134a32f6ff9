/** The operator's changes to every call of a channel: headers and body fields. Pure. */
import { headerIssue, isHeaderValue, parameterIssue } from "@tollgate/contract/channel-overrides.ts";
import { type JsonRecord, record } from "../wire/json-parts.ts";
import { topLevelSpans } from "../wire/json-spans.ts";
import { headerIn, withoutHeaders } from "./header-list.ts";
import { InvalidChannelKey, type UpstreamRequest } from "./provider.ts";

/** Stands for the channel's key in a header value. */
const keyPlaceholder = "{{key}}";
const openBrace = 0x7b;

/**
 * Applies `custom_headers` and `param_override` of a channel's settings. Settings that were stored before they were
 * validated apply as far as they are allowed. Throws `InvalidChannelKey` for a key that no header can hold.
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

/** The values of custom headers, which the provider may quote. A value with the key in it is found by the key. */
export const headerSecrets = ({ custom_headers }: JsonRecord): string[] =>
  Object.values(record(custom_headers)).filter(
    (value): value is string => typeof value === "string" && !value.includes(keyPlaceholder),
  );

/** Each header replaces all of its name, in any case. */
function withHeaders(headers: readonly string[], added: readonly [string, string][], key: string): string[] {
  const remaining = withoutHeaders(headers, ...added.map(([name]) => name.toLowerCase()));
  return [...remaining, ...added.flatMap(([name, value]) => [name, withKey(name, value, key)])];
}

function withKey(name: string, value: string, key: string): string {
  const whole = value.replaceAll(keyPlaceholder, () => key);
  if (!isHeaderValue(whole)) throw new InvalidChannelKey(`the key does not fit into the header ${name}`);
  return whole;
}

/** Only JSON bodies change. Other fields keep their bytes; null removes a field. */
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
