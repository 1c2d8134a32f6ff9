/** The daily audit of the books. */
import * as z from "zod/mini";
import {
  auditInSteps,
  type BookPosition,
  bookBeginning,
} from "../../money/audit/audit-in-steps.ts";
import type { Database } from "../../storage/database.ts";
import type { DailyCheck } from "./daily-check.ts";

const bookPosition = z.object({
  check: z.number(),
  after: z.nullable(z.number()),
  findings: z.array(z.object({ check: z.string(), detail: z.string() })),
});

export const buildBooksCheck = (
  db: Pick<Database, "dialect" | "read" | "sql">,
  clock: () => number,
): DailyCheck<BookPosition> => ({
  rule: "ledger.drift",
  chore: "check the books",
  subject: "books",
  positionIn: (progress) =>
    progress === "" ? bookBeginning : bookPosition.parse(JSON.parse(progress)),
  async *steps(from) {
    const findings = yield* auditInSteps(db, clock, from);
    const [first] = findings;
    const facts =
      first &&
      ({
        kind: "ledger_drifts",
        findings: findings.length,
        first: `${first.check}: ${first.detail}`,
      } as const);
    return { next: bookBeginning, facts, measure: { value: findings.length, threshold: 0 } };
  },
});
