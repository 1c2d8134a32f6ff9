/** Forms that settings have: each check returns the text to store, or the problem with it. */

import { countedTagKeysMax, readTagKeys } from "@tollgate/contract/accounts/tags.ts";
import { isTimeZone } from "@tollgate/contract/api/time-zones.ts";
import { findAlertRulesIssue } from "@tollgate/contract/notices/alert-rule-settings.ts";
import { formatStatusRangesText, parseStatusRanges } from "../http/status-ranges.ts";
import { readClaimRules } from "./claim-rules-option.ts";
import { DenyListsInvalid, readDenyLists } from "./deny-lists.ts";
import { type LinkContext, linkProblem } from "./option-links.ts";

export type OptionCheck = { value: string } | { problem: string };

export type OptionRule = (text: string, context: LinkContext) => OptionCheck;

export const acceptValue = (value: string): OptionCheck => ({ value });
export const rejectValue = (problem: string): OptionCheck => ({ problem });

export const flag: OptionRule = (text) =>
  text === "true" || text === "false" ? acceptValue(text) : rejectValue("must be true or false");

const numberPattern = /^(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,6})?$/;

export const number =
  (max: number, { min = 0, whole = true } = {}): OptionRule =>
  (text) => {
    const value = Number(text);
    if (!numberPattern.test(text)) return rejectValue("must be a number that is not negative");
    if (whole && !Number.isInteger(value)) return rejectValue("must be an integer");
    return value < min || value > max
      ? rejectValue(`must be between ${min} and ${max}`)
      : acceptValue(text);
  };

export const line =
  (max: number, min = 0): OptionRule =>
  (text) => {
    if (/\p{Cc}/u.test(text)) return rejectValue("must not contain control characters");
    return text.length < min || text.length > max
      ? rejectValue(`must have ${min} to ${max} characters`)
      : acceptValue(text);
  };

export const timeZone: OptionRule = (text) =>
  isTimeZone(text) ? acceptValue(text) : rejectValue("must be a time zone such as Europe/Berlin");

export const link =
  (kind: "link" | "frame" | "picture" | "server"): OptionRule =>
  (text, context) => {
    const problem = text === "" ? undefined : linkProblem(text, kind, context);
    return problem === undefined ? acceptValue(text) : rejectValue(problem);
  };

/** An address that the gateway itself calls. */
export const guardAddress: OptionRule = (text, context) => {
  const issue = text === "" ? undefined : context.guardAddressIssue?.(text);
  return issue === undefined ? link("server")(text, context) : rejectValue(issue);
};

/** Markdown or HTML; a text that is only a URL is a page to frame. */
export const content: OptionRule = (text, context) => {
  if (text.length > 100_000) return rejectValue("must have at most 100000 characters");
  return /^https?:\/\/\S*$/i.test(text.trim())
    ? link("frame")(text.trim(), context)
    : acceptValue(text);
};

export const checkChoice =
  (...values: string[]): OptionRule =>
  (text) =>
    values.includes(text)
      ? acceptValue(text)
      : rejectValue(`must be one of ${values.filter(Boolean).join(", ")}`);

export const checkStatuses: OptionRule = (text) => {
  const ranges = parseStatusRanges(text);
  return ranges
    ? acceptValue(formatStatusRangesText(ranges))
    : rejectValue("must be statuses from 400 to 599 such as 408,500-504");
};

export const checkNames =
  (pattern: RegExp, what: string): OptionRule =>
  (text) => {
    const list = [...new Set(text.split(",").map((name) => name.trim()))].filter(Boolean);
    if (text.length > 5000 || list.some((name) => !pattern.test(name)))
      return rejectValue(`must be ${what}, separated by commas`);
    return acceptValue(list.join(","));
  };

export const groupPattern = /^[^\s,\p{Cc}](?:[^,\p{Cc}]{0,30}[^\s,\p{Cc}])?$/u;
const ratioMax = 1_000_000;

/** Every group needs a ratio, `default` included because new accounts are in it. */
export const checkRatios: OptionRule = (text) => {
  const ratio = parseRatios(text);
  if (!ratio) return rejectValue("must be a JSON object of ratios by group name");
  for (const [group, value] of Object.entries(ratio)) {
    if (!groupPattern.test(group))
      return rejectValue(`has a group name that is empty, too long or holds a comma: ${group}`);
    const isRatio = typeof value === "number" && value >= 0 && value <= ratioMax;
    // Charges use ratios in millionths.
    if (!isRatio || Math.round(value * 1e6) / 1e6 !== value)
      return rejectValue(
        `needs numbers from 0 to ${ratioMax} with at most six decimals; that of ${group} is not`,
      );
  }
  return "default" in ratio
    ? acceptValue(text)
    : rejectValue("needs a ratio for the group default");
};

function parseRatios(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = text.length > 20_000 ? undefined : JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { ...value }
      : undefined;
  } catch {
    return undefined;
  }
}

export const checkAlertRules: OptionRule = (text) => {
  const issue = findAlertRulesIssue(text);
  return issue === undefined ? acceptValue(text) : rejectValue(issue);
};

export const claimRules: OptionRule = (text) =>
  readClaimRules(text)
    ? acceptValue(text)
    : rejectValue("must be a list of rules with claim, value, and a role, group or team");

export const denyLists: OptionRule = (text) => {
  try {
    readDenyLists(text);
    return acceptValue(text);
  } catch (error) {
    if (error instanceof DenyListsInvalid) return rejectValue(error.message);
    throw error;
  }
};

export const checkTagKeys: OptionRule = (text) => {
  const keys = readTagKeys(text);
  return keys
    ? acceptValue(keys.join(","))
    : rejectValue(
        `must be at most ${countedTagKeysMax} keys of letters, digits and _ . - separated by commas`,
      );
};
