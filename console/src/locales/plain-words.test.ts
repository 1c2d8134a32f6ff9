import { getCatalogs } from "@lingui/cli/api";
import { getConfig } from "@lingui/conf";
import { expect, test } from "vitest";

const [catalogue] = await getCatalogs(getConfig({ cwd: new URL("../..", import.meta.url).pathname }));
const inCode = (await catalogue?.collect()) ?? {};
// Refusals of the gateway are worded in its own sources.
const messages = Object.entries(inCode).flatMap(([id, { message }]) =>
  message === undefined || /^(?:refusal|channel)\./.test(id) ? [] : [message],
);

/** The kinds of sentences that readers took for riddles, with what to write in their place. */
const riddles: Readonly<Record<string, RegExp>> = {
  "a sentence about nothing: name the thing that is not there yet": /^There (?:is|was|were|are) none\b/,
  "say who gets a notice, or what is shown": /\b(?:is|are|was|were|being|be) told\b|\btells? of\b/i,
  "say what resets, or what to enter again": /\banew\b/i,
  "name what it is of": /\b(?:that|those) of (?:the|its|your|their)\b(?! same)/,
  "say import": /\bcarr(?:y|ied|ies) (?:over|again)\b/i,
  "say what none means": /^None(?: chosen)?:/,
  "say what an empty field means: Leave empty to …": /^Empty\b(?! fields)/,
  "say when: When on, … or When off, …": /^(?:Off|On)(?:,| (?:lets|offers|hides|shows|while)\b)/,
  "say what to enter": /^Must (?:be|have)\b/,
  "say that it stops working, or cannot be used": /\bmakes no call\b/,
  "say automatically": /\buse[sd]? .* by themselves\b/,
  "say continue": /\bto go on\b/,
};

test.each(Object.entries(riddles))("no text needs this advice: %s", (_, riddle) => {
  expect(messages.filter((text) => riddle.test(text))).toEqual([]);
});

/** Names of products, and what the specifications write with capitals. */
const capitals: ReadonlySet<string> = new Set(
  [
    "Top Up|Create Channel|Edit Channel|Create Token|Edit Token|Create User",
    "Edit User|Create Redemption|Edit Redemption|Add Token|Add Channel|Add User",
    "Generate Codes|Super Admin|Update User|Remaining Quota|Last Access|Allowed Models",
    "Update Token|Never Expire|Expiration Time|Token Name|Unlimited Quota|Add New Token",
    "Clear Logs|Send Code|Sign In|Verification Code|Set New Password|Update Password",
    "Create Account|Reset Password|Send Reset Link|Check Your Email|Prompt Tokens|Completion Tokens",
    "Update Redemption|Add Redemption|Total Quota|Request Trace|Detailed Data|Top Model",
    "Response Time|Success Rate|Usage Trend|Model Efficiency|Model Usage|Usage Overview",
    "Quota Used|Avg Cost|All Active|No Active Users|Used Quota|Optimization Tips",
    "High Cost Model Detected|Most Efficient Model|Monthly Spending Projection|Model Usage Concentration|All Users|Chat Not Available",
    "Not Supported|Delete Disabled|Update Channel|Test All|Update Balances|Update Balance",
    "New Password|Confirm Password|Confirm New Password",
    "Application Default Credentials|Chat Completions",
  ].flatMap((line) => line.split("|")),
);

test("a label has one capital, unless a specification says otherwise", () => {
  const titled = messages.filter((text) => /^[A-Z][a-z]+(?: [A-Z][a-z]+)+$/.test(text) && !capitals.has(text));
  expect(titled).toEqual([]);
});
