/**
 * Counts that settled calls add to the runs of agents, summed for each batch of the writer thread.
 * PostgreSQL's twin is `tollgate_fold_runs`.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { columnIndex } from "./packed-log.ts";
import { failedOutcomes } from "./rollups.ts";
import type { RunPartRow } from "./tables/run-tables.ts";
import { computeIdTime } from "./time-ids.ts";

const sums = [
  "calls",
  "failures",
  "retries",
  "quota",
  "prompt_tokens",
  "cached_prompt_tokens",
  "cache_write_tokens",
  "completion_tokens",
  "waiting_ms",
  "elapsed_ms",
] as const;
const partSums = ["calls", "failures", "quota", "prompt_tokens", "completion_tokens"] as const;
type Sums = Record<(typeof sums)[number], number>;
type PartSums = Record<(typeof partSums)[number], number>;

interface PendingRun {
  keys: [run: string, user: number, token: number, team: number, agent: string];
  first: number;
  last: number;
  sums: Sums;
}

interface PendingPart {
  keys: [run: string, kind: RunPartRow["kind"], name: string];
  sums: PartSums;
}

const listMarks = (count: number): string => Array.from({ length: count }, () => "?").join(", ");
const listAdded = (table: string, names: readonly string[]): string =>
  names.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", ");

export function createRunCounters(db: DatabaseSync) {
  const upsertRun = db.prepare(
    `insert into runs (run, user_id, token_id, team_id, agent, first_call_at, last_call_at, ${sums.join(", ")})
     values (${listMarks(7 + sums.length)})
     on conflict (run) do update set
       first_call_at = min(first_call_at, excluded.first_call_at), last_call_at = max(last_call_at, excluded.last_call_at),
       ${listAdded("runs", sums)}`,
  );
  const upsertPart = db.prepare(
    `insert into run_parts (run, kind, name, ${partSums.join(", ")}) values (${listMarks(3 + partSums.length)})
     on conflict (run, kind, name) do update set ${listAdded("run_parts", partSums)}`,
  );
  const runs = new Map<string, PendingRun>();
  const parts = new Map<string, PendingPart>();

  function addPart(keys: PendingPart["keys"], added: PartSums): void {
    const name = JSON.stringify(keys);
    const known = parts.get(name);
    if (known) for (const sum of partSums) known.sums[sum] += added[sum];
    else parts.set(name, { keys, sums: added });
  }

  return {
    /** A row that names a run. */
    add(log: SQLInputValue[]): void {
      const numberAt = (column: keyof typeof columnIndex): number =>
        Number(log[columnIndex[column]]);
      const run = String(log[columnIndex.run]);
      const facts = JSON.parse(String(log[columnIndex.run_facts] ?? "{}")) as {
        agent?: string;
        tools?: Record<string, [number, number]>;
      };
      const at = computeIdTime(numberAt("id"));
      const elapsed = numberAt("elapsed_ms");
      const added: Sums = {
        calls: 1,
        failures: Number(failedOutcomes.includes(String(log[columnIndex.outcome]))),
        retries: Number(numberAt("retries") > 0),
        quota: numberAt("quota"),
        prompt_tokens: numberAt("prompt_tokens"),
        cached_prompt_tokens: numberAt("cached_prompt_tokens"),
        cache_write_tokens: numberAt("cache_write_5m_tokens") + numberAt("cache_write_1h_tokens"),
        completion_tokens: numberAt("completion_tokens"),
        waiting_ms: numberAt("ttft_ms") || elapsed,
        elapsed_ms: elapsed,
      };
      const known = runs.get(run);
      if (known) {
        known.first = Math.min(known.first, at);
        known.last = Math.max(known.last, at);
        for (const sum of sums) known.sums[sum] += added[sum];
      } else {
        const [user, token, team] = [
          numberAt("user_id"),
          numberAt("token_id"),
          numberAt("team_id"),
        ];
        const keys: PendingRun["keys"] = [run, user, token, team, facts.agent ?? ""];
        runs.set(run, { keys, first: at, last: at, sums: { ...added } });
      }
      const { calls, failures, quota, prompt_tokens, completion_tokens } = added;
      const model = String(log[columnIndex.model_name]);
      addPart([run, "model", model], { calls, failures, quota, prompt_tokens, completion_tokens });
      for (const [tool, [ran, failed]] of Object.entries(facts.tools ?? {}))
        addPart([run, "tool", tool], {
          calls: ran,
          failures: failed,
          quota: 0,
          prompt_tokens: 0,
          completion_tokens: 0,
        });
    },
    flush(): void {
      for (const { keys, first, last, sums: added } of runs.values())
        upsertRun.run(...keys, first, last, ...sums.map((sum) => added[sum]));
      for (const { keys, sums: added } of parts.values())
        upsertPart.run(...keys, ...partSums.map((sum) => added[sum]));
      runs.clear();
      parts.clear();
    },
    forget(): void {
      runs.clear();
      parts.clear();
    },
  };
}
