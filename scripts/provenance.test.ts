import { generateKeyPairSync, verify } from "node:crypto";
import { expect, test } from "vitest";
import { provenanceOf, signedEnvelope } from "./provenance.ts";

const facts = {
  files: [{ name: "tollgate-0.1.0.tgz", sha256: "ab".repeat(32) }],
  ...{
    commit: "c0ffee",
    isDirty: false,
    kinds: ["npm"],
    nodeVersion: "26.10.0",
    lockfileSha256: "cd".repeat(32),
  },
};

/** After the text of the specification, not by our own function. */
const isSigned = (
  { payloadType, payload, sig }: Record<"payloadType" | "payload" | "sig", string>,
  key: Parameters<typeof verify>[2],
) => {
  const body = Buffer.from(payload, "base64");
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `),
    body,
  ]);
  return verify(null, signed, key, Buffer.from(sig, "base64"));
};

test("the provenance names every package by its digest, and the commit and lockfile that they were built from", () => {
  expect(provenanceOf(facts)).toMatchObject({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: "tollgate-0.1.0.tgz", digest: { sha256: "ab".repeat(32) } }],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        resolvedDependencies: [
          { digest: { gitCommit: "c0ffee" } },
          { name: "package-lock.json", digest: { sha256: "cd".repeat(32) } },
          { uri: "pkg:npm/node@26.10.0" },
        ],
      },
    },
  });
});

test("its signature holds for what it says and for its key alone", () => {
  const [own, other] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
  const { payloadType, payload, signatures } = JSON.parse(
    signedEnvelope(provenanceOf(facts), own.privateKey),
  );
  const [{ sig, keyid }] = signatures;
  expect(keyid).toMatch(/^[0-9a-f]{64}$/);
  expect(isSigned({ payloadType, payload, sig }, own.publicKey)).toBe(true);
  expect(isSigned({ payloadType, payload, sig }, other.publicKey)).toBe(false);
  const changed = Buffer.from(
    Buffer.from(payload, "base64").toString().replace("c0ffee", "badbad"),
  ).toString("base64");
  expect(isSigned({ payloadType, payload: changed, sig }, own.publicKey)).toBe(false);
});
