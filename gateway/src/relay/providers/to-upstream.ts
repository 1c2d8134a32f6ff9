/** Writes a call for its upstream: the caller's bytes, but for what we must replace. */
import type { RelayChannel } from "../channel-table.ts";
import { formTypeOf } from "../multipart.ts";
import type { Call } from "../shapes/shape.ts";
import { overridden } from "./overrides.ts";
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
  const { firstByteWithinMs } = call.shape;
  const entry = channel.urlsFor(model)[call.shape.entry];
  if (!entry) throw new TypeError(`channel ${channel.id} has no address for ${call.shape.entry}`);
  const written: UpstreamRequest = {
    url: call.shape.address?.(entry, call, model) ?? entry,
    headers: [
      "content-type",
      call.form ? formTypeOf(call.form) : "application/json",
      "accept",
      accepted(call),
      "user-agent",
      "tollgate",
      ...call.headers,
      ...provider.credentials(secret, call),
    ],
    body: call.shape.bodyFor(call, model, channel.systemPrompt),
    ...(firstByteWithinMs && { firstByteWithinMs }),
  };
  // Before what a provider signs.
  const request = overridden(written, settings.config, channel.key);
  return provider.finish?.(request, call, model, { settings, secret, now }) ?? request;
}

const accepted = ({ isStream, shape }: Call): string =>
  isStream && !shape.isOneEvent ? "text/event-stream" : shape.plain ? "*/*" : "application/json";
