/** Users of the family as neutral items. Pure. */
import type { ImportLossReason } from "@tollgate/contract/import-losses.ts";
import { roles, userStatus } from "@tollgate/contract/roles.ts";
import { quotaMax } from "@tollgate/contract/scalars.ts";
import { email as mailAddress } from "@tollgate/contract/users.ts";
import * as z from "zod/mini";
import { accountIdPatterns } from "../../identity/external/external-rules.ts";
import { isSubject } from "../../identity/external/oidc-identity.ts";
import { importedHashOf } from "../../identity/users/imported-passwords.ts";
import type { Loss, SourceUser } from "../import-items.ts";
import { filledRow, sourceText, sourceTime, sourceUnits, wholeNumber } from "../sources/source-fields.ts";
import type { SourceRow } from "../sources/source-tables.ts";
import { unreadable } from "../unreadable-row.ts";
import { base32Bytes } from "./base32-bytes.ts";
import type { FamilyKind } from "./family-kind.ts";
import { acceptedGroup } from "./group-names.ts";

const shape = {
  id: wholeNumber(),
  uuid: sourceText(64),
  username: sourceText(200),
  password: sourceText(400),
  display_name: sourceText(400),
  role: wholeNumber(roles.user),
  status: wholeNumber(userStatus.enabled),
  email: sourceText(400),
  github_id: sourceText(200),
  wechat_id: sourceText(200),
  lark_id: sourceText(200),
  oidc_id: sourceText(400),
  discord_id: sourceText(200),
  telegram_id: sourceText(200),
  linux_do_id: sourceText(200),
  access_token: sourceText(200),
  quota: sourceUnits,
  used_quota: sourceUnits,
  request_count: wholeNumber(),
  group: sourceText(200),
  aff_code: sourceText(64),
  inviter_id: wholeNumber(),
  aff_quota: sourceUnits,
  totp_secret: sourceText(200),
  created_at: sourceTime,
  deleted_at: sourceText(64),
};
const userRow = z.object(shape);
export const userColumns = Object.keys(shape);

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const accessTokenPattern = /^[\x21-\x7e]{16,128}$/;
const invitationPattern = /^[\x21-\x7e]{1,32}$/;
const displayNameMax = 20;
/** Where a 32-bit column stops counting: the true balance may be more. */
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
export function readUser(kind: FamilyKind, row: SourceRow, factorOf: (id: number) => string | undefined) {
  const parsed = z.safeParse(userRow, filledRow(row, shape));
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
  if (importedHashOf(user.password) === undefined) lose("password_reset_needed", "password");
  const encodedSeed = kind === "new-api" ? (factorOf(user.id) ?? "") : user.totp_secret;
  const seed = base32Bytes(encodedSeed);
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
  if (kind === "new-api" && user.quota === largestOf32Bits) lose("quota_at_32_bits", "quota", String(user.quota));
  if (user.quota < 0) lose("debt_carried", "quota", String(-user.quota));
  const group = acceptedGroup(user.group);
  if (user.group !== "" && group !== user.group) lose("group_renamed", "group", `${user.group} → ${group}`);
  if (user.display_name.length > displayNameMax) lose("text_cut", "display_name", user.display_name);
  const accessToken = accessTokenPattern.test(user.access_token) ? user.access_token : undefined;

  const item: SourceUser = {
    username: user.username || `user-${sourceId}`,
    displayName: [...(user.display_name || user.username)].slice(0, displayNameMax).join(""),
    email: isMailAccepted ? user.email : "",
    passwordHash: importedHashOf(user.password) ? user.password : "",
    role: user.role >= roles.root ? roles.root : user.role >= roles.admin ? roles.admin : roles.user,
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
