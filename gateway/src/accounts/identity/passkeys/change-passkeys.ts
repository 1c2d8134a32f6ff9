/** Adds, renames and removes a user's own passkeys. */
import { randomBytes } from "node:crypto";
import {
  type CreatedCredential,
  type Passkey,
  passkeysPerUserMax,
} from "@tollgate/contract/accounts/passkeys.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { refuse } from "../../../http/refusal.ts";
import { type AuthenticatedContext, hashSession } from "../../../http/request-context.ts";
import type { Database } from "../../../storage/database.ts";
import { readUuid7 } from "../../../storage/time-ids.ts";
import type { Reauthenticate, ReauthInput } from "../sessions/reauthenticate.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import { ownAccount } from "../users/own-account.ts";
import type { UserStore } from "../users/user-store.ts";
import { challengeLifetimeMs, type PasskeyChallenges } from "./passkey-challenges.ts";
import { coseAlgorithms } from "./passkey-key.ts";
import { verifyCreated } from "./passkey-rules.ts";
import type { PasskeyStore, StoredPasskey } from "./passkey-store.ts";

const handleBytes = 32;
/** `defaultName` comes without a name of the user's. */
const defaultName = "Passkey";

export interface ChangePasskeysDeps {
  db: Database;
  users: UserStore;
  passkeys: PasskeyStore;
  challenges: PasskeyChallenges;
  reauthenticate: Reauthenticate;
  sessions: SessionStore;
  siteName(): string;
}

type StatedPasskey = Pick<
  StoredPasskey,
  "id" | "uuid" | "name" | "counter" | "backed_up" | "created_at" | "used_at"
>;

export const viewPasskey = (row: StatedPasskey, userUuid: string): Passkey => ({
  id: row.id,
  uuid: row.uuid,
  user_uuid: userUuid,
  credential_name: row.name,
  sign_count: row.counter,
  backed_up: row.backed_up === 1,
  created_at: row.created_at,
  used_at: row.used_at,
});

/** `buildDescriptor` says how options name a passkey to the browser. */
export const buildDescriptor = ({ credential_id, transports }: StoredPasskey) => ({
  id: credential_id,
  type: "public-key" as const,
  transports: transports === "" ? [] : transports.split(","),
});

export function createPasskeyEditor(deps: ChangePasskeysDeps) {
  const { db, users, passkeys, challenges, reauthenticate } = deps;

  const own = async (
    reference: Reference,
    { principal }: AuthenticatedContext,
  ): Promise<StoredPasskey> => {
    const passkey = await passkeys.ownByReference(principal.id, reference);
    if (!passkey) throw refuse("passkey_not_found");
    return passkey;
  };

  return {
    async begin(proof: ReauthInput, call: AuthenticatedContext) {
      const party = challenges.requireParty();
      const account = await ownAccount(users, call.principal);
      await reauthenticate(account, proof, call);
      const known = await passkeys.ofUser(account.id);
      if (known.length >= passkeysPerUserMax) throw refuse("passkey_limit");
      const handle = known[0]?.user_handle ?? randomBytes(handleBytes).toString("base64url");
      const subject = { purpose: "register", user_id: account.id, user_handle: handle } as const;
      return {
        publicKey: {
          challenge: await challenges.begin(subject, call),
          timeout: challengeLifetimeMs,
          rp: { id: party.id, name: deps.siteName() },
          user: {
            id: handle,
            name: account.username,
            displayName: account.display_name || account.username,
          },
          pubKeyCredParams: Object.values(coseAlgorithms).map((alg) => ({
            type: "public-key" as const,
            alg,
          })),
          excludeCredentials: known.map(buildDescriptor),
          authenticatorSelection: {
            residentKey: "required" as const,
            requireResidentKey: true as const,
            userVerification: "required" as const,
          },
          attestation: "none" as const,
        },
      };
    },

    async finish(
      name: string,
      credential: CreatedCredential,
      call: AuthenticatedContext,
    ): Promise<Passkey> {
      const { response } = credential;
      const challenge = await challenges.take(response.clientDataJSON, "register", call);
      const made = verifyCreated(credential, challenge);
      if (typeof made === "string" || challenge.user_id === null || challenge.user_handle === null)
        throw refuse("passkey_wrong");
      const row = {
        uuid: readUuid7(call.now),
        user_id: challenge.user_id,
        user_handle: challenge.user_handle,
        credential_id: made.credentialId,
        public_key: made.publicKey,
        counter: made.counter,
        transports: response.transports.join(","),
        backed_up: made.isBackedUp ? (1 as const) : (0 as const),
        name: name.trim() || defaultName,
        created_at: call.now,
        used_at: null,
      };
      const { uuid: userUuid } = call.principal;
      await db.write([
        ...passkeys.add(row),
        // The device has just verified its user.
        deps.sessions.markSecondFactor(hashSession(call.principal)),
        ...call.audit("passkey.add", userUuid, { name: row.name }),
      ]);
      const { id } = await own({ uuid: row.uuid }, call);
      return viewPasskey({ ...row, id }, userUuid);
    },

    async rename(
      reference: Reference,
      { name }: { name: string },
      call: AuthenticatedContext,
    ): Promise<void> {
      await db.write([passkeys.rename(await own(reference, call), name.trim())]);
    },

    async remove(
      reference: Reference,
      proof: ReauthInput,
      call: AuthenticatedContext,
    ): Promise<void> {
      const passkey = await own(reference, call);
      await reauthenticate(await ownAccount(users, call.principal), proof, call);
      const { uuid } = call.principal;
      await db.write([
        ...passkeys.remove(passkey),
        ...call.audit("passkey.remove", uuid, { name: passkey.name }),
      ]);
    },
  };
}
