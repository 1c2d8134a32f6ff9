import type { LogProblem } from "@tollgate/contract/figures/logs.ts";
import { expect, test } from "vitest";
import { noFilter } from "./log-filter-values.ts";
import { buildProblemFilter } from "./problem-filter.ts";

const group: LogProblem = {
  ...{
    outcome: "interrupted",
    content: "the gateway stopped",
    model_name: "small",
    channel: 7,
    channel_name: "North",
  },
  ...{ calls: 3, users: 2, first_at: 1, last_at: 2, last_uuid: "u" },
};

test("a group opens its calls: by outcome, reason, model and channel", () => {
  const start_timestamp = "5";
  expect(buildProblemFilter(group, { ...noFilter, start_timestamp })).toEqual({
    ...{ ...noFilter, start_timestamp, outcome: "cut", model_name: "small", channel: "7" },
    keyword: "the gateway stopped",
  });
});

test("answered calls are found by their retries, or by their time", () => {
  const answered = { ...group, outcome: "success", content: "", channel: 0 };
  expect(buildProblemFilter(answered, noFilter)).toMatchObject({
    outcome: "",
    retried: "1",
    channel: "",
    keyword: "",
  });
  expect(buildProblemFilter(answered, { ...noFilter, slow: "1" })).toMatchObject({
    retried: "",
    slow: "1",
  });
});

test("refused calls are found by the type of their rows: none of them was sent", () => {
  const refused = { ...group, outcome: "refused", content: "no channel", channel: 0 };
  expect(buildProblemFilter(refused, noFilter)).toMatchObject({
    type: "8",
    outcome: "",
    retried: "",
    keyword: "no channel",
  });
});

test("a long reason is cut to what the gateway searches for", () => {
  expect(buildProblemFilter({ ...group, content: "x".repeat(500) }, noFilter).keyword).toHaveLength(
    200,
  );
});
