/** The facts of the record of changes as texts. Pure: the words come from the caller. */
import { formatDate, missing } from "../../ui/format.ts";
import type { ChangeFact } from "./change-facts.ts";

export interface FactWords {
  /** Undefined for a member that has the name that the API gives it. */
  label(member: string): string | undefined;
  /** The name of a status or a role; undefined for other numbers. */
  name(member: string, value: number): string | undefined;
  /** Why the gateway disabled a channel, from the English sentence. */
  reason(sentence: string): string;
  /** `thing` gives the name of what an id is of; undefined for other texts, and where it is gone. */
  thing(id: string): string | undefined;
  /** An amount in quota units. */
  quota(units: number): string;
}

/** Members in quota units. */
const moneyMembers: ReadonlySet<string> = new Set([
  "amount",
  "quota",
  "quota_moved_by",
  "remain_quota",
  "units",
]);
const reasonMembers: ReadonlySet<string> = new Set(["disabled_reason", "reason"]);
/** A difference, so that a plus stands before what was given. */
const movedMember = "quota_moved_by";

export function formatFactText(fact: ChangeFact, words: FactWords): string {
  const { member, to } = fact;
  const text = (value: unknown) => formatValueText(value, member, words);
  const change = "from" in fact ? `${text(fact.from)} → ${text(to)}` : text(to);
  return member === ""
    ? change
    : `${words.label(member) ?? member.replaceAll("_", " ")}: ${change}`;
}

function formatValueText(value: unknown, member: string, words: FactWords): string {
  if (value === null || value === "") return missing;
  if (typeof value === "string")
    return reasonMembers.has(member) ? words.reason(value) : (words.thing(value) ?? value);
  if (typeof value !== "number") return JSON.stringify(value) ?? missing;
  if (moneyMembers.has(member))
    return `${member === movedMember && value > 0 ? "+" : ""}${words.quota(value)}`;
  if (isMoment(member, value)) return formatDate(new Date(value));
  return words.name(member, value) ?? String(value);
}

/** Times of the API are milliseconds. */
const isMoment = (member: string, value: number): boolean =>
  /_(?:at|until|time)$/.test(member) && value > 1e12;
