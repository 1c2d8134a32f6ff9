/** Back from a provider: a session for whoever the account belongs to, or one more account bound. */
import type { BodyOf } from "@tollgate/contract/endpoint.ts";
import { meaningOf } from "@tollgate/contract/errors.ts";
import type { ExternalProvider, finishExternalTotp } from "@tollgate/contract/external-sign-in.ts";
import { userStatus } from "@tollgate/contract/users.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import type { CriticalLimit } from "../http/critical-limit.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import type { Sealer } from "../secrets/seal.ts";
import { openSession } from "../sessions/open-session.ts";
import { hashOf, type SessionCookie } from "../sessions/session-cookie.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import { type Options, openSecret } from "../settings/options.ts";
import { Conflict, type Database, StaleWrite } from "../storage/database.ts";
import type { SecondFactorCheck } from "../totp/second-factor.ts";
import type { Account, UserStore } from "../users/user-store.ts";
import type { AskProvider } from "./ask-provider.ts";
import { createExternalAccountWith } from "./create-external-account.ts";
import type { Identity } from "./external-rules.ts";
import type { ExternalStore, OauthState } from "./external-store.ts";
import type { Ending, RoundTrip } from "./round-trip.ts";

export interface FinishParts {
  db: Database;
  users: UserStore;
  sessions: SessionStore;
  external: ExternalStore;
  roundTrip: RoundTrip;
  options: Options;
  seal: Sealer;
  cookie: SessionCookie;
  secondFactor: SecondFactorCheck;
  providers: { ask: AskProvider };
  critical: CriticalLimit;
  publicUrl: string | undefined;
}

type Call = Circumstances & { caller: Caller | undefined };

/** Somebody has come back, and the provider has said who it is. */
interface Visit {
  provider: ExternalProvider;
  identity: Identity;
  row: OauthState;
  call: Call;
}

const statusOk = 200;

