// What happens while an answer is on its way, up to the death of the gateway.
import assert from "node:assert/strict";
import fc from "fast-check";
import { eventually } from "../../harness/poll.ts";
import { contentEvents } from "../../relay/callers.ts";
import {
  billingIdOf,
  command,
  expectCharge,
  refusedStatuses,
  setEnabled,
  slot,
  someone,
  someToken,
} from "./command.ts";
import { brokenCharge, holdFor, isServed, type PlainPerson, type PlainToken, pay } from "./plain-model.ts";
import { clear, minute } from "./site-commands.ts";
import { type Stage, wordsMax } from "./stage.ts";

interface Opened {
  person: PlainPerson;
  token: PlainToken;
  billingId: number;
  charge: number;
  leave(): Promise<void>;
}

/** A stream that has said all its words and goes on no further; undefined when it was refused. */
async function openStalled(stage: Stage, person: PlainPerson, at: number): Promise<Opened | undefined> {
  const token = await someToken(stage, person, at);
  const price = stage.price("stalled");
  const ratio = stage.groupRatio();
  const max_tokens = 12;
  const leaving = new AbortController();
  const served = isServed(person, token, holdFor(price, ratio, max_tokens));
  const response = await stage.site.call(token.key, { model: "stalled", max_tokens, stream: true }, leaving.signal);
  if (!served) {
    assert.ok(refusedStatuses.includes(response.status), `served with ${response.status}`);
    await response.text();
    return undefined;
  }
  assert.equal(response.status, 200);
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let read = "";
  while (reader && contentEvents(read) < wordsMax) {
    const { done, value } = await reader.read();
    assert.equal(done, false, read);
    read += decoder.decode(value, { stream: true });
  }
  return {
    person,
    token,
    billingId: billingIdOf(response.headers),
    charge: brokenCharge(price, ratio, wordsMax),
    async leave() {
      leaving.abort();
      await reader?.closed.catch(() => undefined);
    },
  };
}

const interruptions = [
  "nothing",
  "token deleted",
  "token disabled",
  "person disabled",
  "person deleted",
  "channel deleted",
  "price",
  "group ratio",
  "log cleared",
  "grant",
  "too much taken back",
] as const;

/** What changes while an answer is on its way does not touch it: it is charged at the price that it began with. */
export const during = command(
  "while a stream runs",
  fc.record({ who: slot, at: slot, what: fc.constantFrom(...interruptions) }),
  async (model, stage, { who, at, what }) => {
    const { site } = stage;
    const person = someone(model, who);
    const opened = await openStalled(stage, person, at);
    if (!opened) return stage.compare(person);
    const { token, billingId, charge } = opened;
    switch (what) {
      case "token deleted":
        await site.api(person.access, "DELETE", `/api/token/${token.id}`);
        person.tokens = person.tokens.filter((one) => one !== token);
        break;
      case "token disabled":
        await site.api(person.access, "PUT", "/api/token/?status_only=1", { id: token.id, status: 2 });
        token.isEnabled = false;
        break;
      case "person disabled":
        await setEnabled(stage, person, false);
        break;
      case "person deleted":
        await site.root("DELETE", `/api/user/${person.id}`);
        break;
      case "channel deleted":
        await stage.replaceChannel("stalled");
        break;
      case "price":
        await stage.setPrice("stalled", { ratio: 3, completionRatio: 2 });
        break;
      case "group ratio":
        await stage.setGroupRatio(2);
        break;
      case "log cleared":
        await clear(stage);
        break;
      case "grant":
        await site.root("POST", "/api/topup", { user_id: person.id, quota: 11 });
        person.balance += 11;
        break;
      case "too much taken back": {
        const { body } = await site.ask(site.rootAccess, "PUT", "/api/user/", { id: person.id, quota: 0 });
        assert.equal(body.code, "quota_set_aside");
        break;
      }
    }
    await opened.leave();
    await expectCharge(stage, billingId, charge);
    pay(person, token, charge);
    await stage.compare(person);
    if (what === "person deleted") {
      stage.forget(person);
      model.people = model.people.map((one) => (one === person ? undefined : one)).filter((one) => one !== undefined);
      model.people.push(await stage.addPerson());
    }
  },
);

/** Longer than a lease, so that the next start takes what the dead one held for what it is. */
const afterLease = 2 * minute;

/** Killed while streams run: each of them is charged what was recorded of it, or nothing. */
export const crash = command("crash", fc.array(slot, { maxLength: 4 }), async (model, stage, slots) => {
  const { site } = stage;
  const opened: Opened[] = [];
  const held = holdFor(stage.price("stalled"), stage.groupRatio(), 12);
  /** The next one must not be admitted on what the others hold. */
  const setAside = ({ person, token }: Opened, amount: number) => {
    person.balance -= amount;
    if (!token.isUnlimited) token.remain -= amount;
  };
  for (const at of slots) {
    const stream = await openStalled(stage, someone(model, at), at);
    if (!stream) continue;
    opened.push(stream);
    setAside(stream, held);
  }
  await site.kill();
  for (const stream of opened) setAside(stream, -held);
  await site.moveClock(afterLease);
  await site.boot();
  await Promise.all(opened.map((stream) => stream.leave()));
  await eventually(
    async () => {
      const [row] = await site.rows<{ open: number }>("select count(*) as open from reservations");
      assert.equal(Number(row?.open), 0);
    },
    { timeoutMs: 60_000 },
  );
  for (const { person, token, billingId, charge } of opened) {
    const charged = await stage.chargedFor(billingId);
    assert.ok(charged === 0 || charged === charge, `an interrupted call was charged ${charged}, not 0 or ${charge}`);
    if (charged > 0) pay(person, token, charged);
  }
  for (const person of model.people) await stage.compare(person);
});
