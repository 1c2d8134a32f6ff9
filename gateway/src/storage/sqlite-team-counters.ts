/**
 * Counts that settled calls of teams add to the roll-up of teams, summed for each batch of the
 * writer thread.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { columnIndex } from "./packed-log.ts";
import { computeDay, failedOutcomes } from "./rollups.ts";
import { computeIdTime } from "./time-ids.ts";

const keys = ["day", "team_id", "user_id", "model_name"] as const;
const summed = ["quota", "prompt_tokens", "cached_prompt_tokens", "completion_tokens"] as const;
const measures = ["requests", "failures", ...summed] as const;

export function createTeamCounters(db: DatabaseSync) {
  const upsert = db.prepare(
    `insert into rollup_day_team (${[...keys, ...measures].join(", ")})
     values (${[...keys, ...measures].map(() => "?").join(", ")})
     on conflict (team_id, day, user_id, model_name) do update set
       ${measures.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")}`,
  );
  const pending = new Map<string, { row: SQLInputValue[]; sums: number[] }>();
  return {
    /** A row with a team. */
    add(log: SQLInputValue[]): void {
      const day = computeDay(computeIdTime(Number(log[columnIndex.id])));
      const row = [
        day,
        ...(["team_id", "user_id", "model_name"] as const).map(
          (name) => log[columnIndex[name]] ?? 0,
        ),
      ];
      const failed = Number(failedOutcomes.includes(String(log[columnIndex.outcome])));
      const added = [1, failed, ...summed.map((name) => Number(log[columnIndex[name]]))];
      const name = row.join("\n");
      const known = pending.get(name);
      if (known) known.sums = known.sums.map((sum, index) => sum + (added[index] ?? 0));
      else pending.set(name, { row, sums: added });
    },
    flush(): void {
      for (const { row, sums } of pending.values()) upsert.run(...row, ...sums);
      pending.clear();
    },
    forget: () => pending.clear(),
  };
}
