/** The outbound proxy of one channel: sealed as a whole, because its address holds a password. */
import { EgressBlocked } from "../../egress/egress.ts";
import { type ProxyAddress, parseProxy, readProxyHostAndPort } from "../../egress/proxy-address.ts";
import { refuse } from "../../http/refusal.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { ChannelsTable } from "../../storage/tables/channel-tables.ts";

export type ProxyColumns = Pick<ChannelsTable, "proxy_sealed" | "proxy_hint">;
type SealedProxy = Pick<ChannelsTable, "uuid" | "proxy_sealed">;

export const noProxyColumns: ProxyColumns = { proxy_sealed: "", proxy_hint: "" };

const purpose = "channel-proxy";
const composeContext = (uuid: string) => `channels/proxy_sealed/${uuid}` as const;

/** Refuses a text that is no proxy; an empty one leads back to the proxy of the settings. */
export function buildProxyColumns(seal: Sealer, uuid: string, text: string): ProxyColumns {
  if (text === "") return noProxyColumns;
  const proxy = parseProxy(text);
  if (!proxy) {
    const message = "proxy must be http://, https:// or socks5://, then user:password@host:port";
    throw refuse("invalid_request", { message, fields: { proxy: message } });
  }
  return {
    proxy_sealed: seal.seal(purpose, composeContext(uuid), text),
    proxy_hint: `${proxy.protocol}://${readProxyHostAndPort(proxy)}`,
  };
}

/** Throws where it cannot be read: no call of the channel may go out without it. */
export function openProxy(seal: Sealer, row: SealedProxy): ProxyAddress | undefined {
  if (row.proxy_sealed === "") return undefined;
  const proxy = parseProxy(seal.open(purpose, composeContext(row.uuid), row.proxy_sealed));
  if (!proxy) throw new EgressBlocked("the outbound proxy of the channel cannot be read");
  return proxy;
}

/** A seal holds for one row alone. */
export const copyProxy = (seal: Sealer, row: SealedProxy, uuid: string): string =>
  row.proxy_sealed === ""
    ? ""
    : seal.seal(
        purpose,
        composeContext(uuid),
        seal.open(purpose, composeContext(row.uuid), row.proxy_sealed),
      );
