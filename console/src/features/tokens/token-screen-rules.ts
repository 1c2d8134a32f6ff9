/** Pure functions of the token pages; time is an argument. */
import { type Token, tokenStatus } from "@tollgate/contract/accounts/tokens.ts";

const never = -1;

/** 0 and -1 mean no expiry. */
export function neverExpires(expiredTime: number): boolean {
  return expiredTime === never || expiredTime === 0;
}

/**
 * `lastAccess` in Unix seconds: -1 is never, undefined not yet, for which servers send the time of
 * the creation.
 */
export const findLastAccess = ({
  accessed_time,
  created_time,
}: Pick<Token, "accessed_time" | "created_time">): number | undefined =>
  accessed_time === never || accessed_time > created_time ? accessed_time : undefined;

/**
 * A tenth of a cent at 500,000 units to the dollar: nearly every call holds more than that before
 * it is sent.
 */
const crumbsMax = 500;

/** An enabled token whose rest is refused as not covered, call after call. */
export const coversHardlyACall = (
  token: Pick<Token, "status" | "remain_quota" | "unlimited_quota">,
): boolean =>
  token.status === tokenStatus.enabled && !token.unlimited_quota && token.remain_quota < crumbsMax;

/**
 * The status to send with an edit: an exhausted or expired token is enabled when the edit removes
 * the cause.
 */
export function computeStatusAfterEdit(
  status: number,
  edit: { unlimited_quota: boolean; remain_quota: number; expired_time: number },
  nowSeconds: number,
): number {
  if (status === tokenStatus.exhausted && (edit.unlimited_quota || edit.remain_quota > 0))
    return tokenStatus.enabled;
  if (
    status === tokenStatus.expired &&
    (neverExpires(edit.expired_time) || edit.expired_time > nowSeconds)
  ) {
    return tokenStatus.enabled;
  }
  return status;
}

/**
 * The value of a `datetime-local` input with seconds, in the browser's time zone; empty for never.
 */
export function readExpiryToInput(expiredTime: number): string {
  return neverExpires(expiredTime) || Number.isNaN(expiredTime)
    ? ""
    : buildLocalInput(new Date(expiredTime * 1000));
}

/** Unix seconds, rounded up; -1 for an empty input; undefined for an invalid one. */
export function findExpiryFromInput(input: string): number | undefined {
  if (input === "") return never;
  const milliseconds = new Date(input).getTime();
  return Number.isNaN(milliseconds) ? undefined : Math.ceil(milliseconds / 1000);
}

export const expiryPresets = {
  year: 365 * 86_400,
  quarter: 90 * 86_400,
  month: 30 * 86_400,
  week: 7 * 86_400,
  day: 86_400,
  hour: 3_600,
  minute: 60,
} as const;

/** The input's value for a time `seconds` from now. */
export function readExpiry(seconds: number, now: Date): string {
  return buildLocalInput(new Date(now.getTime() + seconds * 1000));
}

function buildLocalInput(date: Date): string {
  const two = (part: number) => String(part).padStart(2, "0");
  const day = `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
