/**
 * Builds the request for the upstream: the client's bytes, except for what the channel and its
 * operator replace.
 */
import {
  findHeaderIssue,
  findParameterIssue,
  isHeaderValue,
} from "@tollgate/contract/catalogue/channel-overrides.ts";
import type { CallFormats } from "../formats/api-format.ts";
import type { AskedModel, AskedReply, PassedHeaders, SentBody } from "../formats/call-parts.ts";
import type { ChannelAccess, ChannelIdentity, ServedModels } from "../routing/channel-parts.ts";
import { type JsonRecord, record } from "../wire/json-parts.ts";
import { listTopLevelSpans } from "../wire/json-spans.ts";
import { composeFormType } from "../wire/multipart.ts";
import { findHeader, stripHeaders } from "./header-list.ts";
import { InvalidChannelKey, type UpstreamRequest } from "./provider.ts";

/** Stands for the channel's key in a header value. */
const keyPlaceholder = "{{key}}";
const openBrace = 0x7b;

/** `SendableCall` is what is read of a call to send it. */
export interface SendableCall
  extends AskedModel,
    AskedReply,
    Pick<SentBody, "body" | "form">,
    PassedHeaders,
    CallFormats {}

/**
 * `model` is the name after the channel's mapping, `secret` the channel's key or its provider
 * token.
 */
export function buildUpstreamRequest(
  call: SendableCall,
  channel: ChannelIdentity & ServedModels & ChannelAccess,
  model: string,
  secret: string,
  now: number,
): UpstreamRequest | Promise<UpstreamRequest> {
  const { provider, settings } = channel;
  const { firstByteTimeoutMs, isSentOnce, method, openBody } = call.upstream;
  const endpointUrl = channel.urlsFor(model)[call.upstream.endpoint];
  if (!endpointUrl)
    throw new TypeError(`channel ${channel.id} has no address for ${call.upstream.endpoint}`);
  const request: UpstreamRequest = {
    url: call.upstream.urlFor?.(endpointUrl, call, model) ?? endpointUrl,
    headers: [
      "content-type",
      call.form ? composeFormType(call.form) : "application/json",
      "accept",
      call.upstream.replies.accept(call.isStream),
      // Without the header a server may choose any encoding (RFC 9110, 12.5.3).
      "accept-encoding",
      "identity",
      "user-agent",
      "tollgate",
      ...call.headers,
      ...provider.credentials(secret, call),
    ],
    body: call.upstream.writeBody(call, model, channel.systemPrompt),
    ...(method && { method }),
    ...(openBody && { stream: openBody() }),
    ...(isSentOnce && { isSentOnce }),
    ...(firstByteTimeoutMs && { firstByteWithinMs: firstByteTimeoutMs }),
  };
  const { custom_headers, param_override } = settings.config;
  // Before `finish`, which may sign the request.
  const overridden =
    custom_headers || param_override
      ? applyOverrides(request, settings.config, channel.key)
      : request;
  return provider.finish?.(overridden, call, model, { settings, secret, now }) ?? overridden;
}

/**
 * Applies `custom_headers` and `param_override` of a channel's settings. Settings that were stored
 * before they were validated apply as far as they are allowed. Throws `InvalidChannelKey` for a key
 * that no header can hold.
 */
export function applyOverrides(
  request: UpstreamRequest,
  { custom_headers, param_override }: JsonRecord,
  key: string,
): UpstreamRequest {
  const headers = Object.entries(record(custom_headers)).filter(
    ([name, value]) => !findHeaderIssue(name, value),
  );
  const parameters = Object.entries(record(param_override)).filter(
    ([name]) => !findParameterIssue(name),
  );
  if (headers.length === 0 && parameters.length === 0) return request;
  return {
    ...request,
    headers: addHeaders(request.headers, headers as [string, string][], key),
    body: addParameters(request, parameters),
  };
}

/**
 * The values of custom headers, which the provider may quote. A value with the key in it is found
 * by the key.
 */
export const listHeaderSecrets = ({ custom_headers }: JsonRecord): string[] =>
  Object.values(record(custom_headers)).filter(
    (value): value is string => typeof value === "string" && !value.includes(keyPlaceholder),
  );

/** Each header replaces all of its name, in any case. */
function addHeaders(
  headers: readonly string[],
  added: readonly [string, string][],
  key: string,
): string[] {
  const remaining = stripHeaders(headers, ...added.map(([name]) => name.toLowerCase()));
  return [...remaining, ...added.flatMap(([name, value]) => [name, withKey(name, value, key)])];
}

function withKey(name: string, value: string, key: string): string {
  const whole = value.replaceAll(keyPlaceholder, () => key);
  if (!isHeaderValue(whole))
    throw new InvalidChannelKey(`the key does not fit into the header ${name}`);
  return whole;
}

/** Only JSON bodies change. Other fields keep their bytes; null removes a field. */
function addParameters(
  { headers, body }: UpstreamRequest,
  parameters: readonly [string, unknown][],
): Buffer {
  const type = findHeader(headers, "content-type") ?? "";
  if (parameters.length === 0 || !type.includes("json") || body[0] !== openBrace) return body;
  const names = new Set(parameters.map(([name]) => name));
  const members = [
    ...listTopLevelSpans(body)
      .filter((span) => !names.has(span.key))
      .map(({ key, start, end }) => `${JSON.stringify(key)}:${body.toString("utf8", start, end)}`),
    ...parameters
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
  ];
  return Buffer.from(`{${members.join(",")}}`);
}
