/** The sign-in provider whose rules gave the budget of a member; empty for none. */
import type { Migration } from "./migration.ts";

const statements = ["alter table budgets add column by_provider text not null default ''"];

export const providerBudgets: Migration = {
  id: 151,
  name: "provider budgets",
  sqlite: statements,
  postgres: statements,
};
