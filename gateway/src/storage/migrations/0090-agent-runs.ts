/**
 * Runs of agents. A log row names the run of its call, so that the sums of a run follow from the log alone: on PostgreSQL a trigger
 * queues them with the row, and `tollgate_fold_runs` adds them up each second; SQLite adds them as it does the other roll-ups. Many
 * calls of one run end at once, and a row that each of them wrote would make them wait for each other. The secret under which
 * the ids of runs are hashed is sealed, so that it outlives the master key.
 */
import type { Migration } from "./migration.ts";

const sums = [
  ...["calls", "failures", "retries", "quota", "prompt_tokens", "cached_prompt_tokens", "cache_write_tokens"],
  ...["completion_tokens", "waiting_ms", "elapsed_ms"],
];
const partSums = ["calls", "failures", "quota", "prompt_tokens", "completion_tokens"];
const columnsOf = (names: readonly string[]) => names.map((name) => `${name} bigint not null`).join(", ");
const addedIn = (table: string, names: readonly string[]) =>
  names.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", ");

const statements = [
  "alter table logs add column run text",
  "alter table logs add column run_facts text",
  `create table runs (
    run text primary key, user_id bigint not null, token_id bigint not null, agent text not null,
    first_call_at bigint not null, last_call_at bigint not null, stopped_at bigint, ${columnsOf(sums)}
  )`,
  "create index runs_last on runs (last_call_at)",
  "create index runs_user on runs (user_id, last_call_at)",
  "create index runs_token on runs (token_id, last_call_at)",
  "create index runs_stopped on runs (stopped_at) where stopped_at is not null",
  `create table run_parts (
    run text not null, kind text not null, name text not null, ${columnsOf(partSums)}, primary key (run, kind, name)
  )`,
  "create table run_secret (place bigint primary key check (place = 1), secret_sealed text not null)",
  "insert into versions (topic, version) values ('runs', 0)",
];

/** The moment of a call follows from its id (storage/time-ids.ts). */
const postgresQueue = `
create table run_queue (
  run text not null, facts jsonb not null, user_id bigint not null, token_id bigint not null, at bigint not null,
  model_name text not null, failed bigint not null, retried bigint not null, quota bigint not null,
  prompt_tokens bigint not null, cached_prompt_tokens bigint not null, cache_write_tokens bigint not null,
  completion_tokens bigint not null, waiting_ms bigint not null, elapsed_ms bigint not null
);

create function tollgate_queue_runs() returns trigger language plpgsql as $$
begin
  insert into run_queue values (
    new.run, coalesce(new.run_facts, '{}')::jsonb, new.user_id, new.token_id, new.id / 4096 + 1704067200000,
    new.model_name, case when new.outcome in ('failed', 'cut', 'interrupted') then 1 else 0 end,
    case when new.retries > 0 then 1 else 0 end, new.quota,
    new.prompt_tokens, new.cached_prompt_tokens, new.cache_write_5m_tokens + new.cache_write_1h_tokens,
    new.completion_tokens, case when new.ttft_ms > 0 then new.ttft_ms else new.elapsed_ms end, new.elapsed_ms
  );
  return null;
end $$;

create trigger logs_runs after insert on logs for each row when (new.run is not null)
execute function tollgate_queue_runs();

create function tollgate_fold_runs() returns bigint language plpgsql as $$
declare moved bigint;
begin
  if not pg_try_advisory_xact_lock(7081290) then return 0; end if;
  with taken as (delete from run_queue returning *), folded as (
    insert into runs (run, user_id, token_id, agent, first_call_at, last_call_at, ${sums.join(", ")})
    select run, max(user_id), max(token_id), coalesce(max(facts->>'agent'), ''), min(at), max(at),
      count(*), sum(failed), sum(retried), sum(quota), sum(prompt_tokens), sum(cached_prompt_tokens), sum(cache_write_tokens),
      sum(completion_tokens), sum(waiting_ms), sum(elapsed_ms)
    from taken group by run
    on conflict (run) do update set
      first_call_at = least(runs.first_call_at, excluded.first_call_at),
      last_call_at = greatest(runs.last_call_at, excluded.last_call_at),
      ${addedIn("runs", sums)}
  ), parts as (
    select run, 'model' as kind, model_name as name, 1::bigint as calls, failed as failures, quota, prompt_tokens, completion_tokens
    from taken
    union all
    select run, 'tool', tool.key, (tool.value->>0)::bigint, (tool.value->>1)::bigint, 0, 0, 0
    from taken cross join lateral jsonb_each(coalesce(facts->'tools', '{}')) as tool
  ), folded_parts as (
    insert into run_parts (run, kind, name, ${partSums.join(", ")})
    select run, kind, name, ${partSums.map((name) => `sum(${name})`).join(", ")} from parts group by run, kind, name
    on conflict (run, kind, name) do update set ${addedIn("run_parts", partSums)}
  )
  select count(*) into moved from taken;
  return moved;
end $$;
`;

/** The cost of a run over time is read from the index alone. */
const indexes = {
  sqlite: "create index logs_run on logs (run, id, quota) where run is not null",
  postgres: "create index logs_run on logs (run, id) include (quota) where run is not null",
};

export const agentRuns: Migration = {
  id: 90,
  name: "agent runs",
  sqlite: [...statements, indexes.sqlite],
  postgres: [...statements, indexes.postgres, postgresQueue],
};
