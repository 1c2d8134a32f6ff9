/** Rules for creating, showing and editing redemption codes. Pure. */
import { createHash, randomBytes } from "node:crypto";
import { maskKey } from "@tollgate/contract/accounts/mask-key.ts";
import {
  type RedemptionChange,
  type RedemptionInput,
  redemptionStatus,
  type Redemption as Shown,
} from "@tollgate/contract/accounts/redemptions.ts";
import { refuse } from "../../http/refusal.ts";
import { buildUnixSeconds } from "../../http/unix-seconds.ts";
import { SealError, type Sealer } from "../../secrets/seal.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import type { NewRedemption, RedemptionRow, RedemptionWithUsers } from "./redemption-store.ts";

export const codePurpose = "redemption-code";
export const composeCodeContext = (uuid: string) => `redemptions/key_sealed/${uuid}` as const;

const codeBytes = 16;
const makeCode = (): string => randomBytes(codeBytes).toString("hex");
/** Codes are case-sensitive. */
export const hashCode = (code: string): string => createHash("sha256").update(code).digest("hex");

/** Rows of new codes that share a name. */
export const makeCodes = (
  { name, quota, count, external_id = "" }: RedemptionInput,
  creatorId: number,
  now: number,
  seal: Sealer,
): NewRedemption[] => {
  if (external_id && count > 1)
    throw refuse("invalid_request", { fields: { count: "count must be 1 with an external_id" } });
  return Array.from({ length: count }, () => {
    const [uuid, code] = [readUuid7(now), makeCode()];
    return {
      uuid,
      user_id: creatorId,
      external_id: external_id || null,
      name,
      key_hash: hashCode(code),
      key_sealed: seal.seal(codePurpose, composeCodeContext(uuid), code),
      status: redemptionStatus.unused,
      quota,
      created_at: now,
      updated_at: now,
    };
  });
};

/** Empty for a code sealed with another master key: it can still be redeemed, but not shown. */
export function revealCode(
  { uuid, key_sealed }: Pick<RedemptionRow, "uuid" | "key_sealed">,
  seal: Sealer,
): string {
  try {
    return seal.open(codePurpose, composeCodeContext(uuid), key_sealed);
  } catch (error) {
    if (error instanceof SealError) return "";
    throw error;
  }
}

/** A used code is final. */
export function changeCode(
  code: RedemptionRow,
  change: RedemptionChange & { status?: number | undefined },
) {
  if (change.updated_at !== undefined && change.updated_at !== code.updated_at)
    throw refuse("changed_meanwhile");
  if (code.status === redemptionStatus.used) throw refuse("redemption_used");
  const { name = code.name, quota = code.quota, status = code.status } = change;
  return { name, quota, status };
}

/**
 * A code is money: a right to read codes is no right to spend them, so programs see what tells one
 * from another.
 */
export const showCode = (
  code: Parameters<typeof revealCode>[0],
  seal: Sealer,
  isWhole: boolean,
): string => {
  const whole = revealCode(code, seal);
  return isWhole || whole === "" ? whole : maskKey(whole);
};

export const viewRedemption = (
  code: RedemptionWithUsers,
  seal: Sealer,
  isWhole: boolean,
): Shown => ({
  id: code.id,
  uuid: code.uuid,
  external_id: code.external_id ?? "",
  user_id: code.user_id,
  user_uuid: code.user_uuid,
  name: code.name,
  key: showCode(code, seal, isWhole),
  status: code.status,
  quota: code.quota,
  count: 0,
  created_time: buildUnixSeconds(code.created_at),
  redeemed_time: buildUnixSeconds(code.redeemed_at ?? 0),
  redeemed_by: code.redeemer ?? "",
  created_at: code.created_at,
  updated_at: code.updated_at,
});
