/**
 * The modules that compute, hold, charge or prove money: cost and hold of a call, its estimated usage, the statements that
 * move units, and the proof that the books agree. Modules that only pass such numbers on are not listed. PostgreSQL's
 * functions are not either, because they are text of migrations; the same tests compare them with the same model.
 */
export interface MoneyModule {
  /** Relative to the repository. */
  file: string;
  /** Its tests, the quickest first; they need only SQLite. */
  tests: readonly string[];
}

const money = "gateway/src/money";
const budgets = "gateway/src/budgets";
const models = "gateway/src/models";
const relay = "gateway/src/relay";
const storage = "gateway/src/storage";
const prices = [`${money}/price.test.ts`, `${money}/price-hours.test.ts`, `${money}/price-lists.test.ts`];
const verbs = ["money-verbs", "hold-forecast", "redeem", "rollups", "budget-holds", "hold-pools", "money-model"].map(
  (name) => `${money}/${name}.db.test.ts`,
);

export const moneyModules: readonly MoneyModule[] = [
  { file: `${money}/price.ts`, tests: prices },
  { file: `${money}/operator-prices.ts`, tests: [`${money}/operator-prices.test.ts`] },
  { file: `${money}/price-factors.ts`, tests: [`${money}/price-factors.test.ts`] },
  { file: `${money}/regional-prices.ts`, tests: [`${money}/regional-prices.test.ts`] },
  { file: `${relay}/upstream/upstream-failure-kinds.ts`, tests: [`${relay}/upstream/upstream-failure-kinds.test.ts`] },
  { file: `${relay}/formats/cost-members.ts`, tests: [`${relay}/formats/cost-members.test.ts`] },
  { file: `${relay}/routing/cost-member-rules.ts`, tests: [`${relay}/routing/cost-member-rules.test.ts`] },
  {
    file: `${relay}/routing/channel-groups.ts`,
    tests: ["channel-groups", "choose-channels"].map((name) => `${relay}/routing/${name}.test.ts`),
  },
  { file: `${relay}/mcp/tool-call-end.ts`, tests: [`${relay}/mcp/tool-call-end.test.ts`] },
  { file: `${money}/tool-fees.ts`, tests: [`${money}/tool-fees.test.ts`] },
  { file: `${money}/price-hours.ts`, tests: [`${money}/price-hours.test.ts`] },
  { file: `${money}/price-lists.ts`, tests: prices.toReversed() },
  { file: `${money}/price-book.ts`, tests: [`${money}/price-book.test.ts`, ...prices] },
  { file: `${models}/price-list-formats.ts`, tests: [`${models}/price-list-formats.test.ts`] },
  { file: `${models}/price-offer-rules.ts`, tests: [`${models}/price-offer-rules.test.ts`] },
  { file: `${money}/decimal.ts`, tests: prices },
  { file: `${money}/buying-price.ts`, tests: [`${money}/buying-price.test.ts`] },
  { file: `${money}/cache-hit-charge.ts`, tests: [`${money}/cache-hit-charge.test.ts`] },
  { file: `${money}/quota-text.ts`, tests: [`${money}/quota-text.test.ts`] },
  { file: `${money}/explain-log.ts`, tests: [`${money}/explain-log.test.ts`, `${money}/price.test.ts`] },
  { file: `${money}/call-log-row.ts`, tests: [`${money}/call-log-row.test.ts`] },
  {
    file: `${money}/live-holds.ts`,
    tests: ["live-holds.test", "live-pools.test", "hold-pools.db.test"].map((name) => `${money}/${name}.ts`),
  },
  {
    file: `${money}/hold-pools.ts`,
    tests: ["hold-pools.test", "live-pools.test", "hold-pools.db.test"].map((name) => `${money}/${name}.ts`),
  },
  { file: `${money}/hold-reach.ts`, tests: [`${money}/hold-reach.test.ts`] },
  {
    file: `${money}/hold-forecast.ts`,
    tests: ["hold-forecast.test", "hold-forecast.db.test", "budget-holds.db.test"].map((name) => `${money}/${name}.ts`),
  },
  { file: `${budgets}/budget-windows.ts`, tests: [`${budgets}/budget-windows.test.ts`] },
  { file: `${budgets}/live-budgets.ts`, tests: [`${budgets}/live-budgets.test.ts`] },
  { file: `${money}/debt-writes.ts`, tests: [`${money}/debt-writes.db.test.ts`] },
  { file: `${money}/grant-writes.ts`, tests: [`${money}/grant-writes.db.test.ts`, `${money}/money-model.db.test.ts`] },
  {
    file: `${money}/opening-writes.ts`,
    tests: [`${money}/opening-writes.db.test.ts`, "gateway/src/import/import.db.test.ts"],
  },
  { file: "gateway/src/quota-requests/issuance.ts", tests: ["tests/src/api/admin-issue-limit.db.test.ts"] },
  { file: `${money}/sweep.ts`, tests: [`${money}/sweep.db.test.ts`] },
  { file: `${money}/audit.ts`, tests: [`${money}/audit.db.test.ts`] },
  { file: `${money}/audit-in-steps.ts`, tests: [`${money}/audit.db.test.ts`] },
  { file: `${money}/book-checks.ts`, tests: [`${money}/audit.db.test.ts`] },
  { file: `${relay}/formats/token-estimate.ts`, tests: [`${relay}/formats/token-estimate.test.ts`] },
  { file: `${relay}/formats/output-limit.ts`, tests: [`${relay}/formats/output-limit.test.ts`] },
  { file: `${relay}/formats/unseen-inputs.ts`, tests: [`${relay}/formats/unseen-inputs.test.ts`] },
  { file: `${relay}/formats/reported-usage.ts`, tests: [`${relay}/formats/reported-usage.test.ts`] },
  {
    file: `${relay}/formats/openai-usage.ts`,
    tests: ["openai-usage", "usage-page"].map((name) => `${relay}/formats/${name}.test.ts`),
  },
  {
    file: `${relay}/formats/gemini-usage.ts`,
    tests: ["gemini-usage", "gemini", "usage-page"].map((name) => `${relay}/formats/${name}.test.ts`),
  },
  { file: `${relay}/formats/messages-usage.ts`, tests: [`${relay}/formats/messages-usage.test.ts`] },
  { file: `${relay}/formats/container-sessions.ts`, tests: [`${relay}/formats/container-sessions.test.ts`] },
  { file: `${relay}/formats/search-variant.ts`, tests: [`${relay}/formats/search-variant.test.ts`] },
  { file: `${relay}/answer/started-containers.ts`, tests: [`${relay}/answer/started-containers.test.ts`] },
  { file: `${relay}/formats/converse-usage.ts`, tests: [`${relay}/formats/converse-usage.test.ts`] },
  { file: `${relay}/formats/member-spellings.ts`, tests: [`${relay}/formats/member-spellings.test.ts`] },
  { file: `${relay}/answer/stream-usage.ts`, tests: [`${relay}/answer/stream-usage.test.ts`] },
  { file: `${relay}/formats/usage-details.ts`, tests: [`${relay}/formats/usage-details.test.ts`] },
  { file: `${relay}/answer/counted-usage.ts`, tests: [`${relay}/answer/counted-usage.test.ts`] },
  { file: `${relay}/formats/media-usage.ts`, tests: [`${relay}/formats/media-usage.test.ts`] },
  { file: `${relay}/videos/video-terms.ts`, tests: [`${relay}/videos/video-terms.test.ts`] },
  { file: `${money}/video-price.ts`, tests: [`${money}/video-price.test.ts`, `${money}/price-book.test.ts`] },
  { file: `${relay}/batches/batch-usage.ts`, tests: [`${relay}/batches/batch-usage.test.ts`] },
  { file: `${relay}/admission/token-limits.ts`, tests: [`${relay}/admission/token-limits.test.ts`] },
  { file: `${relay}/endpoints/billing.ts`, tests: [`${relay}/endpoints/billing.db.test.ts`] },
  { file: `${storage}/sqlite-money.ts`, tests: verbs },
  { file: `${storage}/sqlite-money-statements.ts`, tests: verbs },
  {
    file: `${storage}/sqlite-budget-counters.ts`,
    tests: [`${storage}/sqlite-budget-counters.test.ts`, `${money}/budget-holds.db.test.ts`],
  },
  { file: `${storage}/sqlite-hold-pools.ts`, tests: [`${storage}/sqlite-hold-pools.test.ts`] },
  { file: `${storage}/sqlite-call-counters.ts`, tests: verbs },
  { file: `${storage}/sqlite-tag-counters.ts`, tests: verbs },
  { file: `${storage}/sqlite-cost-counters.ts`, tests: verbs },
  { file: `${storage}/sqlite-inline-holds.ts`, tests: [`${storage}/sqlite-inline-holds.test.ts`] },
];
