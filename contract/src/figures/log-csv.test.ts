import { expect, test } from "vitest";
import { csvHead, csvHeadWithTags, formatCsvLine, readCsvCell } from "./log-csv.ts";

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
  ["\uff1d1+1", "'\uff1d1+1"],
  [" \uff20A1", "' \uff20A1"],
  ["-", "-"],
])("a cell is quoted and cannot be evaluated: %j", { tags: ["F-68", "F-96"] }, (value, written) => {
  expect(readCsvCell(value)).toBe(written);
});

test("numbers stay raw, including negative ones", () => {
  expect(readCsvCell(1234567)).toBe("1234567");
  expect(readCsvCell(-5)).toBe("-5");
});

test("the file has a header line and one line per row", () => {
  const log = {
    time: "2026-11-20 12:00:00",
    type: "Consume",
    model_name: "gpt-5",
    token_name: "ci",
    username: "mira",
    quota: 1234,
    prompt_tokens: 10,
    completion_tokens: 20,
    elapsed_time: 950,
    content: "",
  };
  expect(csvHead).toBe(
    "\ufeffTime,Type,Model,Token,Username,Quota,Prompt Tokens,Completion Tokens,Latency,Content\r\n",
  );
  expect(formatCsvLine(log)).toBe("2026-11-20 12:00:00,Consume,gpt-5,ci,mira,1234,10,20,950,\r\n");
  expect(csvHeadWithTags).toBe(csvHead.replace("\r\n", ",Tags\r\n"));
  expect(formatCsvLine({ ...log, tags: {} })).toBe(
    "2026-11-20 12:00:00,Consume,gpt-5,ci,mira,1234,10,20,950,,\r\n",
  );
  expect(formatCsvLine({ ...log, tags: { team: "search", env: "-1" } })).toMatch(
    /,,"team=search,env=-1"\r\n$/,
  );
});
