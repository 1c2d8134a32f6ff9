/**
 * Rules by which a channel is disabled or enabled automatically. Pure. Free text of an upstream
 * never decides.
 */
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { writeDisablingReason } from "@tollgate/contract/catalogue/disabling-reasons.ts";

/** The refusal of a call by an upstream; `type` and `code` come from its error body. */
export interface UpstreamRefusal {
  status: number;
  type: string;
  code: unknown;
}

const unauthorized = 401;
const types = new Set([
  "insufficient_quota",
  "authentication_error",
  "permission_error",
  "forbidden",
]);
const codes = new Set<unknown>(["invalid_api_key", "account_deactivated"]);

/**
 * `findDisablingReason` says why this refusal disables the channel, or undefined when it may be
 * temporary.
 */
export function findDisablingReason({ status, type, code }: UpstreamRefusal): string | undefined {
  if (codes.has(code)) return writeDisablingReason("key_refused", String(code));
  if (types.has(type)) return writeDisablingReason("key_refused", type);
  return status === unauthorized ? writeDisablingReason("key_refused", "status 401") : undefined;
}

export interface SweepSettings {
  disables: boolean;
  enables: boolean;
  /** 0 disables no channel for being slow. */
  slowestSeconds: number;
}

interface TestedChannel {
  ok: boolean;
  message: string;
  elapsedMs: number;
}

export type ChannelVerdict = { status: 1 } | { status: 3; reason: string };

/** The status that follows from a test in a sweep. Manually disabled channels stay disabled. */
export function findVerdict(
  status: number,
  tested: TestedChannel,
  settings: SweepSettings,
): ChannelVerdict | undefined {
  const reason = findFailureReason(tested, settings.slowestSeconds);
  if (reason !== undefined)
    return settings.disables && status === channelStatus.enabled
      ? { status: channelStatus.autoDisabled, reason }
      : undefined;
  return settings.enables && status === channelStatus.autoDisabled
    ? { status: channelStatus.enabled }
    : undefined;
}

function findFailureReason(
  { ok, message, elapsedMs }: TestedChannel,
  slowestSeconds: number,
): string | undefined {
  if (!ok) return writeDisablingReason("test_failed", message);
  const isSlow = slowestSeconds > 0 && elapsedMs > slowestSeconds * 1000;
  return isSlow
    ? writeDisablingReason("test_slow", (elapsedMs / 1000).toFixed(1), slowestSeconds)
    : undefined;
}
