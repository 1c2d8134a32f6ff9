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
    expect((await mira("GET", `/api/verification?email=${encodeURIComponent(email)}`)).body.success).toBe(true);
    return codeIn(await gateway.mailbox.take(email, "Your verification code"));
  };
  const ownAddress = async () => (await mira("GET", "/api/user/self")).body.data.email;

  test("a mailed code binds the address to the account, and the old address is notified", async () => {
    const code = await codeFor("New@example.org".toLowerCase());
    const bound = await mira("GET", `/api/oauth/email/bind?email=New@example.org&code=${code}`);
    expect(bound.body).toEqual({ success: true, message: "", data: null });
    expect(await ownAddress()).toBe("new@example.org");
    await gateway.mailbox.take("mira@example.org", "Your mail address was changed");
    const again = await mira("POST", "/api/oauth/email/bind", { body: { email: "new@example.org", code } });
    expect(again.body.code).toBe("verification_code_invalid");
  });

  test("an old sign-in needs the password as well, and a foreign page gets nowhere", async () => {
    const code = await codeFor("proved@example.org");
    // Ten minutes after the sign-in, the code is as old as it may be.
    const late = await gateway.signIn("mira");
    gateway.clock.now += 9 * minute;
    const body = { email: "proved@example.org", code };
    const foreign = await gateway.visitor("GET", `/api/oauth/email/bind?email=proved@example.org&code=${code}`);
    expect(foreign.status).toBe(401);
    await gateway.db.write([{ query: gateway.db.sql.updateTable("sessions").set({ proved_at: 0 }) }]);
    expect((await late("POST", "/api/oauth/email/bind", { body })).body.code).toBe("reauth_required");
    const wrong = await late("POST", "/api/oauth/email/bind", { body: { ...body, current_password: "not this one" } });
    expect(wrong.body.code).toBe("current_password_wrong");
    const proved = await late("POST", "/api/oauth/email/bind", { body: { ...body, current_password: password } });
    expect(proved.body.success).toBe(true);
  });

  test("an address of another account cannot be taken, not even at the same moment", async () => {
    const code = await codeFor("late@example.org");
    const noor = await gateway.signIn("noor");
    expect((await noor("PUT", "/api/user/self", { body: { email: "Late@example.org" } })).body.success).toBe(true);
    const reply = await mira("POST", "/api/oauth/email/bind", { body: { email: "late@example.org", code } });
    expect([reply.status, reply.body.code]).toEqual([409, "email_taken"]);
    const direct = await mira("PUT", "/api/user/self", { body: { email: "late@EXAMPLE.org" } });
    expect([direct.status, direct.body.code]).toEqual([409, "email_taken"]);
    const body = { username: "another", password, email: "LATE@example.org" };
    const created = await gateway.root("POST", "/api/user/", { body });
    expect([created.status, created.body.code]).toEqual([409, "email_taken"]);
  });

  test("where addresses are verified, the profile alone does not change one", async () => {
    await gateway.set({ EmailVerificationEnabled: "true" });
    const before = await ownAddress();
    const reply = await mira("PUT", "/api/user/self", { body: { email: "unproved@example.org" } });
    expect(reply.body.code).toBe("email_code_required");
    expect(await ownAddress()).toBe(before);
    expect((await mira("PUT", "/api/user/self", { body: { email: before, display_name: "M" } })).body.success).toBe(
      true,
    );
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
