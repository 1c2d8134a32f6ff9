/** The outbound proxy as root has set it. */
import { EgressBlocked } from "../egress/egress.ts";
import { type ProxyAddress, parseProxy } from "../egress/proxy-address.ts";
import type { Sealer } from "../secrets/seal.ts";
import { type OptionReader, openSecret } from "./live-options.ts";

/**
 * Reads it anew only after a change. One that cannot be read blocks every call: none may go out
 * without it.
 */
export function findOutboundProxyReader(
  options: OptionReader,
  seal: Sealer,
): () => ProxyAddress | undefined {
  let readFrom = "";
  let proxy: ProxyAddress | undefined;
  return () => {
    const sealed = options.sealed("OutboundProxySecret");
    if (sealed === readFrom) return proxy;
    proxy = sealed === "" ? undefined : opened(options, seal);
    readFrom = sealed;
    return proxy;
  };
}

function opened(options: OptionReader, seal: Sealer): ProxyAddress {
  try {
    const proxy = parseProxy(openSecret(options, seal, "OutboundProxySecret"));
    if (proxy) return proxy;
  } catch {
    // The error of the seal would end up in the words of a call.
  }
  throw new EgressBlocked("the outbound proxy of the settings cannot be read");
}
