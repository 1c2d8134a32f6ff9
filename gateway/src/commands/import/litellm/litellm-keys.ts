/**
 * API keys of LiteLLM, of which the database holds the hash alone: what is lost may only narrow
 * what a key may do. Pure.
 */

import {
  buildEachTokenLimit,
  tokenLimitMax,
} from "@tollgate/contract/accounts/token-restrictions.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import * as z from "zod/mini";
import { hashKey, readEnding } from "../../../accounts/tokens/token-rules.ts";
import type { Loss, Reading, SourceToken } from "../import-items.ts";
import { fillRow, formatSourceText, sourceFlag } from "../sources/source-fields.ts";
import type { SourceRow } from "../sources/source-tables.ts";
import { unreadable } from "../unreadable-row.ts";
import { buildRest, type LitellmBudget } from "./litellm-budgets.ts";
import {
  buildNestedObject,
  dollars,
  limitNumber,
  litellmLimitNames,
  litellmLimits,
  saysSomething,
  textList,
  utcTime,
} from "./litellm-fields.ts";
import {
  type LitellmCatalogue,
  type ModelScope,
  narrowScope,
  readModelScope,
} from "./litellm-models.ts";

const jsonText = formatSourceText(1_000_000);

const shape = {
  token: formatSourceText(400),
  key_name: formatSourceText(400),
  key_alias: formatSourceText(400),
  spend: dollars,
  expires: utcTime,
  models: textList,
  user_id: formatSourceText(400),
  team_id: formatSourceText(400),
  budget_id: formatSourceText(400),
  max_budget: dollars,
  budget_duration: formatSourceText(100),
  budget_reset_at: utcTime,
  ...litellmLimits,
  tpd_limit: limitNumber,
  model_max_budget: jsonText,
  budget_limits: jsonText,
  aliases: jsonText,
  config: jsonText,
  permissions: jsonText,
  object_permission_id: formatSourceText(400),
  allowed_routes: textList,
  blocked: sourceFlag,
  created_at: utcTime,
  last_active: utcTime,
};
const keyRow = z.object(shape);
type KeyRow = z.output<typeof keyRow>;
export const keyColumns = Object.keys(shape);

/** `KeyContext` is what a key inherits from rows of other tables. */
export interface KeyContext {
  catalogue: LitellmCatalogue;
  /** The account that owns the key, and which models its team or user may use. */
  ownerOf(key: { userId: string; teamId: string }): {
    sourceId: string;
    scope: ModelScope;
    team?: SourceToken["team"];
  };
  budgetOf(budgetId: string): LitellmBudget | undefined;
  now: number;
}

const nameMax = 30;
/** `modelsMax` is as for keys that are created here. */
const modelsMax = 10_000;
const hashPattern = /^[0-9a-f]{64}$/;
/** The team of the sign-ins of LiteLLM's own console, whose keys are its sessions. */
const consoleTeam = "litellm-dashboard";
/** Routes that a key here always has; a key with other lists had less. */
const everyModelRoute = "llm_api_routes";

export const isConsoleSession = (row: SourceRow): boolean => row.team_id === consoleTeam;

