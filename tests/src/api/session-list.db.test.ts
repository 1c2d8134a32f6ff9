import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import { type ManagementGateway, password, startManagementGateway } from "./management-gateway.ts";

const hour = 3_600_000;

describe.each(ruleDatabases)("the list of sessions on $name", (database) => {
  let gateway: ManagementGateway;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
  });
  afterAll(() => gateway.close());

  const enter = async (username: string, agent: string) => {
    const headers = { "user-agent": agent };
    const reply = await gateway.visitor("POST", "/api/user/login", {
      body: { username, password },
      headers,
    });
    return gateway.withCookie(gateway.cookieOf(reply));
  };
  const list = async (client: Awaited<ReturnType<typeof enter>>) =>
    (await client("GET", "/api/user/sessions")).body.data as {
      id: string;
      user_agent: string;
      is_current: boolean;
      seen_at: number;
    }[];

  test("it shows where one is signed in, the one that asks marked, and no secret", async () => {
    await gateway.addUser("mira");
    await gateway.addUser("noor");
    const laptop = await enter("mira", "laptop");
    gateway.clock.now += 1000;
    const phone = await enter("mira", "phone");
    const noor = await enter("noor", "other");
    const shown = await list(laptop);
    expect(shown).toMatchObject([
      {
        user_agent: "phone",
        is_current: false,
        address: "127.0.0.1",
        created_at: gateway.clock.now,
      },
      {
        user_agent: "laptop",
        is_current: true,
        expires_at: gateway.clock.now - 1000 + 7 * 24 * hour,
      },
    ]);
    const stored = await gateway.db.read(gateway.db.sql.selectFrom("sessions").select("id_hash"));
    for (const { id_hash } of stored)
      expect(JSON.stringify(shown)).not.toContain(id_hash.slice(0, 32));
    expect((await list(phone)).map(({ is_current }) => is_current)).toEqual([true, false]);
    expect(await list(noor)).toHaveLength(1);
  });

  test("one can be ended; another user's answers like one that never existed", async () => {
    const user = await gateway.addUser("ender");
    await gateway.addUser("stranger");
    const [here, there] = [await enter("ender", "here"), await enter("ender", "there")];
    const stranger = await enter("stranger", "s");
    const other = (await list(here)).find(({ is_current }) => !is_current)?.id ?? "";
    const end = async (client: typeof here, id: string) =>
      (await client("DELETE", `/api/user/sessions/${id}`)).body;
    const foreign = await end(stranger, other);
    expect(foreign.code).toBe("session_not_found");
    expect(await end(stranger, "0".repeat(32))).toEqual(foreign);
    expect((await there("GET", "/api/user/self")).status).toBe(200);
    expect((await end(here, other)).success).toBe(true);
    expect((await there("GET", "/api/user/self")).status).toBe(401);
    expect((await end(here, other)).code).toBe("session_not_found");
    const { sql, read } = gateway.db;
    const entries = await read(
      sql.selectFrom("audit_entries").selectAll().where("target", "=", user.uuid),
    );
    expect(entries.map(({ action }) => action)).toEqual(["session.end"]);
  });

  test("all others end at once, this one stays", async () => {
    await gateway.addUser("cleaner");
    const clients = [
      await enter("cleaner", "1"),
      await enter("cleaner", "2"),
      await enter("cleaner", "3"),
    ];
    const [here, ...others] = clients;
    if (!here) throw new Error("no session was found");
    expect((await here("DELETE", "/api/user/sessions")).body.data).toEqual({ ended: 2 });
    for (const other of others) expect((await other("GET", "/api/user/self")).status).toBe(401);
    expect(await list(here)).toHaveLength(1);
  });

  test("what has expired is not listed", async () => {
    await gateway.addUser("sleeper");
    await enter("sleeper", "old");
    gateway.clock.now += 25 * hour;
    const fresh = await enter("sleeper", "fresh");
    expect((await list(fresh)).map(({ user_agent }) => user_agent)).toEqual(["fresh"]);
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
