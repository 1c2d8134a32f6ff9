import { expect, test } from "vitest";
import { signForAmazon } from "./amazon-signature.ts";

const key = {
  region: "us-east-1",
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};
const url = (path: string) => new URL(`https://examplebucket.s3.amazonaws.com${path}`);
const now = Date.UTC(2013, 4, 24);

test("a request to read has the signature of Amazon's own example", async () => {
  const signed = await signForAmazon(
    "s3",
    { method: "GET", url: url("/test.txt"), headers: { range: "bytes=0-9" } },
    key,
    now,
  );
  expect(signed.authorization).toBe(
    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  );
});

test("a request to write signs its content", async () => {
  const put = async (body: string) => {
    const request = { method: "PUT", url: url("/a"), headers: {}, body: Buffer.from(body) };
    return (await signForAmazon("s3", request, key, now)).authorization;
  };
  expect(await put("one")).not.toBe(await put("two"));
});
