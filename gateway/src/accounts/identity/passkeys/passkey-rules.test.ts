import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { PresentedCredential } from "@tollgate/contract/accounts/passkeys.ts";
import {
  createSoftwarePasskey,
  type PasskeyAlgorithm,
  type PasskeyAnswer,
  passkeyAlgorithms,
} from "@tollgate/tests/support/software-passkey.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAuthenticatorData } from "./authenticator-data.ts";
import { readPasskeyKey } from "./passkey-key.ts";
import {
  type KnownPasskey,
  readChallenge,
  verifyCreated,
  verifyPresented,
} from "./passkey-rules.ts";

const party = { id: "ai.example.com", origin: "https://ai.example.com" };
const challenge = Buffer.alloc(32, 7).toString("base64url");
const ceremony = { challenge, party };
const user_handle = Buffer.alloc(32, 9).toString("base64url");
const right = { ...ceremony, userHandle: user_handle };

function register(algorithm: PasskeyAlgorithm = "ES256") {
  const device = createSoftwarePasskey(algorithm);
  const made = verifyCreated(device.created(ceremony), ceremony);
  if (typeof made === "string") throw new Error(made);
  const known: KnownPasskey = {
    credential_id: made.credentialId,
    public_key: made.publicKey,
    user_handle,
  };
  return { device, made, known };
}

/** `shared` is one passkey for the cases that leave it as it is: making keys takes time. */
const shared = register();

describe.each(passkeyAlgorithms)("a passkey with %s", (algorithm) => {
  test("is accepted from the device that made it, with its counter and its state of backup", () => {
    const { device, known, made } = register(algorithm);
    expect(made).toMatchObject({ credentialId: device.id, counter: 0, isBackedUp: false });
    const answer = device.presented({ ...right, counter: 8, flags: 0x1d });
    expect(verifyPresented(answer, known, ceremony)).toEqual({ counter: 8, isBackedUp: true });
  });

  test("is refused when anything that was signed differs in one bit", { tags: ["PK-01"] }, () => {
    const { device, known } = register(algorithm);
    const { response, ...credential } = device.presented({ ...right, counter: 3 });
    const flipped = (text: string, bit: number) => {
      const bytes = Buffer.from(text, "base64url");
      const at = bit % (bytes.length * 8);
      bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at & 7));
      return bytes.toString("base64url");
    };
    const member = fc.constantFrom(
      "clientDataJSON" as const,
      "authenticatorData" as const,
      "signature" as const,
    );
    fc.assert(
      fc.property(member, fc.nat(20_000), (name, bit) => {
        const changed: PresentedCredential = {
          ...credential,
          response: { ...response, [name]: flipped(response[name], bit) },
        };
        expect(typeof verifyPresented(changed, known, ceremony)).toBe("string");
      }),
      { numRuns: 300 },
    );
  });
});

describe("an answer with one thing wrong", () => {
  const cases: Record<string, Partial<PasskeyAnswer>> = {
    challenge: { challenge: Buffer.alloc(32, 8).toString("base64url") },
    ceremony: { clientData: { type: "payment.get" } },
    origin: { clientData: { origin: "https://ai.example.com.evil.example" } },
    "origin in a frame of another site": { clientData: { crossOrigin: true } },
    "origin over plain http": { clientData: { origin: "http://ai.example.com" } },
    relying_party: { rpIdHash: createHash("sha256").update("evil.example").digest() },
    user_presence: { flags: 0x44 },
    user_verification: { flags: 0x41 },
    backup_state: { flags: 0x55 },
  };

  test.each(Object.entries(cases))(
    "is refused at both ceremonies: %s",
    { tags: ["PK-01"] },
    (name, wrong) => {
      const [flaw] = name.split(" ");
      const { device, known } = shared;
      expect(verifyCreated(device.created({ ...ceremony, ...wrong }), ceremony)).toBe(flaw);
      const flags = wrong.flags === undefined ? {} : { flags: wrong.flags & ~0x40 };
      expect(
        verifyPresented(device.presented({ ...right, ...wrong, ...flags }), known, ceremony),
      ).toBe(flaw);
    },
  );

  test("is refused where one ceremony's answer is given to the other", { tags: ["PK-01"] }, () => {
    const { device, known } = shared;
    const { response } = device.presented(right);
    const created = device.created(ceremony);
    const mixed = {
      ...created,
      response: { ...created.response, clientDataJSON: response.clientDataJSON },
    };
    expect(verifyCreated(mixed, ceremony)).toBe("ceremony");
    const { clientDataJSON } = created.response;
    const presented = { ...device.presented(right), response: { ...response, clientDataJSON } };
    expect(verifyPresented(presented, known, ceremony)).toBe("ceremony");
  });

  test("is refused for another user's handle, another passkey, or another passkey's key", {
    tags: ["PK-01"],
  }, () => {
    const { device, known } = shared;
    const other = register();
    const stranger = { ...right, userHandle: Buffer.alloc(32, 1).toString("base64url") };
    expect(verifyPresented(device.presented(stranger), known, ceremony)).toBe("user_handle");
    expect(verifyPresented(device.presented(right), other.known, ceremony)).toBe("credential_id");
    const withOtherKey = { ...known, public_key: other.known.public_key };
    expect(verifyPresented(device.presented(right), withOtherKey, ceremony)).toBe("signature");
    const created = device.created(ceremony);
    expect(verifyCreated({ ...created, id: other.device.id }, ceremony)).toBe("credential_id");
  });
});

test("weak keys and keys of other kinds are refused", { tags: ["PK-01"] }, () => {
  const spki = (key: KeyObject) => readPasskeyKey(key.export({ format: "der", type: "spki" }));
  expect(spki(generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey)).toBeUndefined();
  expect(spki(generateKeyPairSync("ec", { namedCurve: "secp384r1" }).publicKey)).toBeUndefined();
  expect(spki(generateKeyPairSync("x25519").publicKey)).toBeUndefined();
  expect(spki(generateKeyPairSync("rsa-pss", { modulusLength: 2048 }).publicKey)).toBeUndefined();
});

test("bytes of any kind are refused, and nothing throws", { tags: ["PK-01"] }, () => {
  const { device, known } = shared;
  const created = device.created(ceremony);
  const presented = device.presented(right);
  const text = fc.oneof(
    fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString("base64url")),
    fc.json().map((json) => Buffer.from(json).toString("base64url")),
    fc.string(),
  );
  const answer = fc.record({
    clientDataJSON: text,
    authenticatorData: text,
    signature: text,
    publicKey: text,
  });
  fc.assert(
    fc.property(answer, (parts) => {
      readChallenge(parts.clientDataJSON);
      for (const member of ["clientDataJSON", "authenticatorData", "publicKey"] as const) {
        const response = { ...created.response, [member]: parts[member] };
        expect(typeof verifyCreated({ ...created, response }, ceremony)).toBe("string");
      }
      for (const member of ["clientDataJSON", "authenticatorData", "signature"] as const) {
        const response = { ...presented.response, [member]: parts[member] };
        expect(typeof verifyPresented({ ...presented, response }, known, ceremony)).toBe("string");
      }
    }),
    { numRuns: 1_000 },
  );
});

test("authenticator data that is cut off anywhere is refused", { tags: ["PK-01"] }, () => {
  const data = Buffer.from(shared.device.created(ceremony).response.authenticatorData, "base64url");
  expect(readAuthenticatorData(data)?.credentialId?.toString("base64url")).toBe(shared.device.id);
  for (let length = 0; length < data.length; length += 1)
    expect(readAuthenticatorData(data.subarray(0, length))).toBeUndefined();
});
