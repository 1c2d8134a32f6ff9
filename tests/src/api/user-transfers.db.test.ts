// Quota that users move to each other: who may, to whom, after what proof, and that nothing appears
// or vanishes.
import { auditBooks } from "@tollgate/gateway/money/audit/audit.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const minute = 60_000;

describeVariants(testDatabases)("transfers between users on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let people = 0;
  let sender: TransferPerson;
  let recipient: TransferPerson;

  type TransferPerson = { id: number; username: string; token: string; client: TestApiClient };

  const set = (value: string) =>
    root("PUT", "/api/option/", { body: { key: "TransferFromUsers", value } });
  const addPerson = async (quota = 0): Promise<TransferPerson> => {
    people += 1;
    const username = `person${people}`;
    const { id, token } = await gateway.addUser(username);
    if (quota > 0) await root("POST", "/api/topup", { body: { user_id: id, quota } });
    return { id, username, token, client: await gateway.signIn(username) };
  };
  const send = async (
    { client }: Pick<TransferPerson, "client">,
    username: string,
    amount: unknown,
    { headers = {}, ...proof }: Record<string, unknown> & { headers?: Record<string, string> } = {},
  ) =>
    (await client("POST", "/api/user/transfer", { body: { username, amount, ...proof }, headers }))
      .body;
  const balances = () =>
    Promise.all(
      [sender, recipient].map(
        async ({ id }) => (await root("GET", `/api/user/${id}`)).body.data.quota as number,
      ),
    );

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
  });
  afterAll(async () => {
    expect(await auditBooks(gateway.db)).toEqual([]);
    expect(gateway.problems).toEqual([]);
    await gateway.close();
  });
  beforeEach(async () => {
    root = await gateway.signIn("root");
    await set("true");
    sender = await addPerson(1_000);
    recipient = await addPerson();
  });

  test("no user and no administrator transfers while the setting is off, as it is at first", async () => {
    await set("false");
    expect((await gateway.visitor("GET", "/api/status")).body.data.transfers_to_users).toBe(false);
    expect(await send(sender, recipient.username, 1)).toMatchObject({ code: "transfers_off" });
    expect(await send({ client: root }, recipient.username, 1)).toMatchObject({
      code: "transfers_off",
    });
    expect(await balances()).toEqual([1_000, 0]);
  });

  test("the recipient has what the sender gave, and both logs and the record of changes show it", {
    tags: ["I-19"],
  }, async () => {
    expect(await send(sender, recipient.username, 400)).toMatchObject({ success: true });
    expect(await balances()).toEqual([600, 400]);
    for (const { client } of [sender, recipient]) {
      const [row] = (await client("GET", "/api/log/self?type=3")).body.data;
      expect(row).toMatchObject({
        quota: 0,
        code: "transfer_to_user",
        params: { quota: 400, sender: sender.username, recipient: recipient.username },
      });
      expect(row.content).toContain(`from ${sender.username} to ${recipient.username}`);
    }
    const { sql, read } = gateway.db;
    const moved = await read(sql.selectFrom("ledger").selectAll().where("kind", "=", "transfer"));
    expect(moved.filter(({ amount }) => Number(amount) === 400)).toHaveLength(1);
    const changes = (await root("GET", "/api/audit/?action=user.transfer")).body.data;
    expect(changes[0]).toMatchObject({ actor: sender.username });
    expect(JSON.stringify(changes[0])).toContain(recipient.username);
    // No issuance: the day's limit of an administrator is none of it.
    await root("PUT", "/api/option/", { body: { key: "AdminIssueLimit", value: "1" } });
    expect(await send(sender, recipient.username, 100)).toMatchObject({ success: true });
    await root("PUT", "/api/option/", { body: { key: "AdminIssueLimit", value: "0" } });
    expect(await balances()).toEqual([500, 500]);
  });

  test("a sender reaches only the exact name of another user who can sign in", async () => {
    const disabled = await addPerson();
    await root("PUT", "/api/user/?status_only=1", { body: { id: disabled.id, status: 2 } });
    const deleted = await addPerson();
    await root("DELETE", `/api/user/${deleted.id}`);
    const refused: [string, unknown, string][] = [
      ["nobody", 5, "transfer_recipient_unknown"],
      // A look-alike of a username receives nothing.
      [recipient.username.toUpperCase(), 5, "transfer_recipient_unknown"],
      [`${recipient.username} `, 5, "transfer_recipient_unknown"],
      [`${recipient.username}@example.org`, 5, "transfer_recipient_unknown"],
      [disabled.username, 5, "transfer_recipient_unknown"],
      [deleted.username, 5, "transfer_recipient_unknown"],
      [sender.username, 5, "transfer_to_self"],
      [recipient.username, 1_001, "transfer_not_covered"],
      [recipient.username, 0, "invalid_request"],
      [recipient.username, -5, "invalid_request"],
      [recipient.username, 0.5, "invalid_request"],
      [recipient.username, "5", "invalid_request"],
      ["", 5, "invalid_request"],
    ];
    for (const [username, amount, code] of refused)
      expect([username, amount, (await send(sender, username, amount)).code]).toEqual([
        username,
        amount,
        code,
      ]);
    expect(await balances()).toEqual([1_000, 0]);
  });

  test("a sender who tries ten unknown names is stopped, and other senders are not", async () => {
    for (let tries = 0; tries < 10; tries += 1)
      expect(await send(sender, `nobody${tries}`, 1)).toMatchObject({
        code: "transfer_recipient_unknown",
      });
    expect(await send(sender, recipient.username, 1)).toMatchObject({ code: "too_many_requests" });
    const other = await addPerson(5);
    expect(await send(other, recipient.username, 5)).toMatchObject({ success: true });
    gateway.clock.now += 16 * minute;
    expect(await send(sender, recipient.username, 1, { current_password: password })).toMatchObject(
      { success: true },
    );
  });

  test("a session that was not proved lately, and an access token, transfer with the password alone", async () => {
    const bearer: TestApiClient = (method, path, ask) =>
      gateway.visitor(method, path, {
        ...ask,
        headers: { authorization: `Bearer ${sender.token}`, ...ask?.headers },
      });
    gateway.clock.now += 11 * minute;
    for (const client of [sender.client, bearer]) {
      expect(await send({ client }, recipient.username, 10)).toMatchObject({
        code: "reauth_required",
      });
      expect(
        await send({ client }, recipient.username, 10, { current_password: "a guess" }),
      ).toMatchObject({ code: "current_password_wrong" });
    }
    expect(await balances()).toEqual([1_000, 0]);
    expect(
      await send({ client: bearer }, recipient.username, 10, { current_password: password }),
    ).toMatchObject({ success: true });
    expect(await balances()).toEqual([990, 10]);
  });

  test("a client that repeats its request moves nothing again, whatever became of the recipient", async () => {
    const headers = { "idempotency-key": `once-${sender.id}` };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => send(sender, recipient.username, 1_000, { headers })),
    );
    for (const reply of replies) expect(reply).toMatchObject({ success: true });
    expect(await balances()).toEqual([0, 1_000]);
    await root("PUT", "/api/user/?status_only=1", { body: { id: recipient.id, status: 2 } });
    expect(await send(sender, recipient.username, 1_000, { headers })).toMatchObject({
      success: true,
    });
    expect(await send(sender, recipient.username, 999, { headers })).toMatchObject({
      code: "idempotency_key_reused",
    });
    expect(await balances()).toEqual([0, 1_000]);
  });

  test("users who transfer at once never move more than they have, and lose nothing to and fro", async () => {
    const replies = await Promise.all(
      Array.from({ length: 9 }, () => send(sender, recipient.username, 200)),
    );
    expect(replies.filter(({ success }) => success)).toHaveLength(5);
    for (const { success, code } of replies)
      if (!success) expect(code).toBe("transfer_not_covered");
    expect(await balances()).toEqual([0, 1_000]);
    await send(recipient, sender.username, 500);
    const both = await Promise.all(
      Array.from({ length: 16 }, (_, place) =>
        place % 2 === 0 ? send(sender, recipient.username, 7) : send(recipient, sender.username, 7),
      ),
    );
    for (const reply of both) expect(reply).toMatchObject({ success: true });
    expect(await balances()).toEqual([500, 500]);
  });
});
