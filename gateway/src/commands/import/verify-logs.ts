/**
 * Compares the log of the source with what was carried of it, by UTC day and by user: its own sums
 * with those that the import kept, and those with the rows that the log has here.
 */
import type { ImportDifferenceKind } from "@tollgate/contract/commands/import-losses.ts";
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import { sql as raw } from "kysely";
import { optionDefaults } from "../../settings/option-defaults.ts";
import { computeIdFloor, EPOCH_MS, idsPerMs } from "../../storage/time-ids.ts";
import type { ImportDifference, VerifyRun } from "./import-differences.ts";
import type { SourceLog } from "./import-items.ts";
import { logCursorId } from "./writers/write-logs.ts";

const dayMs = 86_400_000;
/** Days and users that are compared in memory. */
const subjectsMax = 1_000_000;

interface ComparedLog {
  rows: number;
  quota: number;
  tokens: number;
}

/** `SumsBySubject` goes by `day N` or `user N`. */
type SumsBySubject = Map<string, ComparedLog>;

export async function verifyLogs(
  run: VerifyRun,
): Promise<{ compared: number; differences: readonly ImportDifference[] }> {
  const cursor = (await run.imported.known("log", [logCursorId])).get(logCursorId);
  // The log was not carried, so that there is nothing to compare.
  if (!cursor || !run.source.logs) return { compared: 0, differences: [] };
  const theirs: SumsBySubject = new Map();
  const userNames = new Map<string, string>();
  let [compared, later] = [0, 0];
  for await (const { rows } of run.source.logs(undefined)) {
    for (const row of rows) {
      if (row.sourceId > Number(cursor.state.after)) {
        later += 1;
        continue;
      }
      compared += 1;
      add(theirs, `day ${Math.floor(row.createdAtMs / dayMs)}`, row);
      const user = `user ${row.userNumber}`;
      add(theirs, user, row);
      if (theirs.has(user)) userNames.set(user, `user ${row.userSourceId}`);
    }
  }
  const differences = [
    ...buildDifferences(theirs, await readCarriedSums(run), userNames),
    ...(await findMissingRows(run)),
  ];
  if (later > 0)
    differences.push(describeDifference("log", "missing", `${later} rows`, "not carried yet"));
  return { compared, differences };
}

function add(sums: SumsBySubject, subject: string, row: SourceLog): void {
  const found = sums.get(subject) ?? { rows: 0, quota: 0, tokens: 0 };
  if (!sums.has(subject)) {
    if (sums.size >= subjectsMax) return;
    sums.set(subject, found);
  }
  found.rows += 1;
  if (row.type !== logTypes.consume) return;
  found.quota += row.quota;
  found.tokens += row.promptTokens + row.completionTokens;
}

async function readCarriedSums({ db, sourceName }: VerifyRun): Promise<SumsBySubject> {
  const columns = [
    "kind",
    "subject",
    "row_count",
    "quota",
    "prompt_tokens",
    "completion_tokens",
  ] as const;
  const rows = await db.read(
    db.sql.selectFrom("imported_log_sums").select(columns).where("source", "=", sourceName),
  );
  return new Map(
    rows.map((row) => [
      `${row.kind} ${row.subject}`,
      { rows: row.row_count, quota: row.quota, tokens: row.prompt_tokens + row.completion_tokens },
    ]),
  );
}

const measures = ["rows", "quota", "tokens"] as const;

function* buildDifferences(
  theirs: SumsBySubject,
  ours: SumsBySubject,
  userNames: ReadonlyMap<string, string>,
): Generator<ImportDifference> {
  for (const subject of new Set([...theirs.keys(), ...ours.keys()])) {
    const [there, here] = [theirs.get(subject), ours.get(subject)];
    for (const measure of measures) {
      const [their, our] = [there?.[measure] ?? 0, here?.[measure] ?? 0];
      if (their !== our)
        yield describeDifference(
          userNames.get(subject) ?? nameSubject(subject),
          `sum of ${measure}`,
          String(their),
          String(our),
        );
    }
  }
}

const nameSubject = (subject: string): string => {
  const [kind, number] = subject.split(" ");
  return kind === "day" ? new Date(Number(number) * dayMs).toISOString().slice(0, 10) : subject;
};

/**
 * `findMissingRows` is about all sources together: a row of the log does not name its source. Days
 * that the retention removes are left out.
 */
async function findMissingRows({ db, now }: VerifyRun): Promise<ImportDifference[]> {
  const [option] = await db.read(
    db.sql.selectFrom("options").select("value").where("key", "=", "LogRetentionDays"),
  );
  const keptDays = Number(option?.value ?? optionDefaults.LogRetentionDays);
  // A day more, because the retention may run while this reads.
  const firstDay = keptDays > 0 ? Math.floor((now - keptDays * dayMs) / dayMs) + 2 : 0;
  const perDay = idsPerMs * dayMs;
  const counted = raw<{ day: number; kept: number; stored: number }>`
    select sums.subject as day, sum(sums.kept_calls) as kept, coalesce(max(stored.row_count), 0) as stored
    from imported_log_sums as sums
    left join (
      select id / ${raw.lit(perDay)} + ${raw.lit(EPOCH_MS / dayMs)} as day, count(*) as row_count from logs
      where type = 2 and outcome = '' and id >= ${computeIdFloor(firstDay * dayMs)}
      group by 1
    ) as stored on stored.day = sums.subject
    where sums.kind = 'day' and sums.subject >= ${firstDay}
    group by sums.subject
    having sum(sums.kept_calls) <> coalesce(max(stored.row_count), 0)
    order by sums.subject limit 1000`;
  const rows = await db.read({ compile: () => counted.compile(db.sql) });
  return rows.map(({ day, kept, stored }) =>
    describeDifference(
      nameSubject(`day ${day}`),
      "calls in the log",
      `${kept} carried`,
      String(stored),
    ),
  );
}

const describeDifference = (
  name: string,
  what: ImportDifferenceKind,
  theirs: string,
  ours: string,
): ImportDifference => ({
  entity: "log",
  sourceId: "",
  name,
  what,
  theirs,
  ours,
});
