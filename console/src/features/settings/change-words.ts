/** The entries of the record of changes in words. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { AuditEntry } from "@tollgate/contract/audit-trail.ts";
import { changeAction, changeSubject } from "./change-facts.ts";

const words: Readonly<Record<string, MessageDescriptor>> = {
  "channel.auto_disable": msg`Disabled the channel {name} after failures`,
  "channel.auto_disable_key": msg`Disabled a key of the channel {name}`,
  "channel.auto_enable": msg`Enabled the channel {name} again`,
  "channel.create": msg`Created the channel {name}`,
  "channel.delete": msg`Deleted the channel {name}`,
  "channel.delete_disabled": msg`Deleted the disabled channels`,
  "channel.duplicate": msg`Copied a channel to {name}`,
  "channel.update": msg`Changed the channel {name}`,
  "channel.update_key": msg`Changed a key of the channel {name}`,
  "external.bind": msg`Bound an external account to {name}`,
  "external.create_user": msg`Created the user {name} by an external sign-in`,
  "external.unbind": msg`Unbound an external account of {name}`,
  "log.clear": msg`Started to clear logs`,
  "log.cleared": msg`Cleared logs`,
  "log.expired": msg`Deleted old logs as the settings say`,
  "management_key.create": msg`Created the management key {name}`,
  "management_key.delete": msg`Deleted the management key {name}`,
  "management_key.disable": msg`Disabled the management key {name}`,
  "management_key.enable": msg`Enabled the management key {name}`,
  "master_key.rotate": msg`Changed the master key`,
  "option.change": msg`Changed the setting {name}`,
  "redemption.create": msg`Created redemption codes: {name}`,
  "redemption.delete": msg`Deleted the redemption code {name}`,
  "redemption.update": msg`Changed the redemption code {name}`,
  "session.end": msg`Ended a session of {name}`,
  "session.end_others": msg`Ended the other sessions of {name}`,
  "totp.disable": msg`Turned the second factor of {name} off`,
  "totp.enable": msg`Turned the second factor of {name} on`,
  "totp.reset": msg`Reset the second factor of {name}`,
  "totp.use_recovery_code": msg`Signed in to {name} with a recovery code`,
  "user.bind_email": msg`Changed the mail address of {name}`,
  "user.change_self": msg`Changed the own account {name}`,
  "user.create": msg`Created the user {name}`,
  "user.delete": msg`Deleted the user {name}`,
  "user.delete_self": msg`Deleted the own account {name}`,
  "user.disable": msg`Disabled the user {name}`,
  "user.enable": msg`Enabled the user {name}`,
  "user.new_access_token": msg`Created an access token of {name}`,
  "user.new_invitation_code": msg`Created an invitation code of {name}`,
  "user.register": msg`Registered the account {name}`,
  "user.remove_access_token": msg`Removed the access token of {name}`,
  "user.reset_password": msg`Reset the password of {name} by mail`,
  "user.reset_root_password": msg`Reset the password of {name} by command`,
  "user.topup": msg`Topped up {name}`,
  "user.update": msg`Changed the user {name}`,
  "virtual_model.create": msg`Created the virtual model {name}`,
  "virtual_model.delete": msg`Deleted the virtual model {name}`,
  "virtual_model.update": msg`Changed the virtual model {name}`,
  "user.waive_debt": msg`Waived the debt of {name}`,
};

/** A sentence with the name of the subject; undefined for an action without one, which is shown as it is stored. */
export function changeSentence(entry: AuditEntry): MessageDescriptor | undefined {
  const sentence = words[changeAction(entry)];
  return sentence && { ...sentence, values: { name: changeSubject(entry) } };
}
