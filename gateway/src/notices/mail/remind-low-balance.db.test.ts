import {
  createTestAccount,
  foldRollups,
  holdOf,
  settleOf,
  type TestAccount,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { describeVariants } from "@tollgate/tests/support/variants.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildOptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import type { MailMessage } from "./mail-messages.ts";
import type { ComposeMail } from "./mailer.ts";
import { remindLowBalance } from "./remind-low-balance.ts";

const day = 24 * 3_600_000;
const options = buildOptionReader(
  new Map([
    ["QuotaRemindThreshold", "1000"],
    ["DisplayInCurrencyEnabled", "false"],
  ]),
);

describeVariants(testDatabases)("low balance on $name", ({ open }) => {
  let storage: TestDatabase;
  let db: Database;
  let owner: TestAccount;
  let messages: MailMessage[];
  beforeEach(async () => {
    storage = await open();
    db = storage.db;
    owner = await createTestAccount(db, 1500, [null]);
    await change({ email: "mira@example.org" });
    messages = [];
  });
  afterEach(() => storage.close());

  const change = (columns: { email?: string; status?: number }) =>
    db.write([{ query: db.sql.updateTable("users").set(columns).where("id", "=", owner.userId) }]);
  const spend = async (quota: number) => {
    const id = db.mintId();
    await db.money(holdOf(owner, id, quota));
    await db.money(settleOf(owner, id, quota));
    await foldRollups(db);
  };
  const grant = (amount: number) =>
    db.money({ verb: "grant", id: db.mintId(), walletId: owner.walletId, amount, at: Date.now() });
  /** `remind` gives what a node does each minute; its messages are collected instead of sent. */
  const remind = (now = Date.now(), isConfigured = true) => {
    const enqueue = (_: string, compose: ComposeMail) => {
      void compose().then((message) => message && messages.push(message));
      return true;
    };
    const deliver = async () => undefined;
    const mailer = {
      isConfigured: () => isConfigured,
      enqueue,
      deliver,
      isIdle: () => true,
      stop: async () => {},
    };
    return remindLowBalance({ db, options, mailer, publicUrl: "https://ai.example.org" }, now);
  };

  test("the user gets one mail each time the balance falls below the threshold", async () => {
    await spend(400);
    await remind();
    expect(messages).toEqual([]);
    await spend(200);
    await remind();
    await spend(100);
    await remind();
    expect(messages.map(({ to }) => to)).toEqual(["mira@example.org"]);
    expect(messages[0]?.text).toContain("down to 900 quota");
    expect(messages[0]?.text).toContain("https://ai.example.org/topup");

    await grant(1000);
    await remind();
    await spend(900);
    await remind();
    expect(messages).toHaveLength(2);
  });

  test("one of several nodes sends the mail", async () => {
    await spend(600);
    await Promise.all([remind(), remind(), remind(), remind()]);
    expect(messages).toHaveLength(1);
  });

  test.each([
    ["has no address", { email: "" }],
    ["is disabled", { status: 2 }],
  ])("a user who %s gets no mail", async (_, columns) => {
    await change(columns);
    await spend(600);
    await remind();
    expect(messages).toEqual([]);
  });

  test("users without recent calls get no mail, and no one does without a mail server", async () => {
    await spend(600);
    await remind(Date.now() + 2 * day);
    await remind(Date.now(), false);
    expect(messages).toEqual([]);
    await remind();
    expect(messages).toHaveLength(1);
  });
});
