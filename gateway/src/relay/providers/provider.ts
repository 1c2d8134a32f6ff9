/** What a provider file says: how a call is written for its upstream. Adapters are pure; `forward` does the talking. */

import type { RelayChannel } from "../channel-table.ts";
import type { Call } from "../shapes/shape.ts";

export interface UpstreamRequest {
  url: URL;
  /** Names and values in turn, as undici takes them. */
  headers: string[];
  body: Buffer;
}

export interface Provider {
  /** `model` is the name after the channel's mapping. */
  toUpstream(call: Call, channel: RelayChannel, model: string): UpstreamRequest;
}
