/** The API route for spending in steps of time. */
import {
  getSpending,
  type Spending,
  type SpendingGroup,
} from "@tollgate/contract/figures/spending.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { isWholeSite, type PayerScope } from "../../storage/payer-scope.ts";
import { type DayRange, readRequestedDays } from "./dashboard-rules.ts";
import { type PayerSources, readRequestedFigures } from "./requested-account.ts";
import {
  buildSpan,
  buildSpending,
  computeEarlierDays,
  fitsHours,
  limitRankedDays,
  requireGroup,
} from "./spending-rules.ts";
import type { SpendingStore } from "./spending-store.ts";

interface SpendingDeps extends PayerSources {
  store: SpendingStore;
}

interface SpendingQuestion {
  by: SpendingGroup;
  days: DayRange;
  before: DayRange | undefined;
  payer: PayerScope;
  now: number;
}

export function buildSpendingRoutes({ store, ...sources }: SpendingDeps): ApiRoute[] {
  return [
    apiRoute(getSpending, async ({ principal, query, now }) => {
      const days = readRequestedDays(query.from_date, query.to_date, principal.role, now);
      const { payer } = await readRequestedFigures(sources, principal, query);
      requireGroup(query.by, payer);
      const before = computeEarlierDays(days, principal.role, now);
      return readSpending(store, { by: query.by, days, before, payer, now });
    }),
  ];
}

async function readSpending(store: SpendingStore, question: SpendingQuestion): Promise<Spending> {
  const { by, days, now } = question;
  const found = (await readHours(store, question)) ?? (await readDays(store, question));
  const names = await store.listNames(
    by,
    found.current.rows.map(({ id }) => id),
  );
  return buildSpending({ span: buildSpan(days, found.unit), now, names, ...found });
}

/** `readHours` is undefined where only days are known. */
async function readHours(store: SpendingStore, { by, days, before, payer }: SpendingQuestion) {
  if (!fitsHours(days)) return undefined;
  const read = async (one: DayRange) => {
    if (!isWholeSite(payer)) return store.listPayerHours(by, one, payer);
    return by === "model" || by === "channel"
      ? store.listSiteRows(by, one, days, "hour")
      : undefined;
  };
  const [current, earlier] = await Promise.all([read(days), before && read(before)]);
  return current && { unit: "hour" as const, current, earlier };
}

async function readDays(store: SpendingStore, { by, days, before, payer }: SpendingQuestion) {
  const read = (one: DayRange) =>
    isWholeSite(payer)
      ? store.listSiteRows(by, one, limitRankedDays(days), "day")
      : store.listPayerDays(by, one, days, payer);
  const [current, earlier] = await Promise.all([read(days), before && read(before)]);
  return { unit: "day" as const, current, earlier };
}
