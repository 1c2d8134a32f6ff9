/** The user a management call acts for, as the database holds it at the moment of the call. */

import type { Scope } from "@tollgate/contract/accounts/scopes.ts";
import type { AddressBlock } from "@tollgate/contract/api/cidr.ts";
import type { AuditAction } from "@tollgate/contract/site/audit-actions.ts";
import type { Write } from "../storage/database.ts";
import type { ProxyUser } from "./trusted-header.ts";

export interface ManagementKeyCredential {
  kind: "management_key";
  id: number;
  name: string;
  scopes: readonly Scope[];
  /** Empty allows every address. */
  subnet: readonly AddressBlock[];
  /** The one team that it reaches; without one, what its maker reaches. */
  teamId: number | undefined;
}

export interface Principal {
  id: number;
  uuid: string;
  username: string;
  role: number;
  /**
   * An auditor: an administrator in what only reads, and a user in every change
   * (`http/read-only-account.ts`).
   */
  isReadOnly: boolean;
  group: string;
  mustChangePassword: boolean;
  /** The operator demands a second factor of this role, and this session was opened without one. */
  mustAddSecondFactor: boolean;
  /**
   * `credential` says how the call authenticated. Browsers attach a cookie to any request; an
   * access token is only sent on purpose. A management key has a part of the user's rights.
   */
  credential:
    | { kind: "cookie"; sessionHash: string; authenticatedAt: number }
    | { kind: "access_token" }
    | ManagementKeyCredential;
}

/** `RequestContext` is what a route knows about the request besides its parameters and body. */
export interface RequestContext {
  requestId: string;
  /** The client's address, behind trusted proxies. */
  address: string;
  userAgent: string;
  /** Milliseconds since 1970, read once per request. */
  now: number;
  idempotencyKey: string | undefined;
  /**
   * `comparedBy` is what a repetition is compared by, in place of the body: the request of another
   * gateway that this call answers.
   */
  comparedBy?: string | undefined;
  /** `captchaToken` is what a captcha service gave the browser, unchecked. */
  captchaToken: string | undefined;
  headers: Headers;
  /**
   * The user whom a trusted proxy names, whether or not one of this gateway belongs to that name.
   */
  proxyUser: ProxyUser | undefined;
  /** Headers of the reply, `Set-Cookie` among them. */
  responseHeaders: Headers;
  /** Undefined when the request carries no valid session or access token. */
  principal: Principal | undefined;
  /**
   * Statements that record a change in the audit trail, with the time and address of this request.
   * They belong in the batch of the change. The actor is the principal unless `actorId` names
   * another user, or `noActor`.
   */
  audit(
    action: AuditAction,
    target: string,
    change?: Record<string, unknown>,
    actorId?: number,
  ): Write[];
}

/** The context of a call that only a signed-in user may make. */
export interface AuthenticatedContext extends RequestContext {
  principal: Principal;
}

/**
 * Demands the password or a code of the second factor, unless the user has just signed in. Throws
 * the refusal.
 */
export type ProveIdentity = (
  call: AuthenticatedContext,
  proof: { current_password?: string | undefined; totp_code?: string | undefined },
) => Promise<void>;

/** The actor of a change that no signed-in user made, such as a registration. */
export const noActor = 0;

/**
 * `proxyUser` is whom a trusted proxy names in the same request: a sign-in that the proxy made
 * lasts only as long.
 */
export type Identify = (
  headers: Headers,
  now: number,
  proxyUser?: ProxyUser | undefined,
) => Promise<Principal | undefined>;

/**
 * The stored hash of the session that the call uses; empty for a call with an access token or a
 * key.
 */
export const hashSession = ({ credential }: Principal): string =>
  credential.kind === "cookie" ? credential.sessionHash : "";
