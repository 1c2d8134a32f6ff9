/** When a channel is taken out of service, or back in, without anybody asking: pure. Words of an upstream never count. */
import { channelStatus } from "@tollgate/contract/channels.ts";

/** What an upstream refused a call with; `type` and `code` are those of its error body. */
export interface UpstreamRefusal {
  status: number;
  type: string;
  code: unknown;
}

const unauthorized = 401;
const types = new Set(["insufficient_quota", "authentication_error", "permission_error", "forbidden"]);
const codes = new Set<unknown>(["invalid_api_key", "account_deactivated"]);

/** Why a channel that was refused like this serves nobody any more, or nothing when it may just be a bad moment. */
export function disablingReason({ status, type, code }: UpstreamRefusal): string | undefined {
  if (codes.has(code)) return `The provider refused the key: ${code}`;
  if (types.has(type)) return `The provider refused the key: ${type}`;
  return status === unauthorized ? "The provider refused the key: status 401" : undefined;
}

export interface SweepSettings {
  disables: boolean;
  enables: boolean;
  /** 0 judges no channel by its time. */
  slowestSeconds: number;
}

interface TestedChannel {
  ok: boolean;
  message: string;
  elapsedMs: number;
}

export type ChannelVerdict = { status: 1 } | { status: 3; reason: string };

/** What a test in a sweep means for the channel. One that somebody disabled by hand stays as it is. */
export function verdictOf(status: number, tested: TestedChannel, settings: SweepSettings): ChannelVerdict | undefined {
  const reason = failureReason(tested, settings.slowestSeconds);
  if (reason !== undefined)
    return settings.disables && status === channelStatus.enabled
      ? { status: channelStatus.autoDisabled, reason }
      : undefined;
  return settings.enables && status === channelStatus.autoDisabled ? { status: channelStatus.enabled } : undefined;
}

function failureReason({ ok, message, elapsedMs }: TestedChannel, slowestSeconds: number): string | undefined {
  if (!ok) return `Channel test failed: ${message}`;
  const isSlow = slowestSeconds > 0 && elapsedMs > slowestSeconds * 1000;
  return isSlow ? `The test took ${(elapsedMs / 1000).toFixed(1)} s; the limit is ${slowestSeconds} s` : undefined;
}
