/**
 * Teams: people who share a wallet. A token with a team pays from the team's wallet; one of a service belongs to no account. What users
 * keep at providers says for which team it was made, 0 for none. The roll-ups by account count what the account's own wallet paid:
 * the calls of a team are counted under account 0 there, and by team, account and model in `rollup_day_team`. On PostgreSQL a trigger
 * queues them with the log row, and `tollgate_fold_teams` adds them up each second; SQLite adds them as it does the other roll-ups. The
 * sums of what an account paid are still read from the index alone.
 */
import type { Migration } from "./migration.ts";

const measures = ["requests", "failures", "quota", "prompt_tokens", "cached_prompt_tokens", "completion_tokens"];

const teamColumns = `uuid text not null unique, name text not null, note text not null default '', "group" text not null,
  models text not null default '', status bigint not null, wallet_id bigint not null unique, owner_id bigint not null,
  members_see_balance bigint not null default 1, rpm_limit bigint not null default 0, tpm_limit bigint not null default 0,
  max_parallel_requests bigint not null default 0, external_id text, created_at bigint not null, updated_at bigint not null`;

const memberColumns = `team_id bigint not null, user_id bigint not null, role text not null, by_provider text not null default '',
  left_at bigint, created_at bigint not null, updated_at bigint not null, unique (team_id, user_id)`;

/** `keptTables` are what a user stored or made for a team. */
const keptTables = [
  "provider_states",
  "provider_files",
  "provider_objects",
  "provider_uploads",
  "provider_batches",
  "video_tasks",
  "held_responses",
  "call_bodies",
];

const statements = [
  "create unique index teams_name on teams (lower(name)) where status <> 3",
  "create unique index teams_external_id on teams (external_id) where external_id is not null",
  "create index team_members_user on team_members (user_id)",
  "alter table tokens add column team_id bigint",
  "alter table tokens add column service bigint not null default 0",
  "alter table tokens add column made_by bigint not null default 0",
  "create index tokens_team on tokens (team_id, id) where team_id is not null",
  "alter table budgets add column counts_team_keys bigint not null default 0",
  "alter table management_keys add column team_id bigint",
  "alter table logs add column team_id bigint",
  "create index logs_team on logs (team_id, id) where team_id is not null",
  ...keptTables.map((table) => `alter table ${table} add column team_id bigint not null default 0`),
  `create table rollup_day_team (
    day bigint not null, team_id bigint not null, user_id bigint not null, model_name text not null,
    ${measures.map((name) => `${name} bigint not null`).join(", ")},
    primary key (team_id, day, user_id, model_name)
  )`,
];

/** The day follows from the id (storage/time-ids.ts). */
const postgresQueue = `
create table rollup_team_queue (
  day bigint not null, team_id bigint not null, user_id bigint not null, model_name text not null, failed bigint not null,
  quota bigint not null, prompt_tokens bigint not null, cached_prompt_tokens bigint not null, completion_tokens bigint not null
);

create function tollgate_queue_team() returns trigger language plpgsql as $$
begin
  insert into rollup_team_queue values (
    (new.id / 4096 + 1704067200000) / 86400000, new.team_id, new.user_id, new.model_name,
    case when new.outcome in ('failed', 'cut', 'interrupted') then 1 else 0 end,
    new.quota, new.prompt_tokens, new.cached_prompt_tokens, new.completion_tokens
  );
  return null;
end $$;

-- 2 and 7 are calls and calls of tools; a row about a transfer counts for no roll-up.
create trigger logs_team after insert on logs for each row when (new.team_id is not null and new.type in (2, 7))
execute function tollgate_queue_team();

create function tollgate_fold_teams() returns bigint language plpgsql as $$
declare moved bigint;
begin
  if not pg_try_advisory_xact_lock(7081205) then return 0; end if;
  with taken as (delete from rollup_team_queue returning *), folded as (
    insert into rollup_day_team (day, team_id, user_id, model_name, ${measures.join(", ")})
    select
      day, team_id, user_id, model_name, count(*), sum(failed), sum(quota), sum(prompt_tokens), sum(cached_prompt_tokens),
      sum(completion_tokens)
    from taken group by day, team_id, user_id, model_name
    on conflict (team_id, day, user_id, model_name) do update set
      ${measures.map((name) => `${name} = rollup_day_team.${name} + excluded.${name}`).join(", ")}
  )
  select count(*) into moved from taken;
  return moved;
end $$;
`;

