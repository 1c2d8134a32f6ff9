/**
 * The modules that compute, hold, charge or prove money: cost and hold of a call, its estimated
 * usage, the statements that move units, and the proof that the books agree. Modules that only pass
 * such numbers on are not listed. PostgreSQL's functions are not either, because they are text of
 * migrations; the same tests compare them with the same model.
 */
export interface MoneyModule {
  /** Relative to the repository. */
  file: string;
  /** Its tests, the quickest first; they need only SQLite. */
  tests: readonly string[];
}

const money = "gateway/src/money";
const budgets = "gateway/src/accounts/budgets";
const models = "gateway/src/catalogue/models";
const relay = "gateway/src/relay";
const storage = "gateway/src/storage";
const prices = [
  `${money}/prices/price.test.ts`,
  `${money}/prices/price-hours.test.ts`,
  `${money}/prices/price-lists.test.ts`,
];
const verbs = [
  "money-verbs",
  "holds/hold-forecast",
  "redeem",
  "audit/rollups",
  "holds/budget-holds",
  "holds/channel-holds",
  "holds/hold-pools",
  "money-model",
].map((name) => `${money}/${name}.db.test.ts`);

export const moneyModules: readonly MoneyModule[] = [
  { file: `${money}/prices/price.ts`, tests: prices },
  {
    file: `${money}/prices/operator-prices.ts`,
    tests: [`${money}/prices/operator-prices.test.ts`],
  },
  { file: `${money}/prices/price-factors.ts`, tests: [`${money}/prices/price-factors.test.ts`] },
  {
    file: `${money}/prices/regional-prices.ts`,
    tests: [`${money}/prices/regional-prices.test.ts`],
  },
  {
    file: `${relay}/upstream/upstream-failure-kinds.ts`,
    tests: [`${relay}/upstream/upstream-failure-kinds.test.ts`],
  },
  {
    file: `${relay}/formats/hold-size/cost-members.ts`,
    tests: [`${relay}/formats/hold-size/cost-members.test.ts`],
  },
  {
    file: `${relay}/routing/cost-member-rules.ts`,
    tests: [`${relay}/routing/cost-member-rules.test.ts`],
  },
  {
    file: `${relay}/routing/channel-groups.ts`,
    tests: ["channel-groups", "choose-channels"].map((name) => `${relay}/routing/${name}.test.ts`),
  },
  { file: `${relay}/channel-entry.ts`, tests: [`${relay}/channel-entry.test.ts`] },
  { file: `${relay}/mcp/tool-call-end.ts`, tests: [`${relay}/mcp/tool-call-end.test.ts`] },
  { file: `${money}/prices/tool-fees.ts`, tests: [`${money}/prices/tool-fees.test.ts`] },
  { file: `${money}/prices/price-hours.ts`, tests: [`${money}/prices/price-hours.test.ts`] },
  { file: `${money}/prices/price-lists.ts`, tests: prices.toReversed() },
  {
    file: `${money}/prices/price-book.ts`,
    tests: [`${money}/prices/price-book.test.ts`, ...prices],
  },
  { file: `${models}/price-list-formats.ts`, tests: [`${models}/price-list-formats.test.ts`] },
  { file: `${models}/price-offer-rules.ts`, tests: [`${models}/price-offer-rules.test.ts`] },
  { file: `${money}/decimal.ts`, tests: prices },
  { file: `${money}/prices/buying-price.ts`, tests: [`${money}/prices/buying-price.test.ts`] },
  {
    file: `${money}/prices/cache-hit-charge.ts`,
    tests: [`${money}/prices/cache-hit-charge.test.ts`],
  },
  { file: `${money}/quota-text.ts`, tests: [`${money}/quota-text.test.ts`] },
  {
    file: `${money}/audit/explain-log.ts`,
    tests: [`${money}/audit/explain-log.test.ts`, `${money}/prices/price.test.ts`],
  },
  { file: `${money}/call-log-row.ts`, tests: [`${money}/call-log-row.test.ts`] },
  {
    file: `${money}/holds/live-holds.ts`,
    tests: ["holds/live-holds.test", "holds/live-pools.test", "holds/hold-pools.db.test"].map(
      (name) => `${money}/${name}.ts`,
    ),
  },
  {
    file: `${money}/holds/hold-pools.ts`,
    tests: ["holds/hold-pools.test", "holds/live-pools.test", "holds/hold-pools.db.test"].map(
      (name) => `${money}/${name}.ts`,
    ),
  },
  {
    file: `${money}/holds/hold-reach.ts`,
    tests: ["holds/hold-reach.test", "holds/live-holds.test", "holds/live-pools.test"].map(
      (name) => `${money}/${name}.ts`,
    ),
  },
  {
    file: `${money}/holds/hold-forecast.ts`,
    tests: [
      "holds/hold-forecast.test",
      "holds/hold-forecast.db.test",
      "holds/budget-holds.db.test",
    ].map((name) => `${money}/${name}.ts`),
  },
  { file: `${money}/holds/budget-windows.ts`, tests: [`${money}/holds/budget-windows.test.ts`] },
  { file: `${budgets}/live-budgets.ts`, tests: [`${budgets}/live-budgets.test.ts`] },
  { file: `${money}/debt-writes.ts`, tests: [`${money}/debt-writes.db.test.ts`] },
  { file: `${money}/transfer-writes.ts`, tests: [`${money}/transfer-writes.db.test.ts`] },
  {
    file: `${money}/grant-writes.ts`,
    tests: [`${money}/grant-writes.db.test.ts`, `${money}/money-model.db.test.ts`],
  },
  {
    file: `${money}/opening-writes.ts`,
    tests: [`${money}/opening-writes.db.test.ts`, "gateway/src/commands/import/import.db.test.ts"],
  },
  {
    file: "gateway/src/accounts/quota-requests/issuance.ts",
    tests: ["tests/src/api/admin-issue-limit.db.test.ts"],
  },
  { file: `${money}/holds/sweep.ts`, tests: [`${money}/holds/sweep.db.test.ts`] },
  { file: `${money}/audit/audit.ts`, tests: [`${money}/audit/audit.db.test.ts`] },
  { file: `${money}/audit/audit-in-steps.ts`, tests: [`${money}/audit/audit.db.test.ts`] },
  { file: `${money}/audit/book-checks.ts`, tests: [`${money}/audit/audit.db.test.ts`] },
  {
    file: `${relay}/formats/hold-size/token-estimate.ts`,
    tests: [`${relay}/formats/hold-size/token-estimate.test.ts`],
  },
  {
    file: `${relay}/formats/hold-size/output-limit.ts`,
    tests: [`${relay}/formats/hold-size/output-limit.test.ts`],
  },
  {
    file: `${relay}/formats/hold-size/unseen-inputs.ts`,
    tests: [`${relay}/formats/hold-size/unseen-inputs.test.ts`],
  },
  {
    file: `${relay}/formats/usage/reported-usage.ts`,
    tests: [`${relay}/formats/usage/reported-usage.test.ts`],
  },
  {
    file: `${relay}/formats/usage/openai-usage.ts`,
    tests: ["usage/openai-usage", "usage/usage-page"].map(
      (name) => `${relay}/formats/${name}.test.ts`,
    ),
  },
  {
    file: `${relay}/formats/usage/gemini-usage.ts`,
    tests: ["usage/gemini-usage", "gemini", "usage/usage-page"].map(
      (name) => `${relay}/formats/${name}.test.ts`,
    ),
  },
  {
    file: `${relay}/formats/usage/messages-usage.ts`,
    tests: [`${relay}/formats/usage/messages-usage.test.ts`],
  },
  {
    file: `${relay}/formats/hold-size/container-sessions.ts`,
    tests: [`${relay}/formats/hold-size/container-sessions.test.ts`],
  },
  {
    file: `${relay}/formats/hold-size/search-variant.ts`,
    tests: [`${relay}/formats/hold-size/search-variant.test.ts`],
  },
  {
    file: `${relay}/answer/started-containers.ts`,
    tests: [`${relay}/answer/started-containers.test.ts`],
  },
  {
    file: `${relay}/formats/usage/converse-usage.ts`,
    tests: [`${relay}/formats/usage/converse-usage.test.ts`],
  },
  {
    file: `${relay}/formats/member-spellings.ts`,
    tests: [`${relay}/formats/member-spellings.test.ts`],
  },
  { file: `${relay}/answer/stream-usage.ts`, tests: [`${relay}/answer/stream-usage.test.ts`] },
  {
    file: `${relay}/formats/usage/usage-details.ts`,
    tests: [`${relay}/formats/usage/usage-details.test.ts`],
  },
  { file: `${relay}/answer/counted-usage.ts`, tests: [`${relay}/answer/counted-usage.test.ts`] },
  {
    file: `${relay}/formats/usage/media-usage.ts`,
    tests: [`${relay}/formats/usage/media-usage.test.ts`],
  },
  { file: `${relay}/videos/video-terms.ts`, tests: [`${relay}/videos/video-terms.test.ts`] },
  {
    file: `${money}/prices/video-price.ts`,
    tests: [`${money}/prices/video-price.test.ts`, `${money}/prices/price-book.test.ts`],
  },
  { file: `${relay}/batches/batch-usage.ts`, tests: [`${relay}/batches/batch-usage.test.ts`] },
  {
    file: `${relay}/admission/token-limits.ts`,
    tests: [`${relay}/admission/token-limits.test.ts`],
  },
  { file: `${relay}/endpoints/billing.ts`, tests: [`${relay}/endpoints/billing.db.test.ts`] },
  { file: `${storage}/sqlite-money.ts`, tests: verbs },
  { file: `${storage}/sqlite-money-statements.ts`, tests: verbs },
  {
    file: `${storage}/sqlite-budget-counters.ts`,
    tests: [`${storage}/sqlite-budget-counters.test.ts`, `${money}/holds/budget-holds.db.test.ts`],
  },
  { file: `${storage}/sqlite-hold-pools.ts`, tests: [`${storage}/sqlite-hold-pools.test.ts`] },
  { file: `${storage}/sqlite-call-counters.ts`, tests: verbs },
  {
    file: `${storage}/sqlite-day-sums.ts`,
    tests: [...verbs, `${money}/team-calls.db.test.ts`],
  },
  { file: `${storage}/sqlite-inline-holds.ts`, tests: [`${storage}/sqlite-inline-holds.test.ts`] },
];
