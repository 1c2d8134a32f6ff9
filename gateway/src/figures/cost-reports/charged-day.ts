/** The cost of one day's calls by our books, by the name under which their provider was called. */
import { readLoggedUsage } from "../../money/audit/explain-log.ts";
import { computePicodollars, type FrozenPrice, thawPrice } from "../../money/prices/price.ts";
import type { CostLine } from "./compare-costs.ts";
import type { CostReportStore, PricedLogRow } from "./cost-report-store.ts";

const picosPerMicro = 1_000_000n;
const picosPerNano = 1_000n;

interface ChargedSum {
  requests: number;
  prompt: number;
  completion: number;
  picodollars: bigint;
}

export interface ChargedDay {
  lines: CostLine[];
  /** The roll-ups count more than the rows that are left. */
  isIncomplete: boolean;
}

export async function readChargedDay(
  store: Pick<CostReportStore, "callsOfDay" | "countedQuota">,
  channelIds: readonly number[],
  day: number,
): Promise<ChargedDay> {
  const sums = new Map<string, ChargedSum>();
  // Before the rows: a call that ends meanwhile adds a row that the roll-ups do not count yet,
  // never the other way round.
  const countedQuota = await store.countedQuota(channelIds, day);
  let quota = 0;
  for (let after = 0; ; ) {
    const rows = await store.callsOfDay(channelIds, day, after);
    for (const row of rows) {
      quota += row.quota;
      addRow(sums, row);
    }
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
  }
  const lines = [...sums].map(([model, sum]) => ({
    day,
    model,
    requests: sum.requests,
    prompt_tokens: sum.prompt,
    completion_tokens: sum.completion,
    cost_micros: Number((sum.picodollars + picosPerMicro / 2n) / picosPerMicro),
  }));
  return { lines, isIncomplete: countedQuota > quota };
}

/** Calls without usage, such as failed ones, are not counted. */
function addRow(sums: Map<string, ChargedSum>, row: PricedLogRow): void {
  const cost = computeCost(row);
  if (cost === 0n && row.prompt_tokens + row.completion_tokens === 0) return;
  const sum = sums.get(row.model_name) ?? {
    requests: 0,
    prompt: 0,
    completion: 0,
    picodollars: 0n,
  };
  sum.requests += 1;
  sum.prompt += row.prompt_tokens;
  sum.completion += row.completion_tokens;
  sum.picodollars += cost;
  sums.set(row.model_name, sum);
}

/**
 * Picodollars: what the operator pays, or without a buying price the charge without the ratio of
 * the group, which providers do not know.
 */
function computeCost(row: PricedLogRow): bigint {
  if (row.cost_nanos !== null) return BigInt(row.cost_nanos) * picosPerNano;
  if (row.price === null) return 0n;
  const price = JSON.parse(row.price) as FrozenPrice;
  return computePicodollars(thawPrice(price), readLoggedUsage(row, price));
}
