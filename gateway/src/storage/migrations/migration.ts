/** A step of the schema. Once released it is never edited: its checksum is compared at every start. */
export interface Migration {
  /** Ascending; a number that was never used may be missing. The first one is 12: it replaces the twelve migrations before version 0.1.0. */
  id: number;
  name: string;
  /** SQL texts for each database, run in order in one transaction. */
  sqlite: readonly string[];
  postgres: readonly string[];
  /**
   * `replacedChecksums` are for the first migration: the checksums of the migrations 1, 2, 3 … that
   * it replaces.
   */
  replacedChecksums?: { sqlite: readonly string[]; postgres: readonly string[] };
}
