import {
  foldStoredUsernames,
  listOddUsernames,
} from "@tollgate/gateway/accounts/identity/users/stored-usernames.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describeVariants(testDatabases)("usernames on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
  });
  afterAll(() => gateway.close());

  let address = 0;
  const logIn = async (username: string, secret = password) => {
    address += 1;
    const from = gateway.from(`192.0.2.${address}`);
    return (await from("POST", "/api/user/login", { body: { username, password: secret } })).body;
  };
  /** A name as versions before 0.2.0 stored it. */
  const storeOld = async (id: number, username: string) => {
    const { sql } = gateway.db;
    await gateway.db.write([
      {
        query: sql.updateTable("users").set({ username, username_key: null }).where("id", "=", id),
      },
    ]);
  };

  test("that look like another account's are taken, wherever they are entered", {
    tags: ["S2-16"],
  }, async () => {
    const { id } = await gateway.addUser("sneaky");
    const client = await gateway.signIn("sneaky");
    for (const username of [" root", "ROOT", "r\u043eot", "\uff52oot"]) {
      const registered = await gateway.from("192.0.2.200")("POST", "/api/user/register", {
        body: { username, password },
      });
      const replies = [
        registered,
        await client("PUT", "/api/user/self", { body: { username } }),
        await root("PUT", "/api/user/", { body: { id, username } }),
        await root("POST", "/api/user/", { body: { username, password } }),
      ];
      for (const { body } of replies) expect(body.code, username).toBe("username_taken");
    }
    expect(
      (await client("PUT", "/api/user/self", { body: { username: "ro\u200bot" } })).body.fields,
    ).toEqual({
      username: "Username must not contain invisible characters",
    });
  });

  test("hold no @, in registration, the own profile and administrators' forms", {
    tags: ["S2-11"],
  }, async () => {
    const { id } = await gateway.addUser("addressed");
    const client = await gateway.signIn("addressed");
    const username = "victim@example.org";
    for (const { status, body } of [
      await gateway.from("192.0.2.201")("POST", "/api/user/register", {
        body: { username, password },
      }),
      await client("PUT", "/api/user/self", { body: { username } }),
      await root("PUT", "/api/user/", { body: { id, username } }),
      await root("POST", "/api/user/", { body: { username, password } }),
    ])
      expect([status, body.fields]).toEqual([400, { username: "Username must not contain @" }]);
  });

  test("sign in exactly, or as they are folded", async () => {
    await gateway.addUser("Mira");
    for (const login of ["Mira", "mira", "MIRA "])
      expect((await logIn(login)).data.username, login).toBe("Mira");
  });

  test("of before these rules sign in until they are changed, and are listed", {
    tags: ["S2-11", "S2-16"],
  }, async () => {
    const [victim, attacker] = [await gateway.addUser("victim"), await gateway.addUser("attacker")];
    const [first, second] = [await gateway.addUser("carol"), await gateway.addUser("dave")];
    const alone = await gateway.addUser("alone");
    await storeOld(attacker.id, "victim@example.org");
    await storeOld(first.id, "carol");
    await storeOld(second.id, "CAROL");
    await storeOld(alone.id, " Alone");
    await foldStoredUsernames(gateway.db);
    await foldStoredUsernames(gateway.db);
    // The address belongs to the victim; the attacker is found by the own address alone.
    expect((await logIn("victim@example.org")).data.id).toBe(victim.id);
    expect((await logIn("attacker@example.org")).data.id).toBe(attacker.id);
    expect((await logIn("carol")).data.id).toBe(first.id);
    expect((await logIn("CAROL")).data.id).toBe(second.id);
    expect((await logIn(" Alone")).data.id).toBe(alone.id);
    expect((await listOddUsernames(gateway.db)).sort((one, other) => one.id - other.id)).toEqual([
      { id: attacker.id, username: "victim@example.org", sameAs: undefined },
      { id: second.id, username: "CAROL", sameAs: { id: first.id, username: "carol" } },
      { id: alone.id, username: " Alone", sameAs: undefined },
    ]);
    // Another field of such an account can be changed, and a new name ends it.
    const reply = await root("PUT", "/api/user/", {
      body: { id: attacker.id, username: "victim@example.org", display_name: "x" },
    });
    expect(reply.body.success).toBe(true);
    await root("PUT", "/api/user/", { body: { id: second.id, username: "renamed" } });
    await root("PUT", "/api/user/", { body: { id: attacker.id, username: "newname" } });
    expect((await listOddUsernames(gateway.db)).map(({ id }) => id)).toEqual([alone.id]);
    expect((await logIn("Renamed")).data.id).toBe(second.id);
  });

  test("that look alike are given once, however many requests race", {
    tags: ["S2-16"],
  }, async () => {
    const names = ["ghost", "Ghost", "GHOST", "gh\u043est", "\uff47host"];
    const replies = await Promise.all(
      names.map((username) => root("POST", "/api/user/", { body: { username, password } })),
    );
    expect(replies.filter(({ body }) => body.success)).toHaveLength(1);
  });

  test("a mail address in the own profile obeys the restriction to domains", {
    tags: ["S2-17"],
  }, async () => {
    await gateway.addUser("mover");
    const client = await gateway.signIn("mover");
    const option = (key: string, value: string) =>
      root("PUT", "/api/option/", { body: { key, value } });
    await option("EmailDomainWhitelist", "example.org");
    await option("EmailDomainRestrictionEnabled", "true");
    const change = async (email: string) =>
      (await client("PUT", "/api/user/self", { body: { email } })).body;
    expect((await change("mover@elsewhere.example")).code).toBe("email_domain_refused");
    expect((await change("moved@example.org")).success).toBe(true);
    await option("EmailDomainRestrictionEnabled", "false");
  });
});
