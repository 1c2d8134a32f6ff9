/** Users of LiteLLM as accounts. Pure. */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import { email as mailAddress } from "@tollgate/contract/accounts/users.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import * as z from "zod/mini";
import { readImportedHash } from "../../../accounts/identity/users/imported-passwords.ts";
import type { Loss, Reading, SourceUser } from "../import-items.ts";
import { fillRow, formatSourceText } from "../sources/source-fields.ts";
import type { SourceRow } from "../sources/source-tables.ts";
import { unreadable } from "../unreadable-row.ts";
import { buildRest } from "./litellm-budgets.ts";
import {
  dollars,
  litellmLimitNames,
  litellmLimits,
  saysSomething,
  textList,
  utcTime,
} from "./litellm-fields.ts";

const jsonText = formatSourceText(1_000_000);

const userShape = {
  user_id: formatSourceText(400),
  user_alias: formatSourceText(400),
  user_email: formatSourceText(400),
  user_role: formatSourceText(100),
  password: formatSourceText(400),
  sso_user_id: formatSourceText(400),
  models: textList,
  max_budget: dollars,
  spend: dollars,
  budget_duration: formatSourceText(100),
  budget_reset_at: utcTime,
  ...litellmLimits,
  model_max_budget: jsonText,
  created_at: utcTime,
};
const userRow = z.object(userShape);
export const userColumns = Object.keys(userShape);

export interface AccountRules {
  /** Units of a wallet whose owner has no budget there: wallets here always end. */
  unlimitedAs: number;
  now: number;
}

const displayNameMax = 20;
/** Owns the keys that belong to no user and no team. */
export const unownedId = "litellm";

export const emptyUser: Omit<SourceUser, "username" | "balance" | "usedQuota"> = {
  displayName: "",
  email: "",
  passwordHash: "",
  role: roles.user,
  isEnabled: true,
  mustChangePassword: false,
  group: "default",
  requestCount: 0,
  uuid: undefined,
  accessToken: undefined,
  inviterSourceId: undefined,
  invitationCode: undefined,
  totpSeed: undefined,
  externalAccounts: [],
  createdAtMs: undefined,
};

export const stripControls = (text: string): string => text.replace(/\p{Cc}/gu, "").trim();
export const shortenText = (text: string): string => [...text].slice(0, displayNameMax).join("");

export function readLitellmUser(row: SourceRow, rules: AccountRules): Reading<SourceUser> {
  const parsed = z.safeParse(userRow, fillRow(row, userShape));
  const sourceId = String(row.user_id);
  if (!parsed.success) return unreadable("user", sourceId, row.user_email, parsed.error);
  const user = parsed.data;
  const [local = ""] = user.user_email.split("@");
  const username = stripControls(user.user_alias || local || user.user_id) || `user-${sourceId}`;
  const losses: Loss[] = [];
  const lose = (reason: ImportLossReason, field: string, value = "") => {
    losses.push({ entity: "user", sourceId, name: username, field, reason, value });
  };
  const isMailAccepted = z.safeParse(mailAddress, user.user_email).success;
  if (!isMailAccepted) lose("email_invalid", "user_email", user.user_email);
  const isPasswordKept = readImportedHash(user.password) !== undefined;
  if (user.password !== "" && !isPasswordKept) lose("password_reset_needed", "password");
  if (user.sso_user_id !== "") lose("sign_in_not_served", "sso_user_id");
  const isAdmin = user.user_role === "proxy_admin";
  if (!isAdmin && !["", "internal_user", "customer"].includes(user.user_role))
    lose("role_without_counterpart", "user_role", user.user_role);
  const { balance, usedQuota } = buildWallet(user, rules, lose);
  const item: SourceUser = {
    ...emptyUser,
    username,
    displayName: shortenText(username),
    email: isMailAccepted ? user.user_email : "",
    passwordHash: isPasswordKept ? user.password : "",
    role: isAdmin ? roles.root : roles.user,
    balance,
    usedQuota,
    createdAtMs: user.created_at,
  };
  return { sourceId, item, losses };
}

/** The account of keys without user and team, among them the master key. */
export const buildUnownedAccount = ({ unlimitedAs }: AccountRules): Reading<SourceUser> => ({
  sourceId: unownedId,
  item: {
    ...emptyUser,
    username: unownedId,
    displayName: unownedId,
    balance: unlimitedAs,
    usedQuota: 0,
  },
  losses: [
    {
      entity: "user",
      sourceId: unownedId,
      name: unownedId,
      field: "",
      reason: "unowned_keys",
      value: String(unlimitedAs),
    },
  ],
});

type Budgeted = Pick<
  z.output<typeof userRow>,
  | "max_budget"
  | "spend"
  | "budget_duration"
  | "budget_reset_at"
  | (typeof litellmLimitNames)[number]
  | "model_max_budget"
>;

/**
 * `buildWallet` is what an account or a team has left, with a line for each limit that ends; those
 * of a team are carried.
 */
export function buildWallet(
  account: Budgeted,
  { unlimitedAs, now }: AccountRules,
  lose: (reason: ImportLossReason, field: string, value?: string) => void,
  losesLimits = true,
): Pick<SourceUser, "balance" | "usedQuota"> {
  const usedQuota = account.spend ?? 0;
  const budget = {
    max: account.max_budget,
    duration: account.budget_duration,
    resetAtMs: account.budget_reset_at,
  };
  const { rest, refilled } = buildRest([budget], usedQuota, now);
  if (rest === null) lose("budget_unlimited", "max_budget", String(unlimitedAs));
  if (refilled !== "") lose("budget_refilled", "budget_duration", refilled);
  const limits = losesLimits ? litellmLimitNames.filter((name) => account[name] !== null) : [];
  const named = [
    ...limits,
    ...(saysSomething(account.model_max_budget) ? ["model_max_budget"] : []),
  ];
  if (named.length > 0) lose("limit_not_carried", named.join(", "));
  return { balance: rest ?? unlimitedAs, usedQuota };
}
