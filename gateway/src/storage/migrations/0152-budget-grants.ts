/**
 * What the managers of a budget add to its amount for one window. It stands beside what the window
 * has counted, so that it ends with it; storage/sqlite-budget-counters.ts does the same.
 */
import type { Migration } from "./migration.ts";

const statements = ["alter table budget_counters add column granted bigint not null default 0"];

const postgres = [
  `
-- p_there is held on the budgets of channels, all or nothing; so is what those of another measure
-- state.
create or replace function tollgate_hold_budgets(
  p_budgets text, p_wanted bigint, p_least bigint, p_there bigint default 0
) returns text language plpgsql as $$
declare
  b tollgate_held_budget;
  unspent bigint;
  taken bigint := p_wanted;
begin
  for b in
    select * from jsonb_populate_recordset(null::tollgate_held_budget, p_budgets::jsonb)
    where max is not null order by id
  loop
    insert into budget_counters (budget_id, window_start, window_end, part)
    values (b.id, b."start", b."end", coalesce(b.part, ''))
    on conflict do nothing;
    select b.max + granted - spent - held into unspent from budget_counters
    where budget_id = b.id and window_start = b."start" and part = coalesce(b.part, '') for update;
    if b.measure is not null then
      if unspent < b.amount then return 'budget:' || b.id; end if;
    elsif b.channel is not null then
      if unspent < p_there then return 'budget:' || b.id; end if;
    else
      if unspent < p_least then return 'budget:' || b.id; end if;
      if b.part is not null and p_least < p_wanted then
        unspent := greatest(p_least, unspent / 4);
      end if;
      taken := least(taken, unspent);
    end if;
  end loop;
  update budget_counters set held = held + case
    when given.measure is not null then given.amount
    when given.channel is null then taken
    else p_there
  end
  from jsonb_populate_recordset(null::tollgate_held_budget, p_budgets::jsonb) as given
  where budget_id = given.id and window_start = given."start"
    and budget_counters.part = coalesce(given.part, '') and given.max is not null;
  return taken::text;
end $$`,
];

export const budgetGrants: Migration = {
  id: 152,
  name: "budget grants",
  sqlite: statements,
  postgres: [...statements, ...postgres],
};
