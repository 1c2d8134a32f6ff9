/**
 * Budgets of channels. A call is held for before its channel is chosen, so that what it holds on the budgets of a channel changes with each
 * attempt: their entries in a reservation name the channel and what is held there, and the end of the call charges them if that channel
 * served, with what the operator pays for it, or with the charge where that is unknown. storage/sqlite-budget-counters.ts does the same.
 */
import type { Migration } from "./migration.ts";

const postgres = [
  "alter type tollgate_held_budget add attribute channel bigint, add attribute amount bigint",
  `
drop function tollgate_hold_budgets(text, bigint, bigint);
-- p_there is held on the budgets of channels, all or nothing.
create function tollgate_hold_budgets(p_budgets text, p_wanted bigint, p_least bigint, p_there bigint default 0)
returns text language plpgsql as $$
declare
  b tollgate_held_budget;
  unspent bigint;
  granted bigint := p_wanted;
begin
  for b in select * from jsonb_populate_recordset(null::tollgate_held_budget, p_budgets::jsonb) where max is not null order by id loop
    insert into budget_counters (budget_id, window_start, window_end, part) values (b.id, b."start", b."end", coalesce(b.part, ''))
    on conflict do nothing;
    select b.max - spent - held into unspent from budget_counters
    where budget_id = b.id and window_start = b."start" and part = coalesce(b.part, '') for update;
    if b.channel is not null then
      if unspent < p_there then return 'budget:' || b.id; end if;
    else
      if unspent < p_least then return 'budget:' || b.id; end if;
      if b.part is not null and p_least < p_wanted then unspent := greatest(p_least, unspent / 4); end if;
      granted := least(granted, unspent);
    end if;
  end loop;
  update budget_counters set held = held + case when given.channel is null then granted else p_there end
  from jsonb_populate_recordset(null::tollgate_held_budget, p_budgets::jsonb) as given
  where budget_id = given.id and window_start = given."start" and budget_counters.part = coalesce(given.part, '')
    and given.max is not null;
  return granted::text;
end $$;

drop function tollgate_end_budgets(text, bigint, bigint, text);
-- p_there is what the call came to on p_channel, which served.
create function tollgate_end_budgets(
  p_budgets text, p_amount bigint, p_charge bigint, p_target text, p_channel bigint default 0, p_there bigint default 0
) returns void language plpgsql as $$
declare
  b tollgate_held_budget;
  charged bigint;
  counted bigint;
begin
  for b in select * from jsonb_populate_recordset(null::tollgate_held_budget, p_budgets::jsonb) order by id loop
    charged := case
      when b.channel is not null then case when b.channel = p_channel then p_there else 0 end
      when b.target is null or b.target = p_target or p_target = any (string_to_array(b.target, ',')) then p_charge
      else 0
    end;
    counted := case when charged > 0 then 1 else 0 end;
    insert into budget_counters (budget_id, window_start, window_end, spent, calls, part)
    values (b.id, b."start", b."end", charged, counted, coalesce(b.part, ''))
    on conflict (budget_id, window_start, part) do update set
      spent = budget_counters.spent + charged,
      calls = budget_counters.calls + counted,
      held = budget_counters.held - case when b.max is null then 0 else coalesce(b.amount, p_amount) end;
  end loop;
end $$;

-- p_entered: entries of p_channel with p_amount. Counters are locked in ascending order of ids, those that the call leaves among them.
create function tollgate_enter_channel(p_id bigint, p_channel bigint, p_entered text, p_amount bigint, p_keeps bigint)
returns text language plpgsql as $$
declare
  r reservations;
  b tollgate_held_budget;
  kept jsonb;
  abandoned jsonb;
  answer text;
begin
  perform set_config('synchronous_commit', 'off', true);
  select * into r from reservations where id = p_id for update;
  if not found then return 'gone'; end if;
  select
    coalesce(jsonb_agg(entry) filter (where not is_left), '[]'), coalesce(jsonb_agg(entry) filter (where is_left), '[]')
  into kept, abandoned
  from (
    select entry, entry ? 'channel' and (
      (entry->>'channel')::bigint <> p_keeps or (entry->>'channel')::bigint = p_channel
    ) as is_left
    from jsonb_array_elements(coalesce(r.budgets, '[]')::jsonb) as entry
  ) as entries;
  for b in
    select * from jsonb_populate_recordset(null::tollgate_held_budget, abandoned || p_entered::jsonb)
    where max is not null order by id
  loop
    insert into budget_counters (budget_id, window_start, window_end, part) values (b.id, b."start", b."end", coalesce(b.part, ''))
    on conflict do nothing;
    perform 1 from budget_counters
    where budget_id = b.id and window_start = b."start" and part = coalesce(b.part, '') for update;
  end loop;
  update budget_counters set held = held - given.amount
  from jsonb_populate_recordset(null::tollgate_held_budget, abandoned) as given
  where budget_id = given.id and window_start = given."start" and budget_counters.part = coalesce(given.part, '')
    and given.max is not null;
  answer := tollgate_hold_budgets(p_entered, 0, 0, p_amount);
  if answer like 'budget:%' then
    update budget_counters set held = held + given.amount
    from jsonb_populate_recordset(null::tollgate_held_budget, abandoned) as given
    where budget_id = given.id and window_start = given."start" and budget_counters.part = coalesce(given.part, '')
      and given.max is not null;
    return answer;
  end if;
  kept := kept || p_entered::jsonb;
  update reservations set budgets = case when kept = '[]' then null else kept::text end where id = p_id;
  return 'held';
end $$;

drop function tollgate_top_up_hold(bigint, bigint);
-- p_there is added to what the call holds on the budgets of its channel.
create function tollgate_top_up_hold(p_id bigint, p_amount bigint, p_there bigint default 0) returns text language plpgsql as $$
declare
  r reservations;
  answer text;
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
  end if;
  if r.budgets is not null then
    answer := tollgate_hold_budgets(r.budgets, p_amount, p_amount, p_there);
    if answer like 'budget:%' then
      update wallets set held = held - p_amount where id = r.wallet_id;
      if r.token_amount > 0 then update tokens set held_quota = held_quota - p_amount where id = r.token_id; end if;
      return answer;
    end if;
  end if;
  update reservations set
    amount = amount + p_amount, token_amount = token_amount + case when r.token_amount > 0 then p_amount else 0 end,
    budgets = case when p_there = 0 then budgets else (
      select jsonb_agg(
        case when entry ? 'channel' then jsonb_set(entry, '{amount}', to_jsonb((entry->>'amount')::bigint + p_there)) else entry end
      )::text
      from jsonb_array_elements(budgets::jsonb) as entry
    ) end
  where id = p_id;
  return 'held';
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
    (p_log->>'day')::bigint, (p_log->>'hour')::bigint, case when l.team_id is null then l.user_id else 0 end, l.token_id, l.channel_id, l.model_name,
    (p_log->>'failed')::bigint, l.quota, l.prompt_tokens, l.completion_tokens, l.cached_prompt_tokens,
    l.cache_write_5m_tokens + l.cache_write_1h_tokens, l.elapsed_ms, l.ttft_ms;
  if r.budgets is not null then
    perform tollgate_end_budgets(
      r.budgets, r.amount, p_charge, p_log->>'target', l.channel_id, coalesce((l.cost_nanos + 1999) / 2000, p_charge)
    );
  end if;
  return case when lost > 0 then 'short' else 'settled' end;
end $$;
`,
];

export const channelBudgets: Migration = { id: 120, name: "budgets of channels", sqlite: [], postgres };
