/**
 * Addresses of carried channels that calls would be refused to, by the settings of this gateway.
 */
import { findUrlViolation, type PrivateHosts } from "../../../egress/address-policy.ts";
import {
  findProxyViolation,
  parseProxy,
  readProxyHostAndPort,
} from "../../../egress/proxy-address.ts";
import type { Loss, SourceChannel } from "../import-items.ts";

/** `ImportPrivateHosts` is which private hosts calls and proxies may reach. */
export interface ImportPrivateHosts {
  upstream: PrivateHosts;
  proxy: PrivateHosts;
}

type Named = Pick<Loss, "entity" | "sourceId" | "name">;

export function listRefusedAddresses(
  named: Named,
  { input, proxy }: Pick<SourceChannel, "input" | "proxy">,
  hosts: ImportPrivateHosts,
): Loss[] {
  const baseUrl = String(input.base_url ?? "");
  const refused: Loss[] = [];
  const url = baseUrl === "" ? undefined : findUrlViolation(baseUrl, hosts.upstream);
  if (url !== undefined) {
    const value = `${URL.parse(baseUrl)?.host ?? baseUrl} ${url}`;
    refused.push({ ...named, field: "base_url", reason: "address_refused", value });
  }
  const parsed = proxy === undefined ? undefined : parseProxy(proxy);
  const violation = parsed && findProxyViolation(parsed, hosts.proxy);
  if (parsed && violation !== undefined) {
    const value = `${readProxyHostAndPort(parsed)} ${violation}`;
    refused.push({ ...named, field: "proxy", reason: "address_refused", value });
  }
  return refused;
}
