/**
 * Teams of LiteLLM: a wallet with people in it. Earlier versions made an account of each, with which
 * their later runs go on. Pure.
 */
import {
  buildEachTokenLimit,
  tokenLimitMax,
} from "@tollgate/contract/accounts/token-restrictions.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import * as z from "zod/mini";
import type {
  Loss,
  Reading,
  SourceBudget,
  SourceTeam,
  SourceTeamMember,
  SourceUser,
} from "../import-items.ts";
import { fillRow, formatSourceText, sourceFlag } from "../sources/source-fields.ts";
import type { SourceRow } from "../sources/source-tables.ts";
import { unreadable } from "../unreadable-row.ts";
import {
  type AccountRules,
  buildWallet,
  emptyUser,
  shortenText,
  stripControls,
} from "./litellm-accounts.ts";
import { buildRest, type LitellmBudget } from "./litellm-budgets.ts";
import {
  dollars,
  litellmLimitNames,
  litellmLimits,
  parseJson,
  textList,
  utcTime,
} from "./litellm-fields.ts";
import type { ModelScope } from "./litellm-models.ts";

const shape = {
  team_id: formatSourceText(400),
  team_alias: formatSourceText(400),
  admins: textList,
  members: textList,
  members_with_roles: formatSourceText(10_000_000),
  max_budget: dollars,
  spend: dollars,
  models: textList,
  budget_duration: formatSourceText(100),
  budget_reset_at: utcTime,
  ...litellmLimits,
  model_max_budget: formatSourceText(1_000_000),
  blocked: sourceFlag,
  created_at: utcTime,
};
const teamRow = z.object(shape);
type LitellmTeamRow = z.output<typeof teamRow>;
export const teamColumns = Object.keys(shape);

/** `TeamContext` is what a team has in other tables. */
export interface TeamContext {
  rules: AccountRules;
  isKnownUser(userId: string): boolean;
  scopeOf(teamId: string): ModelScope;
  /** The users who have keys of the team. */
  keyHoldersOf(teamId: string): ReadonlySet<string>;
  /** The budgets of single members, by their ids. */
  memberBudgetsOf(teamId: string): ReadonlyMap<string, { budget: LitellmBudget; spent: number }>;
}

const nameMax = 60;
/** As for teams that are made here. */
const modelsMax = 10_000;
/** Sentences name no more people. */
const namedMax = 20;

/** The id of a team's account among those of users. */
export const composeTeamAccountId = (teamId: string): string => `team:${teamId}`;

type LoseOfTeam = (reason: ImportLossReason, field: string, value?: string) => void;

/** The account that stands for a team, for runs that go on with one. */
export function readLitellmTeamAccount(row: SourceRow, rules: AccountRules): Reading<SourceUser> {
  const parsed = z.safeParse(teamRow, fillRow(row, shape));
  const sourceId = composeTeamAccountId(String(row.team_id));
  if (!parsed.success) return unreadable("user", sourceId, row.team_alias, parsed.error);
  const team = parsed.data;
  const username = `team-${readName(team)}`;
  const item: SourceUser = {
    ...emptyUser,
    username,
    displayName: shortenText(username),
    isEnabled: !team.blocked,
    ...buildWallet(team, rules, () => undefined),
    createdAtMs: team.created_at,
    teamSourceId: team.team_id,
  };
  return { sourceId, item, losses: [] };
}

