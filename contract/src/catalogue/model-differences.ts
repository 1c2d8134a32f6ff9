/**
 * The models that a channel's list lacks, and those that it has too much, by its provider's own
 * list. Nothing is changed.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { byId } from "../api/ids.ts";

export const modelDifference = z.object({
  id: z.int(),
  uuid: z.string(),
  name: z.string(),
  /** The channel's list as it was compared; an update of it names `updated_at`. */
  models: z.string(),
  updated_at: z.int(),
  /**
   * `compared`; `unsupported`: the type has no list to ask for; `failed`: the provider did not give
   * one, and `failure` says why. Only a compared channel has names in the two lists.
   */
  outcome: z.enum(["compared", "unsupported", "failed"]),
  failure: z.string(),
  /**
   * Offered by the provider and not on the channel, neither by name nor behind its model mapping.
   */
  added: z.array(z.string()),
  /**
   * `gone` are on the channel and no longer offered, after its model mapping. Empty where the
   * provider's list may go on.
   */
  gone: z.array(z.string()),
});
export type ModelDifference = z.output<typeof modelDifference>;

export const compareModels = endpoint("POST", "/api/channel/:id/compare_models", {
  access: "admin",
  scope: "channels:write",
  summary:
    "Ask the provider of a channel for its models and compare them with the channel's list, which stays as it is",
  params: byId,
  data: modelDifference,
  timeoutMs: 60_000,
});
