/** A step of the schema. Once released it is never edited: its checksum is compared at every start. */
export interface Migration {
  /** 1, 2, 3 … without gaps. */
  id: number;
  name: string;
  /** Statements for each database, run in order in one transaction. */
  sqlite: readonly string[];
  postgres: readonly string[];
}
