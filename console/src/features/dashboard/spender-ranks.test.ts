import type { TokenUsage } from "@tollgate/contract/figures/dashboard.ts";
import { expect, test } from "vitest";
import { listKeySpenders, listModelSpenders, rankSpenders, type Spender } from "./spender-ranks.ts";

const spender = (id: string, quota: number, requests = 1): Spender => ({
  ...{ id, name: id, quota, requests, failures: 0, filter: {} },
});

test("the dearest comes first, with its share of all, also of those that are not shown", () => {
  const many = Array.from({ length: 9 }, (_, index) => spender(`small ${index}`, 10));
  const ranked = rankSpenders([...many, spender("large", 10), spender("large", 0)]);
  expect(ranked).toHaveLength(8);
  expect(ranked[0]).toMatchObject({ name: "large", quota: 10, requests: 2, share: 0.1 });
});

test("what cost nothing is ranked by its calls and has no share", () => {
  const ranked = rankSpenders([spender("rare", 0), spender("busy", 0, 5)]);
  expect(ranked.map(({ name, share }) => [name, share])).toEqual([
    ["busy", 0],
    ["rare", 0],
  ]);
});

const usage = { Quota: 4, RequestCount: 2, failures: 1 };

test("keys of one name and different owners are different keys", () => {
  const rows = ["ada", "mira"].map((Username) => ({
    ...usage,
    TokenName: "laptop",
    Username,
    user_uuid: Username,
  }));
  const ranked = rankSpenders(listKeySpenders(rows as TokenUsage[], true));
  expect(ranked.map(({ owner, filter }) => [owner, filter])).toEqual([
    ["ada", { token_name: "laptop", username: "ada" }],
    ["mira", { token_name: "laptop", username: "mira" }],
  ]);
});

test("what a server did not count adds nothing", () => {
  const row = {
    Day: "",
    ModelName: "small",
    PromptTokens: 1,
    CompletionTokens: 1,
    ...usage,
    failures: Number.NaN,
  };
  expect(rankSpenders(listModelSpenders([row, row]))).toMatchObject([
    { quota: 8, requests: 4, failures: 0 },
  ]);
});