const postgresSettle = `
create or replace function tollgate_settle(p_id bigint, p_charge bigint, p_at bigint, p_log jsonb, p_trace text)
returns text language plpgsql as $$
declare
  r reservations;
  w wallets;
  l logs;
  taken bigint;
  owed bigint;
  lost bigint;
begin
  delete from reservations where id = p_id returning * into r;
  if not found then return 'already'; end if;
  l := jsonb_populate_record(null::logs, p_log);

  select * into w from wallets where id = r.wallet_id for update;
  taken := greatest(0, least(p_charge, w.balance - (w.held - r.amount)));
  owed := least(p_charge - taken, r.amount);
  lost := p_charge - taken - owed;
  update wallets set balance = balance - taken, held = held - r.amount, debt = debt + owed where id = r.wallet_id;
  if w.debt > 0 then perform tollgate_pay_debt(r.wallet_id, p_id, p_at); end if;
  update tokens set
    held_quota = held_quota - r.token_amount,
    remain_quota = case when unlimited_quota = 1 then remain_quota else greatest(0, remain_quota - p_charge) end,
    used_quota = used_quota + p_charge,
    accessed_at = p_at,
    status = case when unlimited_quota = 0 and status = 1 and remain_quota <= p_charge then 4 else status end
  where id = r.token_id;
  if p_charge > 0 then
    update users set used_quota = used_quota + p_charge, request_count = request_count + 1 where id = r.user_id;
  end if;

  insert into ledger (billing_id, kind, debit, credit, amount, user_id, token_id, channel_id, created_at)
  select p_id, part.kind, part.debit, 'revenue', part.amount, r.user_id, r.token_id, l.channel_id, p_at
  from (values
    ('charge', 'wallet:' || r.wallet_id, taken), ('debt', 'debt:' || r.wallet_id, owed), ('shortfall', 'shortfall', lost)
  ) as part (kind, debit, amount)
  where part.amount > 0;

  if lost > 0 then l.content := concat_ws('; ', nullif(l.content, ''), lost || ' units were written off: neither the hold nor the balance covered them'); end if;
  insert into logs select l.*;
  insert into traces (id, data) values (p_id, p_trace);
  insert into rollup_queue
  select
    (p_log->>'day')::bigint, (p_log->>'hour')::bigint, case when l.team_id is null then l.user_id else 0 end, l.token_id, l.channel_id, l.model_name,
    (p_log->>'failed')::bigint, l.quota, l.prompt_tokens, l.completion_tokens, l.cached_prompt_tokens,
    l.cache_write_5m_tokens + l.cache_write_1h_tokens, l.elapsed_ms, l.ttft_ms;
  if r.budgets is not null then perform tollgate_end_budgets(r.budgets, r.amount, p_charge, p_log->>'target'); end if;
  return case when lost > 0 then 'short' else 'settled' end;
end $$;

-- p_commands: a list of {place, id, charge, log, trace}; the results in any order.
-- A token's and a user's row is only locked by a transaction that has locked their wallet, and wallets are locked in one order.
create or replace function tollgate_settle_batch(p_ids bigint[], p_commands json, p_at bigint)
returns table (place int, result text) language plpgsql as $$
#variable_conflict use_column
declare
  done int[];
begin
  perform 1 from wallets
  where id in (select wallet_id from reservations where id = any(p_ids)) order by id for update;

  with given as materialized (
    select * from json_to_recordset(p_commands) as c (place int, id bigint, charge bigint, log jsonb, trace text)
  ), ended as (
    delete from reservations r using given, wallets
    where r.id = given.id and given.charge <= r.amount and r.budgets is null and wallets.id = r.wallet_id and wallets.debt = 0
    returning given.*, r.wallet_id, r.user_id, r.token_id, r.amount, r.token_amount
  ), charged_wallets as (
    update wallets set balance = balance - part.charge, held = held - part.amount
    from (select wallet_id, sum(charge)::bigint as charge, sum(amount)::bigint as amount from ended group by wallet_id) as part
    where wallets.id = part.wallet_id
  ), charged_tokens as (
    update tokens set
      held_quota = held_quota - part.amount,
      remain_quota = case when unlimited_quota = 1 then remain_quota else greatest(0, remain_quota - part.charge) end,
      used_quota = used_quota + part.charge,
      accessed_at = p_at,
      status = case when unlimited_quota = 0 and status = 1 and remain_quota <= part.charge then 4 else status end
    from (select token_id, sum(charge)::bigint as charge, sum(token_amount)::bigint as amount from ended group by token_id) as part
    where tokens.id = part.token_id
  ), charged_users as (
    update users set used_quota = used_quota + part.charge, request_count = request_count + part.calls
    from (
      select user_id, sum(charge)::bigint as charge, count(*) as calls from ended where charge > 0 group by user_id
    ) as part
    where users.id = part.user_id
  ), entries as (
    insert into ledger (billing_id, kind, debit, credit, amount, user_id, token_id, channel_id, created_at)
    select id, 'charge', 'wallet:' || wallet_id, 'revenue', charge, user_id, token_id, (log->>'channel_id')::bigint, p_at
    from ended where charge > 0
  ), rows as (
    insert into logs select l.* from ended cross join lateral jsonb_populate_record(null::logs, ended.log) as l returning *
  ), kept_traces as (
    insert into traces (id, data) select id, trace from ended
  ), queued as (
    insert into rollup_queue
    select
      (ended.log->>'day')::bigint, (ended.log->>'hour')::bigint, case when l.team_id is null then l.user_id else 0 end, l.token_id, l.channel_id, l.model_name,
      (ended.log->>'failed')::bigint, l.quota, l.prompt_tokens, l.completion_tokens, l.cached_prompt_tokens,
      l.cache_write_5m_tokens + l.cache_write_1h_tokens, l.elapsed_ms, l.ttft_ms
    from ended join rows l on l.id = ended.id
  )
  select coalesce(array_agg(ended.place), '{}') into done from ended;

  return query select taken, 'settled' from unnest(done) as taken;
  if cardinality(done) < cardinality(p_ids) then
    return query
    select c.place, tollgate_settle(c.id, c.charge, p_at, c.log, c.trace)
    from json_to_recordset(p_commands) as c (place int, id bigint, charge bigint, log jsonb, trace text)
    where c.place <> all(done);
  end if;
end $$;
`;

export const teams: Migration = {
  id: 85,
  name: "teams",
  sqlite: [
    `create table teams (id integer primary key autoincrement, ${teamColumns})`,
    `create table team_members (id integer primary key autoincrement, ${memberColumns})`,
    ...statements,
    "drop index logs_user_id",
    "create index logs_user_id on logs (user_id, id, type, quota, team_id)",
  ],
  postgres: [
    `create table teams (id bigint generated by default as identity primary key, ${teamColumns})`,
    `create table team_members (id bigint generated by default as identity primary key, ${memberColumns})`,
    ...statements,
    "drop index logs_user_id",
    "create index logs_user_id on logs (user_id, id) include (type, quota, team_id)",
    postgresQueue,
    postgresSettle,
  ],
};
