import { auditBooks } from "@tollgate/gateway/money/audit/audit.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { codeIn } from "../harness/mailbox.ts";
import { ruleDatabases } from "../support/test-databases.ts";
import { type MailGateway, startMailGateway } from "./mail-gateway.ts";
import { password } from "./management-gateway.ts";

const minute = 60_000;
const account = (username: string, more: Record<string, unknown> = {}) => ({
  username,
  password,
  ...more,
});

describe.each(ruleDatabases)("registration on $name", (database) => {
  let gateway: MailGateway;
  beforeAll(async () => {
    gateway = await startMailGateway(database);
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    gateway.later();
    await gateway.resetSettings();
  });

  const register = async (body: unknown, headers: Record<string, string> = {}) =>
    (await gateway.visitor("POST", "/api/user/register", { body, headers })).body;
  const askForCode = (email: string) =>
    gateway.visitor("POST", "/api/verification", { body: { email } });
  const codeFor = async (email: string) => {
    expect((await askForCode(email)).body.success).toBe(true);
    return codeIn(await gateway.mailbox.take(email, "Your verification code"));
  };
  const balanceOf = async (username: string): Promise<number> => {
    const { users, db } = { users: "users", db: gateway.db } as const;
    const found = db.sql.selectFrom(users).innerJoin("wallets", "wallets.id", "users.wallet_id");
    const [row] = await db.read(
      found.select("wallets.balance").where("users.username", "=", username),
    );
    return row?.balance ?? -1;
  };

  test("the name root is nobody's to register, in any spelling, whether or not an account has it", async () => {
    const { sql, write } = gateway.db;
    const rename = (to: string) => ({
      query: sql
        .updateTable("users")
        .set({ username: to, username_key: to })
        .where("role", "=", 100),
    });
    await write([rename("boss")]);
    for (const username of ["root", "ROOT", "r\u043e\u043et"])
      expect(await register({ username, password })).toMatchObject({
        success: false,
        code: "username_taken",
      });
    await write([rename("root")]);
  });

  test("makes an account that can sign in, with one unlimited token named default", async () => {
    const reply = await gateway.visitor("POST", "/api/user/register", { body: account("mira") });
    expect([reply.status, reply.body]).toEqual([200, { success: true, message: "", data: null }]);
    const mira = await gateway.signIn("mira");
    const { body } = await mira("GET", "/api/token/");
    expect(body.data).toMatchObject([
      { name: "default", unlimited_quota: true, expired_time: -1, status: 1 },
    ]);
    expect((await mira("GET", "/api/user/self")).body.data).toMatchObject({
      role: 1,
      quota: 0,
      group: "default",
    });
    const [entry] = await gateway.db.read(
      gateway.db.sql.selectFrom("audit_entries").selectAll().where("action", "=", "user.register"),
    );
    expect(JSON.parse(entry?.change ?? "")).toEqual({ username: "mira", email: "" });
  });

  test("where addresses are verified, a mailed code is required and works once", async () => {
    await gateway.set({ EmailVerificationEnabled: "true" });
    const email = "noor@example.org";
    expect(await register(account("noor"))).toMatchObject({
      fields: { email: "Valid email is required" },
    });
    expect(await register(account("noor", { email }))).toMatchObject({
      fields: { verification_code: "Verification code is required" },
    });
    const code = await codeFor(email);
    const wrong = code === "000000" ? "000001" : "000000";
    const bodyWith = (verification_code: string) =>
      account("noor", { email: "Noor@Example.org", verification_code });
    expect(await register(bodyWith(wrong))).toMatchObject({ code: "verification_code_invalid" });
    expect(
      await register(account("noor", { email: "other@example.org", verification_code: code })),
    ).toMatchObject({
      code: "verification_code_invalid",
    });
    // A name that is taken costs no try and uses nothing up.
    expect(await register(account("mira", { email, verification_code: code }))).toMatchObject({
      code: "username_taken",
    });
    expect(await register(bodyWith(code))).toMatchObject({ success: true });
    expect(await register({ ...bodyWith(code), username: "noor2" })).toMatchObject({
      code: "verification_code_invalid",
    });
    expect((await (await gateway.signIn("noor"))("GET", "/api/user/self")).body.data.email).toBe(
      email,
    );
  });

  test("a code ends after five tries, after ten minutes, and with the next code", async () => {
    await gateway.set({ EmailVerificationEnabled: "true" });
    const email = "tries@example.org";
    const tryWith = (verification_code: string) =>
      register(account("tries", { email, verification_code }));
    const first = await codeFor(email);
    for (let tries = 0; tries < 5; tries += 1)
      expect(await tryWith(first === "999999" ? "999998" : "999999")).toMatchObject({
        success: false,
      });
    expect(await tryWith(first)).toMatchObject({ code: "verification_code_invalid" });

    gateway.later();
    const late = await codeFor(email);
    gateway.clock.now += 10 * minute;
    expect(await tryWith(late)).toMatchObject({ code: "verification_code_invalid" });

    const replaced = await codeFor(email);
    gateway.clock.now += minute;
    const latest = await codeFor(email);
    if (replaced !== latest)
      expect(await tryWith(replaced)).toMatchObject({ code: "verification_code_invalid" });
    expect(await tryWith(latest)).toMatchObject({ success: true });
    const [stored] = await gateway.db.read(
      gateway.db.sql.selectFrom("mail_codes").selectAll().where("email", "=", email),
    );
    expect(stored).toBeUndefined();
  });

  test("known and unknown addresses are answered alike, and only the owner learns of an account", {
    tags: ["F-07", "S2-18"],
  }, async () => {
    await gateway.addUser("known");
    const [known, unknown] = [
      await askForCode("Known@example.org"),
      await askForCode("unknown@example.org"),
    ];
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    expect(known.body.success).toBe(true);
    const mail = await gateway.mailbox.take("known@example.org", "You already have an account");
    expect(codeIn(mail)).toBe("");
    expect(mail.text).toContain("https://ai.example.org/login");
    await gateway.mailbox.take("unknown@example.org", "Your verification code");
  });

  test("inviter and invited are paid in one go, and the books are right", async () => {
    const grants = { QuotaForNewUser: "1000", QuotaForInviter: "70", QuotaForInvitee: "300" };
    await gateway.set(grants);
    await gateway.addUser("inviter");
    const inviter = await gateway.signIn("inviter");
    const code = (await inviter("GET", "/api/user/aff")).body.data;
    expect(await register(account("uninvited"))).toMatchObject({ success: true });
    expect(await register(account("invited", { invitation_code: code }))).toMatchObject({
      success: true,
    });
    expect(await register(account("invited2", { aff_code: code }))).toMatchObject({
      success: true,
    });
    expect(await register(account("invited3", { aff_code: "nope" }))).toMatchObject({
      code: "invitation_code_unknown",
      fields: { invitation_code: "This invitation code does not exist" },
    });
    const { uuid } = (await inviter("GET", "/api/user/self")).body.data;
    const root = await gateway.signIn("root");
    for (const [name, inviter_uuid] of [
      ["invited", uuid],
      ["uninvited", null],
    ]) {
      const self = (await (await gateway.signIn(name))("GET", "/api/user/self")).body.data;
      const inviteFields = { username: name, inviter_uuid };
      expect(self).toMatchObject({ ...inviteFields, has_password: true });
      expect((await root("GET", `/api/user/${self.id}`)).body.data).toMatchObject(inviteFields);
      expect((await root("GET", `/api/user/search?keyword=${self.uuid}`)).body.data).toMatchObject([
        inviteFields,
      ]);
      expect((await root("GET", "/api/user/?size=100")).body.data).toContainEqual(
        expect.objectContaining(inviteFields),
      );
    }
    expect(await balanceOf("uninvited")).toBe(1000);
    expect(await balanceOf("invited")).toBe(1300);
    expect(await balanceOf("invited2")).toBe(1300);
    expect(await balanceOf("inviter")).toBe(140);
    expect(await auditBooks(gateway.db)).toEqual([]);
    const logs = (await inviter("GET", "/api/log/self")).body.data;
    expect(logs.map(({ type, quota }: { type: number; quota: number }) => [type, quota])).toEqual([
      [4, 70],
      [4, 70],
    ]);
  });

  test("of fifty at once under one name, over several nodes, one gets it", {
    tags: ["F-124", "large"],
  }, async () => {
    await gateway.set({ QuotaForNewUser: "500" });
    const nodes = Array.from({ length: 5 }, () => gateway.anotherNode());
    const tries = nodes.flatMap((ask) =>
      Array.from({ length: 10 }, () => ask("POST", "/api/user/register", account("contested"))),
    );
    const replies = await Promise.all(tries);
    expect(replies.filter(({ success }) => success)).toHaveLength(1);
    const others = new Set(replies.filter(({ success }) => !success).map(({ code }) => code));
    expect([...others].filter((code) => code !== "sign_in_busy")).toEqual(["username_taken"]);
    expect(await balanceOf("contested")).toBe(500);
    expect(await auditBooks(gateway.db)).toEqual([]);
  });

  test("an address belongs to one account, however it is written and whichever registers first", async () => {
    const replies = await Promise.all(
      ["Shared@example.org", "shared@example.org", "SHARED@EXAMPLE.ORG", "shared@Example.org"].map(
        (email, index) => register(account(`sharer${index}`, { email })),
      ),
    );
    expect(replies.filter(({ success }) => success)).toHaveLength(1);
    for (const reply of replies.filter(({ success }) => !success))
      expect(reply).toMatchObject({ code: "email_taken", fields: { email: expect.any(String) } });
  });

  test("a mailbox is welcomed once, even if the account is gone", { tags: ["F-15"] }, async () => {
    await gateway.set({ QuotaForNewUser: "400" });
    expect(await register(account("first", { email: "w.elcome+1@gmail.com" }))).toMatchObject({
      success: true,
    });
    expect(await balanceOf("first")).toBe(400);
    const [first] = await gateway.db.read(
      gateway.db.sql.selectFrom("users").select("id").where("username", "=", "first"),
    );
    expect((await gateway.root("DELETE", `/api/user/${first?.id}`)).body.success).toBe(true);
    expect(await register(account("again", { email: "Welcome@googlemail.com" }))).toMatchObject({
      success: true,
    });
    expect(await balanceOf("again")).toBe(0);
    expect(await auditBooks(gateway.db)).toEqual([]);
  });

  test("sent again with the same key it is answered again, and made once", async () => {
    const headers = { "idempotency-key": "registration-1" };
    expect(await register(account("twice"), headers)).toMatchObject({ success: true });
    expect(await register(account("twice"), headers)).toMatchObject({ success: true });
    expect(await register(account("thrice"), headers)).toMatchObject({
      code: "idempotency_key_reused",
    });
  });

  test.each([
    [{ RegisterEnabled: "false" }, "registration_off"],
    [{ PasswordRegisterEnabled: "false" }, "registration_off"],
    [
      { EmailDomainRestrictionEnabled: "true", EmailDomainWhitelist: "example.com" },
      "email_domain_refused",
    ],
  ])("%o is honoured", { tags: ["F-09"] }, async (settings, code) => {
    await gateway.set(settings as Record<string, string>);
    expect(await register(account("unwanted", { email: "unwanted@example.org" }))).toMatchObject({
      code,
    });
    if (code === "email_domain_refused") {
      expect((await askForCode("unwanted@example.org")).body).toMatchObject({ code });
      expect(await register(account("unwanted"))).toMatchObject({
        fields: { email: "Valid email is required" },
      });
    }
  });

  test.each([
    ["password1", "anybody"],
    ["Sunshine2024", "anybody"],
    ["12345678", "anybody"],
    ["qwertyuiop", "anybody"],
    ["margarethe", "margarethe"],
  ])("the password %s of %s is refused", async (tooCommon, username) => {
    const reply = await register({ username, password: tooCommon });
    expect(reply).toMatchObject({
      code: "password_too_common",
      fields: { password: expect.any(String) },
    });
  });

  test("one address may ask once a minute, and one source twenty times in twenty minutes", async () => {
    expect((await askForCode("often@example.org")).body.success).toBe(true);
    const again = await askForCode("often@example.org");
    expect([again.status, again.body.code, again.body.retry_after]).toEqual([
      429,
      "too_many_requests",
      60,
    ]);
    for (let asked = 2; asked < 20; asked += 1) await askForCode(`often${asked}@example.org`);
    expect((await askForCode("yet-another@example.org")).status).toBe(429);
    expect(
      (await gateway.visitor("POST", "/api/user/register", { body: account("late") })).status,
    ).toBe(429);
  });

  test("without a mail server every request for a code gets that error, and no event contains its password", async () => {
    // Letters of the tests before still need it.
    await gateway.posted();
    await gateway.set({ SMTPServer: "" });
    for (const email of ["known@example.org", "nobody@example.org"])
      expect((await askForCode(email)).body).toMatchObject({
        success: false,
        code: "mail_not_configured",
      });
    const { body } = await gateway.root("PUT", "/api/option/", {
      body: { key: "EmailVerificationEnabled", value: "true" },
    });
    expect(body).toMatchObject({
      code: "option_incomplete",
      message: expect.stringContaining("Please set SMTPServer"),
    });
    expect(JSON.stringify(gateway.events)).not.toContain(gateway.account.pass);
  });

  test("once the mail server is removed, every request gets that error at once", async () => {
    await gateway.set({ EmailVerificationEnabled: "true" });
    const gone = gateway.db.sql
      .updateTable("options")
      .set({ value: "" })
      .where("key", "=", "SMTPServer");
    await gateway.db.write([{ query: gone }], { changes: ["options"] });
    await gateway.options.refresh();
    expect((await askForCode("stuck@example.org")).body.code).toBe("mail_not_configured");
    const stuck = await register(
      account("stuck", { email: "stuck@example.org", verification_code: "123456" }),
    );
    expect(stuck.code).toBe("verification_code_invalid");
    await gateway.set({ EmailVerificationEnabled: "false" });
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
