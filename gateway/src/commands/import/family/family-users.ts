/** Users of the family as neutral items. Pure. */

import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import { email as mailAddress } from "@tollgate/contract/accounts/users.ts";
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import * as z from "zod/mini";
import { accountIdPatterns } from "../../../accounts/identity/external/external-rules.ts";
import { isSubject } from "../../../accounts/identity/external/oidc-identity.ts";
import { readImportedHash } from "../../../accounts/identity/users/imported-passwords.ts";
import type { Loss, SourceUser } from "../import-items.ts";
import {
  defineWholeNumber,
  fillRow,
  formatSourceText,
  sourceTime,
  sourceUnits,
} from "../sources/source-fields.ts";
import type { SourceRow } from "../sources/source-tables.ts";
import { unreadable } from "../unreadable-row.ts";
import { findBase32Bytes } from "./base32-bytes.ts";
import type { FamilyKind } from "./family-kind.ts";
import { readAcceptedGroup } from "./group-names.ts";

const shape = {
  id: defineWholeNumber(),
  uuid: formatSourceText(64),
  username: formatSourceText(200),
  password: formatSourceText(400),
  display_name: formatSourceText(400),
  role: defineWholeNumber(roles.user),
  status: defineWholeNumber(userStatus.enabled),
  email: formatSourceText(400),
  github_id: formatSourceText(200),
  wechat_id: formatSourceText(200),
  lark_id: formatSourceText(200),
  oidc_id: formatSourceText(400),
  discord_id: formatSourceText(200),
  telegram_id: formatSourceText(200),
  linux_do_id: formatSourceText(200),
  access_token: formatSourceText(200),
  quota: sourceUnits,
  used_quota: sourceUnits,
  request_count: defineWholeNumber(),
  group: formatSourceText(200),
  aff_code: formatSourceText(64),
  inviter_id: defineWholeNumber(),
  aff_quota: sourceUnits,
  totp_secret: formatSourceText(200),
  created_at: sourceTime,
  deleted_at: formatSourceText(64),
};
const userRow = z.object(shape);
export const userColumns = Object.keys(shape);

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const accessTokenPattern = /^[\x21-\x7e]{16,128}$/;
const invitationPattern = /^[\x21-\x7e]{1,32}$/;
const displayNameMax = 20;
/** `largestOf32Bits` are where a 32-bit column stops counting: the true balance may be more. */
const largestOf32Bits = 2_147_483_647;
/** Bytes of a seed below which codes can be guessed from a few of them. */
const seedBytesMin = 10;

/** The columns that hold the provider's own immutable id. */
const accountColumns = [
  { column: "lark_id", provider: "lark" },
  { column: "discord_id", provider: "discord" },
  { column: "linux_do_id", provider: "linuxdo" },
  { column: "telegram_id", provider: "telegram" },
  { column: "wechat_id", provider: "wechat" },
] as const;

/** `factorOf` is the seed of new-api's second factor, in base 32, if it is on. */
export function readUser(
  kind: FamilyKind,
  row: SourceRow,
  factorOf: (id: number) => string | undefined,
) {
  const parsed = z.safeParse(userRow, fillRow(row, shape));
  const sourceId = String(row.id);
  if (!parsed.success) return unreadable<SourceUser>("user", sourceId, row.username, parsed.error);
  const user = parsed.data;
  const losses: Loss[] = [];
  const lose = (reason: ImportLossReason, field: string, value = "") => {
    losses.push({ entity: "user", sourceId, name: user.username, field, reason, value });
  };
  if (user.status === userStatus.deleted || user.deleted_at !== "") {
    lose("deleted_in_source", "", String(Math.max(0, user.quota)));
    return { sourceId, item: undefined, losses };
  }

  const isMailAccepted = z.safeParse(mailAddress, user.email).success;
  if (!isMailAccepted) lose("email_invalid", "email", user.email);
  if (readImportedHash(user.password) === undefined) lose("password_reset_needed", "password");
  const encodedSeed = kind === "new-api" ? (factorOf(user.id) ?? "") : user.totp_secret;
  const seed = findBase32Bytes(encodedSeed);
  const isSeedLost = encodedSeed !== "" && (seed === undefined || seed.length < seedBytesMin);
  if (isSeedLost) lose("second_factor_unreadable", "totp");
  if (user.oidc_id !== "" && !isSubject(user.oidc_id)) lose("sign_in_not_served", "oidc_id");
  const isGithubNumber = kind === "new-api" && /^\d{1,20}$/.test(user.github_id);
  if (user.github_id !== "" && !isGithubNumber) lose("sign_in_not_served", "github_id");
  const externalAccounts = accountColumns.flatMap(({ column, provider }) => {
    const externalId = user[column];
    if (accountIdPatterns[provider].test(externalId)) return [{ provider, externalId }];
    if (externalId !== "") lose("sign_in_not_served", column);
    return [];
  });
  if (user.aff_quota > 0) lose("invite_balance", "aff_quota", String(user.aff_quota));
  if (kind === "new-api" && user.quota === largestOf32Bits)
    lose("quota_at_32_bits", "quota", String(user.quota));
  if (user.quota < 0) lose("debt_carried", "quota", String(-user.quota));
  const group = readAcceptedGroup(user.group);
  if (user.group !== "" && group !== user.group)
    lose("group_renamed", "group", `${user.group} → ${group}`);
  if (user.display_name.length > displayNameMax)
    lose("text_cut", "display_name", user.display_name);
  const accessToken = accessTokenPattern.test(user.access_token) ? user.access_token : undefined;

  const item: SourceUser = {
    username: user.username || `user-${sourceId}`,
    displayName: [...(user.display_name || user.username)].slice(0, displayNameMax).join(""),
    email: isMailAccepted ? user.email : "",
    passwordHash: readImportedHash(user.password) ? user.password : "",
    role:
      user.role >= roles.root ? roles.root : user.role >= roles.admin ? roles.admin : roles.user,
    isEnabled: user.status === userStatus.enabled && user.role > roles.guest && !isSeedLost,
    mustChangePassword: false,
    group,
    balance: Math.min(quotaMax, user.quota),
    usedQuota: Math.max(0, user.used_quota),
    requestCount: Math.max(0, user.request_count),
    uuid: uuidPattern.test(user.uuid) ? user.uuid : undefined,
    accessToken,
    inviterSourceId: user.inviter_id > 0 ? String(user.inviter_id) : undefined,
    invitationCode: invitationPattern.test(user.aff_code) ? user.aff_code : undefined,
    totpSeed: isSeedLost || encodedSeed === "" ? undefined : seed,
    externalAccounts: [
      ...externalAccounts,
      ...(isSubject(user.oidc_id) ? [{ provider: "oidc" as const, externalId: user.oidc_id }] : []),
      ...(isGithubNumber ? [{ provider: "github" as const, externalId: user.github_id }] : []),
    ],
    createdAtMs: user.created_at,
  };
  return { sourceId, item, losses };
}
