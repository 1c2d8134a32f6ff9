/** Providers that speak the caller's own shape: his bytes go through, but for what we must replace. */
import type { RelayChannel } from "../channel-table.ts";
import type { Call } from "../shapes/shape.ts";
import type { Provider, UpstreamRequest } from "./provider.ts";

/** What Anthropic wants to be told, where the caller does not say it. */
const usualVersion = ["anthropic-version", "2023-06-01"];

export const native: Provider = {
  toUpstream(call: Call, channel: RelayChannel, model: string): UpstreamRequest {
    const entry = channel.urls[call.shape.entry];
    if (!entry) throw new TypeError(`channel ${channel.id} has no address for ${call.shape.entry}`);
    return {
      url: call.shape.address?.(entry, call, model) ?? entry,
      headers: [
        "content-type",
        "application/json",
        "accept",
        call.isStream ? "text/event-stream" : "application/json",
        "user-agent",
        "tollgate",
        ...call.headers,
        ...credentials(call, channel),
      ],
      body: call.shape.bodyFor(call, model, channel.systemPrompt),
    };
  },
};

function credentials({ headers }: Call, { format, key }: RelayChannel): string[] {
  if (format === "gemini") return ["x-goog-api-key", key];
  if (format !== "anthropic") return ["authorization", `Bearer ${key}`];
  return ["x-api-key", key, ...(headers.includes("anthropic-version") ? [] : usualVersion)];
}
