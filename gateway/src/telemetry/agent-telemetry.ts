/**
 * Passes on what agents tell of themselves, as they wrote it, to the collector that the environment
 * names for the gateway's own spans.
 */
import { readHostAndPort } from "../egress/address-policy.ts";
import { createEgress } from "../egress/egress.ts";
import { requestText } from "../egress/request-text.ts";
import type { OtelSettings } from "./otel-settings.ts";

export type TelemetrySignal = "metrics" | "logs" | "traces";

/** A report as an agent sent it. */
export interface AgentReport {
  /** Whose key it came with: a person, or the service of a team. */
  sender: string;
  contentType: string;
  body: Buffer;
}

export interface AgentTelemetry {
  /** Never rejects, and drops what comes while too much is on its way, in all or of one sender. */
  pass(signal: TelemetrySignal, report: AgentReport): void;
  close(): Promise<void>;
}

/** `postsMax` bounds what is on its way to a collector that is slow. */
const postsMax = 16;
/** `ownPostsMax` is for one sender, whose reports would otherwise leave no room for others'. */
const ownPostsMax = 4;
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
  /** How many of each sender's are on their way. */
  const posts = new Map<string, number>();
  const countPosts = () => posts.values().reduce((sum, own) => sum + own, 0);
  const post = async (signal: TelemetrySignal, { contentType, body }: AgentReport) => {
    const url = endpoint.replace(ownSignal, `/v1/${signal}`);
    const answer = await requestText(
      egress,
      { method: "POST", url, headers: { ...headers, "content-type": contentType }, body },
      AbortSignal.timeout(timeoutMs),
    );
    if (answer.status >= 300) onFailure(`the collector answered ${answer.status} to ${signal}`);
  };
  return {
    pass(signal, report) {
      const { sender } = report;
      const own = posts.get(sender) ?? 0;
      if (own >= ownPostsMax || countPosts() >= postsMax)
        return onFailure(`the collector is too slow for ${signal}`);
      posts.set(sender, own + 1);
      void post(signal, report)
        .catch((error: unknown) => onFailure((error as Error).message))
        .finally(() => {
          const left = (posts.get(sender) ?? 1) - 1;
          if (left > 0) posts.set(sender, left);
          else posts.delete(sender);
        });
    },
    close: () => egress.close(),
  };
}
