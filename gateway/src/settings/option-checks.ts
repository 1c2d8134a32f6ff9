/** Forms that settings have: each check returns the text to store, or the problem with it. */
import { alertRulesIssue } from "@tollgate/contract/alert-rule-settings.ts";
import { countedTagKeysMax, readTagKeys } from "@tollgate/contract/tags.ts";
import { isTimeZone } from "@tollgate/contract/time-zones.ts";
import { parseStatusRanges, statusRangesText } from "../http/status-ranges.ts";
import { readClaimRules } from "./claim-rules-option.ts";
import { DenyListsInvalid, readDenyLists } from "./deny-lists.ts";
import { type LinkContext, linkProblem } from "./option-links.ts";

export type OptionCheck = { value: string } | { problem: string };

export type OptionRule = (text: string, context: LinkContext) => OptionCheck;

export const accepted = (value: string): OptionCheck => ({ value });
export const rejected = (problem: string): OptionCheck => ({ problem });

export const flag: OptionRule = (text) =>
  text === "true" || text === "false" ? accepted(text) : rejected("must be true or false");

const numberPattern = /^(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,6})?$/;

export const number =
  (max: number, { min = 0, whole = true } = {}): OptionRule =>
  (text) => {
    const value = Number(text);
    if (!numberPattern.test(text)) return rejected("must be a number that is not negative");
    if (whole && !Number.isInteger(value)) return rejected("must be an integer");
    return value < min || value > max ? rejected(`must be between ${min} and ${max}`) : accepted(text);
  };

export const line =
  (max: number, min = 0): OptionRule =>
  (text) => {
    if (/\p{Cc}/u.test(text)) return rejected("must not contain control characters");
    return text.length < min || text.length > max ? rejected(`must have ${min} to ${max} characters`) : accepted(text);
  };

export const timeZone: OptionRule = (text) =>
  isTimeZone(text) ? accepted(text) : rejected("must be a time zone such as Europe/Berlin");

export const link =
  (kind: "link" | "frame" | "picture" | "server"): OptionRule =>
  (text, context) => {
    const problem = text === "" ? undefined : linkProblem(text, kind, context);
    return problem === undefined ? accepted(text) : rejected(problem);
  };

/** An address that the gateway itself calls. */
export const guardAddress: OptionRule = (text, context) => {
  const issue = text === "" ? undefined : context.guardAddressIssue?.(text);
  return issue === undefined ? link("server")(text, context) : rejected(issue);
};

/** Markdown or HTML; a text that is only a URL is a page to frame. */
export const content: OptionRule = (text, context) => {
  if (text.length > 100_000) return rejected("must have at most 100000 characters");
  return /^https?:\/\/\S*$/i.test(text.trim()) ? link("frame")(text.trim(), context) : accepted(text);
};

export const oneOf =
  (...values: string[]): OptionRule =>
  (text) =>
    values.includes(text) ? accepted(text) : rejected(`must be one of ${values.filter(Boolean).join(", ")}`);

export const statuses: OptionRule = (text) => {
  const ranges = parseStatusRanges(text);
  return ranges ? accepted(statusRangesText(ranges)) : rejected("must be statuses from 400 to 599 such as 408,500-504");
};

export const names =
  (pattern: RegExp, what: string): OptionRule =>
  (text) => {
    const list = [...new Set(text.split(",").map((name) => name.trim()))].filter(Boolean);
    if (text.length > 5000 || list.some((name) => !pattern.test(name)))
      return rejected(`must be ${what}, separated by commas`);
    return accepted(list.join(","));
  };

export const groupPattern = /^[^\s,\p{Cc}](?:[^,\p{Cc}]{0,30}[^\s,\p{Cc}])?$/u;
const ratioMax = 1_000_000;

/** Every group needs a ratio, `default` included because new accounts are in it. */
export const ratios: OptionRule = (text) => {
  const ratio = ratiosIn(text);
  if (!ratio) return rejected("must be a JSON object of ratios by group name");
  for (const [group, value] of Object.entries(ratio)) {
    if (!groupPattern.test(group))
      return rejected(`has a group name that is empty, too long or holds a comma: ${group}`);
    const isRatio = typeof value === "number" && value >= 0 && value <= ratioMax;
    // Charges use ratios in millionths.
    if (!isRatio || Math.round(value * 1e6) / 1e6 !== value)
      return rejected(`needs numbers from 0 to ${ratioMax} with at most six decimals; that of ${group} is not`);
  }
  return "default" in ratio ? accepted(text) : rejected("needs a ratio for the group default");
};

function ratiosIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = text.length > 20_000 ? undefined : JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

export const alertRules: OptionRule = (text) => {
  const issue = alertRulesIssue(text);
  return issue === undefined ? accepted(text) : rejected(issue);
};

export const claimRules: OptionRule = (text) =>
  readClaimRules(text) ? accepted(text) : rejected("must be a list of rules with claim, value, role and group");

export const denyLists: OptionRule = (text) => {
  try {
    readDenyLists(text);
    return accepted(text);
  } catch (error) {
    if (error instanceof DenyListsInvalid) return rejected(error.message);
    throw error;
  }
};

export const tagKeys: OptionRule = (text) => {
  const keys = readTagKeys(text);
  return keys
    ? accepted(keys.join(","))
    : rejected(`must be at most ${countedTagKeysMax} keys of letters, digits and _ . - separated by commas`);
};