export function readLitellmKey(row: SourceRow, context: KeyContext): Reading<SourceToken> {
  const parsed = z.safeParse(keyRow, fillRow(row, shape));
  const sourceId = showId(String(row.token));
  if (!parsed.success) return unreadable("token", sourceId, row.key_alias, parsed.error);
  const key = parsed.data;
  const name = key.key_alias || key.key_name || `key ${sourceId.slice(0, 8)}`;
  const losses: Loss[] = [];
  const lose = (reason: ImportLossReason, field: string, value = "") => {
    losses.push({ entity: "token", sourceId, name, field, reason, value });
  };
  // Before LiteLLM hashed its keys it stored them as they are.
  const sha256 = key.token.startsWith("sk-") ? hashKey(key.token) : key.token;
  if (!hashPattern.test(sha256)) {
    lose("row_unreadable", "token");
    return { sourceId, item: undefined, losses };
  }
  if (name.length > nameMax) lose("text_cut", "name", name);
  const owner = context.ownerOf({ userId: key.user_id, teamId: key.team_id });
  const scope = narrowScope(readModelScope(key.models, context.catalogue), owner.scope);
  const models = scope === "all" ? "" : [...scope].join(",");
  if (key.models.some((model) => model.includes("*") && model !== "*"))
    lose("model_pattern", "models", key.models.join(", "));

  const zeroLimit = litellmLimitNames.find((limit) => key[limit] === 0);
  const hasRoutes = key.allowed_routes.length > 0 && !key.allowed_routes.includes(everyModelRoute);
  // A restriction that cannot be carried must not fall away: the key waits until an administrator
  // has decided.
  const refusals: [boolean, ImportLossReason, string, string][] = [
    [scope !== "all" && models === "", "models_empty", "models", ""],
    [models.length > modelsMax, "models_too_long", "models", String(models.length)],
    [hasRoutes, "routes_restricted", "allowed_routes", key.allowed_routes.join(", ")],
    [zeroLimit !== undefined, "limit_of_zero", zeroLimit ?? "", ""],
  ];
  const refused = refusals.filter(([isRefused]) => isRefused);
  for (const [, reason, field, value] of refused) lose(reason, field, value);
  loseLimits(key, lose);

  const usedQuota = key.spend ?? 0;
  const own = {
    max: key.max_budget,
    duration: key.budget_duration,
    resetAtMs: key.budget_reset_at,
  };
  const shared = context.budgetOf(key.budget_id);
  const { rest, refilled } = buildRest([own, ...(shared ? [shared] : [])], usedQuota, context.now);
  if (refilled !== "") lose("budget_refilled", "budget_duration", refilled);
  const item: SourceToken = {
    ownerSourceId: owner.sourceId,
    ...(owner.team && { team: owner.team }),
    name: [...name].slice(0, nameMax).join(""),
    key: {
      kind: "hashed",
      sha256,
      ending: readEnding(key.token.startsWith("sk-") ? key.token : key.key_name),
    },
    status: computeStatus(refused.length > 0 || key.blocked, rest),
    remainQuota: rest ?? 0,
    isUnlimited: rest === null,
    usedQuota,
    expiredAtMs: key.expires ?? null,
    models: models.length > modelsMax ? "" : models,
    subnet: "",
    groups: "",
    limits: buildEachTokenLimit((limit) => Math.min(key[limit] ?? 0, tokenLimitMax[limit])),
    createdAtMs: key.created_at,
    accessedAtMs: key.last_active,
  };
  return { sourceId, item, losses };
}

function computeStatus(isDisabled: boolean, rest: number | null): number {
  if (isDisabled) return tokenStatus.disabled;
  return rest === 0 ? tokenStatus.exhausted : tokenStatus.enabled;
}

/** A key that was stored as it is must not appear in a report. */
export const showId = (token: string): string => (hashPattern.test(token) ? token : hashKey(token));

function loseLimits(
  key: KeyRow,
  lose: (reason: ImportLossReason, field: string, value?: string) => void,
): void {
  const limits = ["model_max_budget", "budget_limits", "permissions"] as const;
  const named = limits.filter((field) => saysSomething(key[field])).map(String);
  if (key.tpd_limit !== null) named.push("tpd_limit");
  if (key.object_permission_id !== "") named.push("object_permission_id");
  if (named.length > 0) lose("limit_not_carried", named.join(", "));
  if (saysSomething(key.config)) lose("setting_not_served", "config");
  const aliases = Object.entries(buildNestedObject(key.aliases));
  if (aliases.length > 0)
    lose(
      "aliases_of_key",
      "aliases",
      aliases.map(([alias, model]) => `${alias} (${String(model)})`).join(", "),
    );
}

/** `masterKeyAlias` is the name that rows of spending have for it, beside its hash. */
export const masterKeyAlias = "litellm_proxy_master_key";
export const masterKeyId = "master_key";

/**
 * The master key calls models like any other key. It is in no table, so that it is known in clear
 * text.
 */
export const buildMasterKeyToken = (
  masterKey: string,
  ownerSourceId: string,
): Reading<SourceToken> => ({
  sourceId: masterKeyId,
  item: {
    ownerSourceId,
    name: "master key",
    key: { kind: "hashed", sha256: hashKey(masterKey), ending: readEnding(masterKey) },
    status: tokenStatus.enabled,
    remainQuota: 0,
    isUnlimited: true,
    usedQuota: 0,
    expiredAtMs: null,
    models: "",
    subnet: "",
    groups: "",
    limits: buildEachTokenLimit(() => 0),
    createdAtMs: undefined,
    accessedAtMs: undefined,
  },
  losses: [
    {
      entity: "token",
      sourceId: masterKeyId,
      name: "master key",
      field: "",
      reason: "master_key_calls_only",
      value: "",
    },
  ],
});
