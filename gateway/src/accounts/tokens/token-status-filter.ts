/**
 * The status that lists show of a token, as a condition in SQL: `showStatus` of token-rules.ts says
 * the same of one row.
 */
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { type RawBuilder, sql as raw } from "kysely";

const isEnabled = raw`tokens.status = ${raw.lit(tokenStatus.enabled)}`;
const isUsedUp = raw`(tokens.unlimited_quota = 0 and tokens.remain_quota <= 0)`;

/** `showsStatus` matches every row without a status. An expiry is compared with `nowMs`. */
export function showsStatus(status: number | undefined, nowMs: number): RawBuilder<boolean> {
  const isExpired = raw`(tokens.expired_at is not null and tokens.expired_at <= ${nowMs})`;
  switch (status) {
    case undefined:
      return raw`1 = 1`;
    case tokenStatus.enabled:
      return raw`(${isEnabled} and not ${isExpired} and not ${isUsedUp})`;
    case tokenStatus.expired:
      return raw`(${isEnabled} and ${isExpired})`;
    case tokenStatus.exhausted:
      return raw`(tokens.status = ${status} or (${isEnabled} and not ${isExpired} and ${isUsedUp}))`;
    default:
      return raw`tokens.status = ${status}`;
  }
}
