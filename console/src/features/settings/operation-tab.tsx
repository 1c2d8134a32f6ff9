import { msg } from "@lingui/core/macro";
import { ClearLogsCard } from "./clear-logs-card.tsx";
import type { OptionSection } from "./option-sections.ts";
import { OptionTab } from "./option-tab.tsx";

const quota: OptionSection = {
  title: msg`Quota`,
  note: msg`What accounts start with, and when their owners are warned.`,
  fields: [
    { key: "QuotaForNewUser", kind: "quota", label: msg`Quota for new users`, help: msg`Given once at registration.` },
    {
      key: "QuotaForInviter",
      kind: "quota",
      label: msg`Quota for the inviter`,
      help: msg`Given when a user registers with an invitation code.`,
    },
    {
      key: "QuotaForInvitee",
      kind: "quota",
      label: msg`Quota for the invited`,
      help: msg`Given on top of the quota for new users.`,
    },
    {
      key: "AdminIssueLimit",
      kind: "quota",
      label: msg`Quota that an administrator issues per day`,
      help: msg`By codes, top-ups, edits and first quotas, per UTC day. What exceeds it waits for the approval of a super administrator.`,
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
      help: msg`Such as Europe/Berlin: of budgets and spending limits that are made without one.`,
    },
    {
      key: "PreConsumedQuota",
      kind: "number",
      label: msg`Extra tokens to reserve for each call`,
      help: msg`Prompt tokens that each call reserves in addition; what was not used is given back when it ends.`,
    },
    {
      key: "TokensPerUserMax",
      kind: "number",
      label: msg`Tokens per user`,
      help: msg`A user who has as many creates no further one.`,
    },
    {
      key: "KeyNetworksThreshold",
      kind: "number",
      label: msg`Networks of an API key per day`,
      help: msg`A key that is used from more on one UTC day is listed among the keys to look at. 0 counts none.`,
    },
    {
      key: "TokenCountsPerMinute",
      kind: "number",
      label: msg`Token counts per minute`,
      help: msg`Counting the tokens of a prompt is free; a user may ask this often, with all API keys together. 0 is no limit.`,
    },
    {
      key: "QuotaPerUnit",
      kind: "fixed",
      label: msg`Quota per dollar`,
      help: msg`Fixed: every balance, price and receipt is computed with it.`,
    },
  ],
};

const groups: OptionSection = {
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
      label: msg`Groups for tokens`,
      help: msg`The groups that every user may choose for tokens besides their own, separated by commas: a call then pays the ratio of the group whose channel answers.`,
    },
  ],
};

const calls: OptionSection = {
  title: msg`Calls`,
  fields: [
    {
      key: "RetryTimes",
      kind: "number",
      label: msg`Retries`,
      help: msg`How many further channels are tried when one fails.`,
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
      help: msg`Once, when a provider took the request and then sent nothing, or too much. It may bill both calls, and only one is charged.`,
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
      help: msg`Off, the rows stay, without the text of what happened: every charge keeps its row.`,
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
      help: msg`For providers that keep none, so that a call may name the answer it follows. What was said is stored for 30 days, encrypted.`,
    },
    {
      key: "ResponseCacheEnabled",
      kind: "flag",
      label: msg`Cache answers`,
      help: msg`A client that sends x-tollgate-cache: max-age=600 gets the answer again that its account got for the same request, if its key allows it.`,
    },
    {
      key: "CacheHitRatio",
      kind: "number",
      label: msg`Price of a cached answer`,
      help: msg`As a share of what the answer first cost: 0 is free, 1 costs the same.`,
    },
  ],
};

const guards: OptionSection = {
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
      help: msg`A service of your own that reads the texts of each request, and allows, refuses or replaces them within 2 seconds. On the public internet, or at a host that GUARD_PRIVATE_HOSTS names.`,
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
      help: msg`While it does not answer, calls are refused.`,
    },
    {
      key: "GuardHookOptionalEnabled",
      kind: "flag",
      label: msg`Let calls pass without an answer of the guard hook`,
      help: msg`Their rows say so.`,
    },
  ],
};

const channels: OptionSection = {
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
      help: msg`When a test succeeds again; only those that were disabled automatically.`,
    },
    {
      key: "ChannelDisableThreshold",
      kind: "number",
      label: msg`Longest test, in seconds`,
      help: msg`A channel whose test takes longer counts as failing.`,
    },
  ],
};

const alerts: OptionSection = {
  title: msg`Alert rules`,
  note: msg`An alert begins at one limit and ends at another one, so that a figure between them changes nothing.`,
  fields: [
    { key: "AlertRules", kind: "alert-rules", label: msg`Alert rules` },
    {
      key: "BackupIntervalHours",
      kind: "number",
      label: msg`Hours between two backups`,
      help: msg`An alert tells when the last backup by the command "tollgate backup" is older. 0 expects none; on PostgreSQL the gateway learns of none.`,
    },
  ],
};

const display: OptionSection = {
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
      help: msg`What chat programs read as their balance: that of the API key, or off, that of its owner.`,
    },
    {
      key: "TopUpLink",
      kind: "line",
      label: msg`Top-up link`,
      help: msg`Where quota is bought; empty hides the button.`,
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
  title: msg`Retention`,
  note: msg`Older entries are deleted automatically. 0 keeps them forever.`,
  fields: [
    { key: "LogRetentionDays", kind: "number", label: msg`Keep logs for days` },
    { key: "TraceRetentionDays", kind: "number", label: msg`Keep traces for days` },
    { key: "BodyRetentionDays", kind: "number", label: msg`Keep contents of calls for days` },
  ],
};

export const OperationTab = () => (
  <OptionTab
    left={[quota, calls, channels, display, retention]}
    right={[groups, guards, alerts]}
    rightEnd={<ClearLogsCard />}
  />
);
