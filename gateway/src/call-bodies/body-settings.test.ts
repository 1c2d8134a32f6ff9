import { expect, test } from "vitest";
import { findBodyStoreSettings } from "./body-settings.ts";

const keys = { CALL_BODIES_ACCESS_KEY: "id", CALL_BODIES_SECRET_KEY: "secret" };
const read = (CALL_BODIES: string | undefined, more: object = keys) =>
  findBodyStoreSettings({ CALL_BODIES, CALL_BODIES_REGION: "us-east-1", ...more });

test("contents lie in a folder or a bucket, of either style", () => {
  expect(read(undefined)).toBeUndefined();
  expect(read("/var/lib/tollgate/bodies")).toEqual({
    kind: "folder",
    path: "/var/lib/tollgate/bodies",
  });
  const bucket = { kind: "s3", region: "us-east-1", accessKey: "id", secretKey: "secret" };
  expect(read("https://s3.example.com:9000/bucket/prefix/")).toEqual({
    ...bucket,
    url: "https://s3.example.com:9000/bucket/prefix",
  });
  expect(read("https://bucket.s3.eu-central-1.amazonaws.com")).toMatchObject({
    url: "https://bucket.s3.eu-central-1.amazonaws.com",
  });
});

test.each([
  ["a folder that depends on where the gateway starts", "bodies", keys, /absolute path/],
  ["a bucket without keys", "https://s3.example.com/bucket", {}, /CALL_BODIES_ACCESS_KEY/],
  [
    "a password in the address",
    "https://id:secret@s3.example.com/bucket",
    keys,
    /without a password/,
  ],
  ["a query", "https://s3.example.com/bucket?x=1", keys, /without a password, a query/],
  [
    "characters with two spellings",
    "https://s3.example.com/my%20bucket",
    keys,
    /escaped characters/,
  ],
])("%s stops the start", (_, place, more, problem) => {
  expect(read(place, more)).toEqual({ problem: expect.stringMatching(problem) });
});
