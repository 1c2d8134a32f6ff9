/**
 * A channel of no row, for questions before it is made, and for the other gateway of a dual run.
 */
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { noProxyColumns } from "../../catalogue/channels/channel-proxy.ts";
import { buildCreatedChannel } from "../../catalogue/channels/channel-rules.ts";
import type { ProviderDraft } from "../../catalogue/channels/check-provider.ts";
import { type RelayChannel, relayChannel } from "./channel-table.ts";

export function buildDraftChannel({ type, base_url, key }: ProviderDraft): RelayChannel {
  const { columns } = buildCreatedChannel({ name: "draft", type, key, base_url });
  const unsaved = {
    id: 0,
    uuid: "",
    key_sealed: "",
    key_hint: "",
    headers_sealed: "",
    ...noProxyColumns,
    balance_micros: null,
    balance_updated_at: 0,
    managed_by: "",
  };
  const times = { response_time: 0, tested_at: 0, used_quota: 0, created_at: 0, updated_at: 0 };
  return relayChannel({ ...columns, ...unsaved, ...times }, [
    { index: 0, key, hint: "", status: channelStatus.enabled },
  ]);
}
