/**
 * Debts of wallets: what a charge exceeds the hold and the balance by, up to the amount of the hold; the next credit pays it
 * first. A hold may take less than it wants, where the request states no limit. The functions replace those of 0012-schema-postgres-functions.ts
 * and mirror storage/sqlite-money.ts.
 */
import type { Migration } from "./migration.ts";

const debtColumn = "alter table wallets add column debt bigint not null default 0 check (debt >= 0)";

const postgresFunctions = `
-- Of a wallet that the transaction has locked: what no running call holds pays its debt.
create function tollgate_pay_debt(p_wallet bigint, p_id bigint, p_at bigint) returns void language plpgsql as $$
declare
  w wallets;
  paid bigint;
begin
  select * into w from wallets where id = p_wallet for update;
  paid := least(w.debt, w.balance - w.held);
  if paid is null or paid <= 0 then return; end if;
  update wallets set balance = balance - paid, debt = debt - paid where id = p_wallet;
  insert into ledger (billing_id, kind, debit, credit, amount, created_at)
  values (p_id, 'debt_payment', 'wallet:' || p_wallet, 'debt:' || p_wallet, paid, p_at);
end $$;

drop function tollgate_hold(bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint, text, boolean);
create function tollgate_hold(
  p_id bigint, p_wallet bigint, p_user bigint, p_token bigint, p_amount bigint, p_least bigint, p_unlimited boolean,
  p_node bigint, p_lease bigint, p_snapshot text, p_retried boolean
) returns text language plpgsql as $$
declare
  w wallets;
  taken bigint := p_amount;
  token_left bigint;
begin
  if p_retried then
    select amount into taken from reservations where id = p_id;
    if found then return case when taken < p_amount then taken::text else 'held' end; end if;
    taken := p_amount;
  end if;
  update wallets set held = held + p_amount where id = p_wallet and debt = 0 and balance - held >= p_amount;
  if not found then
    select * into w from wallets where id = p_wallet for update;
    if w.debt > 0 then return 'wallet_in_debt'; end if;
    taken := least(p_amount, w.balance - w.held);
    if taken is null or taken < p_least then return 'insufficient_user_quota'; end if;
    update wallets set held = held + taken where id = p_wallet;
  end if;
  if not p_unlimited and p_amount > 0 then
    update tokens set held_quota = held_quota + taken where id = p_token and remain_quota - held_quota >= taken;
    if not found then
      select remain_quota - held_quota into token_left from tokens where id = p_token for update;
      token_left := least(taken, coalesce(token_left, -1));
      if token_left < p_least then
        update wallets set held = held - taken where id = p_wallet;
        return 'pre_consume_token_quota_failed';
      end if;
      update wallets set held = held - (taken - token_left) where id = p_wallet;
      update tokens set held_quota = held_quota + token_left where id = p_token;
      taken := token_left;
    end if;
  end if;
  insert into reservations (id, wallet_id, user_id, token_id, amount, token_amount, node, lease_until, snapshot, progress)
  values (
    p_id, p_wallet, p_user, p_token, taken, case when p_unlimited then 0 else taken end, p_node, p_lease, p_snapshot, null
  );
  return case when taken < p_amount then taken::text else 'held' end;
end $$;

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
    (p_log->>'day')::bigint, (p_log->>'hour')::bigint, l.user_id, l.token_id, l.channel_id, l.model_name,
    (p_log->>'failed')::bigint, l.quota, l.prompt_tokens, l.completion_tokens, l.cached_prompt_tokens,
    l.cache_write_5m_tokens + l.cache_write_1h_tokens, l.elapsed_ms, l.ttft_ms;
  return case when lost > 0 then 'short' else 'settled' end;
end $$;

create or replace function tollgate_release(p_id bigint) returns text language plpgsql as $$
declare r reservations;
begin
  delete from reservations where id = p_id returning * into r;
  if not found then return 'already'; end if;
  update wallets set held = held - r.amount where id = r.wallet_id;
  perform tollgate_pay_debt(r.wallet_id, p_id, (extract(epoch from clock_timestamp()) * 1000)::bigint);
  update tokens set held_quota = held_quota - r.token_amount where id = r.token_id;
  return 'released';
end $$;

create or replace function tollgate_grant(p_id bigint, p_wallet bigint, p_amount bigint, p_at bigint)
returns text language plpgsql as $$
declare account text := 'wallet:' || p_wallet;
begin
  if p_amount = 0 then return 'already'; end if;
  insert into ledger (billing_id, kind, debit, credit, amount, created_at)
  values (
    p_id, 'grant', case when p_amount > 0 then 'issuance' else account end,
    case when p_amount > 0 then account else 'issuance' end, abs(p_amount), p_at
  ) on conflict do nothing;
  if not found then return 'already'; end if;
  update wallets set balance = balance + p_amount where id = p_wallet and balance + p_amount >= held;
  if not found then
    -- The entry was written by this transaction, so no other has seen it.
    delete from ledger where billing_id = p_id and kind = 'grant';
    return 'insufficient_user_quota';
  end if;
  perform tollgate_pay_debt(p_wallet, p_id, p_at);
  return 'granted';
end $$;

create or replace function tollgate_redeem(
  p_id bigint, p_code bigint, p_quota bigint, p_wallet bigint, p_user bigint, p_at bigint, p_once text, p_log jsonb
) returns text language plpgsql as $$
begin
  update redemptions set
    status = 3, redeemed_at = p_at, redeemed_by = p_user, redeemed_once = p_once, billing_id = p_id, updated_at = p_at
  where id = p_code and status = 1 and quota = p_quota;
  if not found then
    -- Sent again because the reply to an earlier attempt was lost: that attempt may have ended only now.
    if exists (select 1 from redemptions where billing_id = p_id) then return 'redeemed'; end if;
    return 'gone';
  end if;
  update wallets set balance = balance + p_quota where id = p_wallet and balance + p_quota <= 9000000000000000;
  if not found then
    update redemptions set
      status = 1, redeemed_at = null, redeemed_by = null, redeemed_once = null, billing_id = null
    where id = p_code;
    return 'wallet_full';
  end if;
  if p_quota > 0 then
    insert into ledger (billing_id, kind, debit, credit, amount, created_at)
    values (p_id, 'redemption', 'issuance', 'wallet:' || p_wallet, p_quota, p_at);
  end if;
  perform tollgate_pay_debt(p_wallet, p_id, p_at);
  insert into logs select (jsonb_populate_record(null::logs, p_log)).*;
  return 'redeemed';
end $$;
`;

export const debts: Migration = {
  id: 16,
  name: "debts",
  sqlite: [debtColumn],
  postgres: [debtColumn, postgresFunctions],
};
