/** Signing in a program for a person: a code, its answer, keys, and their end. */
import {
  type AgentToken,
  agentPaths,
  deviceGrant,
  findAgentName,
  refreshGrant,
  type WaitingDevice,
} from "@tollgate/contract/accounts/agent-sign-ins.ts";
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import { enforceLimit, enforceSharedLimit } from "../../../http/rate-limit.ts";
import { type Refusal, refuse } from "../../../http/refusal.ts";
import {
  type AuthenticatedContext,
  hashSession,
  type RequestContext,
} from "../../../http/request-context.ts";
import type { Counters } from "../../../limits/counters.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import { type Database, tryWrite } from "../../../storage/database.ts";
import type { TokenStore } from "../../tokens/token-store.ts";
import type { ProviderPeople } from "../oidc/provider-people.ts";
import type { SignInAlarm } from "../sessions/create-session.ts";
import { composeSessionId, hashSecret } from "../sessions/session-cookie.ts";
import { type SessionStore, sessionLifetimeMs } from "../sessions/session-store.ts";
import { type AgentKey, createAgentKeys } from "./agent-key.ts";
import {
  composeFirstSecret,
  composeUserCode,
  deriveNextSecret,
  deviceLifetimeMs,
  formatUserCode,
  hashFamily,
  hashUserCode,
  pollSeconds,
  refreshRepeatableMs,
} from "./agent-sign-in-rules.ts";
import type { AgentSignInStore, DeviceCode } from "./agent-sign-in-store.ts";

/** Codes that wait take a row each. */
const startsOfAll = { name: "device-start", limit: 2_000, windowMs: deviceLifetimeMs };
const startsPerSource = 30;
/** Nobody mistypes eight letters so often. */
const answerTries = { limit: 10, windowMs: deviceLifetimeMs };
/** A client's own clock and the way there vary. */
const pollSlackMs = 1_500;

export interface AgentSignInDeps {
  db: Database;
  store: AgentSignInStore;
  tokens: Pick<TokenStore, "insert" | "ofSession">;
  sessions: SessionStore;
  counters: Counters;
  seal: Sealer;
  isAway: ProviderPeople["isAway"];
  noteSignIn: SignInAlarm;
  publicUrl: string | undefined;
  /** Derives what renews a key next, on all nodes alike. */
  agentKey: Uint8Array;
}

/** The names of RFC 6749 and RFC 8628, by which programs go; the envelope stands beside them. */
const oauthErrors = {
  device_pending: "authorization_pending",
  device_slow_down: "slow_down",
  device_denied: "access_denied",
  device_expired: "expired_token",
  agent_grant_ended: "invalid_grant",
  agent_grant_unknown: "unsupported_grant_type",
} as const satisfies Partial<Record<ErrorCode, string>>;

function refuseProgram(code: keyof typeof oauthErrors): Refusal {
  const { message } = refuse(code);
  return refuse(code, { extras: { error: oauthErrors[code], error_description: message } });
}

export type AgentSignIn = ReturnType<typeof createSignInOfPrograms>;