export function finishExternalWith(parts: FinishParts) {
  const { db, users, sessions, external, roundTrip, options, seal, cookie, secondFactor, providers } = parts;
  const createAccount = createExternalAccountWith({ db, users, external, options, seal });

  const credentialsOf = (provider: ExternalProvider) => {
    const [idKey, secretKey] =
      provider === "github"
        ? (["GitHubClientId", "GitHubClientSecret"] as const)
        : (["LarkClientId", "LarkClientSecret"] as const);
    const clientId = options.text(idKey);
    const clientSecret = openSecret(options, seal, secretKey);
    const isOff = provider === "github" && !options.flag("GitHubOAuthEnabled");
    if (isOff || clientId === "" || clientSecret === "") throw refuse("external_off");
    // From the settings and never from the request: a forged host must not lead codes elsewhere.
    const server = (parts.publicUrl ?? options.text("ServerAddress")).replace(/\/+$/, "");
    return { clientId, clientSecret, redirectUri: server === "" ? undefined : `${server}/oauth/${provider}` };
  };

  const identify = async (provider: ExternalProvider, code: string): Promise<Identity> => {
    const found = await providers.ask({ provider, code, ...credentialsOf(provider) });
    if ("identity" in found) return found.identity;
    if ("silent" in found) throw refuse("external_unreachable");
    const { message } = meaningOf("external_refused");
    throw refuse("external_refused", found.refused === "" ? {} : { message: `${message} (${found.refused})` });
  };

  const enabled = async (userId: number): Promise<Account> => {
    const account = await users.byId(userId);
    if (account?.status !== userStatus.enabled) throw refuse("external_user_disabled");
    return account;
  };

  const enter = async ({ provider, identity, row, call }: Visit): Promise<Ending> => {
    const owner = await external.ownerOf(provider, identity.id);
    const userId = owner && !owner.isDeleted ? owner.userId : await createAccount(provider, identity, call);
    const account = await enabled(userId);
    if (await secondFactor.of(account.id)) {
      // From now on codes may be tried.
      await secondFactor.ask(account, call.now);
      const end: Ending = { kind: "totp", userId: account.id };
      await db.write([roundTrip.endWith(row.state_hash, end)]);
      return end;
    }
    const { id, writes } = openSession(sessions, account.id, call);
    const end: Ending = { kind: "session", id };
    await secondFactor.enterWithout(account, call.now, [roundTrip.endWith(row.state_hash, end), ...writes]);
    return end;
  };

  const bind = async ({ provider, identity, row, call }: Visit, binder: Caller): Promise<Ending> => {
    const { now, address } = call;
    const owner = await external.ownerOf(provider, identity.id);
    if (owner && !owner.isDeleted && owner.userId !== binder.id) throw refuse("external_taken");
    const end: Ending = { kind: "bound" };
    const batch = [roundTrip.endWith(row.state_hash, end)];
    if (owner?.userId !== binder.id) {
      const bound = { provider, external_id: identity.id, name: identity.name, created_at: now };
      const change = { provider, external_id: identity.id };
      const entry = { at: now, actorId: binder.id, address, action: "external.bind", target: binder.uuid, change };
      batch.push(external.bind(bound, binder.uuid, owner), ...db.audit(entry));
    }
    await db.write(batch).catch((error: unknown) => {
      // Whose it was has just been asked, so it is this user who has another one.
      throw error instanceof Conflict ? refuse("external_bound_already") : error;
    });
    return end;
  };

  /** What was decided stays decided for the same callback; what only failed may be tried again. */
  const decide = async (row: OauthState, run: () => Promise<Ending>): Promise<Ending> => {
    try {
      return await run();
    } catch (error) {
      const isDecided =
        error instanceof Refusal && meaningOf(error.code).status === statusOk && error.code !== "external_unreachable";
      if (!isDecided) throw error;
      const end: Ending = { kind: "refused", code: error.code, message: error.message };
      await db.write([roundTrip.endWith(row.state_hash, end)]);
      return end;
    }
  };

  const deliver = async (end: Ending, call: Call): Promise<Account | undefined> => {
    switch (end.kind) {
      case "bound":
        return undefined;
      case "refused":
        throw refuse(end.code, { message: end.message });
      case "totp":
        throw refuse("totp_required", { data: { totp_required: true } });
      case "session": {
        const session = await sessions.find(hashOf(end.id), call.now);
        // Signed out since, perhaps by whoever disabled the account.
        if (!session) throw refuse("oauth_state_invalid");
        const account = await enabled(session.id);
        call.reply.append("Set-Cookie", cookie.set(end.id));
        return account;
      }
    }
  };

  return {
    /** The account that is signed in now, or nothing when one was bound. */
    async finish(provider: ExternalProvider, code: string, state: string, call: Call): Promise<Account | undefined> {
      await parts.critical.take(call);
      // Whoever binds must still be the one who began it.
      const isAllowed = ({ bind_user_id }: OauthState) => bind_user_id === null || bind_user_id === call.caller?.id;
      const end = await roundTrip.once({ state, request: `${provider} ${code}` }, call, isAllowed, (row) =>
        decide(row, async () => {
          const visit = { provider, identity: await identify(provider, code), row, call };
          return row.bind_user_id !== null && call.caller ? bind(visit, call.caller) : enter(visit);
        }),
      );
      if (end.kind !== "refused") parts.critical.refund(call);
      return deliver(end, call);
    },

    async finishTotp(body: BodyOf<typeof finishExternalTotp>, call: Call): Promise<Account> {
      await parts.critical.take(call);
      const { userId, spend } = await roundTrip.challenge(body.state, call);
      const account = await enabled(userId);
      const factor = await secondFactor.of(account.id);
      if (!factor) throw refuse("oauth_state_invalid");
      const { id, writes } = openSession(sessions, account.id, call);
      await secondFactor.use(account, factor, body, call, [spend, ...writes]).catch((error: unknown) => {
        throw error instanceof StaleWrite ? refuse("oauth_state_invalid") : error;
      });
      parts.critical.refund(call);
      call.reply.append("Set-Cookie", cookie.set(id));
      return account;
    },
  };
}
