// The restore drill: a backup is made while clients call, and a gateway on the restored copy works
// like any other.
import { computeTotpCode } from "@tollgate/gateway/accounts/identity/totp/totp-code.ts";
import type { StorageConfig } from "@tollgate/gateway/storage/open-database.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cookiesOf, createApiSession, requestSignIn, sendTo } from "../harness/api-session.ts";
import { rootPassword } from "../harness/database-templates.ts";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds, queryRows } from "../harness/gateway-database.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/gateway-process.ts";
import { runSql } from "../harness/postgres-cluster.ts";
import {
  chatBody,
  defaultCharge,
  readEvents,
  startTestGateway,
  type TestGateway,
  type TestUser,
  userPassword,
} from "../harness/test-gateway.ts";
import {
  type BackupCopy,
  copyMasterKey,
  createBackup,
  type RestoredDatabase,
  restore,
} from "./backup-copy.ts";
import { runCommand } from "./gateway-command.ts";

const callers = 6;
const callsEachSide = 12;

interface LedgerEntry {
  billing_id: number;
  kind: string;
  debit: string;
  credit: string;
  amount: number;
}
const ledgerAt = (config: StorageConfig): Promise<LedgerEntry[]> =>
  queryRows(
    config,
    "select billing_id, kind, debit, credit, amount from ledger order by billing_id, kind",
  );

