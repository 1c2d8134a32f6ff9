/** Operations on channels besides reading and changing them. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { byId } from "../api/ids.ts";
import { unixMillis } from "../api/scalars.ts";
import { channel } from "./channels.ts";

const balance = {
  access: "admin",
  scope: "channels:write",
  summary: "Fetch the balance of one channel from its provider",
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
  scope: "channels:write",
  summary: "Copy a channel with its key; the copy is disabled",
  params: byId,
  data: z.object({ id: z.int(), uuid: z.string(), name: z.string() }),
});

export const updateChannelKey = endpoint("PUT", "/api/channel/:id/key", {
  access: "admin",
  scope: "channels:write",
  summary: "Enable or disable one key of a channel that has several",
  params: byId,
  body: z.object({
    place: z.int().check(z.minimum(1)),
    status: z.int().check(z.minimum(1), z.maximum(2)),
    /**
     * The version of the channel that `place` refers to; refused when it is older than the stored
     * one.
     */
    updated_at: z.optional(unixMillis),
  }),
  data: channel,
});

export const deleteDisabledChannels = endpoint("DELETE", "/api/channel/disabled", {
  access: "admin",
  scope: "channels:write",
  summary: "Delete every manually disabled channel; returns their number",
  data: z.int(),
});
