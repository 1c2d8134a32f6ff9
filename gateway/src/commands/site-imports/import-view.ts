/**
 * The view that root has of an import: counts, the things that are not carried, and the differences
 * between the two sides. Pure.
 */
import type {
  ImportFinding,
  SiteImport,
  SiteImportComparison,
  SiteImportLoss,
} from "@tollgate/contract/commands/site-imports.ts";
import type { SiteImportRow } from "../../storage/tables/record-tables.ts";
import { visible } from "../command-line/visible-text.ts";
import { importEntities, type Loss } from "../import/import-items.ts";
import type { ImportReport } from "../import/import-report.ts";
import { isGrave } from "../import/loss-text.ts";
import type { ImportComparison } from "../import/verify-import.ts";

/**
 * `lossesPerReason` is that of one reason; the others are counted. The command prints all of them.
 */
export const lossesPerReason = 20;
const textCharactersMax = 400;
const differencesShown = 200;

export type StoredReport = Pick<SiteImport, "counts" | "findings" | "comparison">;

export const emptyReport: StoredReport = { counts: [], findings: [], comparison: null };

export function readStoredReport(
  report: ImportReport,
  comparison: ImportComparison | undefined,
): StoredReport {
  const counts = importEntities
    .map((entity) => ({ entity, ...report.counts[entity] }))
    .filter(({ added, changed, unchanged, left }) => added + changed + unchanged + left > 0);
  const byReason = Map.groupBy(report.losses, ({ reason }) => reason);
  const findings = [...byReason].map(
    ([reason, losses]): ImportFinding => ({
      reason,
      is_grave: losses.some(isGrave),
      count: report.countOf(reason),
      losses: losses.map(showLoss),
    }),
  );
  findings.sort((a, b) => Number(b.is_grave) - Number(a.is_grave));
  return { counts, findings, comparison: comparison ? showComparison(comparison) : null };
}

/** Texts of the source may hold characters that turn or hide others. */
const showLoss = ({ entity, sourceId, name, field, value }: Loss): SiteImportLoss => ({
  entity,
  source_id: cut(visible(sourceId)),
  name: cut(visible(name)),
  field: cut(visible(field)),
  value: cut(visible(value)),
});

function showComparison({ compared, differences }: ImportComparison): SiteImportComparison {
  const shown = differences
    .slice(0, differencesShown)
    .map(({ entity, sourceId, name, what, theirs, ours }) => ({
      entity,
      name: cut(visible(name === "" ? sourceId : name)),
      what,
      theirs: cut(visible(theirs)),
      ours: cut(visible(ours)),
    }));
  const count = Object.values(compared).reduce((sum, rows) => sum + rows, 0);
  return { compared: count, difference_count: differences.length, differences: shown };
}

const cut = (text: string): string =>
  text.length <= textCharactersMax ? text : `${text.slice(0, textCharactersMax - 1)}…`;

export function importView(row: SiteImportRow, uploadedBytes: number, now: number): SiteImport {
  const isLost = row.state === "running" && row.lease_until < now;
  return {
    name: row.name,
    kind: row.kind,
    source: row.label,
    system: row.system,
    uploaded_bytes: uploadedBytes,
    phase: row.phase,
    state: isLost ? "interrupted" : row.state,
    has_source: row.source_sealed !== "",
    failure: row.failure,
    started_by: row.started_by,
    started_at: row.started_at,
    ended_at: row.ended_at,
    // Written by `readStoredReport`.
    ...(JSON.parse(row.report) as StoredReport),
  };
}
