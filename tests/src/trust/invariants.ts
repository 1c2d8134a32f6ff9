/** What is true of money at every moment, and the tests that show it. */
import type { Evidence } from "./promise.ts";

export interface Invariant extends Evidence {
  id: string;
  promise: string;
}

const model = [
  "tests/src/trust/model/model.api.test.ts",
  "random stories of everything that moves money end as plain arithmetic says",
] as const;
const verbs = "gateway/src/money/money-model.db.test.ts";
const price = "gateway/src/money/price.test.ts";
const redemptions = "tests/src/api/redemptions.db.test.ts";
const users = "tests/src/api/users.db.test.ts";
const partial = "tests/src/relay/partial-answers.api.test.ts";
const crash = "tests/src/api/redemption-crash.api.test.ts";
const restore = "tests/src/trust/backup-restore.api.test.ts";
const money = "tests/src/relay/money.api.test.ts";
const stops = "tests/src/relay/shutdown.api.test.ts";

export const invariants: readonly Invariant[] = [
  { id: "I-1", promise: "A balance is what the ledger credited less what it debited", tests: [model] },
  {
    id: "I-2",
    promise: "What a user, a token or a channel has used is the sum of their charges, whatever was deleted or cleared",
    tests: [model, ["gateway/src/money/audit.db.test.ts", "a charge whose row was cleared is still in the books"]],
  },
  { id: "I-3", promise: "The log and what was cleared of it add up to what was used", tests: [model] },
  {
    id: "I-4",
    promise: "No balance, and no balance less what is set aside, is below zero",
    tests: [model, [verbs, "500 parallel holds on a balance for 10: exactly 10 are held"]],
  },
  {
    id: "I-5",
    promise: "What is set aside is charged or given back, exactly once, and never stays",
    tests: [
      model,
      [verbs, "in parallel every hold ends once, and the books agree"],
      [stops, "three kills with open streams on SQLite: each start leaves nothing open"],
      [stops, "three kills with open streams on PostgreSQL: when the leases have run out nothing is open"],
    ],
  },
  {
    id: "I-6",
    promise: "A call is charged once at most, however often its charge is sent",
    tests: [model, [verbs, "50 parallel replays of one settle charge it once"]],
  },
  {
    id: "I-7",
    promise: "A call costs what the attempt that answered used; failed attempts cost nothing",
    tests: [
      model,
      [money, "200 calls whose first three channels fail are answered by the fourth and billed once each"],
    ],
  },
  {
    id: "I-8",
    promise: "A code pays once, and a used one stays used",
    tests: [
      model,
      [redemptions, "100 people race for each of 50 codes: each code pays one of them, and the books agree"],
      [redemptions, "a used code is final"],
    ],
  },
  {
    id: "I-9",
    promise: "Codes have paid what used codes say; of a batch all codes are made or none",
    tests: [
      model,
      [
        crash,
        "kill -9 amid generations leaves whole batches, the answered ones among them, and each can be asked for again",
      ],
      [crash, "kill -9 amid redemptions pays each code once, however often it is sent again"],
    ],
  },
  {
    id: "I-10",
    promise: "A credit that is sent again with its key is given once",
    tests: [model, [verbs, "50 parallel replays of one grant credit it once, and each is answered"]],
  },
  {
    id: "I-11",
    promise: "Who changes a balance by hand is in the ledger and in the audit trail, and undoes no charge",
    tests: [
      model,
      [users, "a changed quota is in the ledger, in the log and in the audit trail"],
      [users, "administrators' edits and charges at the same moment lose nothing"],
    ],
  },
  {
    id: "I-12",
    promise: "A token never spends more than its limit, one without a limit no more than its owner's balance",
    tests: [model, [verbs, "500 parallel holds on two tokens of one user: each token and the wallet bound them"]],
  },
  {
    id: "I-13",
    promise: "A call is charged at the price of its beginning, which stands in its row; later prices change nothing",
    tests: [model, [price, "can be recomputed from what is stored with it"]],
  },
  {
    id: "I-14",
    promise: "Amounts are integers, rounded up once, never negative",
    tests: [
      model,
      [price, "is within one unit above the exact price, and never negative"],
      [price, "of two usages together is at most a unit less than apart, and never more"],
    ],
  },
  {
    id: "I-15",
    promise: "Who leaves pays as the policy says",
    tests: [
      model,
      [partial, "(c) a caller who leaves before the first byte pays nothing, and the upstream hears of it"],
      [
        partial,
        "(d) a caller who leaves in the middle pays the prompt and what had come, and the upstream is told within a second",
      ],
    ],
  },
  {
    id: "I-16",
    promise: "Refused calls and tests of channels cost nobody anything",
    tests: [model, [partial, "(a) a call that is refused before it is forwarded costs nothing and leaves no row"]],
  },
  {
    id: "I-17",
    promise: "Deleting or disabling users, tokens and channels creates and destroys nothing; what runs is charged",
    tests: [
      model,
      [verbs, "what a deleted token and a deleted channel still have running settles, and nothing is created or lost"],
    ],
  },
  {
    id: "I-18",
    promise: "A restored copy has books that agree",
    tests: [
      [restore, "has the books of one moment, and they agree"],
      [restore, "goes on from there: what was under way in the copy is ended, new calls are charged, the books agree"],
    ],
  },
  {
    id: "I-19",
    promise: "What was issued is in balances or was charged: nothing else exists",
    tests: [model],
  },
  {
    id: "I-20",
    promise: "Dashboard, log, lists of users and tokens and the ledger show the same totals for the same days",
    tests: [model, ["gateway/src/money/rollups.db.test.ts", "equal the log rows, table by table and column by column"]],
  },
];
