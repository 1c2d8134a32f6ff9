/** Redemption codes of the family as neutral items. Pure. */

import { redemptionStatus } from "@tollgate/contract/accounts/redemptions.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import * as z from "zod/mini";
import type { Loss, Reading, SourceCode } from "../import-items.ts";
import {
  defineWholeNumber,
  fillRow,
  formatSourceText,
  sourceTime,
  sourceUnits,
} from "../sources/source-fields.ts";
import type { SourceRow } from "../sources/source-tables.ts";
import { unreadable } from "../unreadable-row.ts";

const shape = {
  id: defineWholeNumber(),
  user_id: defineWholeNumber(),
  key: formatSourceText(400),
  status: defineWholeNumber(redemptionStatus.unused),
  name: formatSourceText(400),
  quota: sourceUnits,
  created_time: sourceTime,
  redeemed_time: sourceTime,
  used_user_id: defineWholeNumber(),
  expired_time: sourceTime,
  deleted_at: formatSourceText(64),
};
const codeRow = z.object(shape);
export const codeColumns = Object.keys(shape);

const nameMax = 20;

export function readCode(row: SourceRow, now: number): Reading<SourceCode> {
  const parsed = z.safeParse(codeRow, fillRow(row, shape));
  const sourceId = String(row.id);
  if (!parsed.success) return unreadable("code", sourceId, row.name, parsed.error);
  const code = parsed.data;
  const losses: Loss[] = [];
  const lose = (reason: ImportLossReason, field: string, value = "") => {
    losses.push({ entity: "code", sourceId, name: code.name, field, reason, value });
  };
  if (code.deleted_at !== "" || code.key === "" || code.quota < 0) {
    lose(
      code.deleted_at !== "" ? "deleted_in_source" : "row_unreadable",
      code.key === "" ? "key" : "quota",
    );
    return { sourceId, item: undefined, losses };
  }
  if (code.name.length > nameMax) lose("text_cut", "name", code.name);
  const isExpired = code.expired_time !== undefined && code.expired_time <= now;
  if (code.expired_time !== undefined && code.status === redemptionStatus.unused)
    lose("expires_later", "expired_time", new Date(code.expired_time).toISOString());
  const known = Object.values(redemptionStatus) as number[];
  const status = known.includes(code.status) ? code.status : redemptionStatus.disabled;
  const item: SourceCode = {
    name: [...code.name].slice(0, nameMax).join("") || `code ${sourceId}`,
    code: code.key,
    status: status === redemptionStatus.unused && isExpired ? redemptionStatus.disabled : status,
    quota: code.quota,
    makerSourceId: String(code.user_id),
    redeemerSourceId: code.used_user_id > 0 ? String(code.used_user_id) : undefined,
    createdAtMs: code.created_time,
    redeemedAtMs: code.redeemed_time,
  };
  return { sourceId, item, losses };
}
