/**
 * API keys of the family as neutral items: what is lost may only narrow what a key may do. Pure.
 */

import {
  buildEachTokenLimit,
  tokenGroupsMax,
} from "@tollgate/contract/accounts/token-restrictions.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { blockText, parseBlock } from "@tollgate/contract/api/cidr.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import * as z from "zod/mini";
import { pinSuffix, stripKeyPrefixes } from "../../../accounts/tokens/token-rules.ts";
import type { Loss, Reading, SourceToken } from "../import-items.ts";
import {
  defineWholeNumber,
  fillRow,
  formatSourceText,
  parseNames,
  sourceFlag,
  sourceTime,
  sourceUnits,
} from "../sources/source-fields.ts";
import type { SourceRow } from "../sources/source-tables.ts";
import { unreadable } from "../unreadable-row.ts";
import type { FamilyKind } from "./family-kind.ts";
import { readAcceptedGroup } from "./group-names.ts";

const shape = {
  id: defineWholeNumber(),
  user_id: defineWholeNumber(),
  key: formatSourceText(400),
  status: defineWholeNumber(tokenStatus.enabled),
  name: formatSourceText(400),
  created_time: sourceTime,
  accessed_time: sourceTime,
  expired_time: sourceTime,
  remain_quota: sourceUnits,
  unlimited_quota: sourceFlag,
  used_quota: sourceUnits,
  models: formatSourceText(1_000_000),
  subnet: formatSourceText(100_000),
  model_limits_enabled: sourceFlag,
  model_limits: formatSourceText(1_000_000),
  allow_ips: formatSourceText(100_000),
  group: formatSourceText(200),
  /** The groups of `auto`, as JSON; without them those of the site count. */
  auto_groups: formatSourceText(10_000),
  cross_group_retry: sourceFlag,
  deleted_at: formatSourceText(64),
};
const tokenRow = z.object(shape);
export const tokenColumns = Object.keys(shape);

/** Stands for several groups. */
const autoGroup = "auto";
const nameMax = 30;
/** `modelsMax` is as for keys that are created here. */
const modelsMax = 10_000;

/** `siteGroups`: those that the group `auto` stands for. */
export function readToken(
  kind: FamilyKind,
  row: SourceRow,
  siteGroups: readonly string[] = [],
): Reading<SourceToken> {
  const parsed = z.safeParse(tokenRow, fillRow(row, shape));
  const sourceId = String(row.id);
  if (!parsed.success) return unreadable("token", sourceId, row.name, parsed.error);
  const token = parsed.data;
  const losses: Loss[] = [];
  const lose = (reason: ImportLossReason, field: string, value = "") => {
    losses.push({ entity: "token", sourceId, name: token.name, field, reason, value });
  };
  const key = stripKeyPrefixes(token.key);
  if (token.deleted_at !== "" || key === "") {
    lose(key === "" ? "row_unreadable" : "deleted_in_source", key === "" ? "key" : "");
    return { sourceId, item: undefined, losses };
  }
  if (pinSuffix.test(key)) lose("key_pinned", "key");
  if (token.name.length > nameMax) lose("text_cut", "name", token.name);
  const isLimited = kind === "new-api" ? token.model_limits_enabled : token.models !== "";
  const models = isLimited
    ? parseNames(kind === "new-api" ? token.model_limits : token.models).join(",")
    : "";
  const blocks = findAddresses(kind === "new-api" ? token.allow_ips : token.subnet);
  const groups = kind === "new-api" ? findGroups(token, siteGroups) : [];
  // A restriction that cannot be carried must not fall away: the key waits until an administrator
  // has decided.
  const refusals: [boolean, ImportLossReason, string, string][] = [
    [isLimited && models === "", "models_empty", "models", ""],
    [models.length > modelsMax, "models_too_long", "models", String(models.length)],
    [blocks === undefined, "addresses_invalid", kind === "new-api" ? "allow_ips" : "subnet", ""],
    [groups === undefined, "token_group", "group", token.group],
  ];
  const refused = refusals.filter(([isRefused]) => isRefused);
  for (const [, reason, field, value] of refused) lose(reason, field, value);

  const kept = groups?.slice(0, tokenGroupsMax) ?? [];
  if (groups && groups.length > kept.length) lose("token_groups_cut", "group", kept.join(", "));
  if (kept.length > 1 && !token.cross_group_retry) lose("token_groups_in_turn", "group");

  const remainQuota = Math.max(0, token.remain_quota);
  const item: SourceToken = {
    ownerSourceId: String(token.user_id),
    name: [...token.name].slice(0, nameMax).join("") || `token ${sourceId}`,
    key: { kind: "clear", text: key },
    status: refused.length > 0 ? tokenStatus.disabled : computeStatus({ ...token, remainQuota }),
    remainQuota,
    isUnlimited: token.unlimited_quota,
    usedQuota: Math.max(0, token.used_quota),
    expiredAtMs: token.expired_time ?? null,
    models: models.length > modelsMax ? "" : models,
    subnet: blocks?.join(",") ?? "",
    groups: kept.join(","),
    limits: buildEachTokenLimit(() => 0),
    createdAtMs: token.created_time,
    accessedAtMs: token.accessed_time,
  };
  return { sourceId, item, losses };
}

/**
 * `findGroups` keeps the order of new-api; undefined where it stands for groups that the source
 * does not name.
 */
function findGroups(
  { group, auto_groups }: z.output<typeof tokenRow>,
  siteGroups: readonly string[],
): readonly string[] | undefined {
  if (group === "") return [];
  if (group !== autoGroup) return [readAcceptedGroup(group)];
  const own = parseGroupList(auto_groups);
  const named = own.length > 0 ? own : siteGroups;
  return named.length > 0 ? named : undefined;
}

const nameArray = z.pipe(
  z.pipe(
    z.string(),
    z.transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.issues.push({ code: "custom", message: "no JSON", input: text });
        return z.NEVER;
      }
    }),
  ),
  z.array(z.string()),
);

/** A JSON list of names; without one, none. */
export function parseGroupList(text: string): string[] {
  const parsed = z.safeParse(nameArray, text);
  return parsed.success ? [...new Set(parsed.data.filter(Boolean).map(readAcceptedGroup))] : [];
}

interface StoredTokenState {
  status: number;
  unlimited_quota: boolean;
  remainQuota: number;
  expired_time: number | undefined;
}

/**
 * Expired is no stored status here: it follows from the time, and without one the key stays
 * disabled.
 */
function computeStatus({
  status,
  unlimited_quota,
  remainQuota,
  expired_time,
}: StoredTokenState): number {
  const isUsedUp = !unlimited_quota && remainQuota === 0;
  if (status === tokenStatus.enabled) return isUsedUp ? tokenStatus.exhausted : tokenStatus.enabled;
  if (status === tokenStatus.expired && expired_time !== undefined) return tokenStatus.enabled;
  return status === tokenStatus.exhausted ? tokenStatus.exhausted : tokenStatus.disabled;
}

/** `findAddresses` gives one per line or comma; undefined where one of them is none. */
function findAddresses(list: string): string[] | undefined {
  const blocks = list
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(parseBlock);
  return blocks.every((block) => block !== undefined) ? blocks.map(blockText) : undefined;
}
