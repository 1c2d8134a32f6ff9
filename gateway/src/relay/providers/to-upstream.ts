/** Writes a call for its upstream: the caller's bytes, but for what we must replace. */
import type { RelayChannel } from "../channel-table.ts";
import type { Call } from "../shapes/shape.ts";
import type { UpstreamRequest } from "./provider.ts";

/** `model` is the name after the channel's mapping, `secret` the channel's key or what the provider gave for it. */
export function toUpstream(
  call: Call,
  channel: RelayChannel,
  model: string,
  secret: string,
  now: number,
): UpstreamRequest | Promise<UpstreamRequest> {
  const { provider, settings } = channel;
  const entry = channel.urlsFor(model)[call.shape.entry];
  if (!entry) throw new TypeError(`channel ${channel.id} has no address for ${call.shape.entry}`);
  const request: UpstreamRequest = {
    url: call.shape.address?.(entry, call, model) ?? entry,
    headers: [
      "content-type",
      "application/json",
      "accept",
      call.isStream ? "text/event-stream" : "application/json",
      "user-agent",
      "tollgate",
      ...call.headers,
      ...provider.credentials(secret, call),
    ],
    body: call.shape.bodyFor(call, model, channel.systemPrompt),
  };
  return provider.finish?.(request, call, model, { settings, secret, now }) ?? request;
}
