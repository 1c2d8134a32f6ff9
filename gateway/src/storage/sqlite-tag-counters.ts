/**
 * Counts that settled calls add to the roll-up of tags, summed for each batch of the writer thread.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { columnIndex } from "./packed-log.ts";
import { computeDay, failedOutcomes } from "./rollups.ts";
import type { LoggedTags } from "./tables/call-tables.ts";
import { computeIdTime } from "./time-ids.ts";

const measures = [
  "requests",
  "failures",
  "quota",
  "prompt_tokens",
  "cached_prompt_tokens",
  "completion_tokens",
] as const;
type TagSums = Record<(typeof measures)[number], number>;

export function createTagCounters(db: DatabaseSync) {
  const upsert = db.prepare(
    `insert into rollup_day_tag (day, tag_key, tag_value, ${measures.join(", ")}) values (?, ?, ?, ${measures.map(() => "?").join(", ")})
     on conflict (day, tag_key, tag_value) do update set ${measures.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")}`,
  );
  const pending = new Map<
    string,
    { keys: [day: number, key: string, value: string]; sums: TagSums }
  >();
  return {
    /** A row with tags. */
    add(log: SQLInputValue[]): void {
      const { counted = {} }: LoggedTags = JSON.parse(String(log[columnIndex.tags]));
      const day = computeDay(computeIdTime(Number(log[columnIndex.id])));
      const added: TagSums = {
        requests: 1,
        failures: Number(failedOutcomes.includes(String(log[columnIndex.outcome]))),
        quota: Number(log[columnIndex.quota]),
        prompt_tokens: Number(log[columnIndex.prompt_tokens]),
        cached_prompt_tokens: Number(log[columnIndex.cached_prompt_tokens]),
        completion_tokens: Number(log[columnIndex.completion_tokens]),
      };
      for (const [key, value] of Object.entries(counted)) {
        const name = `${day} ${key} ${value}`;
        const known = pending.get(name);
        if (known) for (const measure of measures) known.sums[measure] += added[measure];
        else pending.set(name, { keys: [day, key, value], sums: { ...added } });
      }
    },
    flush(): void {
      for (const { keys, sums } of pending.values())
        upsert.run(...keys, ...measures.map((measure) => sums[measure]));
      pending.clear();
    },
    forget: () => pending.clear(),
  };
}
