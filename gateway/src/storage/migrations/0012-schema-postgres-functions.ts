/**
 * The money verbs of PostgreSQL, one function each, so that a verb is one round trip and one transaction. They mirror
 * storage/sqlite-money.ts line by line. Lock order everywhere: reservation, wallet, token, user. A
 * code comes before the wallet, so the loser of a race for a code locks no wallet.
 */
export const postgresFunctions = `
create function tollgate_hold(
  p_id bigint, p_wallet bigint, p_user bigint, p_token bigint, p_amount bigint, p_token_amount bigint,
  p_node bigint, p_lease bigint, p_snapshot text, p_retried boolean
) returns text language plpgsql as $$
begin
  if p_retried and exists (select 1 from reservations where id = p_id) then return 'held'; end if;
  update wallets set held = held + p_amount where id = p_wallet and balance - held >= p_amount;
  if not found then return 'insufficient_user_quota'; end if;
  if p_token_amount > 0 then
    update tokens set held_quota = held_quota + p_token_amount
    where id = p_token and remain_quota - held_quota >= p_token_amount;
    if not found then
      update wallets set held = held - p_amount where id = p_wallet;
      return 'pre_consume_token_quota_failed';
    end if;
  end if;
  insert into reservations (id, wallet_id, user_id, token_id, amount, token_amount, node, lease_until, snapshot, progress)
  values (p_id, p_wallet, p_user, p_token, p_amount, p_token_amount, p_node, p_lease, p_snapshot, null);
  return 'held';
end $$;

create function tollgate_top_up_hold(p_id bigint, p_amount bigint) returns text language plpgsql as $$
declare r reservations;
begin
  perform set_config('synchronous_commit', 'off', true);
  select * into r from reservations where id = p_id for update;
  if not found then return 'gone'; end if;
  update wallets set held = held + p_amount where id = r.wallet_id and balance - held >= p_amount;
  if not found then return 'insufficient_user_quota'; end if;
  if r.token_amount > 0 then
    update tokens set held_quota = held_quota + p_amount
    where id = r.token_id and remain_quota - held_quota >= p_amount;
    if not found then
      update wallets set held = held - p_amount where id = r.wallet_id;
      return 'pre_consume_token_quota_failed';
    end if;
    update reservations set token_amount = token_amount + p_amount where id = p_id;
  end if;
  update reservations set amount = amount + p_amount where id = p_id;
  return 'held';
end $$;

create function tollgate_settle(p_id bigint, p_charge bigint, p_at bigint, p_log jsonb, p_trace text)
returns text language plpgsql as $$
declare
  r reservations;
  w wallets;
  l logs;
  taken bigint;
begin
  delete from reservations where id = p_id returning * into r;
  if not found then return 'already'; end if;
  l := jsonb_populate_record(null::logs, p_log);

  select * into w from wallets where id = r.wallet_id for update;
  taken := greatest(0, least(p_charge, w.balance - (w.held - r.amount)));
  update wallets set balance = balance - taken, held = held - r.amount where id = r.wallet_id;
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

  if taken > 0 then
    insert into ledger (billing_id, kind, debit, credit, amount, user_id, token_id, channel_id, created_at)
    values (p_id, 'charge', 'wallet:' || r.wallet_id, 'revenue', taken, r.user_id, r.token_id, l.channel_id, p_at);
  end if;
  if p_charge > taken then
    insert into ledger (billing_id, kind, debit, credit, amount, user_id, token_id, channel_id, created_at)
    values (p_id, 'shortfall', 'shortfall', 'revenue', p_charge - taken, r.user_id, r.token_id, l.channel_id, p_at);
  end if;

  insert into logs select l.*;
  insert into traces (id, data) values (p_id, p_trace);
  insert into rollup_queue
  select
    (p_log->>'day')::bigint, (p_log->>'hour')::bigint, l.user_id, l.token_id, l.channel_id, l.model_name,
    (p_log->>'failed')::bigint, l.quota, l.prompt_tokens, l.completion_tokens, l.cached_prompt_tokens,
    l.cache_write_5m_tokens + l.cache_write_1h_tokens, l.elapsed_ms, l.ttft_ms;
  return 'settled';
end $$;

create function tollgate_release(p_id bigint) returns text language plpgsql as $$
declare r reservations;
begin
  delete from reservations where id = p_id returning * into r;
  if not found then return 'already'; end if;
  update wallets set held = held - r.amount where id = r.wallet_id;
  update tokens set held_quota = held_quota - r.token_amount where id = r.token_id;
  return 'released';
end $$;

create function tollgate_grant(p_id bigint, p_wallet bigint, p_amount bigint, p_at bigint)
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
  return 'granted';
end $$;

create function tollgate_redeem(
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
  insert into logs select (jsonb_populate_record(null::logs, p_log)).*;
  return 'redeemed';
end $$;

create function tollgate_sha256(p_text text) returns text language sql immutable as $$
  select encode(sha256(convert_to(p_text, 'UTF8')), 'hex')
$$;
`;
