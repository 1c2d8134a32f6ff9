import { notifyRoot } from "@tollgate/gateway/mail/notify-root.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { createMailWorld, type MailWorld } from "./mail-world.ts";

describe.each(testDatabases)("notices to root on $name", (database) => {
  let world: MailWorld;
  beforeAll(async () => {
    world = await createMailWorld(database);
  });
  afterAll(() => world.close());

  const notice = { subject: "Channel one disabled", text: "Channel one was disabled automatically. status 401" };
  const send = async () => {
    const { db, options, mailer } = world;
    notifyRoot({ db, options, mailer, publicUrl: undefined }, notice);
    await world.posted();
  };

  test("go to root's address once there is one", async () => {
    await send();
    expect(world.mailbox.mails).toEqual([]);
    const email = "root@example.org";
    await world.db.write([{ query: world.db.sql.updateTable("users").set({ email }).where("role", "=", 100) }]);
    await send();
    expect(world.mailbox.mails).toHaveLength(1);
    const mail = await world.mailbox.take(email, notice.subject);
    expect(mail.text).toContain(notice.text);
  });
});
