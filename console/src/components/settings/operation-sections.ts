import { msg } from "@lingui/core/macro";
import type { OptionSection } from "./option-sections.ts";

const quota: OptionSection = {
  id: "quota",
  title: msg`Quota`,
  note: msg`Starting quota of accounts, and when owners are warned.`,
  fields: [
    {
      key: "QuotaForNewUser",
      kind: "quota",
      label: msg`Quota for new users`,
      help: msg`Added once, when a user registers.`,
    },
    {
      key: "QuotaForInviter",
      kind: "quota",
      label: msg`Quota for the inviter`,
      help: msg`Added when someone registers with the user's invitation code.`,
    },
    {
      key: "QuotaForInvitee",
      kind: "quota",
      label: msg`Quota for the invited`,
      help: msg`Added to the quota for new users.`,
    },
    {
      key: "AdminIssueLimit",
      kind: "quota",
      label: msg`Quota that an administrator issues per day`,
      help: msg`Counts codes, top-ups, edits and first quotas of a UTC day. Anything above it waits for a super administrator's approval.`,
    },
    {
      key: "QuotaRemindThreshold",
      kind: "quota",
      label: msg`Quota reminder`,
      help: msg`Users whose quota falls below it get a mail.`,
    },
    {
      key: "BudgetTimeZone",
      kind: "line",
      label: msg`Time zone of budgets`,
      help: msg`For budgets and spending limits created without one, such as Europe/Berlin.`,
    },
    {
      key: "PreConsumedQuota",
      kind: "number",
      label: msg`Extra tokens reserved per call`,
      help: msg`Reserved on top of each call's prompt tokens; the unused part is returned when the call ends.`,
    },
    {
      key: "TokensPerUserMax",
      kind: "number",
      label: msg`API keys per user`,
      help: msg`A user with this many cannot create another.`,
    },
    {
      key: "TransferFromUsers",
      kind: "flag",
      label: msg`Users transfer balance to each other`,
      help: msg`On Top Up, by the username of the recipient. A new account can then pass on what it was given, too.`,
    },
    {
      key: "TeamsByUsers",
      kind: "number",
      label: msg`Teams per user`,
      help: msg`As many as this a user makes and owns; 0: only administrators make teams.`,
    },
    {
      key: "TeamKeyMaxDays",
      kind: "number",
      label: msg`Days an API key of a team works`,
      help: msg`New keys of teams must end within this many days. 0 turns this off.`,
    },
    {
      key: "KeyNetworksThreshold",
      kind: "number",
      label: msg`Networks of an API key per day`,
      help: msg`A key used from more networks than this on one UTC day appears among the keys to review. 0 turns this off.`,
    },
    {
      key: "TokenCountsPerMinute",
      kind: "number",
      label: msg`Token counts per minute`,
      help: msg`Counting tokens is free. This is the limit per user across all their keys. 0: no limit.`,
    },
    {
      key: "QuotaPerUnit",
      kind: "fixed",
      label: msg`Quota per dollar`,
      help: msg`Fixed, because every balance, price and receipt depends on it.`,
    },
  ],
};

const calls: OptionSection = {
  id: "calls",
  title: msg`Calls`,
  fields: [
    {
      key: "RetryTimes",
      kind: "number",
      label: msg`Retries`,
      help: msg`How many other channels to try after a failure.`,
    },
    {
      key: "RetryStatuses",
      kind: "line",
      label: msg`Also retry after these statuses`,
      help: msg`Error statuses of providers such as 400,422. A call that such a status ends goes to the next channel.`,
    },
    {
      key: "NoRetryStatuses",
      kind: "line",
      label: msg`Never retry after these statuses`,
      help: msg`Error statuses of providers such as 500-504. The client gets the error of the first channel.`,
    },
    {
      key: "RetryLostAnswerEnabled",
      kind: "flag",
      label: msg`Send a call again after a lost answer`,
      help: msg`Retries once when a provider accepted the request and then sent nothing, or too much. The provider may bill both calls; only one is charged.`,
    },
    {
      key: "ApproximateTokenEnabled",
      kind: "flag",
      label: msg`Fast token estimate`,
      help: msg`Counts 0.38 tokens per byte where a provider does not say how many there were: more than most texts have.`,
    },
    {
      key: "LogConsumeEnabled",
      kind: "flag",
      label: msg`Log the content of calls`,
      help: msg`When off, rows keep no text. Every charge still has its row.`,
    },
    {
      key: "TagKeys",
      kind: "names",
      label: msg`Counted tags`,
      help: msg`Up to five keys of tags such as team,env: spending is summed by their values, and budgets may name them. The key end_user counts what clients say of their own users. Empty reads no tags.`,
    },
    {
      key: "ResponseStoreEnabled",
      kind: "flag",
      label: msg`Keep conversations of Responses`,
      help: msg`For providers that keep none: a call can continue from an earlier answer. The gateway stores what was said for 30 days, encrypted.`,
    },
    {
      key: "ResponseCacheEnabled",
      kind: "flag",
      label: msg`Cache answers`,
      help: msg`A client that sends x-tollgate-cache: max-age=600 gets the earlier answer of its account to the same request, if its key allows it.`,
    },
    {
      key: "CacheHitRatio",
      kind: "number",
      label: msg`Price of a cached answer`,
      help: msg`As a share of what the answer first cost: 0 is free, 1 costs the same.`,
    },
  ],
};

