import { csvHead, formatCsvLine } from "@tollgate/contract/figures/log-csv.ts";
import { expect, test } from "vitest";
import { makeCsvLineCounter } from "./csv-rows.ts";

const log = (content: string) =>
  formatCsvLine({
    time: "2026-11-20 12:00:00",
    type: "Consume",
    model_name: "m",
    token_name: "t",
    username: "u",
    quota: 1,
    prompt_tokens: 1,
    completion_tokens: 1,
    elapsed_time: 1,
    content,
  });

test.each([1, 2, 7, 1000])("lines are counted in chunks of %i bytes", (size) => {
  const bytes = new TextEncoder().encode(
    csvHead + log("") + log('two\r\nlines, "quoted"') + log("雪"),
  );
  const count = makeCsvLineCounter();
  let lines = 0;
  for (let start = 0; start < bytes.length; start += size)
    lines = count(bytes.subarray(start, start + size));
  expect(lines).toBe(4);
});
