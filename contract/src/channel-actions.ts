/** What is done with channels besides reading and changing them. */
import * as z from "zod/mini";
import { channel } from "./channels.ts";
import { endpoint } from "./endpoint.ts";
import { byId } from "./ids.ts";
import { unixMillis } from "./scalars.ts";

const balance = {
  access: "admin",
  summary: "Ask the provider for the balance of one channel",
  params: byId,
  extras: z.object({ balance: z.number() }),
  timeoutMs: 120_000,
} as const;
export const updateBalanceByGet = endpoint("GET", "/api/channel/update_balance/:id", {
  ...balance,
  proof: "same-origin",
});
export const updateBalance = endpoint("POST", "/api/channel/update_balance/:id", balance);

export const duplicateChannel = endpoint("POST", "/api/channel/:id/duplicate", {
  access: "admin",
  summary: "Copy a channel with its key; the copy is disabled",
  params: byId,
  data: z.object({ id: z.int(), uuid: z.string(), name: z.string() }),
});

export const updateChannelKey = endpoint("PUT", "/api/channel/:id/key", {
  access: "admin",
  summary: "Enable or disable one key of a channel that has several",
  params: byId,
  body: z.object({
    place: z.int().check(z.minimum(1)),
    status: z.int().check(z.minimum(1), z.maximum(2)),
    /** The version of the channel in which the key stood in this place; an older one than the stored is refused. */
    updated_at: z.optional(unixMillis),
  }),
  data: channel,
});

export const deleteDisabledChannels = endpoint("DELETE", "/api/channel/disabled", {
  access: "admin",
  summary: "Delete every channel that was disabled by hand; answers how many",
  data: z.int(),
});
