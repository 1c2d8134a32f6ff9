/**
 * Many settlements as one statement on PostgreSQL. Most calls cost no more than their hold and belong to a wallet without debt: of
 * those the sums are written, once for each wallet, token and user. Every other call is settled by `tollgate_settle`, alone.
 */
import type { Migration } from "./migration.ts";

const postgresFunction = `
-- p_commands: a list of {place, id, charge, log, trace}; the results in any order.
-- A token's and a user's row is only locked by a transaction that has locked their wallet, and wallets are locked in one order.
create function tollgate_settle_batch(p_ids bigint[], p_commands json, p_at bigint)
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
      (ended.log->>'day')::bigint, (ended.log->>'hour')::bigint, l.user_id, l.token_id, l.channel_id, l.model_name,
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

export const settleBatches: Migration = {
  id: 70,
  name: "settle batches",
  sqlite: [],
  postgres: [postgresFunction],
};
