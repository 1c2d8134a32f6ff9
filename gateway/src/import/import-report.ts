/** What a run did and what it could not do. */
import { type ImportEntity, importEntities, type Loss } from "./import-items.ts";

export interface EntityCounts {
  /** Carried by this run. */
  added: number;
  /** Carried before, and different in the source since. */
  changed: number;
  /** Carried before, and the same in the source. */
  unchanged: number;
  /** In the source, and not carried. */
  left: number;
}

/** A hostile source must not fill the memory with lines. */
const lossesMax = 100_000;

export type ImportReport = ReturnType<typeof createImportReport>;

export function createImportReport() {
  const counts = Object.fromEntries(
    importEntities.map((entity) => [entity, { added: 0, changed: 0, unchanged: 0, left: 0 }]),
  ) as Record<ImportEntity, EntityCounts>;
  const losses: Loss[] = [];
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
    lose(...found: readonly Loss[]): void {
      lossCount += found.length;
      if (losses.length < lossesMax) losses.push(...found);
    },
  };
}
