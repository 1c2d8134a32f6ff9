// Commands that grant quota, by hand and by codes.
import assert from "node:assert/strict";
import type { TestReply } from "@tollgate/tests/harness/api-session.ts";
import { userPassword } from "@tollgate/tests/harness/test-gateway.ts";
import fc from "fast-check";
import { command, pick, pickUser, slot } from "./model-command.ts";
import { credit, type ModelCode } from "./reference-model.ts";

/** Grants quota by hand, and repeats the request with the same idempotency key. */
export const grant = command(
  "grant",
  fc.record({
    who: slot,
    quota: fc.integer({ min: 0, max: 400 }),
    times: fc.integer({ min: 1, max: 3 }),
  }),
  async (model, gateway, { who, quota, times }) => {
    const user = pickUser(model, who);
    const { gateway: runGateway } = gateway;
    const key = `grant-${runGateway.now()}-${user.id}`;
    const replies = await Promise.all(
      Array.from({ length: times }, () =>
        runGateway.askOnce(
          runGateway.rootAccess,
          "/api/topup",
          { user_id: user.id, quota, remark: "model" },
          key,
        ),
      ),
    );
    for (const reply of replies) assert.equal(reply.body.success, true, reply.text);
    credit(user, quota);
    await gateway.compare(user);
  },
);

export const setQuota = command(
  "set quota",
  fc.record({ who: slot, quota: fc.integer({ min: 0, max: 600 }), isRelative: fc.boolean() }),
  async (model, gateway, { who, quota, isRelative }) => {
    const user = pickUser(model, who);
    const read = isRelative ? { quota_read: user.balance } : {};
    await gateway.gateway.root("PUT", "/api/user/", { id: user.id, quota, ...read });
    credit(user, quota - user.balance);
    await gateway.compare(user);
  },
);

/** Root waives what a user owes; without a debt the request is refused. */
export const waiveDebt = command(
  "waive debt",
  fc.record({ who: slot }),
  async (model, gateway, { who }) => {
    const user = pickUser(model, who);
    const { rootAccess } = gateway.gateway;
    const { body } = await gateway.gateway.ask(
      rootAccess,
      "POST",
      `/api/user/${user.id}/waive_debt`,
    );
    assert.equal(body.success, user.debt > 0, JSON.stringify(body));
    user.debt = 0;
    await gateway.compare(user);
  },
);

/** A user moves quota to another one, sent several times with one key. */
export const transfer = command(
  "transfer",
  fc.record({
    who: slot,
    to: slot,
    amount: fc.integer({ min: 1, max: 300 }),
    times: fc.integer({ min: 1, max: 3 }),
  }),
  async (model, gateway, { who, to, amount, times }) => {
    const { gateway: runGateway } = gateway;
    const [sender, recipient] = [pickUser(model, who), pickUser(model, to)];
    if (sender === recipient || !sender.isEnabled || !recipient.isEnabled) return;
    const body = { username: recipient.username, amount, current_password: userPassword };
    const key = `transfer-${runGateway.now()}-${sender.id}-${amount}`;
    const replies = await Promise.all(
      Array.from({ length: times }, () =>
        runGateway.askOnce(sender.access, "/api/user/transfer", body, key),
      ),
    );
    const isCovered = sender.debt === 0 && sender.balance >= amount;
    for (const reply of replies) assert.equal(reply.body.success, isCovered, reply.text);
    if (isCovered) {
      sender.balance -= amount;
      credit(recipient, amount);
    }
    for (const user of [sender, recipient]) await gateway.compare(user);
  },
);

export const makeCodes = command(
  "make codes",
  fc.record({ quota: fc.integer({ min: 0, max: 200 }), count: fc.integer({ min: 1, max: 4 }) }),
  async (model, { gateway: runGateway }, { quota, count }) => {
    const keys = await runGateway.root<string[]>("POST", "/api/redemption/", {
      name: "model",
      quota,
      count,
    });
    assert.equal(new Set(keys).size, count);
    const newest = await runGateway.rows<{ id: number }>(
      `select id from redemptions order by id desc limit ${count}`,
    );
    const found = await Promise.all(
      newest.map(({ id }) =>
        runGateway.root<{ id: number; key: string }>("GET", `/api/redemption/${id}`),
      ),
    );
    for (const { id, key } of found)
      if (keys.includes(key)) model.codes.push({ id, key, quota, state: "unused" });
  },
);

export const spoilCode = command(
  "spoil code",
  fc.record({ at: slot, how: fc.constantFrom("disable", "enable", "delete", "reprice") }),
  async (model, { gateway: runGateway }, { at, how }) => {
    const code = pick(model.codes, at);
    if (!code) return;
    const change = (): Promise<TestReply> => {
      if (how === "delete")
        return runGateway.ask(runGateway.rootAccess, "DELETE", `/api/redemption/${code.id}`);
      if (how === "reprice")
        return runGateway.ask(runGateway.rootAccess, "PUT", "/api/redemption/", {
          id: code.id,
          quota: code.quota + 7,
        });
      const status = how === "disable" ? 2 : 1;
      return runGateway.ask(runGateway.rootAccess, "PUT", "/api/redemption/?status_only=1", {
        id: code.id,
        status,
      });
    };
    const { body } = await change();
    if (code.state === "deleted") return assert.equal(body.success, false);
    if (how === "delete") {
      assert.equal(body.success, true);
      code.state = "deleted";
      return;
    }
    // A used code is final.
    if (code.state === "used") return assert.equal(body.success, false);
    assert.equal(body.success, true, JSON.stringify(body));
    if (how === "reprice") code.quota += 7;
    else code.state = how === "disable" ? "disabled" : "unused";
  },
);

/** Several users redeem one code at once; a repetition with the same key gets the same reply. */
export const redeem = command(
  "redeem",
  fc.record({
    at: slot,
    racers: fc.array(slot, { minLength: 1, maxLength: 3 }),
    isRepeated: fc.boolean(),
  }),
  async (model, gateway, { at, racers, isRepeated }) => {
    const { gateway: runGateway } = gateway;
    const code: ModelCode | undefined = pick(model.codes, at);
    if (!code) return;
    const users = [...new Set(racers.map((who) => pickUser(model, who)))];
    const tries = users.flatMap((user) => (isRepeated ? [user, user] : [user]));
    const replies = await Promise.all(
      tries.map(async (user) => {
        const key = `redeem-${code.id}-${user.id}-${runGateway.now()}`;
        const { status, body } = await runGateway.askOnce(
          user.access,
          "/api/user/topup",
          { key: code.key },
          key,
        );
        if (status === 429)
          assert.ok(user.refusedCodes >= 4, "asked to wait without having failed before");
        if (!body.success) user.refusedCodes += 1;
        return { person: user, isPaid: body.success === true };
      }),
    );
    const winners = [
      ...new Set(replies.filter(({ isPaid }) => isPaid).map(({ person: user }) => user)),
    ];
    assert.ok(winners.length <= 1, "a code paid two people");
    const [winner] = winners;
    if (winner) {
      assert.equal(code.state, "unused");
      code.state = "used";
      credit(winner, code.quota);
    } else if (code.state === "unused")
      assert.ok(
        users.every((user) => !user.isEnabled || user.refusedCodes >= 5),
        "no account was paid",
      );
    for (const user of users) await gateway.compare(user);
  },
);
