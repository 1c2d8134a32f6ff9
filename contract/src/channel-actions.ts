/** What is done with channels besides reading and changing them. */
import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { byId } from "./ids.ts";

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

export const deleteDisabledChannels = endpoint("DELETE", "/api/channel/disabled", {
  access: "admin",
  summary: "Delete every channel that was disabled by hand; answers how many",
  data: z.int(),
});
