// Calls that reach their end, each in its way, and those that never begin.
import assert from "node:assert/strict";
import fc from "fast-check";
import { eventually } from "../../harness/poll.ts";
import { replyOf } from "../../world.ts";
import { billingIdOf, command, refusedStatuses, slot, someone, someToken } from "./command.ts";
import { brokenCharge, holdFor, isServed, pay, wholeCharge } from "./plain-model.ts";
import { type Behaviour, wordsMax } from "./stage.ts";

const maxTokens = fc.integer({ min: 1, max: 16 });
/** What the provider says unless it is told otherwise. */
const wordsOfAnswer = 12;

/** Calls that reach their end, each in its way. */
export const callOnce = command(
  "call",
  fc.record({
    who: slot,
    at: slot,
    behaviour: fc.constantFrom<Behaviour>("whole", "whole", "retried", "failing", "cut"),
    max_tokens: maxTokens,
    stream: fc.boolean(),
  }),
  async (model, stage, { who, at, behaviour, max_tokens, stream }) => {
    const person = someone(model, who);
    const token = await someToken(stage, person, at);
    // A whole answer that is cut is no answer at all.
    const isStream = stream || behaviour === "cut";
    const price = stage.price(behaviour);
    const ratio = stage.groupRatio();
    const served = isServed(person, token, holdFor(price, ratio, max_tokens));
    const response = await stage.site.call(token.key, { model: behaviour, max_tokens, stream: isStream });
    const reply = await replyOf(response);
    if (!served) assert.ok(refusedStatuses.includes(reply.status), `served with ${reply.status}: ${reply.text}`);
    else if (behaviour === "failing") assert.ok(reply.status >= 500, reply.text);
    else {
      assert.equal(reply.status, 200, reply.text);
      const words = Math.min(wordsOfAnswer, max_tokens);
      // A short answer has ended before the provider cuts it.
      const isBroken = behaviour === "cut" && words > wordsMax;
      const charge = isBroken ? brokenCharge(price, ratio, wordsMax) : wholeCharge(price, ratio, words);
      const charged = await eventually(
        async () => {
          const found = await stage.chargedFor(billingIdOf(reply.headers));
          assert.ok(found > 0);
          return found;
        },
        { timeoutMs: 15_000, everyMs: 2 },
      );
      if (behaviour === "cut" && words === wordsMax) {
        // All words came and the proper end did not: what the answer ended with is the provider's to say.
        assert.ok([charge, brokenCharge(price, ratio, wordsMax)].includes(charged));
        pay(person, token, charged);
      } else {
        assert.equal(charged, charge);
        pay(person, token, charge);
      }
    }
    await stage.compare(person);
  },
);

/** Refused before anything is asked of a provider, or no call at all: nothing is charged. */
export const freeCall = command(
  "free call",
  fc.record({ who: slot, at: slot, kind: fc.constantFrom("no model", "no body", "bad key", "list", "channel test") }),
  async (model, stage, { who, at, kind }) => {
    const { site } = stage;
    const person = someone(model, who);
    const token = await someToken(stage, person, at);
    const send = (): Promise<Response> => {
      if (kind === "no model") return site.call(token.key, { model: "nobody-has-this" });
      if (kind === "no body") return site.world.send(token.key, "{");
      if (kind === "bad key") return site.call(`${token.key}x`, { model: "whole" });
      return fetch(`${site.world.url}/v1/models`, { headers: { authorization: `Bearer ${token.key}` } });
    };
    if (kind === "channel test") {
      const [channel] = await site.rows<{ id: number }>("select id from channels where models = 'whole' order by id");
      await site.root("POST", `/api/channel/test/${channel?.id}`);
    } else {
      const response = await send();
      await response.text();
      if (kind !== "list") assert.ok(response.status >= 400);
    }
    await stage.compare(person);
  },
);

/** Many at once with little quota: no more than it covers is served, and never less than there is for. */
export const race = command(
  "race",
  fc.record({ who: slot, at: slot, calls: fc.integer({ min: 2, max: 8 }), max_tokens: maxTokens }),
  async (model, stage, { who, at, calls, max_tokens }) => {
    const person = someone(model, who);
    const token = await someToken(stage, person, at);
    const price = stage.price("whole");
    const hold = holdFor(price, stage.groupRatio(), max_tokens);
    const charge = wholeCharge(price, stage.groupRatio(), Math.min(wordsOfAnswer, max_tokens));
    const isOpen = person.isEnabled && token.isEnabled;
    const limit = Math.min(person.balance, token.isUnlimited ? Number.POSITIVE_INFINITY : token.remain);
    const replies = await Promise.all(
      Array.from({ length: calls }, async () =>
        replyOf(await stage.site.call(token.key, { model: "whole", max_tokens })),
      ),
    );
    const served = replies.filter(({ status }) => status === 200).length;
    for (const { status, text } of replies)
      assert.ok(status === 200 || refusedStatuses.includes(status), `${status}: ${text}`);
    if (isOpen) assert.ok(served >= Math.min(calls, Math.floor(limit / hold)), `only ${served} were served`);
    else assert.equal(served, 0);
    for (let n = 0; n < served; n += 1) pay(person, token, charge);
    assert.ok(person.balance >= 0, "more was spent than there was");
    await stage.compare(person);
  },
);

/** Whoever leaves before the first word pays nothing. */
export const leaveEarly = command(
  "leave early",
  fc.record({ who: slot, at: slot }),
  async (model, stage, { who, at }) => {
    const person = someone(model, who);
    const token = await someToken(stage, person, at);
    const leaving = new AbortController();
    const asked = stage.site
      .call(token.key, { model: "silent", max_tokens: 1 }, leaving.signal)
      .then((response) => response.text())
      .catch(() => "left");
    const isHeld = async () => {
      const [row] = await stage.site.rows<{ open: number }>(
        `select count(*) as open from reservations where user_id = ${person.id}`,
      );
      assert.ok(Number(row?.open) > 0);
    };
    const served = isServed(person, token, holdFor(stage.price("silent"), stage.groupRatio(), 1));
    if (served) await eventually(isHeld, { everyMs: 2 });
    leaving.abort();
    await asked;
    await stage.compare(person);
  },
);
