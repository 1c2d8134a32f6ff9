// The expected results in plain arithmetic: the model that the real program is compared with.
import type { BudgetMeasure } from "@tollgate/contract/accounts/budget-kinds.ts";
import { promptEstimate } from "@tollgate/tests/harness/test-gateway.ts";
import type { RunMember } from "../runs/run-gateway.ts";
import { batchPrice, secondUnits } from "../runs/task-providers.ts";

/**
 * Quota units per prompt token, and the multiple for a completion token. Quarters, so that sums are
 * exact.
 */
export interface ModelPrice {
  ratio: number;
  completionRatio: number;
}

export interface ModelToken {
  id: number;
  key: string;
  remain: number;
  used: number;
  isUnlimited: boolean;
  isEnabled: boolean;
  /** A hard budget without windows; undefined for none. */
  budget?: ModelBudget | undefined;
  /** A hard budget without windows of each of its runs. */
  runBudget?: ModelRunBudget | undefined;
}

export interface ModelBudget {
  id: number;
  amount: number;
  spent: number;
  /** `granted` was added to the amount for its only window. */
  granted?: number;
  /** The one model that it counts; undefined for all. */
  onlyModel?: string | undefined;
}

/** It counts each run by itself. */
export interface ModelRunBudget {
  id: number;
  measure: BudgetMeasure;
  /** Units, calls or milliseconds, as `spent` of each run is. */
  amount: number;
  spent: Map<string, number>;
}

export const unspentOf = (budget: ModelBudget | undefined): number =>
  budget ? budget.amount + (budget.granted ?? 0) - budget.spent : Number.POSITIVE_INFINITY;

/** `coveredFor` gives what calls of the token may take at most. */
export const coveredFor = (user: ModelUser, token: ModelToken): number =>
  Math.min(
    user.balance,
    token.isUnlimited ? Number.POSITIVE_INFINITY : token.remain,
    unspentOf(token.budget),
    unspentOf(user.budget),
  );

export interface ModelUser extends RunMember {
  balance: number;
  debt: number;
  used: number;
  isEnabled: boolean;
  tokens: ModelToken[];
  /** A hard budget without windows of all own keys, and of those of teams if it says so. */
  budget?: (ModelBudget & { countsTeams: boolean }) | undefined;
  /** A hard budget without windows of the tag that `tagOf` names. */
  tagBudget?: ModelBudget | undefined;
  /** Units of all calls in runs, those of earlier stories too. */
  inRuns?: number;
  /** Refused redemptions: after five of them the gateway asks the user to wait. */
  refusedCodes: number;
}

export const tagOf = ({ id }: Pick<ModelUser, "id">): string => `team=u${id}`;

export interface ModelCode {
  id: number;
  key: string;
  quota: number;
  state: "unused" | "disabled" | "used" | "deleted";
}

/** Made by the template of the team, for as long as `follows`; or changed for the member alone. */
export interface ModelCap extends ModelBudget {
  template: number | undefined;
  follows: boolean;
}

export interface ModelMember {
  user: ModelUser;
  isPresent: boolean;
  caps: ModelCap[];
}

/** The key of a team: of one of its members, or of a service where `holder` is undefined. */
export interface ModelTeamKey extends ModelToken {
  holder: ModelUser | undefined;
}

export interface ModelTeam {
  id: number;
  walletId: number;
  balance: number;
  debt: number;
  isEnabled: boolean;
  /** Everyone who ever was in it; each keeps the caps, with what was spent of them. */
  members: ModelMember[];
  keys: ModelTeamKey[];
  /** Hard budgets without windows: of all its keys, and of each run that it pays for. */
  budget?: ModelBudget | undefined;
  runBudget?: ModelRunBudget | undefined;
  /** The template of its caps. */
  template: { id: number; amount: number } | undefined;
}

export interface ReferenceModel {
  users: ModelUser[];
  codes: ModelCode[];
  /** By the places that a story has for them; none after its deletion. */
  teams: Map<number, ModelTeam>;
  /** That of the first channel of `spilled`. */
  channelBudget?: ModelBudget | undefined;
}

/** Prompt tokens as the provider counts them; our own estimate is `promptEstimate`. */
const promptTokens = 6;
const holdMargin = 1.5;

