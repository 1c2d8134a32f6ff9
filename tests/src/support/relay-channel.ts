/**
 * A channel as the router knows it: enabled, in the default group, with one key at an
 * OpenAI-compatible address.
 */
import { noType } from "@tollgate/contract/catalogue/channel-types.ts";
import { openAi } from "@tollgate/gateway/relay/providers/standard-providers.ts";
import type { RelayChannel } from "@tollgate/gateway/relay/routing/channel-table.ts";

export const chatUrls = {
  chat_completions: new URL("https://upstream.example/v1/chat/completions"),
};

export const relayChannel = (id: number, changes: Partial<RelayChannel> = {}): RelayChannel => ({
  id,
  uuid: `uuid-${id}`,
  name: `channel ${id}`,
  type: 1,
  status: 1,
  disabledReason: "",
  priority: 0,
  weight: 0,
  ratelimit: 0,
  groups: new Set(["default"]),
  models: new Set(),
  modelPatterns: [],
  coveredModels: [],
  hiddenModels: new Set(),
  modelMapping: new Map(),
  configs: new Map(),
  systemPrompt: null,
  mayReportFalseUsage: false,
  proxy: undefined,
  provider: openAi,
  settings: { type: noType, base: "", config: {}, other: "", profiles: new Map() },
  urlsFor: () => chatUrls,
  key: "k",
  keyIndex: 0,
  keys: [{ index: 0, key: "k", hint: "", status: 1 }],
  ...changes,
});
