/** The names that forms and lists have for the members of changes, their statuses and roles. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { redemptionStatus } from "@tollgate/contract/accounts/redemptions.ts";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";

/** Other members keep the name that the API gives them. */
export const changeLabels: Readonly<Record<string, MessageDescriptor>> = {
  amount: msg`Amount`,
  base_url: msg`Base URL`,
  count: msg`Count`,
  custom_headers: msg`Custom headers`,
  disabled_reason: msg`Reason`,
  display_name: msg`Display name`,
  email: msg`Email`,
  finding: msg`Finding`,
  group: msg`Group`,
  groups: msg`Groups`,
  inviter: msg`Invited by`,
  key: msg`API Key`,
  keyword: msg`Searched for`,
  language: msg`Language`,
  model_mapping: msg`Model mapping`,
  models: msg`Models`,
  name: msg`Name`,
  note: msg`Note`,
  page: msg`Page`,
  password: msg`Password`,
  priority: msg`Priority`,
  quota: msg`Quota`,
  quota_moved_by: msg`Quota`,
  reason: msg`Reason`,
  remark: msg`Remark`,
  role: msg`Role`,
  shown: msg`Shown`,
  status: msg`Status`,
  username: msg`Username`,
  weight: msg`Weight`,
};

type Names = Readonly<Record<number, MessageDescriptor>>;

const statuses: Readonly<Record<string, Names>> = {
  user: { [userStatus.enabled]: msg`Enabled`, [userStatus.disabled]: msg`Disabled` },
  channel: {
    [channelStatus.enabled]: msg`Enabled`,
    [channelStatus.disabled]: msg`Disabled`,
    [channelStatus.autoDisabled]: msg`Auto-disabled`,
  },
  token: {
    [tokenStatus.enabled]: msg`Enabled`,
    [tokenStatus.disabled]: msg`Disabled`,
    [tokenStatus.expired]: msg`Expired`,
    [tokenStatus.exhausted]: msg`Exhausted`,
    [tokenStatus.paused]: msg`Paused`,
  },
  redemption: {
    [redemptionStatus.unused]: msg`Unused`,
    [redemptionStatus.disabled]: msg`Disabled`,
    [redemptionStatus.used]: msg`Used`,
  },
};

const roleNames: Names = {
  [roles.user]: msg`Normal`,
  [roles.admin]: msg`Admin`,
  [roles.root]: msg`Super Admin`,
};

/** @param subject the first part of the action, such as `channel`. */
export function changeValueName(
  subject: string,
  member: string,
  value: number,
): MessageDescriptor | undefined {
  if (member === "role") return roleNames[value];
  return member === "status" ? statuses[subject]?.[value] : undefined;
}