const units = (
  { ratio, completionRatio }: ModelPrice,
  groupRatio: number,
  prompt: number,
  completion: number,
): number => Math.ceil((prompt * ratio + completion * ratio * completionRatio) * groupRatio);

/** The charge of a response with reported usage. */
export const wholeCharge = (price: ModelPrice, groupRatio: number, completion: number): number =>
  units(price, groupRatio, promptTokens, completion);
/**
 * The charge of an interrupted response: the prompt by our own estimate, and the words that
 * arrived.
 */
export const interruptedCharge = (price: ModelPrice, groupRatio: number, words: number): number =>
  units(price, groupRatio, promptEstimate, words);
export const holdFor = (price: ModelPrice, groupRatio: number, maxTokens: number): number =>
  units(price, groupRatio, promptEstimate * holdMargin, maxTokens);

/** The charge of a batch of equal lines: one rounding for all. */
export const batchCharge = (groupRatio: number, answered: number, completion: number): number =>
  units(batchPrice, groupRatio, answered * promptTokens, answered * completion);
export const batchHold = (groupRatio: number, lines: number, maxTokens: number): number =>
  lines * holdFor(batchPrice, groupRatio, maxTokens);
export const videoCharge = (groupRatio: number, seconds: number): number =>
  Math.ceil(seconds * secondUnits * groupRatio);

/** `isServed` says whether a call with this hold is admitted. */
export const isServed = (user: ModelUser, token: ModelToken, hold: number): boolean =>
  user.isEnabled && token.isEnabled && user.debt === 0 && coveredFor(user, token) >= hold;

/** Adds units of any kind: they pay a debt first. Negative takes back. */
export function credit(wallet: Pick<ModelUser, "balance" | "debt">, units: number): void {
  wallet.balance += units;
  const paid = Math.min(wallet.debt, wallet.balance);
  wallet.balance -= paid;
  wallet.debt -= paid;
}

/** `findMember` gives who holds the key, with the caps; undefined for a service. */
export const findMember = (team: ModelTeam, { holder }: ModelTeamKey) =>
  team.members.find(({ user }) => user === holder);

/** What calls of the key may take at most from team, cap and key; 0 where it may not call. */
export function computeTeamCover(team: ModelTeam, key: ModelTeamKey): number {
  const member = findMember(team, key);
  const isOpen =
    team.isEnabled &&
    team.debt === 0 &&
    key.isEnabled &&
    (key.holder === undefined || (key.holder.isEnabled && member?.isPresent === true));
  if (!isOpen) return 0;
  return Math.min(
    team.balance,
    key.isUnlimited ? Number.POSITIVE_INFINITY : key.remain,
    unspentOf(key.budget),
    unspentOf(team.budget),
    unspentOf(key.holder?.budget?.countsTeams ? key.holder.budget : undefined),
    ...(member?.caps ?? []).map(unspentOf),
  );
}

/** The wallet of the team pays; the figures of the person count the call. */
export function payByTeam(team: ModelTeam, key: ModelTeamKey, charge: number): void {
  const taken = Math.min(charge, team.balance);
  team.balance -= taken;
  team.debt += charge - taken;
  if (key.holder) key.holder.used += charge;
  if (key.holder?.budget?.countsTeams) key.holder.budget.spent += charge;
  if (team.budget) team.budget.spent += charge;
  for (const cap of findMember(team, key)?.caps ?? []) cap.spent += charge;
  key.used += charge;
  if (key.budget) key.budget.spent += charge;
  if (!key.isUnlimited) key.remain = Math.max(0, key.remain - charge);
}

/**
 * Charges an admitted call that has ended. What the balance does not cover is owed; no call of the
 * model costs twice its hold.
 */
export function pay(user: ModelUser, token: ModelToken, charge: number): void {
  const taken = Math.min(charge, user.balance);
  user.balance -= taken;
  user.debt += charge - taken;
  user.used += charge;
  if (user.budget) user.budget.spent += charge;
  token.used += charge;
  if (token.budget) token.budget.spent += charge;
  if (!token.isUnlimited) token.remain = Math.max(0, token.remain - charge);
}
