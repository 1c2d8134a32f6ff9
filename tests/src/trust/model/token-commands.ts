// Tokens that come, change and go.
import assert from "node:assert/strict";
import fc from "fast-check";
import { addToken, command, pick, slot, someone } from "./command.ts";

export const makeToken = command(
  "make token",
  fc.record({ who: slot, isUnlimited: fc.boolean(), remain: fc.integer({ min: 0, max: 300 }) }),
  async (model, stage, { who, ...fields }) => {
    const person = someone(model, who);
    if (person.isEnabled) await addToken(stage, person, fields);
    await stage.compare(person);
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
  async (model, stage, { who, at, change }) => {
    const { site } = stage;
    const person = someone(model, who);
    const token = pick(person.tokens, at);
    if (!token || !person.isEnabled) return;
    if ("remain" in change) {
      const read = change.isRelative ? { remain_quota_read: token.remain } : {};
      await site.api(person.access, "PUT", "/api/token/", { id: token.id, remain_quota: change.remain, ...read });
      token.remain = change.remain;
    } else if ("isUnlimited" in change) {
      const unlimited_quota = change.isUnlimited;
      await site.api(person.access, "PUT", "/api/token/", { id: token.id, unlimited_quota });
      token.isUnlimited = unlimited_quota;
    } else {
      const status = change.isEnabled ? 1 : 2;
      const { body } = await site.ask(person.access, "PUT", "/api/token/?status_only=1", { id: token.id, status });
      // One that is used up stays so until it has quota again.
      if (body.success) token.isEnabled = change.isEnabled;
      else assert.equal(body.code, "token_exhausted");
    }
    await stage.compare(person);
  },
);

export const removeToken = command(
  "delete token",
  fc.record({ who: slot, at: slot }),
  async (model, stage, { who, at }) => {
    const person = someone(model, who);
    const token = pick(person.tokens, at);
    if (!token || !person.isEnabled) return;
    await stage.site.api(person.access, "DELETE", `/api/token/${token.id}`);
    person.tokens = person.tokens.filter((one) => one !== token);
    await stage.compare(person);
  },
);
