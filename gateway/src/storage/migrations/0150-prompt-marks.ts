/**
 * Marks for the prompt cache: whether those of a key are set, and what they saved. A log row says what its call saved, so that the
 * roll-up follows from the log alone: on PostgreSQL a trigger queues it with the row, and `tollgate_fold_marks` adds it up each second;
 * SQLite adds it as it does the other roll-ups.
 */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table tokens add column prompt_marks text not null default ''",
  "alter table logs add column marks_saved bigint",
  `create table rollup_day_marks (
    day bigint not null, team_id bigint not null, user_id bigint not null,
    requests bigint not null, saved bigint not null, primary key (day, team_id, user_id)
  )`,
];

/** The day follows from the id (storage/time-ids.ts). */
const postgresQueue = `
create table rollup_mark_queue (day bigint not null, team_id bigint not null, user_id bigint not null, saved bigint not null);

create function tollgate_queue_marks() returns trigger language plpgsql as $$
begin
  insert into rollup_mark_queue values
    ((new.id / 4096 + 1704067200000) / 86400000, coalesce(new.team_id, 0), new.user_id, new.marks_saved);
  return null;
end $$;

create trigger logs_marks after insert on logs for each row when (new.marks_saved is not null)
execute function tollgate_queue_marks();

create function tollgate_fold_marks() returns bigint language plpgsql as $$
declare moved bigint;
begin
  if not pg_try_advisory_xact_lock(7081350) then return 0; end if;
  with taken as (delete from rollup_mark_queue returning *), folded as (
    insert into rollup_day_marks (day, team_id, user_id, requests, saved)
    select day, team_id, user_id, count(*), sum(saved) from taken group by day, team_id, user_id
    on conflict (day, team_id, user_id) do update set
      requests = rollup_day_marks.requests + excluded.requests,
      saved = rollup_day_marks.saved + excluded.saved
  )
  select count(*) into moved from taken;
  return moved;
end $$;
`;

export const promptMarks: Migration = {
  id: 150,
  name: "prompt marks",
  sqlite: statements,
  postgres: [...statements, postgresQueue],
};
