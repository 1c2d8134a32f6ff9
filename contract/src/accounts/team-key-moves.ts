/**
 * Keys that move into a team: their owner and an admin of the team agree to what it changes. Out
 * again they come by an administrator of the site.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { byId, entityId } from "../api/ids.ts";
import { unixMillis } from "../api/scalars.ts";

/** An offer that no admin has answered ends after seven days. */
export const keyOfferDays = 7;

/** `keyMove` is what becomes of a key that another wallet pays for. */
export const keyMove = z.object({
  token_id: z.int(),
  name: z.string(),
  /** The owner, whose key it stays. */
  username: z.string(),
  /** The group decides the price ratio and the channels. */
  group_from: z.string(),
  group_to: z.string(),
  /** Models of the key that the team does not allow; they are refused from then on. */
  models_lost: z.array(z.string()),
  /** The team allows these models alone, and the key named none. */
  models_to: z.array(z.string()),
  /** Groups that the key names and may no longer use. */
  groups_lost: z.array(z.string()),
  /** All groups that the key names are among them: its calls are refused. */
  loses_all_groups: z.boolean(),
  /** Contents of calls are kept no longer: a team keeps none. */
  ends_bodies: z.boolean(),
});
export type KeyMove = z.output<typeof keyMove>;

export const keyOffer = z.extend(keyMove, {
  created_at: unixMillis,
  expires_at: unixMillis,
  /** The team or the key has changed since: the owner has to offer it again. */
  is_stale: z.boolean(),
});
export type KeyOffer = z.output<typeof keyOffer>;

const tokenChoice = { token_id: entityId };

export const offerKeyToTeam = endpoint("POST", "/api/team/:id/offer_key", {
  access: "user",
  scope: "none",
  summary:
    "Offer an own key to a team, which then pays for it; an admin of the team moves it at once. A preview says what changes",
  params: byId,
  body: z.object({ ...tokenChoice, preview: z._default(z.boolean(), false) }),
  data: z.extend(keyMove, {
    /** The owner is an admin of the team and agrees for both. */
    is_moved: z.boolean(),
  }),
});

export const listKeyOffers = endpoint("GET", "/api/team/:id/key_offers", {
  access: "user",
  scope: "teams:read",
  inTeam: true,
  summary: "Keys that are offered to a team; a member sees the own ones",
  params: byId,
  data: z.array(keyOffer),
});

export const answerKeyOffer = endpoint("POST", "/api/team/:id/answer_key", {
  access: "user",
  scope: "none",
  summary: "Take a key that is offered to the team, or refuse it; its owner withdraws it so",
  params: byId,
  body: z.object({ ...tokenChoice, accept: z.boolean() }),
});

export const releaseTeamKey = endpoint("POST", "/api/team/:id/release_key", {
  access: "admin",
  scope: "none",
  summary: "Give the key of a member back: the owner pays for it from the next call on",
  params: byId,
  body: z.object({ ...tokenChoice, preview: z._default(z.boolean(), false) }),
  data: keyMove,
});
