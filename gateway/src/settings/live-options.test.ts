import { expect, test } from "vitest";
import { optionReader } from "./live-options.ts";
import { optionDefaults } from "./option-defaults.ts";

test("what nobody has set has its default", () => {
  const options = optionReader(new Map());
  expect(options.text("SystemName")).toBe("Tollgate");
  expect(options.flag("PasswordLoginEnabled")).toBe(true);
  expect(options.number("RetryTimes")).toBe(Number(optionDefaults.RetryTimes));
  expect(options.numbers("GroupRatio")).toEqual({ default: 1, vip: 1, svip: 1 });
});

test("a stored value that cannot be read does not become NaN or a crash", () => {
  const options = optionReader(
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
