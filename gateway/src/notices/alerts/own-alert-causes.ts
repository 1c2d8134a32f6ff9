/**
 * Causes of which users are told because their own things are concerned: those that have begun and
 * those that are over. Only users with a destination are looked at. Pure.
 */
import type { AlertRuleSettings } from "@tollgate/contract/notices/alert-rule-settings.ts";
import { buildCauseEvents } from "./alert-causes.ts";
import type { AlertEvent } from "./alert-events.ts";
import { type EndingUse, ownEndings } from "./daily-causes.ts";
import { unitsPerDollar } from "./dollars-of.ts";
import {
  type Cause,
  type CauseBudget,
  type FiringAlert,
  findReachedThresholds,
} from "./operator-causes.ts";

export interface OwnedWallet {
  user_id: number;
  username: string;
  /** Units. */
  balance: number;
  /** Units; the user's own threshold, 0 for that of the site. */
  balance_below: number;
}

/** A token, or a management key. */
export interface OwnedToken {
  id: number;
  user_id: number;
  name: string;
  created_at: number;
  expired_at: number;
}

export type OwnedBudget = CauseBudget & { user_id: number };
export type OwnFiringAlert = FiringAlert & { user_id: number };

export interface OwnAlertWorld {
  wallets: readonly OwnedWallet[];
  /** Enabled ones that end soon, or have just ended. */
  tokens: readonly OwnedToken[];
  managementKeys: readonly OwnedToken[];
  budgets: readonly OwnedBudget[];
  endingUses: readonly EndingUse[];
  firing: readonly OwnFiringAlert[];
}

export interface OwnAlertTerms {
  rules: AlertRuleSettings;
  /** Units; 0 for none. */
  siteBalanceBelow: number;
  /** An amount as the site shows it. */
  quotaText(units: number): string;
  now: number;
}

const dayMs = 24 * 3_600_000;
export const expiryToldMs = 7 * dayMs;
/**
 * An alert about a low balance ends a tenth above the threshold, so that single calls and refunds
 * around it do not repeat it.
 */
const recoveredShare = 1.1;

export function ownAlertEvents(world: OwnAlertWorld, terms: OwnAlertTerms): AlertEvent[] {
  const causes = [
    ...listLowWallets(world, terms),
    ...listExpiringKeys(world, terms),
    ...findReachedBudgets(world, terms),
    ...ownEndings(world.endingUses),
  ].filter(({ event: { rule } }) => terms.rules[rule].enabled);
  const { begun, ended } = buildCauseEvents(causes, world.firing);
  return [
    ...begun,
    ...ended.map(({ rule, subject_kind, subject_id, subject_name, user_id }): AlertEvent => {
      const expired = rule === "key.expiring" && hasEnded(world, terms.now, subject_id);
      const kind = subject_kind === "management_key" ? "management_key_expired" : "key_expired";
      return {
        rule,
        subject: { kind: subject_kind, id: subject_id, name: subject_name },
        userId: user_id,
        state: "resolved",
        ...(expired && { facts: { kind, key: subject_name } as const }),
      };
    }),
  ];
}

/** Apart from the ids of tokens: alerts of one rule are told apart by their subject's id. */
const composeManagementKeyId = (id: number): string => `management ${id}`;

const listEndingKeys = ({ tokens, managementKeys }: OwnAlertWorld) => [
  ...tokens.map((key) => ({ ...key, subject: "token" as const, facts: "key_expiring" as const })),
  ...managementKeys.map(({ id, ...key }) => ({
    ...key,
    id: composeManagementKeyId(id),
    subject: "management_key" as const,
    facts: "management_key_expiring" as const,
  })),
];

/** A key that its owner extended or deleted is over too, but has not ended. */
const hasEnded = (world: OwnAlertWorld, now: number, id: string): boolean =>
  listEndingKeys(world).some((key) => String(key.id) === id && key.expired_at <= now);

function listLowWallets(
  { wallets }: OwnAlertWorld,
  { siteBalanceBelow, quotaText }: OwnAlertTerms,
): Cause[] {
  return wallets.flatMap(({ user_id, username, balance, balance_below }) => {
    const threshold = balance_below || siteBalanceBelow;
    if (balance >= threshold * recoveredShare) return [];
    const facts = {
      kind: "wallet_low",
      username,
      left: quotaText(balance),
      threshold: quotaText(threshold),
    } as const;
    const subject = { kind: "user", id: user_id, name: username } as const;
    const measure = { value: balance / unitsPerDollar, threshold: threshold / unitsPerDollar };
    return [
      {
        event: { rule: "wallet.low", subject, userId: user_id, facts, measure },
        begins: balance < threshold,
      },
    ];
  });
}

/** A key that was made for less than a week ends as its owner means it to. */
const listExpiringKeys = (world: OwnAlertWorld, { now }: OwnAlertTerms): Cause[] =>
  listEndingKeys(world).flatMap(({ id, user_id, name, created_at, expired_at, ...kinds }) => {
    const left = expired_at - now;
    if (left <= 0 || left > expiryToldMs || expired_at - created_at <= expiryToldMs) return [];
    const facts = { kind: kinds.facts, key: name, until: formatMinuteText(expired_at) } as const;
    const subject = { kind: kinds.subject, id, name } as const;
    const measure = { value: left / dayMs, threshold: expiryToldMs / dayMs };
    return [
      { event: { rule: "key.expiring", subject, userId: user_id, facts, measure }, begins: true },
    ];
  });

const findReachedBudgets = ({ budgets }: OwnAlertWorld, { now }: OwnAlertTerms): Cause[] =>
  budgets.flatMap((budget) =>
    findReachedThresholds(budget, now).map((reached) => ({
      event: { rule: "own_budget.reached", userId: budget.user_id, ...reached } as const,
      begins: true,
    })),
  );

/** Readers are in many zones: `2026-11-30 08:15 UTC`. */
const formatMinuteText = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
