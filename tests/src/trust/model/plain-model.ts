// What must happen, in plain arithmetic: the model that the real program is compared with.
import { promptEstimate } from "../../world.ts";
import type { Member } from "../runs/site.ts";

/** Quota units for a prompt token, and how many times as much for one of the answer. Quarters, so that sums are exact. */
export interface Price {
  ratio: number;
  completionRatio: number;
}

export interface PlainToken {
  id: number;
  key: string;
  remain: number;
  used: number;
  isUnlimited: boolean;
  isEnabled: boolean;
}

export interface PlainPerson extends Member {
  balance: number;
  used: number;
  isEnabled: boolean;
  tokens: PlainToken[];
  /** Redemptions that were refused: after five of them the gateway asks to wait. */
  refusedCodes: number;
}

export interface PlainCode {
  id: number;
  key: string;
  quota: number;
  state: "unused" | "disabled" | "used" | "deleted";
}

export interface PlainModel {
  people: PlainPerson[];
  codes: PlainCode[];
}

/** Prompt tokens of the question as the provider counts them; our own estimate is `promptEstimate`. */
const promptTokens = 6;
const holdMargin = 1.5;

const units = ({ ratio, completionRatio }: Price, groupRatio: number, prompt: number, completion: number): number =>
  Math.ceil((prompt * ratio + completion * ratio * completionRatio) * groupRatio);

/** An answer whose usage the provider told. */
export const wholeCharge = (price: Price, groupRatio: number, completion: number): number =>
  units(price, groupRatio, promptTokens, completion);
/** An answer that broke off: the prompt by our own estimate, and the words that came. */
export const brokenCharge = (price: Price, groupRatio: number, words: number): number =>
  units(price, groupRatio, promptEstimate, words);
export const holdFor = (price: Price, groupRatio: number, maxTokens: number): number =>
  units(price, groupRatio, promptEstimate * holdMargin, maxTokens);

/** Whether a call is admitted that needs this much. */
export const isServed = (person: PlainPerson, token: PlainToken, hold: number): boolean =>
  person.isEnabled && token.isEnabled && person.balance >= hold && (token.isUnlimited || token.remain >= hold);

/** A call that was admitted has ended. */
export function pay(person: PlainPerson, token: PlainToken, charge: number): void {
  person.balance -= charge;
  person.used += charge;
  token.used += charge;
  if (!token.isUnlimited) token.remain = Math.max(0, token.remain - charge);
}
