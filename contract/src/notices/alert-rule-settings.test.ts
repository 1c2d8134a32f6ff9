import { expect, test } from "vitest";
import { buildAlertRuleSettings, findAlertRulesIssue } from "./alert-rule-settings.ts";
import { alertRules } from "./alert-rule-table.ts";

test("without a setting every rule but the noisiest is on, with its usual limits", () => {
  const settings = buildAlertRuleSettings("");
  expect(alertRules.filter((rule) => !settings[rule].enabled)).toEqual([
    "channel.suspended",
    "calls.slow",
  ]);
  expect(settings["channel.balance_low"].limits).toEqual({ begins: 5, ends: 6 });
  expect(settings["calls.failing"].limits).toEqual({ begins: 20, ends: 10 });
});

test("a rule that is named has what is set for it, and the rest stays usual", () => {
  const settings = buildAlertRuleSettings(
    '{"channel.balance_low":{"begins":3},"usage.capped":{"enabled":false}}',
  );
  expect(settings["channel.balance_low"]).toEqual({
    enabled: true,
    limits: { begins: 3, ends: 6 },
    pauses: false,
  });
  expect(settings["usage.capped"].enabled).toBe(false);
  expect(settings["calls.failing"].enabled).toBe(true);
});

test("text of another version, or broken text, leaves the usual settings", () => {
  const usual = buildAlertRuleSettings("");
  for (const text of [
    "null",
    "[]",
    "{",
    '{"moon.full":{"enabled":false}}',
    '{"usage.capped":{"enabled":"no"}}',
  ])
    expect(buildAlertRuleSettings(text)).toEqual(usual);
});

test.each([
  ["", undefined],
  ["{}", undefined],
  ['{"calls.failing":{"begins":50,"ends":25}}', undefined],
  ["[]", "must be a JSON object with the names of alert rules"],
  ['{"moon.full":{}}', "names moon.full, which is no alert rule"],
  ['{"usage.capped":true}', "needs an object for usage.capped"],
  ['{"usage.capped":{"enabled":1}}', "needs true or false as enabled of usage.capped"],
  ['{"usage.capped":{"begins":1}}', "has limits for usage.capped, which has none"],
  [
    '{"usage.capped":{"severity":"info"}}',
    "has severity for usage.capped; it knows enabled, begins, ends and pauses",
  ],
  ['{"spend.spike":{"pauses":true}}', undefined],
  ['{"spend.spike":{"pauses":"yes"}}', "needs true or false as pauses of spend.spike"],
  [
    '{"calls.failing":{"pauses":true}}',
    "has pauses for calls.failing, which cannot pause anything",
  ],
  [
    '{"calls.failing":{"begins":101}}',
    "needs numbers from 0 to 100 as begins and ends of calls.failing",
  ],
  ['{"calls.failing":{"begins":10}}', "needs an end of calls.failing below its begin"],
  ['{"channel.balance_low":{"begins":6}}', "needs an end of channel.balance_low above its begin"],
])("%s is taken, or refused with its reason", (text, issue) => {
  expect(findAlertRulesIssue(text)).toBe(issue);
});