export function readLitellmTeam(row: SourceRow, context: TeamContext): Reading<SourceTeam> {
  const parsed = z.safeParse(teamRow, fillRow(row, shape));
  const sourceId = String(row.team_id);
  if (!parsed.success) return unreadable("team", sourceId, row.team_alias, parsed.error);
  const team = parsed.data;
  const name = readName(team);
  const losses: Loss[] = [];
  const lose: LoseOfTeam = (reason, field, value = "") => {
    losses.push({ entity: "team", sourceId, name, field, reason, value });
  };
  if (name.length > nameMax) lose("text_cut", "team_alias", name);
  const scope = context.scopeOf(sourceId);
  const models = scope === "all" ? "" : [...scope].join(",");
  const zeroLimit = litellmLimitNames.find((limit) => team[limit] === 0);
  // A restriction that cannot be carried must not fall away: the team waits until an administrator
  // has decided.
  const refusals: [boolean, ImportLossReason, string, string][] = [
    [scope !== "all" && models === "", "models_empty", "models", ""],
    [models.length > modelsMax, "models_too_long", "models", String(models.length)],
    [zeroLimit !== undefined, "limit_of_zero", zeroLimit ?? "", ""],
  ];
  const refused = refusals.filter(([isRefused]) => isRefused);
  for (const [, reason, field, value] of refused) lose(reason, field, value);
  const { balance } = buildWallet(team, context.rules, lose, false);
  const item: SourceTeam = {
    name: [...name].slice(0, nameMax).join(""),
    isEnabled: !team.blocked && refused.length === 0,
    balance,
    models: models.length > modelsMax ? "" : models,
    limits: buildEachTokenLimit((limit) => Math.min(team[limit] ?? 0, tokenLimitMax[limit])),
    members: listMembers(team, context, lose),
    accountSourceId: composeTeamAccountId(sourceId),
    createdAtMs: team.created_at,
  };
  return { sourceId, item, losses };
}

const readName = (team: LitellmTeamRow): string =>
  stripControls(team.team_alias || team.team_id) || `team ${team.team_id}`;

const writtenMember = z.object({ user_id: z.string(), role: z.optional(z.string()) });

function listMembers(
  team: LitellmTeamRow,
  context: TeamContext,
  lose: LoseOfTeam,
): SourceTeamMember[] {
  const roles = new Map<string, SourceTeamMember["role"]>();
  // Older versions list people without roles.
  for (const userId of team.members) roles.set(userId, "member");
  for (const userId of team.admins) roles.set(userId, "admin");
  const written = parseJson(team.members_with_roles);
  for (const one of Array.isArray(written) ? written : []) {
    const { success, data } = z.safeParse(writtenMember, one);
    if (success) roles.set(data.user_id, data.role === "admin" ? "admin" : "member");
  }
  const missing = [...roles.keys()].filter((userId) => !context.isKnownUser(userId));
  for (const userId of missing) roles.delete(userId);
  if (missing.length > 0) lose("team_members_missing", "members", nameSome(missing));
  // A key there needs no membership; here it would be refused without one.
  const holders = [...context.keyHoldersOf(team.team_id)].filter((userId) => !roles.has(userId));
  for (const userId of holders) roles.set(userId, "member");
  if (holders.length > 0) lose("team_members_of_keys", "members", String(holders.length));
  const budgets = context.memberBudgetsOf(team.team_id);
  const told = { anew: [] as string[], ended: [] as string[] };
  const members = [...roles].map(([userSourceId, role]): SourceTeamMember => {
    const given = budgets.get(userSourceId);
    const isLimited = given !== undefined && given.budget.max !== null;
    const budget = isLimited ? buildMemberBudget(given, context.rules.now) : undefined;
    if (isLimited) (budget === undefined ? told.ended : told.anew).push(userSourceId);
    return { userSourceId, role, budget };
  });
  if (told.anew.length > 0) lose("member_budget_anew", "budgets", nameSome(told.anew));
  if (told.ended.length > 0) lose("member_budget_not_carried", "budgets", nameSome(told.ended));
  return members;
}

const nameSome = (ids: readonly string[]): string =>
  [...ids.slice(0, namedMax), ...(ids.length > namedMax ? ["…"] : [])].join(", ");

const windows: Readonly<Record<string, SourceBudget["window"]>> = {
  "": "lifetime",
  "1h": "hour",
  "24h": "day",
  "1d": "day",
  "1mo": "month",
};
const daysMax = 366;

/** Undefined for what has no window here, and for a budget that is spent for good. */
function buildMemberBudget(
  { budget, spent }: { budget: LitellmBudget; spent: number },
  now: number,
): SourceBudget | undefined {
  const days = Number(/^(\d{1,3})d$/.exec(budget.duration)?.[1] ?? 0);
  const window =
    windows[budget.duration] ??
    (days >= 1 && days <= daysMax ? (`days:${days}` as const) : undefined);
  if (window === undefined || budget.max === null) return undefined;
  // A counter begins at 0 here: what is spent for good is taken off the amount.
  const { rest } = window === "lifetime" ? buildRest([budget], spent, now) : { rest: budget.max };
  // An amount is at least one unit, which pays for no call.
  return { amount: Math.max(1, rest ?? 1), window };
}
