// The statement of a team's month agrees with the books, whatever came and went, and is seen by
// those alone who see all of the team.
import type { Team } from "@tollgate/contract/accounts/teams.ts";
import type { TeamStatement } from "@tollgate/contract/figures/team-statement.ts";
import { planWaiverWrites } from "@tollgate/gateway/money/debt-writes.ts";
import { grantWrites } from "@tollgate/gateway/money/grant-writes.ts";
import { planTransferWrites } from "@tollgate/gateway/money/transfer-writes.ts";
import { EPOCH_MS } from "@tollgate/gateway/storage/time-ids.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { logRow } from "../support/money-fixtures.ts";
import { randomFrom } from "../support/seeded-random.ts";
import { testDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const people = ["site", "owner", "member", "viewer", "former", "outsider"] as const;
type StatementReader = (typeof people)[number];
const models = ["small", "large", "sonic"];
const steps = 120;

describe.each(testDatabases)("the statement of a team on $name", (database) => {
  let gateway: ManagementGateway;
  const ids = {} as Record<StatementReader, number>;
  const as = {} as Record<StatementReader, TestApiClient>;
  let team: Team;
  let walletId: number;
  let ownWalletId: number;
  /** The present month and the three before it, the earliest first. */
  let months: string[];

  beforeAll(async () => {
    // The entry of a loss has the moment of the system.
    gateway = await startManagementGateway(database, Date.now());
    for (const person of people) {
      ids[person] = (await gateway.addUser(person, person === "site" ? { role: 10 } : {})).id;
      as[person] = await gateway.signIn(person);
    }
    const made = await as.site("POST", "/api/team/", {
      body: { name: "Search", owner_id: ids.owner },
    });
    team = made.body.data;
    for (const person of ["member", "viewer", "former"] as const) {
      const role = person === "viewer" ? "viewer" : "member";
      await as.site("PUT", `/api/team/${team.id}/member`, {
        body: { user_id: ids[person], role },
      });
    }
    await as.site("POST", `/api/team/${team.id}/remove_member`, {
      body: { user_id: ids.former },
    });
    const { sql, read } = gateway.db;
    const walletOf = async (table: "teams" | "users", id: number) =>
      (await read(sql.selectFrom(table).select("wallet_id").where("id", "=", id)))[0]?.wallet_id ??
      0;
    walletId = await walletOf("teams", team.id);
    ownWalletId = await walletOf("users", ids.owner);
    const now = new Date(gateway.clock.now);
    months = [3, 2, 1, 0].map((back) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1))
        .toISOString()
        .slice(0, "2026-11".length),
    );
  });
  afterAll(() => gateway.close());

  const readStatement = async (
    month: string,
    person: StatementReader = "owner",
  ): Promise<TeamStatement> => {
    const { body } = await as[person]("GET", `/api/team/${team.id}/statement?month=${month}`);
    expect(body).toMatchObject({ success: true });
    return body.data;
  };
  const wallet = async () => {
    const { sql, read } = gateway.db;
    const found = sql.selectFrom("wallets").select(["balance", "debt"]);
    const [row] = await read(found.where("id", "=", walletId));
    return row ?? { balance: 0, debt: 0 };
  };
  const sum = (rows: readonly { quota: number }[]) =>
    rows.reduce((total, { quota }) => total + quota, 0);

  test("the months agree with the wallet, each opens where the last one closed, and members, keys and models add up to what was spent", async () => {
    const { db } = gateway;
    const random = randomFrom(36);
    const upTo = (max: number) => Math.floor(random() * max);
    const keys: { id: number; userId: number }[] = [];
    for (const [person, service] of [
      ["owner", false],
      ["member", false],
      ["owner", true],
    ] as const) {
      const body = { name: service ? "ci" : person, unlimited_quota: true, service };
      const { data } = (await as[person]("POST", `/api/team/${team.id}/token`, { body })).body;
      keys.push({ id: data.id, userId: service ? 0 : ids[person] });
    }
    /** A moment of a month, none of which is to come. */
    const momentIn = (month: string) => {
      const begin = Date.parse(`${month}-01T00:00:00Z`);
      const end = Math.min(gateway.clock.now, begin + 27 * 86_400_000);
      return begin + upTo(end - begin);
    };
    let place = 0;
    const callAt = async (at: number, held: number, charge: number) => {
      const key = keys[upTo(keys.length)] ?? { id: 0, userId: 0 };
      place += 1;
      const id = (at - EPOCH_MS) * 4096 + place;
      const account = { userId: key.userId, walletId, tokenIds: [key.id], channelId: 0 };
      const hold = { id, walletId, userId: key.userId, tokenId: key.id, amount: held };
      const leaseUntil = Date.now() + 60_000;
      const result = await db.money({
        ...{ verb: "hold", ...hold, tokenIsUnlimited: true, leaseUntil, snapshot: "{}" },
      } as never);
      if (result !== "held") return false;
      const model = models[upTo(models.length)] ?? "small";
      const log = logRow(account, id, {
        ...{ quota: charge, team_id: team.id, model_name: model, origin_model_name: model },
      });
      await db.money({ verb: "settle", id, charge, log, trace: "{}" });
      return true;
    };
    const move = async (from: number, to: number, at: number) => {
      const transfer = { id: db.mintId(), fromWalletId: from, toWalletId: to, at };
      const failed = { missed: "transfer_not_covered", full: "quota_too_high" } as const;
      await db
        .write(planTransferWrites(db, { ...transfer, amount: 1 + upTo(500), ...failed }))
        .catch(() => undefined);
    };
    const issue = (id: number, amount: number, at: number) =>
      db.write(
        grantWrites(db, { id: db.mintId(), wallet: { id }, amount, at, missed: "quota_too_high" }),
      );
    await issue(ownWalletId, 100_000, momentIn(months[0] ?? ""));
    await issue(walletId, 20_000, Date.parse(`${months[0]}-01T00:00:00Z`));
    let calls = 0;
    for (const month of months) {
      for (let step = 0; step < steps / months.length; step += 1) {
        const at = momentIn(month);
        const act = upTo(5);
        if (act === 0) await move(ownWalletId, walletId, at);
        else if (act === 1) await move(walletId, ownWalletId, at);
        else if (await callAt(at, 50, upTo(50))) calls += 1;
      }
    }
    // A call that costs far more than is there leaves a debt, and a loss of the operator.
    const { balance } = await wallet();
    const present = months.at(-1) ?? "";
    calls += Number(await callAt(momentIn(present), 100, balance + 700));
    expect(await wallet()).toEqual({ balance: 0, debt: 100 });
    const waiver = { id: db.mintId(), walletId, amount: 30, at: gateway.clock.now };
    await db.write(planWaiverWrites(db, { ...waiver, missed: "team_owes" }));
    await issue(walletId, 5_000, gateway.clock.now);
    await issue(walletId, -200, gateway.clock.now);
    expect(await wallet()).toEqual({ balance: 4_730, debt: 0 });
    await db.write([
      { query: db.sql.deleteFrom("tokens").where("id", "=", keys[1]?.id ?? 0), rows: 1 },
    ]);

    await eventually(async () => {
      const statements = await Promise.all(months.map((month) => readStatement(month)));
      const counted = statements.flatMap(({ models: rows }) => rows);
      expect(counted.reduce((total, { requests }) => total + requests, 0)).toBe(calls);
      expect(statements[0]?.opening_balance).toBe(0);
      for (const [index, statement] of statements.entries()) {
        const { opening_balance, received, given, spent, closing_balance } = statement;
        expect(opening_balance + sum(received) - sum(given) - spent).toBe(closing_balance);
        for (const rows of [statement.members, statement.keys, statement.models])
          expect(sum(rows)).toBe(spent);
        expect(statements[index + 1]?.opening_balance ?? closing_balance).toBe(closing_balance);
        expect(statement.is_finished).toBe(index < months.length - 1);
      }
      const { balance: left, debt } = await wallet();
      expect(statements.at(-1)?.closing_balance).toBe(left - debt);
    });
    const statement = await readStatement(present);
    // The waived debt, and what exceeded what may be owed.
    expect(statement.received.find(({ kind }) => kind === "waiver")).toEqual({
      ...{ kind: "waiver", entries: 2, quota: 30 + 600 },
    });
    expect(statement.members.map(({ name }) => name).sort()).toEqual(["", "member", "owner"]);
    // The key that was deleted has no name.
    expect(statement.keys.map(({ name }) => name).sort()).toEqual(["", "ci", "owner"]);
  });

  test("admins, viewers and administrators of the site see it, a member does not, and to others the team is unknown", async () => {
    const month = months.at(-1);
    const answer = async (person: StatementReader, path: string) => {
      const { status, body } = await as[person]("GET", `/api/team/${team.id}/statement${path}`);
      return status === 200 && body.success !== false ? "shown" : body.code;
    };
    for (const path of [`?month=${month}`, "", `/export?month=${month}`]) {
      const found: Record<string, unknown> = {};
      for (const person of people) found[person] = await answer(person, path);
      expect(found).toEqual({
        ...{ site: "shown", owner: "shown", viewer: "shown", member: "team_role_insufficient" },
        ...{ former: "team_not_found", outsider: "team_not_found" },
      });
    }
  });

  test("the CSV has the same sums, and a month to come is refused", async () => {
    const month = months.at(-1) ?? "";
    const { closing_balance } = await readStatement(month, "viewer");
    const { body } = await as.viewer("GET", `/api/team/${team.id}/statement/export?month=${month}`);
    expect(body.data).toContain(`${month},closing balance,,,,${closing_balance},`);
    const later = await as.owner("GET", `/api/team/${team.id}/statement?month=2099-01`);
    expect(later.body.code).toBe("date_in_future");
  });
});
