/**
 * Budgets that count some models alone, with windows of so many days from an anchor, and a note. Counters say how many calls they
 * counted. A budget may name several targets of a virtual model, comma-joined; storage/sqlite-budget-counters.ts does the same.
 */
import type { Migration } from "./migration.ts";

const columnsOf = (table: string) => [
  `alter table ${table} add column note text not null default ''`,
  `alter table ${table} add column models text not null default ''`,
  `alter table ${table} add column anchor text not null default ''`,
];

const statements = [
  ...columnsOf("budgets"),
  ...columnsOf("budget_templates"),
  "alter table budget_counters add column calls bigint not null default 0",
];

const postgresFunctions = `
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
    insert into budget_counters (budget_id, window_start, window_end, spent, calls)
    values (b.id, b."start", b."end", charged, counted)
    on conflict (budget_id, window_start) do update set
      spent = budget_counters.spent + charged,
      calls = budget_counters.calls + counted,
      held = budget_counters.held - case when b.max is null then 0 else p_amount end;
  end loop;
end $$;
`;

export const budgetModels: Migration = {
  id: 77,
  name: "budget models",
  sqlite: statements,
  postgres: [...statements, postgresFunctions],
};
