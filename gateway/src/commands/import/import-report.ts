/** The report of a run: the things that it did, and those that it could not do. */
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import { type ImportEntity, importEntities, type Loss } from "./import-items.ts";

export interface EntityCounts {
  /** Carried by this run. */
  added: number;
  /** Carried before, and different in the source since. */
  changed: number;
  /** Carried before, and the same in the source. */
  unchanged: number;
  /** `left` are in the source, and not carried. */
  left: number;
}

/** A hostile source must not fill the memory with lines. */
const lossesMax = 100_000;

export type ImportReport = ReturnType<typeof createImportReport>;

/** `perReason`: how many losses of one reason are kept; all are counted. */
export function createImportReport({ perReason = lossesMax }: { perReason?: number } = {}) {
  const counts = Object.fromEntries(
    importEntities.map((entity) => [entity, { added: 0, changed: 0, unchanged: 0, left: 0 }]),
  ) as Record<ImportEntity, EntityCounts>;
  const losses: Loss[] = [];
  const byReason = new Map<ImportLossReason, number>();
  let lossCount = 0;
  return {
    counts: counts as Readonly<Record<ImportEntity, Readonly<EntityCounts>>>,
    losses: losses as readonly Loss[],
    get lossCount(): number {
      return lossCount;
    },
    count(entity: ImportEntity, outcome: keyof EntityCounts, by = 1): void {
      counts[entity][outcome] += by;
    },
    countOf: (reason: ImportLossReason): number => byReason.get(reason) ?? 0,
    lose(...found: readonly Loss[]): void {
      lossCount += found.length;
      for (const loss of found) {
        const before = byReason.get(loss.reason) ?? 0;
        byReason.set(loss.reason, before + 1);
        if (before < perReason && losses.length < lossesMax) losses.push(loss);
      }
    },
  };
}
