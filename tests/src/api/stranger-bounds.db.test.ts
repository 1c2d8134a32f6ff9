import { createApiKeys } from "@tollgate/gateway/relay/admission/api-keys.ts";
import { RelayRefused } from "@tollgate/gateway/relay/wire/relay-refusal.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describeVariants(testDatabases)("what callers can pile up on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
  });
  afterAll(() => gateway.close());

  test("a user has no more tokens than the setting says, however many requests race", {
    tags: ["S2-21"],
  }, async () => {
    const user = await gateway.addUser("hoarder");
    const client = await gateway.signIn("hoarder");
    await root("PUT", "/api/option/", { body: { key: "TokensPerUserMax", value: "3" } });
    const replies = await Promise.all(
      Array.from({ length: 8 }, () =>
        client("POST", "/api/token/", { body: { name: "one", unlimited_quota: true } }),
      ),
    );
    expect(replies.filter(({ body }) => body.success)).toHaveLength(3);
    const codes = replies.filter(({ body }) => !body.success).map(({ body }) => body.code);
    expect(new Set(codes)).toEqual(new Set(["too_many_tokens"]));
    const tokens = gateway.db.sql.selectFrom("tokens").select("id").where("user_id", "=", user.id);
    expect(await gateway.db.read(tokens)).toHaveLength(3);
  });

  test("no state of an external sign-in is created while every provider is off", {
    tags: ["S2-21"],
  }, async () => {
    const reply = await gateway.visitor("GET", "/api/oauth/state");
    expect(reply.body.code).toBe("external_off");
    expect(await gateway.db.read(gateway.db.sql.selectFrom("oauth_states").selectAll())).toEqual(
      [],
    );
  });

  test("a hundred unknown API keys slow down their address alone, and never a known key", {
    tags: ["S2-21"],
  }, async () => {
    const { key } = (await root("POST", "/api/token/", { body: { name: "known" } })).body.data;
    const secret = key.replace(/^sk-/, "");
    const keys = createApiKeys(
      gateway.db,
      () => gateway.clock.now,
      () => [],
    );
    const presented = (key: string) => ({ key, whole: key });
    expect(await keys.find(presented(secret), "192.0.2.1")).toMatchObject({ tokenName: "known" });
    for (let guess = 0; guess < 100; guess += 1)
      expect(await keys.find(presented(`guess${guess}`), "192.0.2.1")).toBeUndefined();
    await expect(keys.find(presented("one more"), "192.0.2.1")).rejects.toThrow(RelayRefused);
    expect(await keys.find(presented(secret), "192.0.2.1")).toMatchObject({ tokenName: "known" });
    expect(await keys.find(presented("elsewhere"), "192.0.2.2")).toBeUndefined();
    gateway.clock.now += 120_000;
    expect(await keys.find(presented("another"), "192.0.2.1")).toBeUndefined();
  });
});
