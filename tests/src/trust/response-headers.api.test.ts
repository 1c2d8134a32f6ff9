// What every response of the program has in common, whichever part of it answers.
import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../harness/gateway-process.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway?.stop());

interface HeaderProbe {
  status: number;
  type: string;
  sniffing: string;
  body: string;
}

const ask = (
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<HeaderProbe> =>
  new Promise((resolve, reject) => {
    const sent = request(gateway.url + path, { method, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => {
        const { "content-type": type = "", "x-content-type-options": sniffing } = response.headers;
        resolve({ status: response.statusCode ?? 0, type, sniffing: String(sniffing), body });
      });
    });
    sent.on("error", reject).end();
  });

const places = [
  "/",
  "/login",
  "/assets/none.js",
  "/api/status",
  "/api/none",
  "/v1/models",
  "/v1/none",
  "/healthz",
];

test.each([
  ["GET", "/metrics"],
  ["GET", "/healthcheck"],
  ["POST", "/openai/chat/completions"],
  ["GET", "/openai/v1/models"],
  ["POST", "/v1/v1/messages"],
  ["POST", "/"],
])("%s %s is 404 in JSON that names the right address", async (method, path) => {
  const { status, type, body } = await ask(method, path);
  expect([status, type]).toEqual([404, expect.stringMatching(/^application\/json/)]);
  expect(JSON.parse(body).error.message).toMatch(/use \/(v1|healthz)|the API is below \/v1/);
});

test("a browser gets the console for its pages and for nothing else", async () => {
  const accept = "text/html,application/xhtml+xml";
  for (const path of ["/", "/models", "/users/edit/7"]) {
    expect([path, (await ask("GET", path, { accept })).status]).toEqual([path, 200]);
  }
  const unknown = await ask("GET", "/no/such/page", { accept });
  expect([unknown.status, unknown.type]).toEqual([404, expect.stringMatching(/^text\/html/)]);
  // The same address is a page for people and the list of models for a program with a key.
  const list = await ask("GET", "/models", { authorization: "Bearer sk-1" });
  expect(list).toMatchObject({
    status: 401,
    body: expect.stringContaining("API key is not valid"),
  });
});

test.each(places)("TRACE %s repeats nothing of the request", async (path) => {
  const { type, body } = await ask("TRACE", path, { "x-secret": "canary-4711" });
  expect([type, body]).not.toEqual(["message/http", expect.anything()]);
  expect(body).not.toContain("canary-4711");
});

test.each(places)(
  "GET %s names the type of its body, which browsers believe, and of text the charset",
  async (path) => {
    const { type, sniffing, body } = await ask("GET", path);
    expect(sniffing).toBe("nosniff");
    expect([type, body === ""]).toEqual([
      expect.stringMatching(/^text\/\w+; charset=utf-8$|^application\/json/),
      false,
    ]);
  },
);
