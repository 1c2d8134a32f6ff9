/**
 * Bills of providers for the latest days that they have closed, beside the costs of these days by
 * our prices, for alerts.
 */
import type { BilledChannel } from "../../notices/alerts/daily-causes.ts";
import { computePercentApart } from "./compare-costs.ts";
import type { CostReportStore } from "./cost-report-store.ts";
import { readStoredComparison } from "./stored-comparison.ts";

const dayMs = 86_400_000;
/** A provider closes the last of them later. */
const billedDays = 10;

export async function listBilledChannels(
  store: Pick<CostReportStore, "all" | "days" | "lines">,
  now: number,
): Promise<BilledChannel[]> {
  const today = Math.floor(now / dayMs);
  const found: BilledChannel[] = [];
  for (const report of await store.all()) {
    const { total } = await readStoredComparison(store, report, {
      first: today - billedDays,
      last: today,
    });
    const [ours, theirs] = [
      total.charged?.cost_micros ?? null,
      total.reported?.cost_micros ?? null,
    ];
    if (ours === null || theirs === null) continue;
    const calls = total.charged?.requests ?? 0;
    found.push({
      id: report.channel_id,
      name: report.channel_name,
      calls,
      ours,
      theirs,
      apart: computePercentApart(ours, theirs),
    });
  }
  return found;
}
