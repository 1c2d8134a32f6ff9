import { expect, test } from "vitest";
import { formatSeconds } from "../../ui/format.ts";
import { cell, toCsv } from "./log-csv.ts";

test.each([
  ["plain", "plain"],
  ['say "hi", now', '"say ""hi"", now"'],
  ["two\nlines", '"two\nlines"'],
  ["=1+1", "'=1+1"],
  ["+49", "'+49"],
  ["-2", "'-2"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ["  =1", "'  =1"],
  ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
  ["-", "-"],
])("a cell is quoted and cannot run: %j", (value, written) => {
  expect(cell(value)).toBe(written);
});

test("numbers stay raw, negative ones too", () => {
  expect(cell(1234567)).toBe("1234567");
  expect(cell(-5)).toBe("-5");
});

test("the page is written with its heads, one line a row", () => {
  const log = {
    created_at: 1_795_100_000,
    type: 2,
    model_name: "gpt-5",
    token_name: "ci",
    username: "mira",
    quota: 1234,
    prompt_tokens: 10,
    completion_tokens: 20,
    elapsed_time: 950,
    content: "",
  };
  expect(toCsv([log], () => "Consume")).toBe(
    `Time,Type,Model,Token,Username,Quota,Prompt Tokens,Completion Tokens,Latency,Content\r\n${formatSeconds(1_795_100_000)},Consume,gpt-5,ci,mira,1234,10,20,950,\r\n`,
  );
});
