/**
 * The kept contents of one call, as an object: JSON, compressed, then sealed with a key that this
 * call alone has. The key lies in the call's row, sealed with the master key, so that a row that is
 * gone makes its object unreadable wherever copies of it are. Pure.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { type CallBody, callBody } from "@tollgate/contract/call-bodies.ts";
import * as z from "zod/mini";

const version = "tollgate body v1";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** `unpackedBytesMax` is what unpacks to more was not packed here. */
const unpackedBytesMax = 64 * 1024 * 1024;

export const composeBodyKey = (): string => randomBytes(keyBytes).toString("base64url");

const buildAssociated = (callId: number): Buffer => Buffer.from(`${version}/${callId}`);

export function sealBody(body: CallBody, callId: number, key: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", Buffer.from(key, "base64url"), nonce).setAAD(
    buildAssociated(callId),
  );
  const packed = gzipSync(JSON.stringify(body));
  return Buffer.concat([nonce, cipher.update(packed), cipher.final(), cipher.getAuthTag()]);
}

/** Throws for an object of another call, or one that was changed. */
export function openBody(sealed: Buffer, callId: number, key: string): CallBody {
  if (sealed.length < nonceBytes + tagBytes) throw new Error("the object is cut short");
  const decipher = createDecipheriv(
    "aes-256-gcm",
    Buffer.from(key, "base64url"),
    sealed.subarray(0, nonceBytes),
    {
      authTagLength: tagBytes,
    },
  );
  decipher.setAAD(buildAssociated(callId)).setAuthTag(sealed.subarray(-tagBytes));
  const packed = Buffer.concat([
    decipher.update(sealed.subarray(nonceBytes, -tagBytes)),
    decipher.final(),
  ]);
  const text = gunzipSync(packed, { maxOutputLength: unpackedBytesMax }).toString("utf8");
  return z.parse(callBody, JSON.parse(text));
}
