import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const hashOf = (secret: string) => createHash("sha256").update(secret).digest("hex");

describeVariants(testDatabases)(
  "what consoles and programs of the family ask, on $name",
  (database) => {
    let gateway: ManagementGateway;
    let admin: TestApiClient;
    let mira: TestApiClient;
    beforeAll(async () => {
      gateway = await startManagementGateway(database);
      await gateway.addUser("ada", { role: 10 });
      await gateway.addUser("mira");
      [admin, mira] = [await gateway.signIn("ada"), await gateway.signIn("mira")];
    });
    afterAll(() => gateway.close());

    test("a word in the place of an id is an unknown address, a wrong id stays a wrong id", async () => {
      for (const path of ["/api/user/quota_dates", "/api/channel/fix", "/api/token/balance"]) {
        expect(await admin("GET", path), path).toMatchObject({
          status: 404,
          body: { code: "route_not_found" },
        });
      }
      expect(await admin("GET", "/api/token/0")).toMatchObject({ status: 400 });
    });

    test("their addresses of models and passkeys answer", async () => {
      const channel = { name: "Main", type: 1, key: "sk-1", models: "gpt-4o,o3" };
      expect((await admin("POST", "/api/channel/", { body: channel })).body.success).toBe(true);
      expect((await mira("GET", "/api/user/models")).body.data).toEqual(["gpt-4o", "o3"]);
      expect((await mira("GET", "/api/user/passkey")).body).toMatchObject({
        success: true,
        data: [],
      });
      const { data } = (await admin("GET", "/api/channel/models")).body;
      expect(data).toContainEqual({ id: "gpt-4o", object: "model", owned_by: "OpenAI" });
      expect(new Set(data.map(({ id }: { id: string }) => id)).size).toBe(data.length);
    });

    test("a channel that other forms send back as they got it is saved", async () => {
      const body = {
        name: "Plain",
        type: 14,
        key: "sk-1",
        base_url: "https://example.org",
        model_mapping: "null",
      };
      const [made] = (await admin("POST", "/api/channel/", { body })).body.data;
      // No null that a form shows as a word, and no -1 that sums add up.
      expect(made).toMatchObject({ model_mapping: "", balance: 0, balance_supported: false });
      expect((await admin("PUT", "/api/channel/", { body: made })).body).toMatchObject({
        success: true,
      });
    });

    test("a type that the gateway does not serve is refused", async () => {
      const body = { name: "Other", type: 43, key: "sk-1", base_url: "https://example.org" };
      expect(await admin("POST", "/api/channel/", { body })).toMatchObject({ status: 400 });
      const [made] = (await admin("POST", "/api/channel/", { body: { ...body, type: 8 } })).body
        .data;
      expect(
        await admin("PUT", "/api/channel/", { body: { id: made.id, type: 43 } }),
      ).toMatchObject({ status: 400 });
    });

    test("restrictions under the names of newer forms hold, and those that cannot are refused", async () => {
      const body = {
        name: "ci",
        model_limits_enabled: true,
        model_limits: "gpt-4o,o3",
        allow_ips: "10.0.0.1\n::1",
      };
      const made = (await mira("POST", "/api/token/", { body })).body.data;
      expect(made).toMatchObject({ models: "gpt-4o,o3", subnet: "10.0.0.1/32,::1/128" });
      const lifted = {
        id: made.id,
        model_limits_enabled: false,
        model_limits: "gpt-4o",
        allow_ips: "",
      };
      expect((await mira("PUT", "/api/token/", { body: lifted })).body.data).toMatchObject({
        models: "",
        subnet: "",
      });
      expect(
        await mira("POST", "/api/token/", { body: { name: "ci", group: "vip" } }),
      ).toMatchObject({ status: 400 });
      expect(
        (await mira("POST", "/api/token/", { body: { name: "ci", group: "default" } })).body
          .success,
      ).toBe(true);
    });

    test("a whole key or code is found by its hash, by those who may see it", async () => {
      const token = (await mira("POST", "/api/token/", { body: { name: "lost" } })).body.data;
      const key_hash = hashOf(token.key.slice("sk-".length));
      const found = (await mira("POST", "/api/token/find", { body: { key_hash } })).body;
      expect(found.data).toMatchObject([{ uuid: token.uuid }]);
      expect((await admin("POST", "/api/token/find", { body: { key_hash } })).body.data).toEqual(
        [],
      );
      const body = { name: "gift", quota: 5, count: 2 };
      const [code] = (await admin("POST", "/api/redemption/", { body })).body.data;
      const ofCode = { body: { key_hash: hashOf(code) } };
      expect((await admin("POST", "/api/redemption/find", ofCode)).body.data).toMatchObject([
        { key: code, name: "gift" },
      ]);
      expect(await mira("POST", "/api/redemption/find", ofCode)).toMatchObject({ status: 403 });
    });

    test("a search finds a part of a name, address or hint, and an id", async () => {
      const names = async (path: string) =>
        (await admin("GET", path)).body.data.map(({ name }: { name: string }) => name);
      const body = {
        name: "Regional gate",
        type: 8,
        key: "sk-hint-9f3a",
        base_url: "https://eu.example.org",
      };
      const [made] = (await admin("POST", "/api/channel/", { body })).body.data;
      for (const keyword of ["GATE", "eu.example", "9f3a", `%23${made.id}`]) {
        expect(await names(`/api/channel/search?keyword=${keyword}`), keyword).toEqual([
          "Regional gate",
        ]);
      }
      const users = (await admin("GET", "/api/user/search?keyword=IR")).body.data;
      expect(users.map(({ username }: { username: string }) => username)).toEqual(["mira"]);
    });

    test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
  },
);
