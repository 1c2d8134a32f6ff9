// Events while a response is streaming, including a kill of the gateway.
import assert from "node:assert/strict";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { contentEvents } from "@tollgate/tests/relay/raw-clients.ts";
import fc from "fast-check";
import {
  billingIdOf,
  command,
  expectCharge,
  pickToken,
  pickUser,
  refusedStatuses,
  setEnabled,
  slot,
} from "./model-command.ts";
import { type ModelGateway, wordsMax } from "./model-gateway.ts";
import { clear, minute } from "./operator-commands.ts";
import {
  credit,
  holdFor,
  interruptedCharge,
  isServed,
  type ModelToken,
  type ModelUser,
  pay,
} from "./reference-model.ts";

interface StalledStream {
  user: ModelUser;
  token: ModelToken;
  billingId: number;
  charge: number;
  disconnect(): Promise<void>;
}

/** A stream that has sent all its words and stays silent; undefined when the call was refused. */
async function startStalledStream(
  gateway: ModelGateway,
  user: ModelUser,
  at: number,
): Promise<StalledStream | undefined> {
  const token = await pickToken(gateway, user, at);
  const price = gateway.price("stalled");
  const ratio = gateway.groupRatio();
  const max_tokens = 12;
  const leaving = new AbortController();
  const served = isServed(user, token, holdFor(price, ratio, max_tokens));
  const response = await gateway.gateway.call(
    token.key,
    { model: "stalled", max_tokens, stream: true },
    leaving.signal,
  );
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
    user,
    token,
    billingId: billingIdOf(response.headers),
    charge: interruptedCharge(price, ratio, wordsMax),
    async disconnect() {
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

/** Changes during a response do not affect it: it is charged at its initial price. */
export const during = command(
  "while a stream runs",
  fc.record({ who: slot, at: slot, what: fc.constantFrom(...interruptions) }),
  async (model, gateway, { who, at, what }) => {
    const { gateway: runGateway } = gateway;
    const person = pickUser(model, who);
    const opened = await startStalledStream(gateway, person, at);
    if (!opened) return gateway.compare(person);
    const { token, billingId, charge } = opened;
    switch (what) {
      case "token deleted":
        await runGateway.api(person.access, "DELETE", `/api/token/${token.id}`);
        person.tokens = person.tokens.filter((one) => one !== token);
        break;
      case "token disabled":
        await runGateway.api(person.access, "PUT", "/api/token/?status_only=1", {
          id: token.id,
          status: 2,
        });
        token.isEnabled = false;
        break;
      case "person disabled":
        await setEnabled(gateway, person, false);
        break;
      case "person deleted":
        await runGateway.root("DELETE", `/api/user/${person.id}`);
        break;
      case "channel deleted":
        await gateway.replaceChannel("stalled");
        break;
      case "price":
        await gateway.setPrice("stalled", { ratio: 3, completionRatio: 2 });
        break;
      case "group ratio":
        await gateway.setGroupRatio(2);
        break;
      case "log cleared":
        await clear(gateway);
        break;
      case "grant":
        await runGateway.root("POST", "/api/topup", { user_id: person.id, quota: 11 });
        credit(person, 11);
        break;
      case "too much taken back": {
        const { body } = await runGateway.ask(runGateway.rootAccess, "PUT", "/api/user/", {
          id: person.id,
          quota: 0,
        });
        assert.equal(body.code, "quota_set_aside");
        break;
      }
    }
    await opened.disconnect();
    await expectCharge(gateway, billingId, charge);
    pay(person, token, charge);
    await gateway.compare(person);
    if (what === "person deleted") {
      gateway.removeFromPool(person);
      model.users = model.users
        .map((one) => (one === person ? undefined : one))
        .filter((one) => one !== undefined);
      model.users.push(await gateway.addUser());
    }
  },
);

/** Longer than a lease, so that the next start recognises the holds of the killed process. */
export const afterLease = 2 * minute;

/** The gateway is killed while streams run: each is charged its recorded progress, or nothing. */
export const crash = command(
  "crash",
  fc.array(slot, { maxLength: 4 }),
  async (model, gateway, slots) => {
    const { gateway: runGateway } = gateway;
    const opened: StalledStream[] = [];
    const held = holdFor(gateway.price("stalled"), gateway.groupRatio(), 12);
    /** The next stream must not be admitted on the holds of the others. */
    const setAside = ({ user, token }: StalledStream, amount: number) => {
      user.balance -= amount;
      if (user.budget) user.budget.spent += amount;
      if (!token.isUnlimited) token.remain -= amount;
      if (token.budget) token.budget.spent += amount;
    };
    for (const at of slots) {
      const stream = await startStalledStream(gateway, pickUser(model, at), at);
      if (!stream) continue;
      opened.push(stream);
      setAside(stream, held);
    }
    await runGateway.kill();
    for (const stream of opened) setAside(stream, -held);
    await runGateway.moveClock(afterLease);
    await runGateway.boot();
    await Promise.all(opened.map((stream) => stream.disconnect()));
    await eventually(
      async () => {
        const [row] = await runGateway.rows<{ open: number }>(
          "select count(*) as open from reservations",
        );
        assert.equal(Number(row?.open), 0);
      },
      { timeoutMs: 60_000 },
    );
    for (const { user, token, billingId, charge } of opened) {
      const charged = await gateway.chargedFor(billingId);
      assert.ok(
        charged === 0 || charged === charge,
        `an interrupted call was charged ${charged}, not 0 or ${charge}`,
      );
      if (charged > 0) pay(user, token, charged);
    }
    for (const person of model.users) await gateway.compare(person);
  },
);
