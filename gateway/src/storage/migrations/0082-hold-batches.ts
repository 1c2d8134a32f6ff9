/**
 * Many holds as one statement on PostgreSQL. Where a wallet without debt, and the limit of a key, cover all holds of a batch together, they
 * are set aside as one sum. Every other call is held by `tollgate_hold`, alone, in the order in which the calls were given.
 */
import type { Migration } from "./migration.ts";

const postgresFunction = `
-- p_commands: a list of {place, id, wallet, owner, token, amount, least, unlimited, lease, snapshot}; the results in any order.
-- A token's row is only locked by a transaction that has locked its wallet, and wallets are locked in one order.
create function tollgate_hold_batch(p_commands json, p_node bigint, p_retried boolean)
returns table (place int, result text) language plpgsql as $$
#variable_conflict use_column
declare
  done int[] := '{}';
begin
  -- Of a repeated command it is not known whether it was carried out.
  if not p_retried then
    perform 1 from wallets
    where id in (select c.wallet from json_to_recordset(p_commands) as c (wallet bigint)) order by id for update;

    with given as materialized (
      select * from json_to_recordset(p_commands) as c (
        place int, id bigint, wallet bigint, owner bigint, token bigint, amount bigint, unlimited boolean, lease bigint, snapshot text
      )
    ), covered as (
      select given.* from given join (select wallet, sum(amount) as amount from given group by wallet) as part using (wallet)
      join wallets on wallets.id = wallet
      where wallets.debt = 0 and wallets.balance - wallets.held >= part.amount
    ), held_tokens as (
      update tokens set held_quota = held_quota + part.amount
      from (
        select token, sum(amount)::bigint as amount from covered where not unlimited and amount > 0 group by token
      ) as part
      where tokens.id = part.token and remain_quota - held_quota >= part.amount
      returning tokens.id
    ), held as (
      select * from covered where unlimited or amount = 0 or token in (select id from held_tokens)
    ), held_wallets as (
      update wallets set held = held + part.amount
      from (select wallet, sum(amount)::bigint as amount from held group by wallet) as part
      where wallets.id = part.wallet
    ), reserved as (
      insert into reservations (id, wallet_id, user_id, token_id, amount, token_amount, node, lease_until, snapshot)
      select id, wallet, owner, token, amount, case when unlimited then 0 else amount end, p_node, lease, snapshot from held
    )
    select coalesce(array_agg(held.place), '{}') into done from held;
  end if;

  return query select taken, 'held' from unnest(done) as taken;
  if cardinality(done) < json_array_length(p_commands) then
    return query
    select c.place, tollgate_hold(c.id, c.wallet, c.owner, c.token, c.amount, c.least, c.unlimited, p_node, c.lease, c.snapshot, p_retried)
    from json_to_recordset(p_commands) as c (
      place int, id bigint, wallet bigint, owner bigint, token bigint, amount bigint, least bigint, unlimited boolean, lease bigint, snapshot text
    )
    where c.place <> all(done);
  end if;
end $$;
`;

export const holdBatches: Migration = {
  id: 82,
  name: "hold batches",
  sqlite: [],
  postgres: [postgresFunction],
};
