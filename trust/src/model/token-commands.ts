// Commands that create, change and delete tokens.
import assert from "node:assert/strict";
import fc from "fast-check";
import { addToken, command, pick, pickUser, slot } from "./model-command.ts";

export const makeToken = command(
  "make token",
  // What is kept of a call's contents must not touch its charge.
  fc.record({
    who: slot,
    isUnlimited: fc.boolean(),
    remain: fc.integer({ min: 0, max: 300 }),
    isKept: fc.boolean(),
  }),
  async (model, gateway, { who, ...fields }) => {
    const user = pickUser(model, who);
    if (user.isEnabled) await addToken(gateway, user, fields);
    await gateway.compare(user);
  },
);

export const editToken = command(
  "edit token",
  fc.record({
    who: slot,
    at: slot,
    change: fc.oneof(
      fc.record({ remain: fc.integer({ min: 0, max: 300 }), isRelative: fc.boolean() }),
      fc.record({ isUnlimited: fc.boolean() }),
      fc.record({ isEnabled: fc.boolean() }),
    ),
  }),
  async (model, gateway, { who, at, change }) => {
    const { gateway: runGateway } = gateway;
    const user = pickUser(model, who);
    const token = pick(user.tokens, at);
    if (!token || !user.isEnabled) return;
    if ("remain" in change) {
      const read = change.isRelative ? { remain_quota_read: token.remain } : {};
      await runGateway.api(user.access, "PUT", "/api/token/", {
        id: token.id,
        remain_quota: change.remain,
        ...read,
      });
      token.remain = change.remain;
    } else if ("isUnlimited" in change) {
      const unlimited_quota = change.isUnlimited;
      await runGateway.api(user.access, "PUT", "/api/token/", { id: token.id, unlimited_quota });
      token.isUnlimited = unlimited_quota;
    } else {
      const status = change.isEnabled ? 1 : 2;
      const { body } = await runGateway.ask(user.access, "PUT", "/api/token/?status_only=1", {
        id: token.id,
        status,
      });
      // An exhausted token stays exhausted until it has quota again.
      if (body.success) token.isEnabled = change.isEnabled;
      else assert.equal(body.code, "token_exhausted");
    }
    await gateway.compare(user);
  },
);

export const removeToken = command(
  "delete token",
  fc.record({ who: slot, at: slot }),
  async (model, gateway, { who, at }) => {
    const user = pickUser(model, who);
    const token = pick(user.tokens, at);
    if (!token || !user.isEnabled) return;
    await gateway.gateway.api(user.access, "DELETE", `/api/token/${token.id}`);
    user.tokens = user.tokens.filter((one) => one !== token);
    await gateway.compare(user);
  },
);
