// Quota that is given: by hand and by codes.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Reply } from "../../world.ts";
import { command, pick, slot, someone } from "./command.ts";
import type { PlainCode } from "./plain-model.ts";

/** Grants: by hand, and the same request again. */
export const grant = command(
  "grant",
  fc.record({ who: slot, quota: fc.integer({ min: 0, max: 400 }), times: fc.integer({ min: 1, max: 3 }) }),
  async (model, stage, { who, quota, times }) => {
    const person = someone(model, who);
    const { site } = stage;
    const key = `grant-${site.now()}-${person.id}`;
    const replies = await Promise.all(
      Array.from({ length: times }, () =>
        site.askOnce(site.rootAccess, "/api/topup", { user_id: person.id, quota, remark: "model" }, key),
      ),
    );
    for (const reply of replies) assert.equal(reply.body.success, true, reply.text);
    person.balance += quota;
    await stage.compare(person);
  },
);

export const setQuota = command(
  "set quota",
  fc.record({ who: slot, quota: fc.integer({ min: 0, max: 600 }), isRelative: fc.boolean() }),
  async (model, stage, { who, quota, isRelative }) => {
    const person = someone(model, who);
    const read = isRelative ? { quota_read: person.balance } : {};
    await stage.site.root("PUT", "/api/user/", { id: person.id, quota, ...read });
    person.balance = quota;
    await stage.compare(person);
  },
);

export const makeCodes = command(
  "make codes",
  fc.record({ quota: fc.integer({ min: 0, max: 200 }), count: fc.integer({ min: 1, max: 4 }) }),
  async (model, { site }, { quota, count }) => {
    const keys = await site.root<string[]>("POST", "/api/redemption/", { name: "model", quota, count });
    assert.equal(new Set(keys).size, count);
    const newest = await site.rows<{ id: number }>(`select id from redemptions order by id desc limit ${count}`);
    const found = await Promise.all(
      newest.map(({ id }) => site.root<{ id: number; key: string }>("GET", `/api/redemption/${id}`)),
    );
    for (const { id, key } of found) if (keys.includes(key)) model.codes.push({ id, key, quota, state: "unused" });
  },
);

export const spoilCode = command(
  "spoil code",
  fc.record({ at: slot, how: fc.constantFrom("disable", "enable", "delete", "reprice") }),
  async (model, { site }, { at, how }) => {
    const code = pick(model.codes, at);
    if (!code) return;
    const change = (): Promise<Reply> => {
      if (how === "delete") return site.ask(site.rootAccess, "DELETE", `/api/redemption/${code.id}`);
      if (how === "reprice")
        return site.ask(site.rootAccess, "PUT", "/api/redemption/", { id: code.id, quota: code.quota + 7 });
      const status = how === "disable" ? 2 : 1;
      return site.ask(site.rootAccess, "PUT", "/api/redemption/?status_only=1", { id: code.id, status });
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

/** One code, by several at once; a repetition with the same key is answered as the first. */
export const redeem = command(
  "redeem",
  fc.record({ at: slot, racers: fc.array(slot, { minLength: 1, maxLength: 3 }), isRepeated: fc.boolean() }),
  async (model, stage, { at, racers, isRepeated }) => {
    const { site } = stage;
    const code: PlainCode | undefined = pick(model.codes, at);
    if (!code) return;
    const people = [...new Set(racers.map((who) => someone(model, who)))];
    const tries = people.flatMap((person) => (isRepeated ? [person, person] : [person]));
    const replies = await Promise.all(
      tries.map(async (person) => {
        const key = `redeem-${code.id}-${person.id}-${site.now()}`;
        const { status, body } = await site.askOnce(person.access, "/api/user/topup", { key: code.key }, key);
        if (status === 429) assert.ok(person.refusedCodes >= 4, "asked to wait without having failed before");
        if (!body.success) person.refusedCodes += 1;
        return { person, isPaid: body.success === true };
      }),
    );
    const winners = [...new Set(replies.filter(({ isPaid }) => isPaid).map(({ person }) => person))];
    assert.ok(winners.length <= 1, "a code paid two people");
    const [winner] = winners;
    if (winner) {
      assert.equal(code.state, "unused");
      code.state = "used";
      winner.balance += code.quota;
    } else if (code.state === "unused")
      assert.ok(
        people.every((person) => !person.isEnabled || person.refusedCodes >= 5),
        "nobody was paid",
      );
    for (const person of people) await stage.compare(person);
  },
);
