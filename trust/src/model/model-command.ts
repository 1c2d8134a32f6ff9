// The parts that every command of the model shares.
import assert from "node:assert/strict";
import { findIdFromRequestId } from "@tollgate/gateway/storage/time-ids.ts";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import fc from "fast-check";
import type { ModelGateway } from "./model-gateway.ts";
import type { ModelToken, ModelUser, ReferenceModel } from "./reference-model.ts";

export type ModelCommand = fc.AsyncCommand<ReferenceModel, ModelGateway>;
type ModelAction<Given> = (
  model: ReferenceModel,
  gateway: ModelGateway,
  given: Given,
) => Promise<void>;

export const command =
  <Given>(name: string, given: fc.Arbitrary<Given>, act: ModelAction<Given>) =>
  (): fc.Arbitrary<ModelCommand> =>
    given.map((chosen) => ({
      check: () => true,
      run: (model, gateway) => {
        gateway.countCommand(name);
        return act(model, gateway, chosen);
      },
      toString: () => `${name} ${fc.stringify(chosen)}`,
    }));

/** An index for `pick`, which is larger than most lists. */
export const slot = fc.nat({ max: 20 });
export const pick = <Thing>(things: readonly Thing[], at: number): Thing | undefined =>
  things[at % things.length];

export const pickUser = (model: ReferenceModel, at: number): ModelUser => {
  const user = pick(model.users, at);
  if (!user) throw new Error("there is no user");
  return user;
};

/** A token of the user, or a new one without a limit. */
export async function pickToken(
  gateway: ModelGateway,
  user: ModelUser,
  at: number,
): Promise<ModelToken> {
  const token = pick(user.tokens, at);
  if (token) return token;
  // A disabled user cannot create a token, so the user is enabled first.
  if (!user.isEnabled) await setEnabled(gateway, user, true);
  return await addToken(gateway, user, { isUnlimited: true, remain: 0 });
}

export async function addToken(
  { gateway: runGateway }: ModelGateway,
  user: ModelUser,
  {
    isUnlimited,
    remain,
    isKept = false,
  }: { isUnlimited: boolean; remain: number; isKept?: boolean },
): Promise<ModelToken> {
  const limit = { unlimited_quota: isUnlimited, remain_quota: remain };
  const made = await runGateway.addToken(user.access, {
    ...limit,
    ...(isKept && { bodies: "full" }),
  });
  const token: ModelToken = { ...made, remain, isUnlimited, isEnabled: true, used: 0 };
  user.tokens.push({ ...token, id: made.id, key: made.key });
  return user.tokens.at(-1) ?? token;
}

export async function setEnabled(
  { gateway: runGateway }: ModelGateway,
  user: ModelUser,
  isEnabled: boolean,
): Promise<void> {
  await runGateway.root("PUT", "/api/user/?status_only=1", {
    id: user.id,
    status: isEnabled ? 1 : 2,
  });
  if (isEnabled && !user.isEnabled) user.access = await runGateway.newAccess(user.username);
  user.isEnabled = isEnabled;
}

export const billingIdOf = (headers: Headers): number => {
  const id = findIdFromRequestId(headers.get("x-oneapi-request-id") ?? "");
  assert.ok(id !== undefined, "a reply without a request id");
  return id;
};

export const refusedStatuses = [401, 403];

/** Waits for the settle, which may happen after the last byte. */
export const expectCharge = (gateway: ModelGateway, billingId: number, charge: number) =>
  eventually(async () => assert.equal(await gateway.chargedFor(billingId), charge), {
    timeoutMs: 15_000,
    everyMs: 2,
  });
