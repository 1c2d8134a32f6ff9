/**
 * Mutants that no test of these modules on SQLite can notice, each with its reason; an unneeded row
 * fails the run.
 */

export interface EquivalentMutant {
  /** Relative to the repository. */
  file: string;
  /** The mutant or the branch as the run names it. */
  change: string;
  why: string;
}

const equivalentRows = (
  file: string,
  changes: Readonly<Record<string, string>>,
): EquivalentMutant[] => Object.entries(changes).map(([change, why]) => ({ file, change, why }));

const money = "gateway/src/money";
const models = "gateway/src/catalogue/models";
const relay = "gateway/src/relay";
const storage = "gateway/src/storage";
const typeGuard = "says to the compiler what the other half of the condition says already";
const longAgo = "a millisecond of 1970 has passed, as its beginning has";
const notZero = "nothing was answered before for an amount of 0";

const belowLeast =
  "the ceiling of a prompt is a million at least, and the window of this one is below it";
const blank = "blank text is 0 as a number, which is no limit";
const slowerSearch = "the search finds what the straight line says";
const smallFees = "a picodollar of a dollar is rounded away, as no fee reaches half a dollar";
const oneGroup = "every channel that is ordered has a group of the key: it saves the grouping";
const neverEmpty = "the compiler asks for it; an offer states at least one price";
const alwaysStated = "the compiler asks for it; what is not stated is no member";
const between = "any number between the two ends finds the border";

const readAnew = "read anew, the budgets are the same: it saves the reading";
const hardAlone = "the compiler asks for it; those that refuse nothing are left out before";
const sameRefusal =
  "asked again for no less, the wallet, key or budget refuses again with the same word: it saves the asking";
const readByPostgres = "SQLite reads the statement above it";
const ofPostgres = "the queue of roll-ups is PostgreSQL's; SQLite has none and counts 0 for it";

