// Calls that end, in different ways, and calls that never start.
import assert from "node:assert/strict";
import { readReply } from "@tollgate/tests/harness/api-session.ts";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import fc from "fast-check";
import {
  billingIdOf,
  command,
  pickToken,
  pickUser,
  refusedStatuses,
  slot,
} from "./model-command.ts";
import { type ModelChannelBehaviour, wordsMax } from "./model-gateway.ts";
import {
  coveredFor,
  holdFor,
  interruptedCharge,
  isServed,
  pay,
  wholeCharge,
} from "./reference-model.ts";

const maxTokens = fc.integer({ min: 1, max: 16 });
/** The number of words that the simulator sends by default. */
const wordsOfAnswer = 12;

/** `callOnce` is one call with the given provider behaviour. */
export const callOnce = command(
  "call",
  fc.record({
    who: slot,
    at: slot,
    behaviour: fc.constantFrom<ModelChannelBehaviour>(
      "whole",
      "whole",
      "retried",
      "failing",
      "cut",
    ),
    max_tokens: maxTokens,
    stream: fc.boolean(),
  }),
  async (model, gateway, { who, at, behaviour, max_tokens, stream }) => {
    const user = pickUser(model, who);
    const token = await pickToken(gateway, user, at);
    // A cut response without streaming counts as no response.
    const isStream = stream || behaviour === "cut";
    const price = gateway.price(behaviour);
    const ratio = gateway.groupRatio();
    const served = isServed(user, token, holdFor(price, ratio, max_tokens));
    const response = await gateway.gateway.call(token.key, {
      model: behaviour,
      max_tokens,
      stream: isStream,
    });
    const reply = await readReply(response);
    if (!served)
      assert.ok(
        refusedStatuses.includes(reply.status),
        `served with ${reply.status}: ${reply.text}`,
      );
    else if (behaviour === "failing") assert.ok(reply.status >= 500, reply.text);
    else {
      assert.equal(reply.status, 200, reply.text);
      const words = Math.min(wordsOfAnswer, max_tokens);
      // A short response has ended before the provider cuts it.
      const isBroken = behaviour === "cut" && words > wordsMax;
      const charge = isBroken
        ? interruptedCharge(price, ratio, wordsMax)
        : wholeCharge(price, ratio, words);
      const charged = await eventually(
        async () => {
          const found = await gateway.chargedFor(billingIdOf(reply.headers));
          assert.ok(found > 0);
          return found;
        },
        { timeoutMs: 15_000, everyMs: 2 },
      );
      if (behaviour === "cut" && words === wordsMax) {
        // All words arrived without the terminator: the provider decides how such a response ends.
        assert.ok([charge, interruptedCharge(price, ratio, wordsMax)].includes(charged));
        pay(user, token, charged);
      } else {
        assert.equal(charged, charge);
        pay(user, token, charge);
      }
    }
    await gateway.compare(user);
  },
);

/**
 * A provider that ignores the limit: the answer costs more than its hold, and what the balance
 * lacks is owed.
 */
export const costlyCall = command(
  "costly call",
  fc.record({ who: slot, at: slot, max_tokens: fc.integer({ min: 6, max: 11 }) }),
  async (model, gateway, { who, at, max_tokens }) => {
    const user = pickUser(model, who);
    const token = await pickToken(gateway, user, at);
    const price = gateway.price("costly");
    const ratio = gateway.groupRatio();
    const served = isServed(user, token, holdFor(price, ratio, max_tokens));
    const { status, text } = await readReply(
      await gateway.gateway.call(token.key, { model: "costly", max_tokens }),
    );
    if (served) {
      assert.equal(status, 200, text);
      pay(user, token, wholeCharge(price, ratio, wordsOfAnswer));
    } else assert.ok(refusedStatuses.includes(status), `served with ${status}: ${text}`);
    await gateway.compare(user);
  },
);

/** Refused before a provider is called, or no call at all: nothing is charged. */
export const freeCall = command(
  "free call",
  fc.record({
    who: slot,
    at: slot,
    kind: fc.constantFrom("no model", "no body", "bad key", "list", "channel test"),
  }),
  async (model, gateway, { who, at, kind }) => {
    const { gateway: runGateway } = gateway;
    const user = pickUser(model, who);
    const token = await pickToken(gateway, user, at);
    const send = (): Promise<Response> => {
      if (kind === "no model") return runGateway.call(token.key, { model: "nobody-has-this" });
      if (kind === "no body") return runGateway.world.send(token.key, "{");
      if (kind === "bad key") return runGateway.call(`${token.key}x`, { model: "whole" });
      return fetch(`${runGateway.world.url}/v1/models`, {
        headers: { authorization: `Bearer ${token.key}` },
      });
    };
    if (kind === "channel test") {
      const [channel] = await runGateway.rows<{ id: number }>(
        "select id from channels where models = 'whole' order by id",
      );
      await runGateway.root("POST", `/api/channel/test/${channel?.id}`);
    } else {
      const response = await send();
      await response.text();
      if (kind !== "list") assert.ok(response.status >= 400);
    }
    await gateway.compare(user);
  },
);

/** Many calls at once with little quota: exactly as many are served as the quota covers. */
export const parallelCalls = command(
  "race",
  fc.record({ who: slot, at: slot, calls: fc.integer({ min: 2, max: 8 }), max_tokens: maxTokens }),
  async (model, gateway, { who, at, calls, max_tokens }) => {
    const user = pickUser(model, who);
    const token = await pickToken(gateway, user, at);
    const price = gateway.price("whole");
    const hold = holdFor(price, gateway.groupRatio(), max_tokens);
    const charge = wholeCharge(price, gateway.groupRatio(), Math.min(wordsOfAnswer, max_tokens));
    const isOpen = user.isEnabled && token.isEnabled && user.debt === 0;
    const limit = coveredFor(user, token);
    const replies = await Promise.all(
      Array.from({ length: calls }, async () =>
        readReply(await gateway.gateway.call(token.key, { model: "whole", max_tokens })),
      ),
    );
    const served = replies.filter(({ status }) => status === 200).length;
    for (const { status, text } of replies)
      assert.ok(status === 200 || refusedStatuses.includes(status), `${status}: ${text}`);
    if (isOpen)
      assert.ok(served >= Math.min(calls, Math.floor(limit / hold)), `only ${served} were served`);
    else assert.equal(served, 0);
    for (let n = 0; n < served; n += 1) pay(user, token, charge);
    assert.ok(user.balance >= 0, "more was spent than there was");
    await gateway.compare(user);
  },
);

/** A client that disconnects before the first word pays nothing. */
export const disconnectEarly = command(
  "leave early",
  fc.record({ who: slot, at: slot }),
  async (model, gateway, { who, at }) => {
    const user = pickUser(model, who);
    const token = await pickToken(gateway, user, at);
    const disconnect = new AbortController();
    const requested = gateway.gateway
      .call(token.key, { model: "silent", max_tokens: 1 }, disconnect.signal)
      .then((response) => response.text())
      .catch(() => "left");
    const isHeld = async () => {
      const [row] = await gateway.gateway.rows<{ open: number }>(
        `select count(*) as open from reservations where user_id = ${user.id}`,
      );
      assert.ok(Number(row?.open) > 0);
    };
    const served = isServed(user, token, holdFor(gateway.price("silent"), gateway.groupRatio(), 1));
    if (served) await eventually(isHeld, { everyMs: 2 });
    disconnect.abort();
    await requested;
    await gateway.compare(user);
  },
);
