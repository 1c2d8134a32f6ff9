// Who signs in as root from where, and what operators are told of it.

import {
  createRootSignInAlarm,
  rootNetworksMax,
} from "@tollgate/gateway/accounts/identity/sessions/root-sign-in-alarm.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const hour = 3_600_000;

describeVariants(testDatabases)("sign-ins of root on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
  });
  afterAll(() => gateway.close());

  const firing = async () => {
    gateway.clock.now += 15_000;
    await gateway.alerts.fold();
    return (await root("GET", "/api/alert/?state=firing")).body.data;
  };

  test("root who signs in from a network of its own, once for each, and no other account's sign-in", async () => {
    await gateway.addUser("ada", { role: 10 });
    const signIn = (address: string, username = "root", secret = password) =>
      gateway.from(address)("POST", "/api/user/login", { body: { username, password: secret } });
    for (const known of ["127.0.0.1", "127.0.0.9", "::ffff:127.0.0.2"])
      expect((await signIn(known)).status).toBe(200);
    await signIn("203.0.113.7", "root", "a guess");
    await signIn("203.0.113.7", "ada");
    await signIn("198.51.100.7", "ada");
    expect(await firing()).toEqual([]);

    await signIn("203.0.113.7");
    const [told, ...others] = await firing();
    expect(told).toMatchObject({
      rule: "sign_in.root",
      count: 1,
      text: expect.stringContaining("203.0.113.0"),
    });
    expect(others).toEqual([]);
    await signIn("203.0.113.200");
    await signIn("2001:db8:5:1::7");
    await signIn("2001:db8:5:2::7");
    expect(await firing()).toMatchObject([
      { count: 1, text: expect.stringContaining("2001:db8:5::") },
      { count: 1 },
    ]);
    gateway.clock.now += 25 * hour;
    root = await gateway.signIn("root");
    expect(await firing()).toEqual([]);
  });

  test("of the networks of root the newest are kept, and the first one of an account is no alert", async () => {
    const { sql } = gateway.db;
    const alarm = createRootSignInAlarm(gateway.db);
    const other = { id: 77, role: 100, username: "other" };
    const kept = sql.selectFrom("root_networks").select("network").where("user_id", "=", other.id);
    const events = sql
      .selectFrom("alert_events")
      .select("id")
      .where("subject_name", "=", other.username);
    for (let at = 0; at <= rootNetworksMax; at += 1)
      await gateway.db.write(alarm(other, { address: `10.0.${at}.1`, now: at }));
    expect(await gateway.db.read(events)).toHaveLength(rootNetworksMax);
    const networks = (await gateway.db.read(kept)).map(({ network }) => network);
    expect(networks).toHaveLength(rootNetworksMax);
    expect(networks).not.toContain("10.0.0.0");
    expect(alarm(other, { address: "unknown", now: 0 })).toEqual([]);
    expect(alarm({ ...other, role: 10 }, { address: "10.0.0.1", now: 0 })).toEqual([]);
  });
});
