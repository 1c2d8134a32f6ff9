import { notifyRoot } from "@tollgate/gateway/mail/notify-root.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { type MailGateway, startMailGateway } from "./mail-gateway.ts";

describe.each(testDatabases)("notices to root on $name", (database) => {
  let gateway: MailGateway;
  beforeAll(async () => {
    gateway = await startMailGateway(database);
  });
  afterAll(() => gateway.close());

  const notice = { kind: "channel_disabled", channel: "one", reason: "status 401" } as const;
  const send = async () => {
    const { db, options, mailer } = gateway;
    notifyRoot({ db, options, mailer, publicUrl: undefined }, notice);
    await gateway.posted();
  };

  test("go to root's address once there is one", async () => {
    await send();
    expect(gateway.mailbox.mails).toEqual([]);
    const email = "root@example.org";
    await gateway.db.write([{ query: gateway.db.sql.updateTable("users").set({ email }).where("role", "=", 100) }]);
    await send();
    expect(gateway.mailbox.mails).toHaveLength(1);
    const mail = await gateway.mailbox.take(email, "Channel one disabled");
    expect(mail.text).toContain("Channel one was disabled automatically. status 401");
  });
});
