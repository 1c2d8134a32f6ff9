/**
 * A run of an agent belongs to the team that pays for its calls, 0 for none: its name is made from the account and the team (relay/runs),
 * so it never changes. Runs of before get theirs from the keys, which have never changed their team.
 */
import type { Migration } from "./migration.ts";

const sums = [
  ...["calls", "failures", "retries", "quota", "prompt_tokens", "cached_prompt_tokens", "cache_write_tokens"],
  ...["completion_tokens", "waiting_ms", "elapsed_ms"],
];
const partSums = ["calls", "failures", "quota", "prompt_tokens", "completion_tokens"];
const addedIn = (table: string, names: readonly string[]) =>
  names.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", ");

const statements = [
  "alter table runs add column team_id bigint not null default 0",
  `update runs set team_id = (select team_id from tokens where tokens.id = runs.token_id)
   where token_id in (select id from tokens where team_id is not null)`,
  "create index runs_team on runs (team_id, last_call_at) where team_id > 0",
];

const postgresQueue = `
alter table run_queue add column team_id bigint not null default 0;

create or replace function tollgate_queue_runs() returns trigger language plpgsql as $$
begin
  insert into run_queue values (
    new.run, coalesce(new.run_facts, '{}')::jsonb, new.user_id, new.token_id, new.id / 4096 + 1704067200000,
    new.model_name, case when new.outcome in ('failed', 'cut', 'interrupted') then 1 else 0 end,
    case when new.retries > 0 then 1 else 0 end, new.quota,
    new.prompt_tokens, new.cached_prompt_tokens, new.cache_write_5m_tokens + new.cache_write_1h_tokens,
    new.completion_tokens, case when new.ttft_ms > 0 then new.ttft_ms else new.elapsed_ms end, new.elapsed_ms,
    coalesce(new.team_id, 0)
  );
  return null;
end $$;

create or replace function tollgate_fold_runs() returns bigint language plpgsql as $$
declare moved bigint;
begin
  if not pg_try_advisory_xact_lock(7081290) then return 0; end if;
  with taken as (delete from run_queue returning *), folded as (
    insert into runs (run, user_id, token_id, team_id, agent, first_call_at, last_call_at, ${sums.join(", ")})
    select run, max(user_id), max(token_id), max(team_id), coalesce(max(facts->>'agent'), ''), min(at), max(at),
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

export const runsOfTeams: Migration = {
  id: 100,
  name: "runs of teams",
  sqlite: statements,
  postgres: [...statements, postgresQueue],
};