export function createSignInOfPrograms(deps: AgentSignInDeps) {
  const { db, store, sessions, counters, isAway, noteSignIn, publicUrl } = deps;
  const keys = createAgentKeys(deps);

  /**
   * `originFor` gives the address that the program used, on a server that knows no address of its
   * own.
   */
  const originFor = ({ headers }: RequestContext): string =>
    publicUrl ?? `http://${headers.get("host") ?? "localhost"}`;

  /** Only a person in the console answers: a program with their rights would approve itself. */
  const requireSession = ({ principal }: AuthenticatedContext): string => {
    const session = hashSession(principal);
    if (session === "") throw refuse("device_needs_session");
    return session;
  };

  /**
   * Counts the try, and gives it back once the code was right. A program with the person's token
   * uses up none of their tries.
   */
  const tryCode = async <T>(
    call: AuthenticatedContext,
    act: (sessionHash: string) => Promise<T>,
  ): Promise<T> => {
    const sessionHash = requireSession(call);
    const window = { ...answerTries, name: `device-answer ${call.principal.id}` };
    await enforceLimit(counters, window);
    const result = await act(sessionHash);
    counters.refund(window);
    return result;
  };

  const view = (key: Omit<AgentKey, "writes">, refreshToken: string): AgentToken => ({
    access_token: key.key,
    token_type: "Bearer",
    expires_in: key.expiresIn,
    refresh_token: refreshToken,
  });

  /** `findWait` says why a code gives no key yet, or never. */
  async function findWait(
    code: DeviceCode | undefined,
    now: number,
  ): Promise<keyof typeof oauthErrors | undefined> {
    if (!code || code.expires_at <= now) return "device_expired";
    if (code.answer !== "") return code.answer === "denied" ? "device_denied" : undefined;
    const window = {
      name: `device-poll ${code.device_hash}`,
      limit: 1,
      windowMs: pollSeconds * 1000 - pollSlackMs,
    };
    return (await counters.take(window)).allowed ? "device_pending" : "device_slow_down";
  }

  async function exchange(deviceCode: string, call: RequestContext): Promise<AgentToken> {
    const { now } = call;
    const code = await store.byDevice(hashSecret(deviceCode));
    const wait = await findWait(code, now);
    if (wait || !code) throw refuseProgram(wait ?? "device_expired");
    const approval = await store.approval(code.session_hash ?? "");
    if (!approval || (await isAway(approval, now))) throw refuseProgram("device_expired");
    const refreshToken = composeFirstSecret();
    const session = { hash: hashFamily(refreshToken), expiresAt: now + sessionLifetimeMs };
    const { provider, provider_subject, provider_sid, second_factor, proved_at } = approval;
    const key = keys.make({ userId: approval.id, agent: code.agent }, session, now);
    const rejected = await tryWrite(
      db,
      [
        store.use(code.device_hash, now),
        store.keep({
          session_hash: session.hash,
          refresh_hash: hashSecret(refreshToken),
          earlier_hash: null,
          rotated_at: now,
        }),
        ...sessions.open(
          {
            id_hash: session.hash,
            user_id: approval.id,
            created_at: now,
            seen_at: now,
            expires_at: session.expiresAt,
            proved_at,
            address: code.address,
            user_agent: code.user_agent,
            provider,
            provider_subject,
            provider_sid,
            id_token_sealed: null,
            second_factor,
          },
          "program",
        ),
        ...key.writes,
        ...noteSignIn(approval, call),
      ],
      { changes: ["tokens", "budgets"] },
    );
    if (rejected) throw refuseProgram("device_expired");
    return view(key, refreshToken);
  }

  /** A session without a key is no program's: strangers name them, and change nothing. */
  const end = async (sessionHash: string): Promise<void> => {
    const changes = await sessions.changedWith([sessionHash]);
    if (changes.length > 0) await db.write([sessions.end(sessionHash)], { changes });
  };

  async function renew(
    presented: string,
    call: RequestContext,
    hasLostRace = false,
  ): Promise<AgentToken> {
    const { now } = call;
    const hash = hashSecret(presented);
    const found = await store.byRefresh(hash, now);
    const isRepeated = found !== undefined && found.refresh_hash !== hash;
    if (!found || (isRepeated && now - found.rotated_at > refreshRepeatableMs)) {
      // Two hold the secret, and only one of them is the person's program.
      await end(found?.session_hash ?? hashFamily(presented));
      throw refuseProgram("agent_grant_ended");
    }
    if (await isAway({ id: found.user_id, role: found.role }, now))
      throw refuseProgram("agent_grant_ended");
    const session = { hash: found.session_hash, expiresAt: found.expires_at };
    const next = deriveNextSecret(deps.agentKey, presented);
    if (isRepeated) {
      const last = await keys.repeat(session, now);
      if (!last) throw refuseProgram("agent_grant_ended");
      return view(last, next);
    }
    const key = await keys.renew(session, now);
    if (!key) throw refuseProgram("agent_grant_ended");
    const rejected = await tryWrite(
      db,
      [
        store.rotate(session.hash, [hash, hashSecret(next)], now),
        sessions.markSeen(session.hash, now),
        ...key.writes,
      ],
      { changes: ["tokens"] },
    );
    if (!rejected) return view(key, next);
    if (hasLostRace) throw refuseProgram("agent_grant_ended");
    // Another process of the program was first, and what it got is the answer to both.
    return await renew(presented, call, true);
  }

  return {
    async begin(call: RequestContext) {
      await enforceSharedLimit(counters, startsOfAll, call.address, startsPerSource);
      const deviceCode = composeSessionId();
      const userCode = composeUserCode();
      await db.write([
        store.begin({
          device_hash: hashSecret(deviceCode),
          user_code_hash: hashUserCode(userCode),
          agent: findAgentName(call.userAgent),
          address: call.address,
          user_agent: call.userAgent,
          created_at: call.now,
          expires_at: call.now + deviceLifetimeMs,
          user_id: null,
          session_hash: null,
        }),
      ]);
      const page = `${originFor(call)}${agentPaths.page}`;
      return {
        device_code: deviceCode,
        user_code: formatUserCode(userCode),
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=${formatUserCode(userCode)}`,
        expires_in: deviceLifetimeMs / 1000,
        interval: pollSeconds,
      };
    },

    find: (userCode: string, call: AuthenticatedContext): Promise<WaitingDevice> =>
      tryCode(call, async () => {
        const row = await store.findWaiting(userCode, call.now);
        if (!row) throw refuse("device_not_found");
        const { agent, address, created_at: started_at, expires_at } = row;
        return { agent, address, is_here: address === call.address, started_at, expires_at };
      }),

    answer: (userCode: string, isApproved: boolean, call: AuthenticatedContext): Promise<void> =>
      tryCode(call, async (sessionHash) => {
        const row = await store.findWaiting(userCode, call.now);
        if (!row) throw refuse("device_not_found");
        const { agent, address } = row;
        const answer = isApproved ? ("approved" as const) : ("denied" as const);
        await db.write([
          store.answer(userCode, { answer, userId: call.principal.id, sessionHash }, call.now),
          ...call.audit(isApproved ? "agent.approve" : "agent.deny", call.principal.uuid, {
            agent,
            address,
          }),
        ]);
      }),

    async issue(
      body: {
        grant_type: string;
        device_code?: string | undefined;
        refresh_token?: string | undefined;
      },
      call: RequestContext,
    ): Promise<AgentToken> {
      if (body.grant_type === deviceGrant) return await exchange(body.device_code ?? "", call);
      if (body.grant_type === refreshGrant) return await renew(body.refresh_token ?? "", call);
      throw refuseProgram("agent_grant_unknown");
    },

    async revoke(token: string, { now }: RequestContext): Promise<void> {
      const found = await store.byRefresh(hashSecret(token), now);
      await end(found?.session_hash ?? hashFamily(token));
    },

    describe(call: RequestContext) {
      const origin = originFor(call);
      return {
        issuer: origin,
        device_authorization_endpoint: `${origin}${agentPaths.device}`,
        token_endpoint: `${origin}${agentPaths.token}`,
        revocation_endpoint: `${origin}${agentPaths.revoke}`,
        grant_types_supported: [deviceGrant, refreshGrant],
        response_types_supported: [],
        token_endpoint_auth_methods_supported: ["none"],
        gateway_protocol_version: 1,
      };
    },
  };
}
