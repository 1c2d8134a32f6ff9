import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { holdRequests } from "./held-requests.ts";

test("requests and upgrades of before wait, in order, and are answered once the server may", async () => {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(request.url ?? "");
    response.end("answered");
  });
  server.on("upgrade", (request, socket) => {
    heard.push(`upgrade ${request.url}`);
    socket.end("HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
  const admit = holdRequests(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const arrived = ["request", "upgrade"].map((event) => once(server, event));
  const statusOf = (path: string, headers = {}) =>
    new Promise<number | undefined>((resolve, reject) => {
      get({ port, path, headers }, (response) =>
        response.resume().on("end", () => resolve(response.statusCode)),
      ).on("error", reject);
    });
  const early = [
    statusOf("/early"),
    statusOf("/socket", { connection: "Upgrade", upgrade: "websocket" }),
  ];
  await Promise.all(arrived);
  expect(heard).toEqual([]);
  admit();
  expect(await Promise.all(early)).toEqual([200, 426]);
  expect(await statusOf("/late")).toBe(200);
  expect(heard.toSorted()).toEqual(["/early", "/late", "upgrade /socket"]);
  server.close();
});
