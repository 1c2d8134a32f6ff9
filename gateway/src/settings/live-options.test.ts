import { expect, test } from "vitest";
import { buildOptionReader } from "./live-options.ts";
import { optionDefaults } from "./option-defaults.ts";

test("an unset setting has its default", () => {
  const options = buildOptionReader(new Map());
  expect(options.text("SystemName")).toBe("Tollgate");
  expect(options.flag("PasswordLoginEnabled")).toBe(true);
  expect(options.number("RetryTimes")).toBe(Number(optionDefaults.RetryTimes));
  expect(options.numbers("GroupRatio")).toEqual({ default: 1, vip: 1, svip: 1 });
});

test("a malformed stored value causes neither NaN nor an exception", () => {
  const options = buildOptionReader(
    new Map([
      ["RetryTimes", "many"],
      ["GroupRatio", "{"],
      ["MinTopUpUSD", " "],
      ["DisplayInCurrencyEnabled", "yes"],
    ]),
  );
  expect(options.number("RetryTimes")).toBe(Number(optionDefaults.RetryTimes));
  expect(options.number("MinTopUpUSD")).toBe(5);
  expect(options.numbers("GroupRatio")).toEqual({ default: 1, vip: 1, svip: 1 });
  expect(options.flag("DisplayInCurrencyEnabled")).toBe(false);
});
