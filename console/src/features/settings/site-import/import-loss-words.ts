/**
 * Words for the things that an import does not carry, and for the differences between the two
 * sides. The command has its own, in English.
 */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type {
  ImportDifferenceKind,
  ImportLossReason,
} from "@tollgate/contract/commands/import-losses.ts";
import type { SiteImportLoss } from "@tollgate/contract/commands/site-imports.ts";

/** `{field}` and `{value}` are members of the loss. */
const sentences: Readonly<Record<ImportLossReason, MessageDescriptor>> = {
  deleted_in_source: msg`Is deleted in the source; it was not carried`,
  deleted_and_disabled: msg`Is deleted in the source and is disabled here`,
  deleted_stays: msg`Is deleted in the source and stays as it is here ({value}): disable it, or keep it`,
  back_in_source: msg`Is in the source again and stays disabled here`,
  deletions_too_many: msg`Has deleted many rows that were carried ({value}); nothing was disabled here: look at them, then run the command import with --follow-deletions={field}`,
  deletions_not_proved: msg`Lacks rows that were carried ({value}) and has no key, code or password that was; nothing was disabled here: look whether it is the same system`,
  deletions_not_read: msg`Was not read whole, as in earlier runs: what it lacks was not disabled here ({value})`,
  deletions_after_cut_over: msg`Was cut over: what is deleted there since stays as it is here ({value})`,
  row_unreadable: msg`Has fields that cannot be read; it was not carried`,
  row_refused: msg`Was refused: {value}`,
  owner_missing: msg`Was not imported, because its user was not`,
  name_taken: msg`Signs in as {value}, because the name is taken here`,
  name_unusual: msg`Keeps a name that could not be chosen here; it signs in with exactly this name (command usernames)`,
  text_cut: msg`Has a longer {field} than fits; it was cut`,
  email_taken: msg`Loses its mail address: another account has it`,
  email_invalid: msg`Loses its mail address: it is not valid here`,
  role_lowered: msg`Was root and arrives as administrator`,
  password_reset_needed: msg`Has a password that cannot be verified here: it has to be reset`,
  password_well_known: msg`Has the password 123456 and must choose another one at the next sign-in`,
  second_factor_unreadable: msg`Has a second factor that cannot be read and arrives disabled: enable it after its owner is known`,
  sign_in_not_served: msg`Cannot sign in by {field} here: bind it again, or reset the password`,
  invite_balance: msg`Has {value} units of invitation rewards that were not moved to the balance`,
  quota_at_32_bits: msg`Has exactly {value} units; its counter may have overflowed`,
  debt_carried: msg`Owes {value} units: the next credit pays them first`,
  invitation_code_taken: msg`Gets a new invitation code, because another user has the old one`,
  identity_taken: msg`Loses its {field} account: another user has it`,
  group_renamed: msg`Has a group that is named otherwise here: {value}`,
  group_added: msg`Has no ratio in the source; it has {value} here`,
  key_pinned: msg`Has a key whose end looks like the number of a channel: it does not work here`,
  key_taken: msg`Has a value that another one has; it was not carried`,
  models_empty: msg`Allows no model and arrives disabled`,
  models_too_long: msg`Has a longer list of models than fits and arrives disabled`,
  addresses_invalid: msg`Has addresses that cannot be read ({field}) and arrives disabled`,
  token_group: msg`Has the group {value}, for which the source names no groups, and arrives disabled`,
  token_groups_cut: msg`Has more groups than a key can have here; it tries {value}`,
  token_groups_in_turn: msg`Tries its next group also where a call fails in one; the source did so only where a group had no channel`,
  channel_type_unserved: msg`Is of type {value}, which is not served here`,
  json_invalid: msg`Has a {field} that is not valid JSON; it was left out`,
  setting_not_served: msg`Has a setting without a counterpart: {value}`,
  price_missing: msg`Serves models whose price is not stored in the source; the prices of this gateway apply: {value}`,
  price_per_call: msg`Does not serve {field} any more: {value} dollars for each call cannot be charged here`,
  price_member_not_read: msg`Has prices of {field} that are not read here: {value}`,
  option_unknown: msg`Has no counterpart here`,
  option_refused: msg`The value was refused: {value}`,
  option_kept: msg`Already set here; left unchanged`,
  protection_ends: msg`Protected the source system and has no equivalent here`,
  provider_off: msg`Is now an identity provider, which is off: register its new callback address with {value}, then switch it on`,
  changed_in_source: msg`Changed in the source since; it stays as it was carried`,
  aliases_of_key: msg`Calls models by names of its own, which are refused here: {value}. Make virtual models of them`,
  channel_type_disabled: msg`Is of type {value}, which is not served here, and arrives disabled, as OpenAI-compatible`,
  completion_price_missing: msg`Stores no price of answers for {value}: there the ratio of this gateway applies`,
  changed_here: msg`Changed here since it was carried, and there too: compare them`,
  role_without_counterpart: msg`Had the role {value}, which is not served here, and arrives as user`,
  team_as_account: msg`Is a team, and stays the account that an earlier run made of it. To make a team of its people, select them on Users and choose "Team of these people"`,
  team_without_admin: msg`Has no admin in the source: {value} owns it here. Hand it over to one of its members`,
  team_members_of_keys: msg`Has {value} members whom its list does not name, because they have keys of it`,
  team_members_missing: msg`Names members who have no account in the source: {value}`,
  team_members_changed: msg`Has other members in the source since, who stay as they are here: {value}`,
  member_budget_anew: msg`Has budgets of single members, which start from 0 here: {value}`,
  member_budget_not_carried: msg`Has budgets of members that have no equivalent here and end: {value}`,
  unowned_keys: msg`Is a new account that owns the keys without user and team, with {value} units`,
  budget_unlimited: msg`Has no budget there; every balance ends here, and this one has {value} units`,
  budget_refilled: msg`Has a budget that is refilled every {value} there; its rest is carried and is not refilled here`,
  limit_not_carried: msg`Has limits without a counterpart, which end: {field}`,
  limit_of_zero: msg`Allows no call ({field} is 0) and arrives disabled`,
  routes_restricted: msg`Allows only some routes ({value}), which tokens here cannot, and arrives disabled`,
  model_pattern: msg`Names models by patterns; it has those that match today: {value}`,
  model_pattern_channel: msg`Serves models by a pattern and was not carried: name its models in a channel`,
  channel_of_team: msg`Is for one team alone, which channels here are not, and arrives disabled`,
  address_refused: msg`Has an address that calls are refused to: {value}`,
  environment_missing: msg`Was not carried: set {value} as LiteLLM has it and run the import again`,
  master_key_calls_only: msg`Keeps working for calls, but not for administration`,
  master_key_unknown: msg`Is not set: the master key was not carried, and calls with it are refused`,
  master_key_weak: msg`Is short enough to guess: it was not imported, and calls with it are refused`,
  expires_later: msg`Expires at {value} in the source, and never here`,
  database_not_read: msg`Names a database, which may hold users, keys and models: import that, and not this file alone`,
  fallbacks_not_carried: msg`Has {field} with no equivalent here, not imported: {value}`,
  fallback_order: msg`Has more fallbacks than tiers: the last ones are tried in any order: {value}`,
  table_not_carried: msg`Has {value} rows without a counterpart here`,
  logs_of_other_kinds: msg`Has {value} rows of kinds that are not carried, or that cannot be read`,
  logs_summed: msg`Has {value} rows from before the first day that is carried by rows; they are in the sums alone`,
};

