import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { OidcFinding } from "./oidc-findings.ts";

type FindingWords = { title: MessageDescriptor; remedy: MessageDescriptor };

const clockRemedy = msg`Sign-ins fail beyond 30 seconds: set this server's clock by NTP.`;
const unreachable: FindingWords = {
  title: msg`The provider's document could not be read`,
  remedy: msg`Look for a typing error in the issuer, and whether this server reaches it: the document is at the issuer followed by /.well-known/openid-configuration.`,
};

/** `buildFindingWords` tells a finding and its remedy. */
export function buildFindingWords(finding: OidcFinding): FindingWords {
  switch (finding.code) {
    case "address":
      return {
        title: msg`The gateway may not call this address`,
        remedy: msg`Use https. A provider in your own network must be named in IDENTITY_PRIVATE_HOSTS, by host and port, before the gateway starts.`,
      };
    case "issuer":
      return {
        title: msg`The provider calls itself by another name`,
        remedy: msg`Enter the name below as the issuer, exactly, with or without a slash at its end.`,
      };
    case "endpoints":
      return {
        title: msg`The provider's document lacks an endpoint`,
        remedy: msg`The gateway needs the authorization code flow with ID tokens. A server for OAuth alone does not serve it.`,
      };
    case "client":
      return {
        title: msg`The provider does not know this client, or its secret is wrong`,
        remedy: msg`Copy client ID and secret from the provider once more. The secret may have expired there.`,
      };
    case "works":
      return {
        title: msg`The provider answers, and knows the client`,
        remedy: msg`Register the callback address there, switch the provider on, and sign in with it in another browser.`,
      };
    case "pkce":
      return {
        title: msg`The provider does not announce PKCE`,
        remedy: msg`The gateway uses it anyway; most providers accept it without announcing it.`,
      };
    case "clock_ahead": {
      const { seconds } = finding;
      return {
        title: msg`The provider's clock is ${seconds} seconds ahead of this server's`,
        remedy: clockRemedy,
      };
    }
    case "clock_behind": {
      const { seconds } = finding;
      return {
        title: msg`The provider's clock is ${seconds} seconds behind this server's`,
        remedy: clockRemedy,
      };
    }
    case "scopes": {
      const { names } = finding;
      return {
        title: msg`The provider does not list these scopes: ${names}`,
        remedy: msg`It may refuse the sign-in or leave out their claims, which rules would then never match.`,
      };
    }
    case "unasked": {
      const { names } = finding;
      return {
        title: msg`Rules look at claims whose scopes are not asked for: ${names}`,
        remedy: msg`Add them to the scopes: many providers send such a claim for its scope alone, and the rules never match without it.`,
      };
    }
    default:
      // Also for problems of a newer server; its detail is shown in any case.
      return unreachable;
  }
}

/**
 * `presetHints` tell, by the preset's short name, the claims that rules can look at, and the set-up
 * that they need at the provider.
 */
export const presetHints: Readonly<Record<string, MessageDescriptor>> = {
  google: msg`Any Google account may sign in. To admit only your organisation, add a rule for the claim hd with your domain, and admit only people who match a rule. Google sends no groups.`,
  entra: msg`The tenant is the directory ID of the app registration, not the word common. Use application roles, which arrive in the claim roles: groups are left out for people in more than 200 of them.`,
  okta: msg`Groups arrive in the claim groups if the application has a groups claim filter.`,
  keycloak: msg`Realm roles arrive in the claim realm_access.roles if the mapper of the client scope roles adds them to the ID token. Older versions have /auth before /realms.`,
  authentik: msg`The slash at the end of the issuer belongs to it. Groups arrive in the claim groups with the scope profile.`,
  feishu: msg`Of an application of the integration platform AnyCross: the issuer is its service discovery address without /.well-known/openid-configuration.`,
};
