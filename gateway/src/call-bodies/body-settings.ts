/** The place at which contents of calls are kept, by the environment. */
import { isAbsolute } from "node:path";
import * as z from "zod/mini";

export const bodyPlace = z.optional(z.string().check(z.maxLength(1_000)));
export const bodyRegion = z._default(
  z.string().check(z.regex(/^[a-z0-9-]{1,40}$/, "must be the name of a region")),
  "us-east-1",
);
export const bodyCredential = z.optional(
  z.string().check(z.regex(/^[\x21-\x7e]{1,256}$/, "must be 1 to 256 characters without spaces")),
);

export interface S3Settings {
  kind: "s3";
  /** The bucket with its prefix, without a slash at the end. */
  url: string;
  region: string;
  accessKey: string;
  secretKey: string;
}

export type BodyStoreSettings = { kind: "folder"; path: string } | S3Settings;

interface BodyValues {
  CALL_BODIES?: string | undefined;
  CALL_BODIES_REGION: string;
  CALL_BODIES_ACCESS_KEY?: string | undefined;
  CALL_BODIES_SECRET_KEY?: string | undefined;
}

/** Undefined where nothing is kept. */
export function findBodyStoreSettings(
  values: BodyValues,
): BodyStoreSettings | { problem: string } | undefined {
  const place = values.CALL_BODIES;
  if (place === undefined) return undefined;
  if (!/^https?:\/\//i.test(place)) {
    if (isAbsolute(place)) return { kind: "folder", path: place };
    return {
      problem:
        "CALL_BODIES must be the absolute path of a folder, or the https:// address of a bucket",
    };
  }
  if (!URL.canParse(place)) return { problem: "CALL_BODIES must be a URL" };
  const url = new URL(place);
  // Names in a signature are written as they are sent: none of these characters has another
  // spelling.
  if (
    url.username ||
    url.password ||
    url.search ||
    url.hash ||
    !/^[A-Za-z0-9._~/-]*$/.test(url.pathname)
  )
    return {
      problem: "CALL_BODIES must be an address without a password, a query and escaped characters",
    };
  const { CALL_BODIES_ACCESS_KEY: accessKey, CALL_BODIES_SECRET_KEY: secretKey } = values;
  if (!accessKey || !secretKey)
    return {
      problem:
        "CALL_BODIES is a bucket: CALL_BODIES_ACCESS_KEY and CALL_BODIES_SECRET_KEY must be set",
    };
  const address = url.origin + url.pathname.replace(/\/+$/, "");
  return { kind: "s3", url: address, region: values.CALL_BODIES_REGION, accessKey, secretKey };
}
