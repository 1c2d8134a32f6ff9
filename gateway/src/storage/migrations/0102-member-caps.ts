/**
 * Caps of the members of a team: budget templates that belong to a team. A budget names the cap that gave it in `cap_id` for good, and
 * in `template_id` as long as it follows: so a cap that was changed for one member can follow again, and is given once.
 */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table budget_templates add column team_id bigint not null default 0",
  "create index budget_templates_team on budget_templates (team_id) where team_id <> 0",
  "alter table budgets add column cap_id bigint",
  "create index budgets_cap on budgets (cap_id) where cap_id is not null",
];

export const memberCaps: Migration = { id: 102, name: "member caps", sqlite: statements, postgres: statements };