/** Calls, with and without streaming, until `stop`; resolves to the number of served calls. */
function callUntilStopped(world: TestGateway, key: string) {
  let served = 0;
  let isOver = false;
  const call = async (n: number) => {
    while (!isOver) {
      const reply = n % 2 ? await world.chat(key) : await world.stream(key);
      if (reply.status !== 200) throw new Error(`a call was answered with ${reply.status}`);
      served += 1;
    }
  };
  const running = Promise.all(Array.from({ length: callers }, (_, n) => call(n)));
  // Awaited at the end; until then a failure must not count as an unhandled rejection.
  running.catch(() => undefined);
  return {
    served: () => served,
    until: (enough: number) =>
      eventually(() => {
        if (served < enough) throw new Error(`${served} of ${enough} calls were served`);
      }),
    async stop(): Promise<void> {
      isOver = true;
      await running;
    },
  };
}

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
function seedOf(secret: string): Uint8Array {
  const bits = [...secret]
    .map((char) => base32.indexOf(char).toString(2).padStart(5, "0"))
    .join("");
  return Uint8Array.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

describe.each(databaseKinds)("a copy of a busy gateway on %s", (store) => {
  let world: TestGateway;
  let user: TestUser;
  let key: string;
  let recoveryCodes: string[];
  let sealedCode: string;
  let copy: BackupCopy;
  let servedMeanwhile: number;
  let copied: RestoredDatabase;
  let restored: GatewayProcess | undefined;

  beforeAll(async () => {
    world = await startTestGateway({ store });
    await world.given.channel({ key: "sim-pace-5" });
    user = await world.given.user("ada", { quota: 10_000_000 });
    key = (await user.token()).key;
    const { secret } = await user.data<{ secret: string }>("GET", "/api/user/totp/setup");
    const totp_code = computeTotpCode(seedOf(secret), Math.floor(Date.now() / 30_000));
    const confirmed = await user.data<{ recovery_codes: string[] }>(
      "POST",
      "/api/user/totp/confirm",
      { totp_code },
    );
    recoveryCodes = confirmed.recovery_codes;
    [sealedCode = ""] = await world.api<string[]>("POST", "/api/redemption/", {
      name: "later",
      quota: 70,
      count: 1,
    });

    const calling = callUntilStopped(world, key);
    await calling.until(callsEachSide);
    const before = calling.served();
    copy = await createBackup(world);
    servedMeanwhile = calling.served() - before;
    await calling.until(calling.served() + callsEachSide);
    await calling.stop();
    await world.settled();
    copied = await restore(copy, store === "postgres");
  }, 120_000);
  afterAll(async () => {
    await restored?.stop();
    await copied?.remove();
    await copy?.remove();
    await world?.close();
  });

  test("calls are served while it is made", () => expect(servedMeanwhile).toBeGreaterThan(0));

  test("is not made without a name, nor over another file", async () => {
    expect(await runCommand(world, "backup")).toMatchObject({ code: 64 });
    const repeated = await runCommand(world, "backup", copy.file);
    expect(repeated).toEqual({
      code: 1,
      text: expect.stringMatching(store === "sqlite" ? /exists/ : /^ {2}pg_dump /m),
    });
  });

  test("has the books of one moment, and they agree", { tags: ["I-18"] }, async () => {
    const [now, then] = [await ledgerAt(world), await ledgerAt(copied)];
    const known = new Set(now.map((entry) => JSON.stringify(entry)));
    expect(then.filter((entry) => !known.has(JSON.stringify(entry)))).toEqual([]);
    expect(then.length).toBeGreaterThan(callsEachSide);
    expect(now.length).toBeGreaterThan(then.length);
    expect(await runCommand(copied, "audit")).toEqual(booksAgree);
  });

  test("is refused by a gateway with a master key of its own, and by one without any", async () => {
    const alone = startGatewayProcess({ ...started(copied), hasKey: false });
    await expect(alone).rejects.toThrow(
      /there is no master\.key in .* put key [0-9a-f]{8}, with which it was sealed/,
    );
    const MASTER_KEY = Buffer.alloc(32, 8).toString("base64");
    const refused = startGatewayProcess({ ...started(copied), env: { MASTER_KEY } });
    await expect(refused).rejects.toThrow(
      /belongs to the master key [0-9a-f]{8}, and the one at hand is .*DATA_DIR or set MASTER_KEY/,
    );
  });

  test("with its master key users sign in, API keys work, encrypted provider keys and codes can be read", async () => {
    await copyMasterKey(world, copied);
    // A hold of the old gateway lasts up to a minute; here that minute is over.
    if (copied.databaseUrl)
      await runSql(copied.databaseUrl, "update reservations set lease_until = 0");
    restored = await startGatewayProcess({ ...started(copied), upstreams: [world.simulator.url] });
    const { url } = restored;

    expect((await requestSignIn(url, "root", rootPassword)).body.success).toBe(true);
    expect((await requestSignIn(url, "ada", userPassword)).body).toMatchObject({
      success: false,
      data: { totp_required: true },
    });
    const credentials = {
      username: "ada",
      password: userPassword,
      recovery_code: recoveryCodes[0],
    };
    const back = await createApiSession(sendTo(url)).request(
      "POST",
      "/api/user/login",
      credentials,
    );
    expect(back.body.success).toBe(true);

    const calls = (await world.simulator.stats()).calls;
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(chatBody({ stream: true })),
    });
    expect([response.status, readEvents(await response.text()).errors]).toEqual([200, []]);
    expect((await world.simulator.stats()).calls).toBe(calls + 1);

    const ada = createApiSession(sendTo(url), { cookie: cookiesOf(back.headers) }).request;
    expect((await ada("POST", "/api/user/topup", { key: sealedCode })).body).toMatchObject({
      success: true,
      data: 70,
    });
    const tokens = await ada("GET", "/api/token/");
    expect(tokens.body.data.map(({ key: shown }: { key: string }) => shown)).toContain(key);
  });

  test("goes on from there: what was under way in the copy is ended, new calls are charged, the books agree", {
    tags: ["I-18"],
  }, async () => {
    await eventually(async () => {
      const [open] = await queryRows<{ open: number }>(
        copied,
        "select count(*) as open from reservations",
      );
      expect(open?.open).toBe(0);
    });
    await restored?.stop();
    restored = undefined;
    const newest = (await ledgerAt(copied)).filter(({ kind }) => kind === "charge").at(-1);
    expect(newest?.amount).toBe(defaultCharge);
    expect(await runCommand(copied, "audit")).toEqual(booksAgree);
  });

  test("of the original they agree as well", async () =>
    expect(await world.audit()).toBe("The books agree."));
});

const booksAgree = { code: 0, text: expect.stringMatching(/^Database: .*\nThe books agree\.$/) };

const started = ({ dataDir, databaseUrl }: StorageConfig) => ({
  dataDir,
  ...(databaseUrl && { databaseUrl }),
});
