/** The comparison of what was read and stored, for the console and for `tollgate audit --usage`. */
import type { CostComparison } from "@tollgate/contract/figures/cost-reports.ts";
import type { CostReportLineRow } from "../../storage/tables/cost-report-tables.ts";
import { type CostLine, compareCosts } from "./compare-costs.ts";
import type { ChannelReport, CostReportStore } from "./cost-report-store.ts";

const dayMs = 86_400_000;

/** UTC days since 1970 of `YYYY-MM-DD`; undefined for anything else. */
export function findDayOfText(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(at) ? Math.floor(at / dayMs) : undefined;
}

/** Both days are included. */
export async function readStoredComparison(
  store: Pick<CostReportStore, "days" | "lines">,
  { channel_uuid }: ChannelReport,
  { first, last }: { first: number; last: number },
): Promise<CostComparison> {
  const [days, lines] = await Promise.all([
    store.days(channel_uuid, first, last),
    store.lines(channel_uuid, first, last),
  ]);
  const ofSide = (side: CostReportLineRow["side"]) =>
    lines.filter((line) => line.side === side).map(buildCostLine);
  return compareCosts(
    days.map(({ day, read_at, is_incomplete }) => ({
      day,
      readAt: read_at,
      isIncomplete: is_incomplete === 1,
    })),
    ofSide("charged"),
    ofSide("reported"),
  );
}

const buildCostLine = ({
  channel_uuid: _uuid,
  side: _side,
  model_name: model,
  ...figures
}: CostReportLineRow): CostLine => ({
  ...figures,
  model,
});