const channels: OptionSection = {
  id: "channels",
  title: msg`Channels`,
  fields: [
    {
      key: "AutomaticDisableChannelEnabled",
      kind: "flag",
      label: msg`Disable failing channels`,
      help: msg`When a provider refuses the key or closes the account, or a test takes too long.`,
    },
    {
      key: "AutomaticEnableChannelEnabled",
      kind: "flag",
      label: msg`Enable recovered channels`,
      help: msg`When a test succeeds again. Only channels that were disabled automatically.`,
    },
    {
      key: "ChannelDisableThreshold",
      kind: "number",
      label: msg`Slowest accepted test, in seconds`,
      help: msg`A channel whose test takes longer counts as failing.`,
    },
  ],
};

const display: OptionSection = {
  id: "display",
  title: msg`Display and links`,
  fields: [
    {
      key: "DisplayInCurrencyEnabled",
      kind: "flag",
      label: msg`Show quota as money`,
      help: msg`In dollars; off, in quota units.`,
    },
    {
      key: "DisplayTokenStatEnabled",
      kind: "flag",
      label: msg`Show clients the balance of their key`,
      help: msg`The balance that chat programs show: the key's. When off, its owner's.`,
    },
    {
      key: "TopUpLink",
      kind: "line",
      label: msg`Top-up link`,
      help: msg`Where to buy quota. Empty hides the button.`,
    },
    {
      key: "ChatLink",
      kind: "line",
      label: msg`Chat link`,
      help: msg`Address shown on the Chat page. Empty hides the entry.`,
    },
  ],
};

const retention: OptionSection = {
  id: "retention",
  title: msg`Retention`,
  note: msg`Older entries are deleted automatically. 0 keeps them forever.`,
  fields: [
    { key: "LogRetentionDays", kind: "number", label: msg`Keep logs for days` },
    { key: "TraceRetentionDays", kind: "number", label: msg`Keep traces for days` },
    { key: "BodyRetentionDays", kind: "number", label: msg`Keep contents of calls for days` },
  ],
};

const groups: OptionSection = {
  id: "groups",
  title: msg`Groups`,
  fields: [
    {
      key: "GroupRatio",
      kind: "json",
      label: msg`Group ratios`,
      help: msg`What a group pays, as a multiple of the price. Each user pays at the ratio of their own group; default must be there.`,
    },
    {
      key: "ChannelGroupRatioEnabled",
      kind: "flag",
      label: msg`Charge by the groups of the channel`,
      help: msg`Every call pays the lowest ratio among the channel's groups; off, the ratio of the user's own group.`,
    },
    {
      key: "AvailableGroups",
      kind: "names",
      label: msg`Available groups`,
      help: msg`The groups that forms offer, separated by commas. Empty offers every group that has a ratio.`,
    },
    {
      key: "SelectableGroups",
      kind: "names",
      label: msg`Groups for API keys`,
      help: msg`Groups that users may choose for their API keys besides their own, separated by commas. A call pays the ratio of the group whose channel answers.`,
    },
  ],
};

const guards: OptionSection = {
  id: "guards",
  title: msg`Guards`,
  note: msg`What requests may not contain. A refused call costs nothing and leaves a row that says why, without the text.`,
  fields: [
    {
      key: "DenyLists",
      kind: "json",
      label: msg`Deny lists`,
      help: msg`A list of objects with name, words, patterns (RE2), groups and keys (ids). Without groups and keys, a list holds for every call.`,
    },
    {
      key: "SecretNoteEnabled",
      kind: "flag",
      label: msg`Note credentials in requests`,
      help: msg`Known shapes of API keys and private keys; the row of the call says that there was one.`,
    },
    {
      key: "SecretRefusalEnabled",
      kind: "flag",
      label: msg`Refuse requests with credentials`,
      help: msg`The client learns which kind was found, and sends the request without it.`,
    },
    {
      key: "GuardHookAddress",
      kind: "line",
      label: msg`Guard hook address`,
      help: msg`Your own service, which reads the texts of each request and allows, refuses or replaces them within 2 seconds. Public address, or a host listed in GUARD_PRIVATE_HOSTS.`,
    },
    {
      key: "GuardHookSecret",
      kind: "secret",
      label: msg`Guard hook secret`,
      help: msg`whsec_ and 24 to 64 bytes in base64: the service verifies with it that the gateway asks.`,
    },
    {
      key: "GuardHookEnabled",
      kind: "flag",
      label: msg`Ask the guard hook`,
      help: msg`Calls are refused while it does not answer.`,
    },
    {
      key: "GuardHookOptionalEnabled",
      kind: "flag",
      label: msg`Let calls pass when the guard hook does not answer`,
      help: msg`Their rows say so.`,
    },
  ],
};

const alerts: OptionSection = {
  id: "alerts",
  title: msg`Alert rules`,
  note: msg`An alert begins at one limit and ends at another. A figure between the two changes nothing.`,
  fields: [
    { key: "AlertRules", kind: "alert-rules", label: msg`Alert rules` },
    {
      key: "BackupIntervalHours",
      kind: "number",
      label: msg`Hours between backups`,
      help: msg`Alerts when the last "tollgate backup" is older. 0 turns this off; not available with PostgreSQL.`,
    },
  ],
};

/** The sections of the tab Operation, in their order. */
export const operationSections: readonly OptionSection[] = [
  quota,
  calls,
  channels,
  display,
  retention,
  groups,
  guards,
  alerts,
];
