/**
 * A budget may count each part of its subject by itself, such as each run of an agent: a counter has a part besides. Of such a counter, a call
 * that states no limit gets at most a quarter of what is left, so that it leaves something for the calls beside it.
 * storage/sqlite-budget-counters.ts does the same.
 */
import type { Migration } from "./migration.ts";

const columns = `budget_id bigint not null, window_start bigint not null, window_end bigint,
    spent bigint not null default 0 check (spent >= 0), held bigint not null default 0 check (held >= 0),
    calls bigint not null default 0, part text not null default '',
    primary key (budget_id, window_start, part)`;
const names = "budget_id, window_start, window_end, spent, held, calls";

const sqlite = [
  `create table budget_counters_by_part (${columns})`,
  `insert into budget_counters_by_part (${names}) select ${names} from budget_counters`,
  "drop table budget_counters",
  "alter table budget_counters_by_part rename to budget_counters",
];

const postgres = [
  "alter table budget_counters add column part text not null default ''",
  "alter table budget_counters drop constraint budget_counters_pkey",
  "alter table budget_counters add primary key (budget_id, window_start, part)",
  "alter type tollgate_held_budget add attribute part text",
  `
create or replace function tollgate_hold_budgets(p_budgets text, p_wanted bigint, p_least bigint)
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
    if unspent < p_least then return 'budget:' || b.id; end if;
    if b.part is not null and p_least < p_wanted then unspent := greatest(p_least, unspent / 4); end if;
    granted := least(granted, unspent);
  end loop;
  update budget_counters set held = held + granted
  from jsonb_populate_recordset(null::tollgate_held_budget, p_budgets::jsonb) as given
  where budget_id = given.id and window_start = given."start" and budget_counters.part = coalesce(given.part, '')
    and given.max is not null;
  return granted::text;
end $$;

create or replace function tollgate_end_budgets(p_budgets text, p_amount bigint, p_charge bigint, p_target text)
returns void language plpgsql as $$
declare
  b tollgate_held_budget;
  charged bigint;
  counted bigint;
begin
  for b in select * from jsonb_populate_recordset(null::tollgate_held_budget, p_budgets::jsonb) order by id loop
    charged := case
      when b.target is null or b.target = p_target or p_target = any (string_to_array(b.target, ',')) then p_charge else 0
    end;
    counted := case when charged > 0 then 1 else 0 end;
    insert into budget_counters (budget_id, window_start, window_end, spent, calls, part)
    values (b.id, b."start", b."end", charged, counted, coalesce(b.part, ''))
    on conflict (budget_id, window_start, part) do update set
      spent = budget_counters.spent + charged,
      calls = budget_counters.calls + counted,
      held = budget_counters.held - case when b.max is null then 0 else p_amount end;
  end loop;
end $$;
`,
];

export const budgetsOfRuns: Migration = { id: 91, name: "budgets of runs", sqlite, postgres };