/** Mutants that behave like the program. */
export const equivalentMutants: readonly EquivalentMutant[] = [
  ...equivalentRows(`${money}/prices/price.ts`, {
    "if ([tiers.length === 0 => false]) return rates;":
      "without tiers none fits either: it saves the counting",
    "if ([used !== undefined => true] && used > 0) sum += chooseRate(rates, bucket) * BigInt(used":
      typeGuard,
    "const used = [usage[bucket] ?? 0 => usage[bucket]];":
      "what is not there is not more than 0 either",
    "Used = (usage: Usage): boolean => buckets.some((bucket) => ([usage[bucket] ?? 0 => usage[bucket]]) > 0);":
      typeGuard,
    "if (used !== undefined && used [> => >=] 0) sum += chooseRate(rates, bucket) * BigInt(used);":
      "0 of it costs 0",
  }),
  ...equivalentRows(`${money}/prices/price-factors.ts`, {
    "const known = [seller => true] && batchFactors[seller];": "no factor is known of no seller",
  }),
  ...equivalentRows(`${money}/prices/regional-prices.ts`, {
    'return [URL.parse(base)?.hostname ?? "" => URL.parse(base)?.hostname];':
      "no pattern of a place matches what is no host",
  }),
  ...equivalentRows(`${money}/prices/price-book.ts`, {
    "if ([!known => true]) {": "computed anew, a ratio is the same: it saves the computing",
    "[knownRatios.set(ratios, known); => ;]":
      "computed anew, a ratio is the same: it saves the computing",
    'const seconds = video && findVideoSecondRate(video, [variant.split("/", 1)[0] ?? "" => variant.split("/", 1)[0]]);':
      typeGuard,
    'ds = video && findVideoSecondRate(video, variant.split("/", [1 => 2])[0] ?? "");':
      "the first part is the same",
    '[typeof value === "number" => true] && Number.isFinite(value) && (value >= 0 || mayBeNegative.t':
      typeGuard,
  }),
  ...equivalentRows(`${models}/price-list-formats.ts`, {
    "return Object.values(rates).some((rate = [0 => 1]) => rate > 0) ? prices.data : undefined;":
      alwaysStated,
  }),
  ...equivalentRows(`${models}/price-offer-rules.ts`, {
    "if ([!offer => false]) return [];":
      "where nothing is offered, nothing is stated: it saves the comparison",
    "if ([!stated => false] || !isDifferent(before, after)) return [];": neverEmpty,
  }),
  ...equivalentRows(`${relay}/routing/channel-groups.ts`, {
    "if ([groups.length === 1 => false]) return order(channels);": oneGroup,
    "if (groups.length === [1 => 0]) return order(channels);": oneGroup,
  }),
  ...equivalentRows(`${relay}/routing/cost-member-rules.ts`, {
    "if ([!param_override => false]) return members;":
      "without overrides none of the members is replaced: it saves the looking",
  }),
  ...equivalentRows(`${money}/decimal.ts`, {
    "return scale [< => <=] 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } :":
      "ten to the power of 0 is 1",
    "return scale < [0 => 1] ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : {":
      "ten to the power of 0 is 1",
  }),
  ...equivalentRows(`${money}/audit/explain-log.ts`, {
    "[price === null => false] ? undefined : (JSON.parse(price) as FrozenPrice);":
      "null is read as JSON's null",
  }),
  ...equivalentRows(`${money}/holds/live-holds.ts`, {
    "const isNew = [progress !== null => true] && progress !== hold.recorded;":
      "what runs once runs until its hold ends, and before that both are null",
    "if ([hold.running => true] && isNew)": typeGuard,
    "if ([ends.length > 0 => true]) await awaitEnds(ends, endsWaitMaxMs);":
      "no end has come when it is waited for",
    "if (ends.length [> => >=] 0) await awaitEnds(ends, endsWaitMaxMs);":
      "no end has come when it is waited for",
  }),
  ...equivalentRows(`${money}/holds/live-holds.ts`, {
    "[hold.running = undefined; => ;]": "it is about memory: nothing reads a hold that has ended",
    "await Promise.all([...live.values()].flatMap(({ ended }) => [ended ?? [] => ended]));":
      "what has no end to wait for is awaited at once",
  }),
  ...equivalentRows(`${money}/holds/hold-pools.ts`, {
    "key.pausedUntil = [0 => 1];": longAgo,
    "{ ...identity, ...none, running: 0, units: 0, pausedUntil: [0 => 1] };": longAgo,
    "if (wanted === unsharedUnits || (pool && pool.amount [>= => >] growBelow * wanted)) return;":
      "an amount is whole, and three quarters of four times the units and one are not",
  }),
  ...equivalentRows(`${relay}/formats/usage/messages-usage.ts`, {
    'if ([typeof wire !== "object" => false] || wire === null) return undefined;':
      "what is no object has no counts",
    "const web_searches = [searched ?? previous.web_searches ?? 0 => searched ?? previous.web_searches];":
      typeGuard,
  }),
  ...equivalentRows(`${relay}/formats/usage/openai-usage.ts`, {
    "const seconds = [findTokenCount(reported.prompt_audio_seconds) ?? 0 => findTokenCount(reported.prompt_audio_seconds)];":
      typeGuard,
  }),
  ...equivalentRows(`${relay}/answer/stream-usage.ts`, {
    "#isOutdated = [false => true];": "it is about a count, and the first one says that it is not",
  }),
  ...equivalentRows(`${money}/holds/hold-forecast.ts`, {
    "[tokenId === undefined => false]": "no token is without an id: it saves the read",
  }),
  ...equivalentRows(`${money}/grant-writes.ts`, {
    "const [debit, credit] = amount [> => >=] 0 ? [issuance, account] : [account, issuance];":
      notZero,
  }),
  ...equivalentRows(`${money}/holds/sweep.ts`, {
    "if ([row.progress === null => false]) return undefined;":
      "null is read as JSON's null, which has no price either",
  }),
  ...equivalentRows(`${money}/audit/book-checks.ts`, {
    'postgres: "coalesce((select [sum( => max(]quota) from rollup_queue QUEUED), 0)",': ofPostgres,
    'es: "coalesce((select sum(quota) from rollup_queue QUEUED), [0 => 1])",': ofPostgres,
    "[sum( => max(]coalesce(given.amount, reservations.amount)) as amount": readByPostgres,
    "where given.max is not null group by 1, [2 => 3], 3`,": readByPostgres,
    "where given.max is not null group by 1, 2, [3 => 4]`,": readByPostgres,
    'used_quota[ + => - ]${queuedQuota[dialect].replace("QUEUED", "where channel_id =': ofPostgres,
    'used_quota + ${queuedQuota[dialect][.replace("QUEUED", "where channel_id = channels.id") => ]} as stored, 0 as base from channels`,':
      ofPostgres,
    'used_quota + ${queuedQuota[dialect].replace("QUEUED", "[where channel_id = channels.id => where (channel_id = channels.id or 1 = 1)]")} as stored, 0 as base from channels`,':
      ofPostgres,
    'coalesce((select sum(quota) from rollup_day_model), 0)[ + => - ]${queuedQuota[dialect].replace("QUEUED", "")} as stored,':
      ofPostgres,
    'm(quota) from rollup_day_model), 0) + ${queuedQuota[dialect][.replace("QUEUED", "") => ]} as stored,':
      ofPostgres,
    "coalesce((select [sum( => max(]amount) from ledger where billing_id = redemptions.billing_i":
      "the ledger's key allows one such entry for an id",
  }),
  ...equivalentRows(`${relay}/endpoints/billing.ts`, {
    "access_until: Math.floor(([caller.expiredAt ?? 0 => caller.expiredAt]) / 1000),":
      "a part of null is 0",
    "access_until: Math.floor((caller.expiredAt ?? [0 => 1]) / 1000),":
      "a millisecond is no second",
  }),
  ...equivalentRows(`${relay}/formats/hold-size/token-estimate.ts`, {
    "const input = Math.[ceil => round](promptTokens * holdMargin) + addedTokens;":
      "whole tokens and a half of them end in .0 or .5, which are rounded alike",
  }),
  ...equivalentRows(`${relay}/formats/usage/reported-usage.ts`, {
    '[typeof value === "number" => true] && Number.isSafeInteger(value) && value >= 0': typeGuard,
    ".map((bucket) => [bucket, Math.max(one[bucket] ?? 0, [other[bucket] ?? 0 => other[bucket]])] as const)":
      "what the provider alone counted stands in its own usage already",
    "boundedItems.some((bucket) => ([usage[bucket] ?? 0 => usage[bucket]]) > itemsMax);":
      "what is not there is not more than the bound either",
    "boundedItems.some((bucket) => (usage[bucket] ?? [0 => 1]) > itemsMax);":
      "1 is below the bound as well",
    "...buildUsageCeilings([0 => 1], 0, 1, true),": belowLeast,
    "...buildUsageCeilings(0, 0, [1 => 0], true),": "no answer has the ceiling of one",
    "...buildUsageCeilings(0, 0, 1, [true => false]),": belowLeast,
  }),
  ...equivalentRows(`${relay}/formats/hold-size/output-limit.ts`, {
    'const number = typeof value === "string" && [value.trim() !== "" => true] ? Number(value) : value;':
      blank,
    'const number = typeof value === "string" && value[.trim() => ] !== "" ? Number(value) : value;':
      blank,
  }),
  ...equivalentRows(`${relay}/formats/hold-size/unseen-inputs.ts`, {
    "if ([Array.isArray(value) => false]) {":
      "the indexes of a list are walked as the names of an object are",
    'if ([typeof member === "number" => false] || textMembers.has(name) || isToolInput(name, part)) contin':
      "a number has no parts: it saves the call",
  }),
  ...equivalentRows(`${money}/holds/hold-reach.ts`, {
    "if ([pricing.tiers !== undefined && pricing.tiers.length > 0 => true]) {": slowerSearch,
    "if (pricing.tiers !== undefined && [pricing.tiers.length > 0 => true]) {": slowerSearch,
    "if (pricing.tiers !== undefined && pricing.tiers.length [> => >=] 0) {": slowerSearch,
    "const middle = Math.[floor => ceil]((low + high) / 2);": between,
    "const middle = Math.[floor => round]((low + high) / 2);": between,
  }),
  ...equivalentRows(`${relay}/formats/usage/media-usage.ts`, {
    "[reportedSeconds !== undefined => true] && isPlausibleDuration(reportedSeconds, call.body.length);":
      typeGuard,
  }),
  ...equivalentRows(`${money}/prices/tool-fees.ts`, {
    "const perDollar = [1_000_000_000_000n => 1000000000001n];": smallFees,
    "const perDollar = [1_000_000_000_000n => 999999999999n];": smallFees,
  }),
  ...equivalentRows(`${storage}/sqlite-budget-counters.ts`, {
    "const readBudgetsMax = [200 => 201];": readAnew,
    "const readBudgetsMax = [200 => 199];": readAnew,
    "if ([known => false]) return known;": readAnew,
    "if ([read.size >= readBudgetsMax => true]) read.clear();": readAnew,
    "if ([read.size >= readBudgetsMax => false]) read.clear();":
      "what is remembered is bounded, and counted alike",
    "if (read.size [>= => >] readBudgetsMax) read.clear();": readAnew,
    "[read.set(text, budgets); => ;]": readAnew,
    "= hard.find((budget) => usedOf(budget) + addedTo(budget) > ([budget.max ?? 0 => budget.max]));":
      hardAlone,
    "udget) => usedOf(budget) + addedTo(budget) > (budget.max ?? [0 => 1]));": hardAlone,
  }),
  ...equivalentRows(`${storage}/sqlite-hold-pools.ts`, {
    "if ([pending.size === 0 => false]) return;":
      "nothing is written for no sum: it saves the clock",
  }),
  ...equivalentRows(`${storage}/sqlite-money.ts`, {
    'if ([result === "wallet_in_debt" => false] || least >= command.amount) return result;':
      sameRefusal,
    'if ([result === "wallet_in_debt" || least >= command.amount => false]) return result;':
      sameRefusal,
    'if (result === "wallet_in_debt" [|| => &&] least >= command.amount) return result;':
      sameRefusal,
    'if (result === "wallet_in_debt" || [least >= command.amount => false]) return result;':
      sameRefusal,
    'if (result === "wallet_in_debt" || least [>= => >] command.amount) return result;':
      sameRefusal,
    "if ([asksToken => true]) statements.releaseToken.run(tokenAmount, tokenId);":
      "of a key without a limit 0 units are held, and released",
    "const named = [budgets => true] ? JSON.stringify(budgets) : null;":
      "what is not defined is stored as null",
    'if ([pool => true] && statements.logged.get(id)) return "already";':
      "a call with a hold of its own that has a log row has no hold any more, which is answered alike",
    'amount [> => >=] 0 ? ["issuance", `wallet:${walletId}`] : [`wallet:${walletI': notZero,
  }),
];

const alwaysThere = "the compiler asks for it; the index is that of a list of the same length";

/** Branches that no input reaches. */
export const unreachableBranches: readonly EquivalentMutant[] = [
  ...equivalentRows(`${money}/prices/price-book.ts`, {
    '"": is taken as the default': "what was taken apart has a first part",
    'variant.split("/", 1)[0]: is not there': "what was taken apart has a first part",
  }),
  ...equivalentRows(`${models}/price-offer-rules.ts`, { "!stated: holds": neverEmpty }),
  ...equivalentRows(`${models}/price-list-formats.ts`, {
    "0: is taken as the default": alwaysStated,
  }),
  ...equivalentRows(`${money}/decimal.ts`, {
    '"0": is taken as the default': "what fits the pattern has digits",
  }),
  ...equivalentRows(`${storage}/sqlite-budget-counters.ts`, {
    "budget.max: is not there": hardAlone,
  }),
  ...equivalentRows(`${storage}/sqlite-call-counters.ts`, {
    "known.values[index]: is not there": alwaysThere,
    "values[index]: is not there": alwaysThere,
    "table: does not hold": alwaysThere,
    "upserts[index]: is not there": alwaysThere,
  }),
];
