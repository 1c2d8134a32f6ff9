/**
 * Passes on what agents tell of themselves, as they wrote it, to the collector that the environment
 * names for the gateway's own spans.
 */
import { readHostAndPort } from "../egress/address-policy.ts";
import { createEgress } from "../egress/egress.ts";
import { requestText } from "../egress/request-text.ts";
import type { OtelSettings } from "./otel-settings.ts";

export type TelemetrySignal = "metrics" | "logs" | "traces";

export interface AgentTelemetry {
  /** Never rejects, and drops what comes while too much is on its way. */
  pass(signal: TelemetrySignal, contentType: string, body: Buffer): void;
  close(): Promise<void>;
}

/** `postsMax` bounds what is on its way to a collector that is slow. */
const postsMax = 16;
const ownSignal = /\/v1\/traces$/;

/** Undefined where the collector's address is for traces alone. */
export function createAgentTelemetry(
  { endpoint, headers, timeoutMs }: OtelSettings,
  onFailure: (reason: string) => void,
): AgentTelemetry | undefined {
  const own = new URL(endpoint);
  if (!ownSignal.test(own.pathname)) return undefined;
  const egress = createEgress(new Set([readHostAndPort(own)]), {
    idleTimeoutMs: timeoutMs,
    connectTimeoutMs: timeoutMs,
  });
  let posts = 0;
  const post = async (signal: TelemetrySignal, contentType: string, body: Buffer) => {
    const url = endpoint.replace(ownSignal, `/v1/${signal}`);
    const answer = await requestText(
      egress,
      { method: "POST", url, headers: { ...headers, "content-type": contentType }, body },
      AbortSignal.timeout(timeoutMs),
    );
    if (answer.status >= 300) onFailure(`the collector answered ${answer.status} to ${signal}`);
  };
  return {
    pass(signal, contentType, body) {
      if (posts >= postsMax) return onFailure(`the collector is too slow for ${signal}`);
      posts += 1;
      void post(signal, contentType, body)
        .catch((error: unknown) => onFailure((error as Error).message))
        .finally(() => {
          posts -= 1;
        });
    },
    close: () => egress.close(),
  };
}