/** Their sentences say nothing of the field. */
const withField: ReadonlySet<ImportLossReason> = new Set([
  "row_unreadable",
  "row_refused",
  "setting_not_served",
  "changed_in_source",
  "changed_here",
]);

const isKnown = (reason: string): reason is ImportLossReason => Object.hasOwn(sentences, reason);

/** A reason that this console does not know is shown as it is named, with its members. */
export function findLossSentence(
  reason: string,
  { field, value }: Pick<SiteImportLoss, "field" | "value">,
) {
  if (!isKnown(reason)) return [reason, field, value].filter((text) => text !== "").join(" · ");
  return { ...sentences[reason], values: { field, value } };
}

/**
 * `readLossSubject` gives what a line is about: the id in the source, the name, and the field where
 * the sentence does not name it.
 */
export function readLossSubject(
  reason: string,
  { source_id, name, field }: SiteImportLoss,
): string {
  const shownName = name === source_id ? "" : name;
  const shownField = isKnown(reason) && withField.has(reason) ? field : "";
  return [source_id, shownName, shownField].filter((text) => text !== "").join(" · ");
}

const differences: Readonly<Record<ImportDifferenceKind, MessageDescriptor>> = {
  missing: msg`Missing`,
  deleted: msg`Deleted in the source`,
  balance: msg`Balance`,
  "used quota": msg`Used quota`,
  members: msg`Members`,
  "remaining quota": msg`Remaining quota`,
  key: msg`Key`,
  code: msg`Redemption code`,
  status: msg`Status`,
  role: msg`Role`,
  price: msg`Price`,
  "calls in the log": msg`Calls in the log`,
  "sum of rows": msg`Sum of rows`,
  "sum of quota": msg`Sum of quota`,
  "sum of tokens": msg`Sum of tokens`,
};

const isKnownDifference = (what: string): what is ImportDifferenceKind =>
  Object.hasOwn(differences, what);

/** Undefined for one that this console does not know. */
export const findDifferenceWords = (what: string): MessageDescriptor | undefined =>
  isKnownDifference(what) ? differences[what] : undefined;
