/** Background jobs over many channels. One job of each kind runs at a time. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { byId } from "../api/ids.ts";
import { unixMillis } from "../api/scalars.ts";

export const channelJob = z.object({
  id: z.int(),
  kind: z.enum(["test", "balance"]),
  /** `interrupted`: the process that ran the job has ended. */
  state: z.enum(["running", "done", "cancelled", "interrupted"]),
  total: z.int(),
  done: z.int(),
  failed: z.int(),
  /** Empty for scheduled jobs. */
  started_by: z.string(),
  started_at: unixMillis,
  ended_at: z.nullable(unixMillis),
  /** Failures come first; a long list is cut. */
  results: z.array(
    z.object({
      channel_id: z.int(),
      channel_uuid: z.string(),
      channel_name: z.string(),
      /** `skipped`: the job does not apply to this channel. */
      outcome: z.enum(["passed", "failed", "skipped"]),
      message: z.string(),
    }),
  ),
});
export type ChannelJob = z.output<typeof channelJob>;

export const listChannelJobs = endpoint("GET", "/api/channel/jobs", {
  access: "admin",
  scope: "channels:read",
  summary: "The latest background job of each kind",
  data: z.array(channelJob),
});

export const cancelChannelJob = endpoint("POST", "/api/channel/jobs/:id/cancel", {
  access: "admin",
  scope: "channels:write",
  summary: "Cancel a background job; its results stay",
  params: byId,
  data: channelJob,
});

const testAll = {
  access: "admin",
  scope: "channels:write",
  summary: "Test all channels, or those that are enabled or disabled, in the background",
  query: z.object({ scope: z.optional(z.enum(["all", "enabled", "disabled"])) }),
  data: channelJob,
} as const;
export const testChannelsByGet = endpoint("GET", "/api/channel/test", {
  ...testAll,
  proof: "same-origin",
});
export const testChannels = endpoint("POST", "/api/channel/test", testAll);

const updateAll = {
  access: "admin",
  scope: "channels:write",
  summary: "Fetch the balance of every channel that has one, in the background",
  data: channelJob,
} as const;
export const updateBalancesByGet = endpoint("GET", "/api/channel/update_balance", {
  ...updateAll,
  proof: "same-origin",
});
export const updateBalances = endpoint("POST", "/api/channel/update_balance", updateAll);
