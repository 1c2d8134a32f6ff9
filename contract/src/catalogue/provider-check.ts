/**
 * The answer of a provider about an address and a key before a channel is made of them. Nothing is
 * stored.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { line } from "../api/scalars.ts";
import { channelInput } from "./channel-input.ts";

const offeredModel = z.object({
  name: z.string(),
  /** US dollars per million tokens, null for a model that the price book does not know. */
  input_price: z.nullable(z.number()),
  output_price: z.nullable(z.number()),
  /** `is_usual` is one of those that most clients ask for: proposed for a new channel. */
  is_usual: z.boolean(),
});
export type OfferedModel = z.output<typeof offeredModel>;

export const checkProvider = endpoint("POST", "/api/channel/check", {
  access: "admin",
  scope: "channels:write",
  summary: "Ask a provider for its models and send it one small question, without storing anything",
  body: z.object({
    type: channelInput.shape.type,
    base_url: channelInput.shape.base_url,
    /** `key` is one key. */
    key: line(10_000),
    /** The model to ask; without one the gateway chooses. */
    model: z.optional(line(200)),
  }),
  data: z.object({
    /** `address_issue` says why the gateway refuses to call the address; empty when it does not. */
    address_issue: z.string(),
    /**
     * `source` is where the names come from: the provider's own list, or the list of its type when
     * it offers none.
     */
    source: z.enum(["provider", "built-in"]),
    /**
     * `list_failure` says why the provider's list could not be read; empty when it was, or when the
     * type has none.
     */
    list_failure: z.string(),
    models: z.array(offeredModel),
    /**
     * Null when there was nothing to ask. `message` is the answer or the failure, at most 200
     * characters.
     */
    test: z.nullable(
      z.object({ ok: z.boolean(), message: z.string(), model: z.string(), elapsed_ms: z.int() }),
    ),
  }),
  timeoutMs: 150_000,
});
