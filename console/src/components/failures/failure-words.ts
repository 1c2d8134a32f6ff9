/**
 * Failures of providers in words, with what helps. The code stays beside them, in small, for a
 * search or a report.
 */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { buildFailureKind, type FailureKind } from "./failure-kinds.ts";

export type FailureWords = { what: MessageDescriptor; remedy: MessageDescriptor };

const words: Readonly<Record<FailureKind, FailureWords>> = {
  unknown_host: {
    what: msg`The address does not exist (DNS)`,
    remedy: msg`Check the spelling of the base URL, and that this server can resolve names.`,
  },
  connection_refused: {
    what: msg`No server accepts connections at this address`,
    remedy: msg`Check the port, and that the provider's server is running.`,
  },
  private_address: {
    what: msg`The gateway does not call addresses inside the network`,
    remedy: msg`Add the host to UPSTREAM_PRIVATE_HOSTS and restart the gateway, if the call is intended.`,
  },
  unreachable: {
    what: msg`The provider could not be reached in time`,
    remedy: msg`Check the address and the network of this server; a firewall may block the connection.`,
  },
  silent: {
    what: msg`The provider stopped answering`,
    remedy: msg`Try again; if it repeats, the model may be overloaded or too slow.`,
  },
  closed: {
    what: msg`The provider closed the connection`,
    remedy: msg`Try again; if it repeats, check that the address speaks https and not http.`,
  },
  certificate: {
    what: msg`The certificate of the address is not valid`,
    remedy: msg`Check the address: https needs a certificate for exactly this host.`,
  },
  key_refused: {
    what: msg`The provider refused the key (401)`,
    remedy: msg`Copy the key again from the provider's page, or make a new one there.`,
  },
  no_credit: {
    what: msg`The account at the provider has no credit (402)`,
    remedy: msg`Add credit at the provider.`,
  },
  forbidden: {
    what: msg`The key may not do this at the provider (403)`,
    remedy: msg`Check the rights of the key, the project and the region at the provider.`,
  },
  not_found: {
    what: msg`The provider knows no such address or model (404)`,
    remedy: msg`Check the base URL, without the path of an endpoint, and the name of the model.`,
  },
  rate_limited: {
    what: msg`The provider's rate limit or quota is reached (429)`,
    remedy: msg`Wait, or raise the limit at the provider.`,
  },
  provider_error: {
    what: msg`The provider failed (5xx)`,
    remedy: msg`Try again later; the provider's status page may say more.`,
  },
  redirect: {
    what: msg`The address leads elsewhere`,
    remedy: msg`Enter the address to which it redirects; redirects are not followed.`,
  },
  wrong_format: {
    what: msg`The reply does not look like this kind of provider`,
    remedy: msg`Check the chosen provider, and that the base URL belongs to the API and not to a web page.`,
  },
};

/** Undefined for a failure that already is a sentence. */
export function findFailureWords(text: string): FailureWords | undefined {
  const kind = buildFailureKind(text);
  return kind === undefined ? undefined : words[kind];
}
