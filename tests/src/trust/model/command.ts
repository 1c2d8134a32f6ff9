// What every command of the model is made of.
import assert from "node:assert/strict";
import { idFromRequestId } from "@tollgate/gateway/storage/time-ids.ts";
import fc from "fast-check";
import { eventually } from "../../harness/poll.ts";
import type { PlainModel, PlainPerson, PlainToken } from "./plain-model.ts";
import type { Stage } from "./stage.ts";

export type Command = fc.AsyncCommand<PlainModel, Stage>;
type Act<Given> = (model: PlainModel, stage: Stage, given: Given) => Promise<void>;

export const command =
  <Given>(name: string, given: fc.Arbitrary<Given>, act: Act<Given>) =>
  (): fc.Arbitrary<Command> =>
    given.map((chosen) => ({
      check: () => true,
      run: (model, stage) => {
        stage.count(name);
        return act(model, stage, chosen);
      },
      toString: () => `${name} ${fc.stringify(chosen)}`,
    }));

/** Which of those that there are, by a number that is too large for most lists. */
export const slot = fc.nat({ max: 20 });
export const pick = <Thing>(things: readonly Thing[], at: number): Thing | undefined => things[at % things.length];

export const someone = (model: PlainModel, at: number): PlainPerson => {
  const person = pick(model.people, at);
  if (!person) throw new Error("nobody is there");
  return person;
};

/** Of the person, or a new one without a limit. */
export async function someToken(stage: Stage, person: PlainPerson, at: number): Promise<PlainToken> {
  const token = pick(person.tokens, at);
  if (token) return token;
  // Whoever is disabled makes none: for this moment they are not.
  if (!person.isEnabled) await setEnabled(stage, person, true);
  return await addToken(stage, person, { isUnlimited: true, remain: 0 });
}

export async function addToken(
  { site }: Stage,
  person: PlainPerson,
  { isUnlimited, remain }: { isUnlimited: boolean; remain: number },
): Promise<PlainToken> {
  const made = await site.addToken(person.access, { unlimited_quota: isUnlimited, remain_quota: remain });
  const token: PlainToken = { ...made, remain, isUnlimited, isEnabled: true, used: 0 };
  person.tokens.push({ ...token, id: made.id, key: made.key });
  return person.tokens.at(-1) ?? token;
}

export async function setEnabled({ site }: Stage, person: PlainPerson, isEnabled: boolean): Promise<void> {
  await site.root("PUT", "/api/user/?status_only=1", { id: person.id, status: isEnabled ? 1 : 2 });
  person.isEnabled = isEnabled;
}

export const billingIdOf = (headers: Headers): number => {
  const id = idFromRequestId(headers.get("x-oneapi-request-id") ?? "");
  assert.ok(id !== undefined, "a reply without a request id");
  return id;
};

export const refusedStatuses = [401, 403];

/** Waits for the settle, which may come after the last byte. */
export const expectCharge = (stage: Stage, billingId: number, charge: number) =>
  eventually(async () => assert.equal(await stage.chargedFor(billingId), charge), { timeoutMs: 15_000, everyMs: 2 });
