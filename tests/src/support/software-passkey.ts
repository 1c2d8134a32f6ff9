/**
 * A passkey whose device is this process: answers as a browser sends them, or with one thing wrong
 * in them.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type {
  CreatedCredential,
  PresentedCredential,
} from "@tollgate/contract/accounts/passkeys.ts";
import type { RelyingParty } from "@tollgate/gateway/http/relying-party.ts";

export const passkeyAlgorithms = ["ES256", "RS256", "EdDSA"] as const;
export type PasskeyAlgorithm = (typeof passkeyAlgorithms)[number];

function keyPair(algorithm: PasskeyAlgorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === "EdDSA") return generateKeyPairSync("ed25519");
  if (algorithm === "RS256") return generateKeyPairSync("rsa", { modulusLength: 2048 });
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

const sha256 = (data: Buffer | string) => createHash("sha256").update(data).digest();
const encoded = (bytes: Buffer | string) => Buffer.from(bytes).toString("base64url");

/** `PasskeyAnswer` is what an answer says; each member may be said wrongly. */
export interface PasskeyAnswer {
  challenge: string;
  party: RelyingParty;
  /** User present, user verified; in a new credential its data besides. */
  flags?: number;
  counter?: number;
  /** Members of the client data, instead of the right ones. */
  clientData?: Record<string, unknown>;
  rpIdHash?: Buffer;
}

export const presentAndVerified = 0x05;
const withCredential = 0x40;

export function createSoftwarePasskey(algorithm: PasskeyAlgorithm = "ES256") {
  const { publicKey, privateKey } = keyPair(algorithm);
  const id = randomBytes(20);

  const clientDataOf = (type: string, { challenge, party, clientData }: PasskeyAnswer) =>
    Buffer.from(
      JSON.stringify({ type, challenge, origin: party.origin, crossOrigin: false, ...clientData }),
    );

  const headOf = ({
    party,
    rpIdHash = sha256(party.id),
    flags = presentAndVerified,
    counter = 0,
  }: PasskeyAnswer) => {
    const head = Buffer.alloc(37);
    rpIdHash.copy(head);
    head.writeUInt8(flags, 32);
    head.writeUInt32BE(counter, 33);
    return head;
  };

  return {
    id: encoded(id),

    created(answer: PasskeyAnswer): CreatedCredential {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const head = headOf({
        ...answer,
        flags: answer.flags ?? presentAndVerified | withCredential,
      });
      // The key in CBOR follows, which the gateway does not read.
      const data = Buffer.concat([head, Buffer.alloc(16), length, id, Buffer.from([0xa0])]);
      return {
        id: encoded(id),
        type: "public-key",
        response: {
          clientDataJSON: encoded(clientDataOf("webauthn.create", answer)),
          authenticatorData: encoded(data),
          publicKey: encoded(publicKey.export({ format: "der", type: "spki" })),
          transports: ["internal"],
        },
      };
    },

    presented(answer: PasskeyAnswer & { userHandle: string }): PresentedCredential {
      const clientData = clientDataOf("webauthn.get", answer);
      const data = headOf(answer);
      const signed = Buffer.concat([data, sha256(clientData)]);
      return {
        id: encoded(id),
        type: "public-key",
        response: {
          clientDataJSON: encoded(clientData),
          authenticatorData: encoded(data),
          signature: encoded(sign(algorithm === "EdDSA" ? null : "sha256", signed, privateKey)),
          userHandle: answer.userHandle,
        },
      };
    },
  };
}

export type SoftwarePasskey = ReturnType<typeof createSoftwarePasskey>;
