/**
 * The destination of a channel's secrets (its key, the values of its custom headers). A change of
 * the destination needs them again: otherwise an administrator, who cannot read them, could have
 * them sent elsewhere. Gateway and form use the same rule.
 */

import { isJsonRecord } from "../api/json-record.ts";
import { findChannelType } from "../catalogue/channel-types.ts";

/**
 * Hosts that serve many accounts, told apart by the path: the owner of another path can see what is
 * sent to it (AI gateways), or runs a program of their own behind it.
 */
const sharedHosts: ReadonlySet<string> = new Set([
  "gateway.ai.cloudflare.com",
  "api.langdb.ai",
  "api.us-east-1.langdb.ai",
  "api.cortex.cerebrium.ai",
  "api.runpod.ai",
  "fal.run",
  "queue.fal.run",
]);

export interface DestinationSettings {
  type: number;
  base_url: string | null | undefined;
  /** JSON text, of which `endpoint_urls` counts. */
  config: string | null | undefined;
}

/**
 * The type, and scheme, host and port of every address of a channel; on hosts that accounts share,
 * the path as well.
 */
export function readKeyDestination({ type, base_url, config }: DestinationSettings): string {
  const addresses = [
    base_url || (findChannelType(type)?.defaultBaseUrl ?? ""),
    ...readStatedAddresses(config),
  ];
  const places = addresses.map(readPlace).filter((place) => place !== "");
  return [type, ...[...new Set(places)].sort()].join(" ");
}

/** A text that is no address stands for itself; empty where the address follows from a region. */
function readPlace(address: string): string {
  const url = URL.parse(address);
  if (!url) return address;
  return sharedHosts.has(url.hostname) ? url.origin + url.pathname.replace(/\/+$/, "") : url.origin;
}

function readStatedAddresses(config: string | null | undefined): string[] {
  const { endpoint_urls: stated } = parseSettings(config);
  return isJsonRecord(stated) ? Object.values(stated).filter((url) => typeof url === "string") : [];
}

function parseSettings(config: string | null | undefined): Record<string, unknown> {
  try {
    const settings: unknown = JSON.parse(config || "{}");
    return isJsonRecord(settings) ? settings : {};
  } catch {
    return {};
  }
}
