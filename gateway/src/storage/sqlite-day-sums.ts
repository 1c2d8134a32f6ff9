/**
 * Roll-ups by day of calls that have something others lack: tags, a known cost, a team that pays,
 * marks for the prompt cache. Summed for each batch of the writer thread. PostgreSQL does the same
 * in triggers (migrations 53, 58, 85, 150).
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { columnIndex } from "./packed-log.ts";
import { computeDay, failedOutcomes } from "./rollups.ts";
import type { LoggedTags } from "./tables/call-tables.ts";
import { computeIdTime } from "./time-ids.ts";

type LogColumn = keyof typeof columnIndex;
type PackedLog = readonly SQLInputValue[];

interface DayRollup {
  table: string;
  /** The column that is null in the rows of calls that do not count. */
  counted: LogColumn;
  /** The columns that lead to a sum, after the day. */
  keys: readonly string[];
  /** `listSubjects` gives the values of `keys`: one list for each sum that a call adds to. */
  listSubjects(log: PackedLog): SQLInputValue[][];
  /** `columns` are those of the log that are added up, by their names in the roll-up. */
  columns: Readonly<Record<string, LogColumn>>;
  countsFailures: boolean;
}

const read = (log: PackedLog, name: LogColumn): SQLInputValue => log[columnIndex[name]] ?? null;
const usage = {
  quota: "quota",
  prompt_tokens: "prompt_tokens",
  cached_prompt_tokens: "cached_prompt_tokens",
  completion_tokens: "completion_tokens",
} as const;

const dayRollups: readonly DayRollup[] = [
  {
    table: "rollup_day_tag",
    counted: "tags",
    keys: ["tag_key", "tag_value"],
    listSubjects(log) {
      const { counted = {} }: LoggedTags = JSON.parse(String(read(log, "tags")));
      return Object.entries(counted);
    },
    columns: usage,
    countsFailures: true,
  },
  {
    table: "rollup_day_cost",
    counted: "cost_nanos",
    keys: ["channel_id", "model_name"],
    listSubjects: (log) => [[read(log, "channel_id"), read(log, "model_name")]],
    columns: { quota: "quota", cost_nanos: "cost_nanos" },
    countsFailures: false,
  },
  {
    table: "rollup_day_team",
    counted: "team_id",
    keys: ["team_id", "user_id", "model_name"],
    listSubjects: (log) => [[read(log, "team_id"), read(log, "user_id"), read(log, "model_name")]],
    columns: usage,
    countsFailures: true,
  },
  {
    table: "rollup_day_marks",
    counted: "marks_saved",
    keys: ["team_id", "user_id"],
    listSubjects: (log) => [[read(log, "team_id") ?? 0, read(log, "user_id")]],
    columns: { saved: "marks_saved" },
    countsFailures: false,
  },
];

export function createDaySums(db: DatabaseSync) {
  const sums = dayRollups.map((rollup) => openRollup(db, rollup));
  return {
    addCall(log: PackedLog): void {
      for (const { rollup, add } of sums) if (log[columnIndex[rollup.counted]] !== null) add(log);
    },
    flush(): void {
      for (const { upsert, pending } of sums) {
        if (pending.size === 0) continue;
        for (const { subject, values } of pending.values()) upsert.run(...subject, ...values);
        pending.clear();
      }
    },
    forget(): void {
      for (const { pending } of sums) pending.clear();
    },
  };
}

function openRollup(db: DatabaseSync, rollup: DayRollup) {
  const { table, columns, countsFailures, listSubjects } = rollup;
  const keys = ["day", ...rollup.keys];
  const measures = ["requests", ...(countsFailures ? ["failures"] : []), ...Object.keys(columns)];
  const upsert = db.prepare(
    `insert into ${table} (${[...keys, ...measures].join(", ")})
     values (${[...keys, ...measures].map(() => "?").join(", ")})
     on conflict (${keys.join(", ")}) do update set
       ${measures.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")}`,
  );
  const pending = new Map<string, { subject: SQLInputValue[]; values: number[] }>();
  function add(log: PackedLog): void {
    const day = computeDay(computeIdTime(Number(read(log, "id"))));
    const values = [
      1,
      ...(countsFailures ? [Number(failedOutcomes.includes(String(read(log, "outcome"))))] : []),
      ...Object.values(columns).map((name) => Number(read(log, name))),
    ];
    for (const subject of listSubjects(log)) {
      const name = [day, ...subject].join("\n");
      const known = pending.get(name);
      if (known) known.values = known.values.map((sum, index) => sum + (values[index] ?? 0));
      else pending.set(name, { subject: [day, ...subject], values });
    }
  }
  return { rollup, upsert, pending, add };
}
