import { auditBooks } from "@tollgate/gateway/money/audit/audit.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
  type TestApiRequest,
} from "./management-gateway.ts";
import { addSettledCall } from "./seed-logs.ts";

describeVariants(testDatabases)("users on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let admin: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("ada", { role: 10 });
    [root, admin] = [await gateway.signIn("root"), await gateway.signIn("ada")];
  });
  afterAll(() => gateway.close());

  const ok = async (
    client: TestApiClient,
    method: string,
    path: string,
    ask: TestApiRequest = {},
  ) => {
    const reply = await client(method, path, ask);
    expect(reply.body, `${method} ${path}`).toMatchObject({ success: true });
    return reply.body.data;
  };
  const refused = async (client: TestApiClient, method: string, path: string, body?: object) => {
    const reply = await client(method, path, body ? { body } : {});
    expect(reply.body.success, `${method} ${path}`).toBe(false);
    return [reply.status, reply.body.code];
  };
  const change = (client: TestApiClient, body: object) => ok(client, "PUT", "/api/user/", { body });
  const get = (id: number | string) => ok(root, "GET", `/api/user/${id}`);
  const logsOf = (id: number, type: number) =>
    gateway.db.read(
      gateway.db.sql
        .selectFrom("logs")
        .selectAll()
        .where("user_id", "=", id)
        .where("type", "=", type)
        .orderBy("id"),
    );
  const auditOf = (target: string) =>
    gateway.db.read(
      gateway.db.sql
        .selectFrom("audit_entries")
        .selectAll()
        .where("target", "=", target)
        .orderBy("id"),
    );
  const booksAgree = async () => expect(await auditBooks(gateway.db)).toEqual([]);

  test("the dialog's short password is temporary, and the name stands in for what it shows", async () => {
    const made = await ok(admin, "POST", "/api/user/", {
      body: { username: "jo", password: "123456" },
    });
    expect(made).toMatchObject({
      username: "jo",
      display_name: "jo",
      role: 1,
      status: 1,
      group: "default",
      quota: 0,
    });
    expect(made.must_change_password).toBe(true);
    const jo = await gateway.signIn("jo", "123456");
    expect((await jo("GET", "/api/token/")).body.code).toBe("password_change_required");
    await ok(jo, "PUT", "/api/user/self", { body: { password: "long enough" } });
    expect((await jo("GET", "/api/token/")).body.success).toBe(true);
  });

  test("the full form sets mail address, quota and group, never the role", async () => {
    const body = {
      username: "kim",
      password: "long enough",
      display_name: "Kim",
      email: "kim@example.org",
      quota: 700,
      group: "vip",
    };
    expect(await refused(admin, "POST", "/api/user/", { ...body, role: 10 })).toEqual([
      200,
      "role_not_allowed",
    ]);
    const made = await ok(root, "POST", "/api/user/", { body: { ...body, role: 10 } });
    const { password: _, ...shown } = body;
    expect(made).toMatchObject({ ...shown, role: 1, must_change_password: false });
    expect((await auditOf(made.uuid)).map(({ action }) => action)).toEqual(["user.create"]);
    await booksAgree();
  });

  test("a taken name, an unknown group and a short password are refused and leave no wallet behind", {
    tags: ["F-124"],
  }, async () => {
    const wallets = async () =>
      (await gateway.db.read(gateway.db.sql.selectFrom("wallets").select("id"))).length;
    const before = await wallets();
    const body = { username: "ada", password: "long enough", quota: 5 };
    expect(await refused(root, "POST", "/api/user/", body)).toEqual([409, "username_taken"]);
    const wrongGroup = await root("POST", "/api/user/", {
      body: { ...body, username: "g", group: "nobody" },
    });
    expect([wrongGroup.status, wrongGroup.body.message]).toEqual([
      400,
      "group must be one of default, svip, vip",
    ]);
    const short = await root("POST", "/api/user/", { body: { username: "s", password: "12345" } });
    expect([short.status, short.body.message]).toEqual([
      400,
      "Password must be at least 6 characters",
    ]);
    expect(await wallets()).toBe(before);
    await booksAgree();
  });

  test("a repeated creation with the same Idempotency-Key makes one account, and no hash of the password stays", async () => {
    const headers = { "idempotency-key": "create-once" };
    const body = { username: "once", password: "long enough", quota: 9 };
    const made = await Promise.all(
      Array.from({ length: 5 }, () => ok(root, "POST", "/api/user/", { body, headers })),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(made[0].quota).toBe(9);
    await booksAgree();
  });

  test("both id forms lead to the account in path and body, and unknown ones are refused alike", async () => {
    const one = await gateway.addUser("forms");
    for (const id of [one.id, one.uuid, one.uuid.toUpperCase()])
      expect((await get(id)).username).toBe("forms");
    for (const body of [
      { id: one.id },
      { id: one.uuid },
      { uuid: one.uuid, id: 1 },
      { id: String(one.id) },
    ])
      expect((await change(admin, { ...body, display_name: "same" })).id).toBe(one.id);
    const status = { body: { uuid: one.uuid, status: 2 } };
    expect((await ok(admin, "PUT", "/api/user/?status_only=true", status)).status).toBe(2);
    for (const id of [999_999, "0199aa10-0000-7000-8000-00000000ffff"]) {
      expect(await refused(root, "GET", `/api/user/${id}`)).toEqual([200, "user_not_found"]);
      expect(await refused(root, "PUT", "/api/user/", { id, display_name: "x" })).toEqual([
        200,
        "user_not_found",
      ]);
      expect(await refused(root, "POST", "/api/topup", { user_id: id, quota: 1 })).toEqual([
        200,
        "user_not_found",
      ]);
      expect(await refused(root, "DELETE", `/api/user/${id}`)).toEqual([200, "user_not_found"]);
    }
  });

  test("an edit keeps what it does not mention and ignores what it may not set", async () => {
    const { id } = await gateway.addUser("kept");
    const before = await get(id);
    gateway.clock.now += 1000;
    const after = await change(admin, {
      id,
      email: "new@example.org",
      used_quota: 5,
      request_count: 5,
      created_at: 1,
      uuid_: "x",
      password: "",
      access_token: "x",
    });
    expect(after).toEqual({ ...before, email: "new@example.org", updated_at: gateway.clock.now });
    // Sent back unchanged it is no edit.
    expect(
      await change(admin, { id, username: "kept", email: "new@example.org", role: 1, status: 1 }),
    ).toEqual(after);
  });

  test("no reply holds a password, a hash or an access token", { tags: ["F-24"] }, async () => {
    const { id, token } = await gateway.addUser("secretive");
    const [row] = await gateway.db.read(
      gateway.db.sql.selectFrom("users").selectAll().where("id", "=", id),
    );
    const replies = [
      await root("GET", "/api/user/?size=100"),
      await root("GET", "/api/user/search?keyword=s"),
      await root("GET", `/api/user/${id}`),
      await root("PUT", "/api/user/", { body: { id, password: "another one" } }),
      await root("POST", "/api/user/manage", {
        body: { username: "secretive", action: "disable" },
      }),
    ];
    const text = JSON.stringify(replies.map(({ body }) => body));
    for (const secret of [
      token,
      row?.password_hash,
      row?.access_token_hash,
      "argon2",
      "another one",
      "_hash",
    ])
      expect(text).not.toContain(secret);
    const trail = JSON.stringify(
      await gateway.db.read(gateway.db.sql.selectFrom("audit_entries").selectAll()),
    );
    for (const secret of ["another one", "argon2", "long enough"])
      expect(trail).not.toContain(secret);
  });

  test("administrators touch neither peers nor those above, and only root gives roles", {
    tags: ["F-24", "F-25"],
  }, async () => {
    const peer = await gateway.addUser("peer", { role: 10 });
    const below = await gateway.addUser("below");
    const [self] = await gateway.db.read(
      gateway.db.sql.selectFrom("users").select("id").where("username", "=", "ada"),
    );
    for (const { id, username } of [
      peer,
      { id: 1, username: "root" },
      { id: self?.id, username: "ada" },
    ]) {
      const out = [200, "user_out_of_reach"];
      if (username !== "ada") expect(await refused(admin, "GET", `/api/user/${id}`)).toEqual(out);
      expect(await refused(admin, "PUT", "/api/user/", { id, display_name: "x" })).toEqual(out);
      expect(await refused(admin, "PUT", "/api/user/?status_only=1", { id, status: 2 })).toEqual(
        out,
      );
      expect(await refused(admin, "DELETE", `/api/user/${id}`)).toEqual(out);
      expect(await refused(admin, "POST", "/api/topup", { user_id: id, quota: 5 })).toEqual(out);
      for (const action of ["disable", "delete", "demote", "promote"])
        expect(await refused(admin, "POST", "/api/user/manage", { username, action })).toEqual(out);
    }
    const denied = [200, "role_not_allowed"];
    expect(await refused(admin, "PUT", "/api/user/", { id: below.id, role: 10 })).toEqual(denied);
    expect(
      await refused(admin, "POST", "/api/user/manage", { username: "below", action: "promote" }),
    ).toEqual(denied);
    const promoted = await ok(root, "POST", "/api/user/manage", {
      body: { username: "below", action: "promote" },
    });
    expect(promoted.role).toBe(10);
    expect((await change(root, { id: peer.id, role: 1 })).role).toBe(1);
    expect((await auditOf(peer.uuid)).at(-1)?.change).toBe('{"role":{"from":10,"to":1}}');
  });

  test("root keeps its own role, status and account, and changes its secrets in its own settings only", async () => {
    expect(await refused(root, "PUT", "/api/user/", { id: 1, role: 1 })).toEqual([
      200,
      "role_not_allowed",
    ]);
    expect(
      await refused(root, "POST", "/api/user/manage", { username: "root", action: "demote" }),
    ).toEqual([200, "role_not_allowed"]);
    for (const body of [{ status: 2 }, { password: "something else" }, { email: "a@example.org" }])
      expect(await refused(root, "PUT", "/api/user/", { id: 1, ...body })).toEqual([
        200,
        "user_is_yourself",
      ]);
    expect(await refused(root, "DELETE", "/api/user/1")).toEqual([200, "user_is_yourself"]);
  });

  test("when two roots demote each other at the same moment, one root remains", {
    tags: ["F-25"],
  }, async () => {
    const other = await gateway.addUser("root2", { role: 100 });
    const second = await gateway.signIn("root2");
    await Promise.all([
      root("PUT", "/api/user/", { body: { id: other.id, role: 1 } }),
      second("DELETE", "/api/user/1"),
    ]);
    const roots = await gateway.db.read(
      gateway.db.sql
        .selectFrom("users")
        .select("id")
        .where("role", "=", 100)
        .where("status", "=", 1),
    );
    expect(roots).toHaveLength(1);
    // The tests that follow need the first one.
    const users = gateway.db.sql.updateTable("users");
    await gateway.db.write([
      { query: users.set({ role: 100, status: 1 }).where("id", "=", 1) },
      { query: users.set({ role: 1 }).where("id", "=", other.id) },
    ]);
    root = await gateway.signIn("root");
  });

  test("a deleted account is signed out at once, its name is free, and its quota stays in the books", {
    tags: ["F-03"],
  }, async () => {
    const gone = await gateway.addUser("gone");
    const client = await gateway.signIn("gone");
    await ok(root, "POST", "/api/topup", { body: { user_id: gone.id, quota: 50 } });
    await ok(admin, "DELETE", `/api/user/${gone.uuid}`);
    expect((await client("GET", "/api/user/self")).status).toBe(401);
    const byToken = await gateway.visitor("GET", "/api/user/self", {
      headers: { authorization: gone.token },
    });
    expect(byToken.status).toBe(401);
    expect(
      await refused(gateway.visitor, "POST", "/api/user/login", { username: "gone", password }),
    ).toEqual([200, "wrong_credentials"]);
    const [row] = await gateway.db.read(
      gateway.db.sql
        .selectFrom("users")
        .innerJoin("wallets", "wallets.id", "users.wallet_id")
        .select(["users.status", "wallets.balance"])
        .where("users.id", "=", gone.id),
    );
    expect(row).toEqual({ status: 3, balance: 50 });
    await booksAgree();
    const again = await ok(root, "POST", "/api/user/", {
      body: { username: "gone", password: "long enough" },
    });
    expect(again).toMatchObject({ quota: 0 });
    expect(again.id).not.toBe(gone.id);
    const found = async (query: string) =>
      (await root("GET", `/api/user/search?keyword=gone${query}`)).body.data
        .map(({ id }: { id: number }) => id)
        .sort();
    expect(await found("")).toEqual([again.id]);
    expect(await found("&deleted=true")).toEqual([gone.id, again.id].sort());
  });

  test("a new password ends the sessions, and so does disabling, also after the account is enabled again", {
    tags: ["F-03"],
  }, async () => {
    const { id } = await gateway.addUser("locked");
    const client = await gateway.signIn("locked");
    await change(admin, { id, password: "brand new one" });
    expect((await client("GET", "/api/user/self")).status).toBe(401);
    const again = await gateway.signIn("locked", "brand new one");
    await ok(admin, "POST", "/api/user/manage", {
      body: { username: "locked", action: "disable" },
    });
    const out = await again("GET", "/api/user/self");
    expect([out.status, out.body.code]).toEqual([401, "not_logged_in"]);
    await ok(admin, "POST", "/api/user/manage", { body: { username: "locked", action: "enable" } });
    expect((await again("GET", "/api/user/self")).status).toBe(401);
    await gateway.signIn("locked", "brand new one");
    expect((await admin("POST", "/api/user/manage", { body: { action: "delete" } })).status).toBe(
      400,
    );
  });

  test("a changed quota is in the ledger, in the log and in the audit trail", {
    tags: ["I-11"],
  }, async () => {
    const { id, uuid } = await gateway.addUser("rich");
    expect((await change(admin, { id, quota: 500_000 })).quota).toBe(500_000);
    expect((await change(admin, { id, quota: 600, quota_read: 500 })).quota).toBe(500_100);
    expect((await change(admin, { id, quota: 0 })).quota).toBe(0);
    expect((await logsOf(id, 3)).map(({ content }) => content)).toEqual([
      `quota $0.000000 → $1.000000, changed by ada`,
      `quota $1.000000 → $1.000200, changed by ada`,
      `quota $1.000200 → $0.000000, changed by ada`,
    ]);
    expect((await auditOf(uuid)).map((entry) => JSON.parse(entry.change))).toEqual([
      { quota_moved_by: 500_000 },
      { quota_moved_by: 100 },
      { quota_moved_by: -500_100 },
    ]);
    expect(
      (await root("PUT", "/api/user/", { body: { id, quota: 9_000_000_000_000_001 } })).status,
    ).toBe(400);
    await booksAgree();
  });

  test("what a running call has set aside cannot be taken away", async () => {
    const { id } = await gateway.addUser("busy");
    await change(admin, { id, quota: 100 });
    const [account] = await gateway.db.read(
      gateway.db.sql.selectFrom("users").select("wallet_id").where("id", "=", id),
    );
    const hold = {
      verb: "hold",
      id: gateway.db.mintId(),
      walletId: account?.wallet_id ?? 0,
      userId: id,
      tokenId: 0,
      amount: 60,
      tokenIsUnlimited: true,
      leaseUntil: Date.now() + 60_000,
      snapshot: "{}",
    } as const;
    expect(await gateway.db.money(hold)).toBe("held");
    expect(await refused(admin, "PUT", "/api/user/", { id, quota: 59 })).toEqual([
      200,
      "quota_set_aside",
    ]);
    expect((await change(admin, { id, quota: 60 })).quota).toBe(60);
    await gateway.db.money({ verb: "release", id: hold.id });
    await booksAgree();
  });

  test("an edit of a stale version is refused, and spending makes no version stale", {
    tags: ["FT-33"],
  }, async () => {
    const user = await gateway.addUser("versions");
    const { id } = user;
    const { updated_at } = await get(id);
    await addSettledCall(gateway, user, gateway.clock.now, { quota: 10 });
    await change(admin, { id, display_name: "first", updated_at });
    expect(
      await refused(admin, "PUT", "/api/user/", { id, display_name: "second", updated_at }),
    ).toEqual([409, "changed_meanwhile"]);
    expect((await get(id)).display_name).toBe("first");
  });

  test("administrators' edits and charges at the same moment lose nothing", {
    tags: ["F-120", "I-11"],
  }, async () => {
    const user = await gateway.addUser("crowded");
    await change(admin, { id: user.id, quota: 100_000 });
    const [account] = await gateway.db.read(
      gateway.db.sql.selectFrom("users").select("wallet_id").where("id", "=", user.id),
    );
    const charge = async () => {
      const id = gateway.db.mintId();
      const walletId = account?.wallet_id ?? 0;
      const call = {
        id,
        walletId,
        userId: user.id,
        tokenId: 0,
        amount: 20,
        tokenIsUnlimited: true,
      };
      const held = await gateway.db.money({
        verb: "hold",
        ...call,
        leaseUntil: Date.now() + 60_000,
        snapshot: "{}",
      });
      expect(held).toBe("held");
      const [log] = await gateway.db.read(
        gateway.db.sql.selectFrom("logs").selectAll().where("type", "=", 2).limit(1),
      );
      if (!log) throw new Error("an earlier test has made a call");
      const row = { ...log, id, user_id: user.id, quota: 7 };
      expect(await gateway.db.money({ verb: "settle", id, charge: 7, log: row, trace: "{}" })).toBe(
        "settled",
      );
    };
    const edits = Array.from({ length: 10 }, (_, n) =>
      (n % 2 ? admin : root)("PUT", "/api/user/", {
        body: { id: user.id, quota: 1_000 + n, quota_read: 1_000 },
      }),
    );
    const replies = await Promise.all([...edits, ...Array.from({ length: 100 }, charge)]);
    const moved = edits
      .map((_, n) => (replies[n]?.body.success ? n : 0))
      .reduce((sum, n) => sum + n, 0);
    expect(moved).toBeGreaterThan(0);
    expect(await get(user.id)).toMatchObject({
      quota: 100_000 + moved - 700,
      used_quota: 700,
      request_count: 100,
    });
    // As it stands: the ledger takes the difference to what really was there.
    const absolute = change(root, { id: user.id, quota: 5_000 });
    await Promise.all([absolute, ...Array.from({ length: 20 }, charge)]);
    await booksAgree();
  });

  test("a top-up is paid once however often it is sent, and its owner sees why", {
    tags: ["FT-27"],
  }, async () => {
    const { id, uuid } = await gateway.addUser("topped");
    const client = await gateway.signIn("topped");
    const headers = { "idempotency-key": "gift-1" };
    const body = { user_id: id, user_uuid: uuid, quota: 750_000, remark: "for the demo" };
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => admin("POST", "/api/topup", { body, headers })),
    );
    expect(replies.every((reply) => reply.body.success && reply.body.data === null)).toBe(true);
    expect((await get(id)).quota).toBe(750_000);
    const differing = await admin("POST", "/api/topup", { body: { ...body, quota: 1 }, headers });
    expect([differing.status, differing.body.code]).toEqual([409, "idempotency_key_reused"]);
    await ok(admin, "POST", "/api/topup", { body: { user_uuid: uuid, quota: 0 } });
    const own = (await client("GET", "/api/log/self?type=1")).body.data;
    expect(own.map((row: { content: string; quota: number }) => [row.content, row.quota])).toEqual([
      ["$0.000000 given by an administrator", 0],
      ["$1.500000 for the demo", 750_000],
    ]);
    expect(own[1]).toMatchObject({
      code: "topped_up",
      params: { quota: 750_000, remark: "for the demo" },
    });
    const max = { user_id: id, quota: 9_000_000_000_000_000 };
    expect(await refused(root, "POST", "/api/topup", max)).toEqual([200, "quota_too_high"]);
    expect((await admin("POST", "/api/topup", { body: { quota: 5 } })).body.message).toBe(
      "user_id or user_uuid is required",
    );
    await booksAgree();
  });

  test("lists are paged, sorted and searched literally by the beginning of names and addresses", async () => {
    for (const [index, name] of ["zed-a", "Zed-b", "zed%c"].entries()) {
      const user = await gateway.addUser(name);
      await change(root, { id: user.id, quota: 10 + index, display_name: `Show ${index}` });
      gateway.clock.now += 1000;
    }
    const search = async (query: string) => {
      const { body } = await admin("GET", `/api/user/search?${query}`);
      return [body.data.map(({ username }: { username: string }) => username), body.total];
    };
    expect(await search("keyword=ZED&sort=username&order=asc")).toEqual([
      expect.arrayContaining(["zed%c"]),
      3,
    ]);
    expect(await search("keyword=zed&sort=quota&order=asc&size=2")).toEqual([
      ["zed-a", "Zed-b"],
      3,
    ]);
    expect(await search("keyword=zed&order=quota&size=1")).toEqual([["zed%c"], 3]);
    expect(await search("keyword=zed%25")).toEqual([["zed%c"], 1]);
    expect(await search("keyword=Show+1")).toEqual([["Zed-b"], 1]);
    expect(await search("keyword=zed-a%40ex")).toEqual([["zed-a"], 1]);
    const { uuid } = (await admin("GET", "/api/user/search?keyword=zed-a")).body.data[0];
    expect(await search(`keyword=${uuid}`)).toEqual([["zed-a"], 1]);
    expect(await search("keyword=zed-a&role=1")).toEqual([["zed-a"], 1]);
    expect(await search("keyword=zed-a&role=10")).toEqual([[], 0]);
    const roots = (await admin("GET", "/api/user/?role=100")).body;
    expect(new Set(roots.data.map(({ role }: { role: number }) => role))).toEqual(new Set([100]));
    expect(roots.total).toBe(roots.data.length);
    expect((await admin("GET", "/api/user/?role=many")).status).toBe(400);
    const all = await admin("GET", "/api/user/?p=1&size=2&sort=created_time&order=asc");
    expect(all.body.data).toHaveLength(2);
    for (const sort of [
      "id",
      "email",
      "role",
      "status",
      "group",
      "used_quota",
      "request_count",
      "updated_at",
    ])
      expect((await admin("GET", `/api/user/?sort=${sort}`)).body.total).toBe(all.body.total);
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
