/**
 * The sentences of losses: what was not carried, or otherwise, why, and what the operator can do.
 */
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import { visible } from "../command-line/visible-text.ts";
import type { Loss } from "./import-items.ts";

interface LossText {
  sentence(loss: Loss): string;
  /** Shown before the others: money, access and protection are concerned. */
  isGrave?: true;
}

const inField = ({ field }: Loss): string => (field === "" ? "" : ` (${field})`);

const texts: Record<ImportLossReason, LossText> = {
  deleted_in_source: { sentence: () => "is deleted in the source and was not carried" },
  deleted_and_disabled: {
    sentence: () => "is deleted in the source and is disabled here",
    isGrave: true,
  },
  deleted_stays: {
    sentence: ({ value }) =>
      `is deleted in the source and stays as it is here (${value}): disable it, or keep it`,
    isGrave: true,
  },
  back_in_source: {
    sentence: () => "is in the source again and stays disabled here: enable it, or leave it",
  },
  deletions_too_many: {
    sentence: ({ field, value }) =>
      `has deleted more than 20 rows and 5 % of a kind that were carried (${value}); nothing was disabled here: look at them with --plan, then run again with --follow-deletions=${field}`,
    isGrave: true,
  },
  deletions_not_proved: {
    sentence: ({ value }) =>
      `lacks rows that were carried (${value}), and no key, code or password in it is one that was carried; nothing was disabled here: look whether it is the same system`,
    isGrave: true,
  },
  deletions_not_read: {
    sentence: ({ value }) =>
      `was not read whole, as in earlier runs: what it lacks was not disabled here (${value}); give the same config.yaml and variables`,
    isGrave: true,
  },
  deletions_after_cut_over: {
    sentence: ({ value }) =>
      `was cut over: what is deleted there since stays as it is here (${value})`,
  },
  row_unreadable: {
    sentence: (loss) => `has fields that cannot be read${inField(loss)} and was not carried`,
  },
  row_refused: { sentence: (loss) => `was refused${inField(loss)}: ${loss.value}`, isGrave: true },
  owner_missing: { sentence: () => "belongs to no carried user and was not carried" },
  name_taken: { sentence: ({ value }) => `signs in as ${value}: the name is taken here` },
  name_unusual: {
    sentence: () =>
      "keeps a name that could not be chosen here; it signs in with exactly this name (command usernames)",
  },
  text_cut: { sentence: ({ field }) => `has a longer ${field} than fits; it was cut` },
  email_taken: { sentence: () => "loses its mail address: another account has it" },
  email_invalid: { sentence: () => "loses its mail address: it is not valid here" },
  role_lowered: {
    sentence: () =>
      "was root and arrives as administrator; --keep-root NAME lets an account stay root",
    isGrave: true,
  },
  password_reset_needed: {
    sentence: () => "has a password that cannot be verified here: it has to be reset",
    isGrave: true,
  },
  password_well_known: {
    sentence: () => "has the password 123456 and must choose another one at the next sign-in",
    isGrave: true,
  },
  second_factor_unreadable: {
    sentence: () =>
      "has a second factor that cannot be read and arrives disabled: enable it after its owner is known",
    isGrave: true,
  },
  sign_in_not_served: {
    sentence: ({ field }) =>
      `cannot sign in by ${field} here: bind it again, or reset the password`,
  },
  invite_balance: {
    sentence: ({ value }) =>
      `has ${value} units of invitation rewards that were not moved to the balance`,
  },
  quota_at_32_bits: {
    sentence: ({ value }) => `has exactly ${value} units: its column may have stopped counting`,
    isGrave: true,
  },
  debt_carried: {
    sentence: ({ value }) => `owes ${value} units: the next credit pays them first`,
    isGrave: true,
  },
  invitation_code_taken: { sentence: () => "gets a new invitation code: its own is taken" },
  identity_taken: { sentence: ({ field }) => `loses its ${field} account: another user has it` },
  group_renamed: { sentence: ({ value }) => `has a group that is named otherwise here: ${value}` },
  group_added: { sentence: ({ value }) => `has no ratio in the source; it has ${value} here` },
  key_pinned: {
    sentence: () => "has a key whose end looks like the number of a channel: it does not work here",
    isGrave: true,
  },
  key_taken: {
    sentence: () => "has a value that another one has and was not carried",
    isGrave: true,
  },
  models_empty: { sentence: () => "allows no model and arrives disabled" },
  models_too_long: {
    sentence: () => "has a longer list of models than fits and arrives disabled",
    isGrave: true,
  },
  addresses_invalid: {
    sentence: ({ field }) => `has addresses that cannot be read (${field}) and arrives disabled`,
    isGrave: true,
  },
  token_group: {
    sentence: ({ value }) =>
      `has the group ${value}, for which the source names no groups, and arrives disabled`,
    isGrave: true,
  },
  token_groups_cut: {
    sentence: ({ value }) => `has more groups than a key can have here; it tries ${value}`,
  },
  token_groups_in_turn: {
    sentence: () =>
      "tries its next group also where a call fails in one; the source did so only where a group had no channel",
  },
  channel_type_unserved: {
    sentence: ({ value }) => `is of type ${value}, which is not served here`,
    isGrave: true,
  },
  json_invalid: {
    sentence: ({ field }) => `has a ${field} that is not valid JSON; it was left out`,
  },
  setting_not_served: {
    sentence: (loss) => `has a setting without a counterpart${inField(loss)}: ${loss.value}`,
  },
  price_missing: {
    sentence: ({ value }) =>
      `serves models whose price is not stored in the source; the prices of this gateway apply: ${value}`,
    isGrave: true,
  },
  price_per_call: {
    sentence: ({ field, value }) =>
      `does not serve ${field} any more: $${value} for each call cannot be charged here`,
    isGrave: true,
  },
  price_member_not_read: {
    sentence: ({ field, value }) => `has prices of ${field} that nothing here reads: ${value}`,
  },
  option_unknown: { sentence: () => "has no counterpart here" },
  option_refused: { sentence: ({ value }) => `was refused: ${value}` },
  option_kept: { sentence: () => "was set here before and stays as it is" },
  protection_ends: {
    sentence: () => "protected the source and has no counterpart here",
    isGrave: true,
  },
  provider_off: {
    sentence: ({ value }) =>
      `is now an identity provider, which is off: register its new callback address with ${value}, then switch it on`,
    isGrave: true,
  },
  changed_in_source: {
    sentence: (loss) => `changed in the source since${inField(loss)}; it stays as it was carried`,
  },
  aliases_of_key: {
    sentence: ({ value }) =>
      `calls models by names of its own, which are refused here: ${value}; make virtual models of them`,
    isGrave: true,
  },
  channel_type_disabled: {
    sentence: ({ value }) =>
      `is of type ${value}, which is not served here, and arrives disabled, as OpenAI-compatible`,
    isGrave: true,
  },
  completion_price_missing: {
    sentence: ({ value }) =>
      `stores no price of answers for ${value}: there the ratio of this gateway applies`,
    isGrave: true,
  },
  changed_here: {
    sentence: (loss) =>
      `changed here since it was carried${inField(loss)}, and there too: compare them`,
    isGrave: true,
  },
  role_without_counterpart: {
    sentence: ({ value }) => `had the role ${value}, which is not served here, and arrives as user`,
  },
  team_as_account: {
    sentence: () =>
      "is a team, and stays the account that an earlier run made of it; to make a team of its people, select them on Users and choose Team of these people",
  },
  team_without_admin: {
    sentence: ({ value }) =>
      `has no admin there: ${value} owns it here; hand it over to one of its members`,
    isGrave: true,
  },
  team_members_of_keys: {
    sentence: ({ value }) =>
      `has ${value} members whom its list does not name, because they have keys of it`,
  },
  team_members_missing: {
    sentence: ({ value }) => `names members who have no account there: ${value}`,
  },
  team_members_changed: {
    sentence: ({ value }) =>
      `has other members in the source since, who stay as they are here: ${value}`,
    isGrave: true,
  },
  member_budget_anew: {
    sentence: ({ value }) =>
      `has budgets of single members, whose counters begin at 0 here: ${value}`,
    isGrave: true,
  },
  member_budget_not_carried: {
    sentence: ({ value }) => `has budgets of members that cannot be told here and end: ${value}`,
    isGrave: true,
  },
  unowned_keys: {
    sentence: ({ value }) =>
      `is a new account that owns the keys without user and team, with ${value} units`,
    isGrave: true,
  },
  budget_unlimited: {
    sentence: ({ value }) =>
      `has no budget there; every wallet ends here, and this one has ${value} units (--unlimited-as)`,
    isGrave: true,
  },
  budget_refilled: {
    sentence: ({ value }) =>
      `has a budget that is refilled every ${value} there; its rest is carried and is not refilled here`,
    isGrave: true,
  },
  limit_not_carried: {
    sentence: ({ field }) => `has limits without a counterpart, which end: ${field}`,
    isGrave: true,
  },
  limit_of_zero: { sentence: ({ field }) => `allows no call (${field} is 0) and arrives disabled` },
  routes_restricted: {
    sentence: ({ value }) =>
      `allows only some routes (${value}), which keys here cannot, and arrives disabled`,
    isGrave: true,
  },
  model_pattern: {
    sentence: ({ value }) => `names models by patterns; it has those that match today: ${value}`,
  },
  model_pattern_channel: {
    sentence: () => "serves models by a pattern and was not carried: name its models in a channel",
    isGrave: true,
  },
  channel_of_team: {
    sentence: () => "is for one team alone, which channels here are not, and arrives disabled",
  },
  address_refused: {
    sentence: ({ value }) => `has an address that calls are refused to: ${value}`,
  },
  environment_missing: {
    sentence: ({ value }) =>
      `was not carried: set ${value} as LiteLLM has it (or --env-file) and run the import again`,
    isGrave: true,
  },
  master_key_calls_only: {
    sentence: () => "goes on working for calls, and not for administration",
    isGrave: true,
  },
  master_key_unknown: {
    sentence: () => "is not set: the master key was not carried, and calls with it are refused",
    isGrave: true,
  },
  master_key_weak: {
    sentence: () =>
      "is so short that it can be guessed: it was not carried, and calls with it are refused",
    isGrave: true,
  },
  expires_later: { sentence: ({ value }) => `expires at ${value} in the source, and never here` },
  database_not_read: {
    sentence: () =>
      "names a database, which may hold users, keys and models: import that, with --config FILE, in place of this file alone",
    isGrave: true,
  },
  fallbacks_not_carried: {
    sentence: ({ field, value }) =>
      `has ${field} that cannot be told here and were not carried: ${value}`,
  },
  fallback_order: {
    sentence: ({ value }) =>
      `has more fallbacks than tiers: the last ones are tried in any order: ${value}`,
  },
  table_not_carried: { sentence: ({ value }) => `has ${value} rows without a counterpart here` },
  logs_of_other_kinds: {
    sentence: ({ value }) =>
      `has ${value} rows of kinds that are not carried, or that cannot be read`,
  },
  logs_summed: {
    sentence: ({ value }) =>
      `has ${value} rows from before the first day that is carried by rows; they are in the sums alone`,
  },
};

/** Each of them is an access that ends, or does not: all are printed. */
export const isListedWhole = ({ reason }: Loss): boolean =>
  reason === "deleted_and_disabled" || reason === "deleted_stays";

export const isGrave = ({ reason }: Loss): boolean => texts[reason].isGrave === true;

const nouns: Record<Loss["entity"], string> = {
  user: "user",
  team: "team",
  token: "key",
  channel: "channel",
  model: "virtual model",
  code: "code",
  log: "log",
  shadow: "call of the dual run",
  option: "setting",
  site: "table",
  source: "source",
};

export function formatLossText(loss: Loss): string {
  const name = loss.name === "" || loss.name === loss.sourceId ? "" : ` "${visible(loss.name)}"`;
  const safe: Loss = { ...loss, field: visible(loss.field), value: visible(loss.value) };
  return `${nouns[loss.entity]} ${visible(loss.sourceId)}${name} ${texts[loss.reason].sentence(safe)}`;
}
