/** The entries of the record of changes in words. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { AuditAction } from "@tollgate/contract/audit-actions.ts";
import type { AuditEntry } from "@tollgate/contract/audit-trail.ts";
import { changeAction, changeSubject } from "./change-facts.ts";

/** Actions of this console alone: an edit that did only this. */
type ToldAction = AuditAction | "user.disable" | "user.enable";

const words: Readonly<Record<ToldAction, MessageDescriptor>> = {
  "alert.mute": msg`Muted an alert, or ended its muting`,
  "budget.create": msg`Created the budget {name}`,
  "budget.delete": msg`Deleted the budget {name}`,
  "budget.update": msg`Changed the budget {name}`,
  "channel.auto_disable": msg`Disabled the channel {name} after failures`,
  "channel.auto_disable_key": msg`Disabled a key of the channel {name}`,
  "channel.auto_enable": msg`Enabled the channel {name} again`,
  "channel.create": msg`Created the channel {name}`,
  "channel.delete": msg`Deleted the channel {name}`,
  "channel.delete_disabled": msg`Deleted the disabled channels`,
  "channel.duplicate": msg`Copied a channel to {name}`,
  "channel.update": msg`Changed the channel {name}`,
  "channel.update_key": msg`Changed a key of the channel {name}`,
  "cost_report.delete": msg`Removed the cost report of the channel {name}`,
  "cost_report.update": msg`Changed the cost report of the channel {name}`,
  "destination.create": msg`Created the destination {name} of notices`,
  "destination.delete": msg`Deleted the destination {name} of notices`,
  "destination.rotate": msg`Changed the signing key of the destination {name}`,
  "destination.test": msg`Sent a test notice to {name}`,
  "destination.update": msg`Changed the destination {name} of notices`,
  "external.bind": msg`Bound an external account to {name}`,
  "external.create_user": msg`Created the user {name} by an external sign-in`,
  "external.standing": msg`Changed the role or group of {name} by the rules of an identity provider`,
  "external.unbind": msg`Unbound an external account of {name}`,
  "import.begin": msg`Named a source to import from`,
  "import.carry": msg`Started an import`,
  "import.remove": msg`Removed an import`,
  "import.run": msg`Imported from another system`,
  "log.clear": msg`Started to clear logs`,
  "log.cleared": msg`Cleared logs`,
  "log.expired": msg`Deleted old logs as the settings say`,
  "management_key.create": msg`Created the management key {name}`,
  "management_key.delete": msg`Deleted the management key {name}`,
  "management_key.disable": msg`Disabled the management key {name}`,
  "management_key.enable": msg`Enabled the management key {name}`,
  "master_key.rotate": msg`Changed the master key`,
  "mcp_server.create": msg`Registered the MCP server {name}`,
  "mcp_server.delete": msg`Deleted the MCP server {name}`,
  "mcp_server.update": msg`Changed the MCP server {name}`,
  "model_price.delete": msg`Removed the operator's price of {name}`,
  "model_price.update": msg`Changed the price of {name}`,
  "notice.resend": msg`Sent a notice to {name} again`,
  "oidc_provider.create": msg`Created the identity provider {name}`,
  "oidc_provider.delete": msg`Deleted the identity provider {name}`,
  "oidc_provider.update": msg`Changed the identity provider {name}`,
  "option.change": msg`Changed the setting {name}`,
  "price_list.read": msg`Read the price list {name} for comparison`,
  "price_offer.set_aside": msg`Set an offered price of {name} aside`,
  "quota_request.approve": msg`Approved quota for {name}`,
  "quota_request.create": msg`Asked for approval of quota for {name}`,
  "quota_request.refuse": msg`Refused quota for {name}`,
  "passkey.add": msg`Added a passkey of {name}`,
  "passkey.refuse_copy": msg`Refused a copied passkey of {name}`,
  "passkey.remove": msg`Removed a passkey of {name}`,
  "redemption.create": msg`Created redemption codes: {name}`,
  "redemption.delete": msg`Deleted the redemption code {name}`,
  "redemption.update": msg`Changed the redemption code {name}`,
  "session.end": msg`Ended a session of {name}`,
  "session.end_others": msg`Ended the other sessions of {name}`,
  "shadow.start": msg`Started a dual run with {name}`,
  "shadow.stop": msg`Ended the dual run with {name}`,
  "token.disable": msg`Disabled the token {name}`,
  "token.find": msg`Looked for a token by its key`,
  "token.list_all": msg`Looked at the tokens of all users`,
  "token.replace": msg`Replaced the key of the token {name}`,
  "token.rotate": msg`Rotated the key of the token {name}`,
  "token.stop_old_key": msg`Stopped the old key of the token {name}`,
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
  "user.waive_debt": msg`Waived the debt of {name}`,
  "virtual_model.create": msg`Created the virtual model {name}`,
  "virtual_model.delete": msg`Deleted the virtual model {name}`,
  "virtual_model.update": msg`Changed the virtual model {name}`,
};

const isTold = (action: string): action is ToldAction => Object.hasOwn(words, action);

/** A sentence with the name of the subject; undefined for an action without one, which is shown as it is stored. */
export function changeSentence(entry: AuditEntry): MessageDescriptor | undefined {
  const action = changeAction(entry);
  if (!isTold(action)) return undefined;
  const sentence = words[action];
  return { ...sentence, values: { name: changeSubject(entry) } };
}
