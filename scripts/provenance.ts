/**
 * Where packages come from: an in-toto statement with SLSA's provenance
 * (slsa.dev/spec/v1.0/provenance), signed as DSSE (github.com/secure-systems-lab/dsse), which
 * cosign and slsa-verifier read. Pure.
 */
import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";

export interface BuiltFile {
  name: string;
  sha256: string;
}

export interface BuildFacts {
  files: readonly BuiltFile[];
  commit: string;
  /** `isDirty` says whether the sources differ from the commit. */
  isDirty: boolean;
  /** `kinds` are those of the packages asked for; none for all. */
  kinds: readonly string[];
  /** The release of Node.js that built them. */
  nodeVersion: string;
  /** SHA-256 of package-lock.json, which pins every package that is built in. */
  lockfileSha256: string;
}

const payloadType = "application/vnd.in-toto+json";
/** There is no public service that builds: the command is the builder. */
const builder = "urn:tollgate:npm-run-package:v1";

export const provenanceOf = (facts: BuildFacts): object => ({
  _type: "https://in-toto.io/Statement/v1",
  subject: facts.files.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
  predicateType: "https://slsa.dev/provenance/v1",
  predicate: {
    buildDefinition: {
      buildType: builder,
      externalParameters: { kinds: facts.kinds },
      internalParameters: { isDirty: facts.isDirty },
      resolvedDependencies: [
        { name: "sources", digest: { gitCommit: facts.commit } },
        { name: "package-lock.json", digest: { sha256: facts.lockfileSha256 } },
        { uri: `pkg:npm/node@${facts.nodeVersion}` },
      ],
    },
    runDetails: { builder: { id: builder } },
  },
});

/**
 * `signedBytes` gives what a signature of DSSE is over: type and payload, each with its length, so
 * that neither can pass for the other.
 */
const signedBytes = (payload: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
    payload,
  ]);

/** An Ed25519 key. */
export function signedEnvelope(statement: object, key: KeyObject): string {
  const payload = Buffer.from(JSON.stringify(statement));
  const signature = { keyid: keyIdOf(key), sig: signature64(signedBytes(payload), key) };
  return `${JSON.stringify({ payloadType, payload: payload.toString("base64"), signatures: [signature] })}\n`;
}

const signature64 = (bytes: Buffer, key: KeyObject): string =>
  sign(null, bytes, key).toString("base64");

/** SHA-256 of the public half. */
const keyIdOf = (key: KeyObject): string =>
  createHash("sha256")
    .update(createPublicKey(key).export({ type: "spki", format: "der" }))
    .digest("hex");
