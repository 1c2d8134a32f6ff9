import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { codeIn } from "../harness/mailbox.ts";
import { ruleDatabases } from "../support/test-databases.ts";
import { type MailGateway, startMailGateway } from "./mail-gateway.ts";
import { password, type TestApiClient } from "./management-gateway.ts";

const minute = 60_000;

describe.each(ruleDatabases)("binding a mail address on $name", (database) => {
  let gateway: MailGateway;
  let mira: TestApiClient;
  beforeAll(async () => {
    gateway = await startMailGateway(database);
    await gateway.addUser("mira");
    await gateway.addUser("noor");
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    gateway.later();
    await gateway.resetSettings();
    mira = await gateway.signIn("mira");
  });

  const codeFor = async (email: string) => {
    expect(
      (await mira("GET", `/api/verification?email=${encodeURIComponent(email)}`)).body.success,
    ).toBe(true);
    return codeIn(await gateway.mailbox.take(email, "Your verification code"));
  };
  const ownAddress = async () => (await mira("GET", "/api/user/self")).body.data.email;

  test("a mailed code binds the address to the account, and the old address is notified", async () => {
    const code = await codeFor("New@example.org".toLowerCase());
    const bound = await mira("GET", `/api/oauth/email/bind?email=New@example.org&code=${code}`);
    expect(bound.body).toEqual({ success: true, message: "", data: null });
    expect(await ownAddress()).toBe("new@example.org");
    await gateway.mailbox.take("mira@example.org", "Your mail address was changed");
    const again = await mira("POST", "/api/oauth/email/bind", {
      body: { email: "new@example.org", code },
    });
    expect(again.body.code).toBe("verification_code_invalid");
  });

  test("an old sign-in needs the password as well, and a foreign page gets nowhere", async () => {
    const code = await codeFor("proved@example.org");
    // Ten minutes after the sign-in, the code is as old as it may be.
    const late = await gateway.signIn("mira");
    gateway.clock.now += 9 * minute;
    const body = { email: "proved@example.org", code };
    const foreign = await gateway.visitor(
      "GET",
      `/api/oauth/email/bind?email=proved@example.org&code=${code}`,
    );
    expect(foreign.status).toBe(401);
    await gateway.db.write([
      { query: gateway.db.sql.updateTable("sessions").set({ proved_at: 0 }) },
    ]);
    expect((await late("POST", "/api/oauth/email/bind", { body })).body.code).toBe(
      "reauth_required",
    );
    const wrong = await late("POST", "/api/oauth/email/bind", {
      body: { ...body, current_password: "not this one" },
    });
    expect(wrong.body.code).toBe("current_password_wrong");
    const proved = await late("POST", "/api/oauth/email/bind", {
      body: { ...body, current_password: password },
    });
    expect(proved.body.success).toBe(true);
  });

  test("an address of another account cannot be taken, not even at the same moment", async () => {
    const code = await codeFor("late@example.org");
    const noor = await gateway.signIn("noor");
    expect(
      (await noor("PUT", "/api/user/self", { body: { email: "Late@example.org" } })).body.success,
    ).toBe(true);
    const reply = await mira("POST", "/api/oauth/email/bind", {
      body: { email: "late@example.org", code },
    });
    expect([reply.status, reply.body.code]).toEqual([409, "email_taken"]);
    const direct = await mira("PUT", "/api/user/self", { body: { email: "late@EXAMPLE.org" } });
    expect([direct.status, direct.body.code]).toEqual([409, "email_taken"]);
    const body = { username: "another", password, email: "LATE@example.org" };
    const created = await gateway.root("POST", "/api/user/", { body });
    expect([created.status, created.body.code]).toEqual([409, "email_taken"]);
  });

  describe("where addresses are verified", () => {
    const address = "proved@mail.example";
    const change = (body: object) => mira("PUT", "/api/user/self", { body });
    const mailedCode = async () =>
      codeIn(await gateway.mailbox.take(address, "Your verification code"));
    beforeEach(() => gateway.set({ EmailVerificationEnabled: "true" }));

    test("the profile mails a code and stores nothing, and the code stores the address with the rest", async () => {
      const before = await ownAddress();
      const asked = await change({ email: address, display_name: "Mira the Second" });
      expect([asked.status, asked.body.success, asked.body.code]).toEqual([
        200,
        false,
        "email_code_required",
      ]);
      const self = await mira("GET", "/api/user/self");
      expect([self.body.data.email, self.body.data.display_name]).not.toContain("Mira the Second");
      expect(self.body.data.email).toBe(before);

      const code = await mailedCode();
      const wrong = await change({
        email: address,
        email_verification_code: code === "111111" ? "222222" : "111111",
      });
      expect([wrong.status, wrong.body.success, wrong.body.code]).toEqual([
        200,
        false,
        "verification_code_invalid",
      ]);
      expect(await ownAddress()).toBe(before);
      const proved = await change({
        email: address,
        display_name: "Mira",
        email_verification_code: code,
      });
      expect(proved.body.success).toBe(true);
      expect(await ownAddress()).toBe(address);
      await gateway.mailbox.take(before, "Your mail address was changed");
    });

    test("a code proves no other address, and works once", async () => {
      await change({ email: address });
      await mira("PUT", "/api/user/self", { body: { email: "mira@example.org" } });
      const code = codeIn(await gateway.mailbox.take("mira@example.org", "Your verification code"));
      const other = await change({ email: "other@mail.example", email_verification_code: code });
      expect(other.body.code).toBe("verification_code_invalid");
      expect(
        (await change({ email: "Mira@Example.org", email_verification_code: code })).body.success,
      ).toBe(true);
      const noor = await gateway.signIn("noor");
      const again = await noor("PUT", "/api/user/self", {
        body: { email: "mira@example.org", email_verification_code: code },
      });
      expect(again.body.code).toBe("verification_code_invalid");
    });

    test("an old sign-in is proved first, before a code is mailed", async () => {
      await gateway.db.write([
        { query: gateway.db.sql.updateTable("sessions").set({ proved_at: 0 }) },
      ]);
      const late = "late-sign-in@mail.example";
      expect((await change({ email: late })).body.code).toBe("reauth_required");
      await gateway.posted();
      expect((await change({ email: late, current_password: password })).body.code).toBe(
        "email_code_required",
      );
      const code = codeIn(await gateway.mailbox.take(late, "Your verification code"));
      expect((await change({ email: late, email_verification_code: code })).body.success).toBe(
        true,
      );
    });

    test("an unchanged address needs no code, nor does one that differs in case alone", async () => {
      const before = await ownAddress();
      expect((await change({ email: before, display_name: "M" })).body.success).toBe(true);
      expect((await change({ email: before.toUpperCase() })).body.success).toBe(true);
    });
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
