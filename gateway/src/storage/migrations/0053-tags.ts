/**
 * Tags of calls. A log row says which of its tags count, so that the roll-up follows from the log alone: on PostgreSQL a trigger
 * queues them with the row, and `tollgate_fold_tags` adds them up each second; SQLite adds them as it does the other roll-ups.
 * The time of audit entries has an index, because an incident reads those of a span.
 */
import type { Migration } from "./migration.ts";

const measures = ["requests", "failures", "quota", "prompt_tokens", "cached_prompt_tokens", "completion_tokens"];

const statements = [
  "alter table logs add column tags text",
  "alter table tokens add column tags text not null default ''",
  "alter table tokens add column required_tags text not null default ''",
  "alter table budgets add column tag text not null default ''",
  `create table rollup_day_tag (
    day bigint not null, tag_key text not null, tag_value text not null,
    ${measures.map((name) => `${name} bigint not null`).join(", ")},
    primary key (day, tag_key, tag_value)
  )`,
  "create index audit_entries_at on audit_entries (at)",
];

/** The day follows from the id (storage/time-ids.ts). */
const postgresQueue = `
create table rollup_tag_queue (
  day bigint not null, tag_key text not null, tag_value text not null, failed bigint not null, quota bigint not null,
  prompt_tokens bigint not null, cached_prompt_tokens bigint not null, completion_tokens bigint not null
);

create function tollgate_queue_tags() returns trigger language plpgsql as $$
begin
  insert into rollup_tag_queue
  select
    (new.id / 4096 + 1704067200000) / 86400000, tag.key, tag.value,
    case when new.outcome in ('failed', 'cut', 'interrupted') then 1 else 0 end,
    new.quota, new.prompt_tokens, new.cached_prompt_tokens, new.completion_tokens
  from jsonb_each_text(new.tags::jsonb->'counted') as tag;
  return null;
end $$;

create trigger logs_tags after insert on logs for each row when (new.tags is not null)
execute function tollgate_queue_tags();

create function tollgate_fold_tags() returns bigint language plpgsql as $$
declare moved bigint;
begin
  if not pg_try_advisory_xact_lock(7081203) then return 0; end if;
  with taken as (delete from rollup_tag_queue returning *), folded as (
    insert into rollup_day_tag (day, tag_key, tag_value, ${measures.join(", ")})
    select day, tag_key, tag_value, count(*), sum(failed), sum(quota), sum(prompt_tokens), sum(cached_prompt_tokens), sum(completion_tokens)
    from taken group by day, tag_key, tag_value
    on conflict (day, tag_key, tag_value) do update set
      ${measures.map((name) => `${name} = rollup_day_tag.${name} + excluded.${name}`).join(", ")}
  )
  select count(*) into moved from taken;
  return moved;
end $$;
`;

export const tags: Migration = {
  id: 53,
  name: "tags",
  sqlite: statements,
  postgres: [...statements, postgresQueue],
};
