import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { AlertRuleName } from "@tollgate/contract/notices/alert-rule-table.ts";

export const alertRuleLabels: Record<AlertRuleName, MessageDescriptor> = {
  "channel.disabled": msg`A channel is disabled automatically`,
  "channel.suspended": msg`A channel fails for ten minutes`,
  "channel.key_disabled": msg`A key of a channel is disabled automatically`,
  "channel.balance_low": msg`The balance at a provider is low`,
  "model.unserved": msg`No channel serves a model`,
  "calls.failing": msg`Many calls of a model fail`,
  "calls.slow": msg`Calls of a model are slower than usual`,
  "spend.spike": msg`A key spends far more than usual`,
  "budget.reached": msg`A budget reaches a threshold`,
  "call.not_covered": msg`A call cost more than was covered`,
  "usage.capped": msg`A provider reports impossible usage`,
  "quota.waiting": msg`Quota waits for approval`,
  "team.without_admin": msg`A team has no administrator left`,
  "price.missing": msg`A model without a price is called`,
  "price.changed": msg`A newer list changes prices by more than a fifth`,
  "price.mismatch": msg`A provider bills something our prices do not cover`,
  "model.retiring": msg`A provider ends a model that is in use`,
  "ledger.drift": msg`The books do not agree`,
  "trail.broken": msg`The record of changes is broken`,
  "storage.trouble": msg`A problem with the disk, the database or its backups`,
  "sign_in.root": msg`A super administrator signs in from a new network`,
  "sign_in.lockouts": msg`Many sign-ins are locked`,
  "job.failing": msg`Background work fails`,
  "notice.failing": msg`A destination refuses notices`,
  "wallet.low": msg`Your balance is low`,
  "key.expiring": msg`One of your keys expires soon`,
  "own_budget.reached": msg`A budget of yours reaches a threshold`,
  "own_model.retiring": msg`A model that you use ends`,
};
