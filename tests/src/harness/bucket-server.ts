// A bucket of S3: keeps objects, and refuses what is not signed as Amazon says.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { compareSignatures } from "../relay/aws-signature-check.ts";

export const bucketKey = {
  region: "eu-central-1",
  accessKey: "AKIDEXAMPLE",
  secretKey: "a-secret/of+the-bucket",
};

/** The first part of an object's path; there is no other bucket. */
const bucketName = "contents";
const clockMaxMs = 15 * 60_000;

function complaint(
  { method = "", url = "", headers }: IncomingMessage,
  body: Buffer,
): string | undefined {
  const { right, said } = compareSignatures(
    { method, url, headers: headers as Record<string, string>, body },
    bucketKey.secretKey,
  );
  if (right !== said) return "SignatureDoesNotMatch";
  if (headers["x-amz-content-sha256"] !== createHash("sha256").update(body).digest("hex"))
    return "XAmzContentSHA256Mismatch";
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers["x-amz-date"])) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Math.abs(Date.now() - at) < clockMaxMs ? undefined : "RequestTimeTooSkewed";
}

export async function startBucketServer() {
  const objects = new Map<string, Buffer>();
  const complaints: string[] = [];
  /** Statuses that the next requests get instead of an answer. */
  const failures: number[] = [];
  let requests = 0;
  let isOpen = Promise.resolve();

  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
  ): ServerResponse {
    requests += 1;
    const issue = complaint(request, body);
    if (issue) complaints.push(issue);
    const status = failures.shift() ?? (issue ? 403 : undefined);
    if (status)
      return response.writeHead(status).end(`<Error><Code>${issue ?? "SlowDown"}</Code></Error>`);
    const name = request.url ?? "";
    if (request.method === "PUT") objects.set(name, body);
    if (request.method === "DELETE") objects.delete(name);
    const found = objects.get(name);
    if (!name.startsWith(`/${bucketName}/`))
      return response.writeHead(404).end("<Error><Code>NoSuchBucket</Code></Error>");
    if (request.method === "GET" && !found)
      return response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
    if (request.method === "GET") return response.writeHead(200).end(found);
    return response.writeHead(request.method === "DELETE" ? 204 : 200).end();
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on(
      "end",
      () => void isOpen.then(() => answer(request, response, Buffer.concat(chunks))),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    complaints,
    failures,
    requests: () => requests,
    /** Answers no request until what it returns is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      isOpen = promise;
      return resolve;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
