import { planAlertEvent } from "@tollgate/gateway/notices/alerts/alert-events.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { codeIn, linkIn } from "../harness/mailbox.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { type MailGateway, serverAddress, startMailGateway } from "./mail-gateway.ts";

describeVariants(testDatabases)("the language of mails on $name", (database) => {
  let gateway: MailGateway;
  beforeAll(async () => {
    gateway = await startMailGateway(database);
    for (const name of ["mira", "noor", "yuki"]) await gateway.addUser(name);
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    gateway.later();
    await gateway.resetSettings();
  });

  const speak = async (name: string, language: string) => {
    const client = await gateway.signIn(name);
    const { body } = await client("PUT", "/api/user/language", { body: { language } });
    expect(body).toEqual({ success: true, message: "", data: null });
    return client;
  };
  const askForReset = (email: string) =>
    gateway.visitor("GET", `/api/reset_password?email=${encodeURIComponent(email)}`);

  test("is the one that the console last sent for the user, whatever the browser of the request prefers", async () => {
    await speak("mira", "ja");
    await speak("mira", "de");
    await askForReset("mira@example.org");
    const mail = await gateway.mailbox.take(
      "mira@example.org",
      "Setzen Sie Ihr Passwort zurück - ",
    );
    expect(linkIn(mail).href).toContain(
      `${serverAddress}/user/reset?email=mira%40example.org&token=`,
    );
    expect(mail.text).toContain("Über diesen Link wählen Sie ein neues Passwort:");
  });

  test("is English for a user of whom no language is known", async () => {
    await askForReset("noor@example.org");
    await gateway.mailbox.take("noor@example.org", "Reset your password - ");
  });

  test("reaches the previous address too, and the code of a new one", async () => {
    const yuki = await speak("yuki", "ja");
    const email = "yuki.new@example.org";
    await yuki("GET", `/api/verification?email=${email}`);
    const code = codeIn(await gateway.mailbox.take(email, "確認コードのお知らせ - "));
    expect(
      (await yuki("POST", "/api/oauth/email/bind", { body: { email, code } })).body.success,
    ).toBe(true);
    await gateway.mailbox.take("yuki@example.org", "メールアドレスが変更されました - ");
  });

  test("of a code for a visitor is the first known one of the browser", async () => {
    const headers = { "accept-language": "nl, fr-CA;q=0.8, en;q=0.5" };
    await gateway.visitor("GET", "/api/verification?email=guest@example.org", { headers });
    expect(
      codeIn(await gateway.mailbox.take("guest@example.org", "Votre code de vérification - ")),
    ).toMatch(/^\d{6}$/);
  });

  test("is one that the gateway speaks, set by the user alone", async () => {
    const mira = await gateway.signIn("mira");
    for (const language of ["tlh", "DE", "", null, "constructor"])
      expect((await mira("PUT", "/api/user/language", { body: { language } })).body.success).toBe(
        false,
      );
    const stranger = await gateway.visitor("PUT", "/api/user/language", {
      body: { language: "fr" },
    });
    expect(stranger.status).toBe(401);
  });

  test("of a notice to root is root's", async () => {
    expect(
      (await gateway.root("PUT", "/api/user/language", { body: { language: "es" } })).body.success,
    ).toBe(true);
    const { db } = gateway;
    await db.write([
      {
        query: db.sql
          .updateTable("users")
          .set({ email: "root@example.org" })
          .where("role", "=", 100),
      },
    ]);
    const subject = { kind: "channel", id: 1, name: "West" } as const;
    const facts = { kind: "usage_capped", channel: "West" } as const;
    await db.write([
      planAlertEvent(
        db,
        { rule: "usage.capped", subject, state: "firing", facts },
        gateway.clock.now,
      ),
    ]);
    await gateway.alerts.fold();
    await gateway.alerts.deliver();
    const mail = await gateway.mailbox.take("root@example.org", "Uso del canal West limitado - ");
    expect(mail.text).toContain(`${serverAddress}/channels`);
  });
});
