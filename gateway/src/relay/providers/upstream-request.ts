/** Builds the request for the upstream: the client's bytes, except for what the channel replaces. */

import type { RelayCall } from "../formats/api-format.ts";
import type { RelayChannel } from "../routing/channel-table.ts";
import { formTypeOf } from "../wire/multipart.ts";
import { applyOverrides } from "./overrides.ts";
import type { UpstreamRequest } from "./provider.ts";

/** `model` is the name after the channel's mapping, `secret` the channel's key or its provider token. */
export function buildUpstreamRequest(
  call: RelayCall,
  channel: RelayChannel,
  model: string,
  secret: string,
  now: number,
): UpstreamRequest | Promise<UpstreamRequest> {
  const { provider, settings } = channel;
  const { firstByteTimeoutMs } = call.upstream;
  const endpointUrl = channel.urlsFor(model)[call.upstream.endpoint];
  if (!endpointUrl) throw new TypeError(`channel ${channel.id} has no address for ${call.upstream.endpoint}`);
  const request: UpstreamRequest = {
    url: call.upstream.urlFor?.(endpointUrl, call, model) ?? endpointUrl,
    headers: [
      "content-type",
      call.form ? formTypeOf(call.form) : "application/json",
      "accept",
      call.upstream.replies.accept(call.isStream),
      "user-agent",
      "tollgate",
      ...call.headers,
      ...provider.credentials(secret, call),
    ],
    body: call.upstream.writeBody(call, model, channel.systemPrompt),
    ...(firstByteTimeoutMs && { firstByteWithinMs: firstByteTimeoutMs }),
  };
  const { custom_headers, param_override } = settings.config;
  // Before `finish`, which may sign the request.
  const overridden = custom_headers || param_override ? applyOverrides(request, settings.config, channel.key) : request;
  return provider.finish?.(overridden, call, model, { settings, secret, now }) ?? overridden;
}
