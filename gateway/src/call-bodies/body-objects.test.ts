import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bucketKey, startBucketServer } from "@tollgate/tests/harness/bucket-server.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BodyObjects, formatBodyObjectName } from "./body-objects.ts";
import { openBodyObjects } from "./open-body-objects.ts";

let folder: string;
let bucket: Awaited<ReturnType<typeof startBucketServer>>;
const opened: BodyObjects[] = [];
const open = (settings: Parameters<typeof openBodyObjects>[0]) => {
  const objects = openBodyObjects(settings);
  opened.push(objects);
  return objects;
};
const inFolder = () => open({ kind: "folder", path: folder });
const inBucket = (change = {}) =>
  open({ kind: "s3", url: `${bucket.url}/contents/of-calls`, ...bucketKey, ...change });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-bodies-"));
  bucket = await startBucketServer();
});
afterAll(async () => {
  await Promise.all(opened.map((objects) => objects.close()));
  await bucket.close();
  rmSync(folder, { recursive: true });
});

const name = formatBodyObjectName(123, Date.UTC(2026, 10, 3));

test("objects lie in folders of their day", () => {
  expect(name).toBe("bodies/2026/11/03/123");
});

test.each([
  ["a folder", inFolder],
  ["a bucket", inBucket],
])("%s gives back what was put into it, until it is removed", async (_, opening) => {
  const objects = opening();
  const bytes = randomBytes(100_000);
  expect(await objects.get(name)).toBeUndefined();
  await objects.put(name, bytes);
  expect(bytes.equals((await objects.get(name)) ?? Buffer.alloc(0))).toBe(true);
  await objects.remove(name);
  expect(await objects.get(name)).toBeUndefined();
  await objects.remove(name);
  expect(bucket.complaints).toEqual([]);
});

test.skipIf(process.platform === "win32")(
  "files are readable by the gateway's own user alone",
  async () => {
    await inFolder().put(name, Buffer.from("x"));
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "bodies")).mode & 0o777).toBe(0o700);
    await inFolder().remove(name);
    expect(readdirSync(join(folder, "bodies/2026/11"))).toEqual([]);
  },
);

test("a bucket that does not exist is an error, and not an object that is gone", async () => {
  const objects = inBucket({ url: `${bucket.url}/another/of-calls` });
  await expect(objects.put(name, Buffer.from("x"))).rejects.toThrow(
    /answered PUT with 404: .*NoSuchBucket/,
  );
  await expect(objects.get(name)).rejects.toThrow(/answered GET with 404: .*NoSuchBucket/);
  await expect(objects.remove(name)).rejects.toThrow(/answered DELETE with 404: .*NoSuchBucket/);
});

test("a bucket that is busy is asked again, and one that refuses is not", async () => {
  const objects = inBucket();
  bucket.failures.push(503, 500);
  await objects.put(name, Buffer.from("third time"));
  expect((await objects.get(name))?.toString()).toBe("third time");
  const before = bucket.requests();
  await expect(inBucket({ secretKey: "another" }).put(name, Buffer.from("x"))).rejects.toThrow(
    /answered PUT with 403: .*SignatureDoesNotMatch/,
  );
  expect(bucket.requests() - before).toBe(1);
  expect(bucket.complaints.splice(0)).toEqual(["SignatureDoesNotMatch"]);
});
