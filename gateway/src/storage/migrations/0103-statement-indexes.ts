/**
 * The statement of a team reads what came into its wallet and went out of it. Charges are most of the ledger and stand in no index here: a
 * roll-up adds them up, and a call pays for no further index.
 */
import type { Migration } from "./migration.ts";

const statements = [
  "create index ledger_debits on ledger (debit, created_at) where kind <> 'charge'",
  "create index ledger_credits on ledger (credit, created_at) where kind <> 'charge'",
];

export const statementIndexes: Migration = {
  id: 103,
  name: "statement indexes",
  sqlite: statements,
  postgres: statements,
};
