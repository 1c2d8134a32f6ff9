// Provider keys of every format, in every kind of failing call: no part of them may be revealed.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Mailbox, startMailbox } from "../harness/mailbox.ts";
import { chatBody, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import {
  type CannedProvider,
  completion,
  startCannedProvider,
  whole,
} from "../relay/canned-provider.ts";
import { findSecrets, type PlantedSecret } from "./secret-search.ts";

const made = (bytes = 18): string => randomBytes(bytes).toString("base64url");
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }));
const pemLines = pem.split("\n").filter((line) => /^[A-Za-z0-9+/=]{20,}$/.test(line));
/** A name and no secret: administrators see it among the settings. */
const accessKey = `AKIA${randomBytes(8).toString("hex").toUpperCase()}`;

interface ProviderKeyFormat {
  name: string;
  type: number;
  /** The key as an administrator enters it; some contain the provider's address. */
  key(base: string): { key: string; config?: string };
  secrets: readonly string[];
}
const [plain, awsSecret, tencentId, tencentSecret, inAddress, short] = [
  `sk-proj-${made()}`,
  made(30),
  `AKID${made(15)}`,
  made(24),
  `AIza${made(20)}`,
  made(7),
];
const shapes: readonly ProviderKeyFormat[] = [
  { name: "sk", type: 1, key: () => ({ key: plain }), secrets: [plain] },
  {
    name: "aws",
    type: 33,
    key: () => ({
      key: "label",
      config: JSON.stringify({ region: "us-east-1", ak: accessKey, sk: awsSecret }),
    }),
    secrets: [awsSecret],
  },
  {
    name: "account",
    type: 42,
    key: (base) => {
      const account = {
        type: "service_account",
        project_id: "my-project",
        private_key_id: "key-1",
        private_key: pem,
        client_email: "gateway@my-project.iam.gserviceaccount.com",
        token_uri: `${base}/token`,
      };
      const vertex_ai_adc = JSON.stringify(account, null, 2);
      const config = { region: "europe-west1", vertex_ai_project_id: "my-project", vertex_ai_adc };
      return { key: "label", config: JSON.stringify(config) };
    },
    secrets: pemLines,
  },
  {
    name: "joined",
    type: 23,
    key: () => ({ key: `1250000000|${tencentId}|${tencentSecret}` }),
    secrets: [tencentId, tencentSecret],
  },
  { name: "address", type: 24, key: () => ({ key: inAddress }), secrets: [inAddress] },
  { name: "short", type: 1, key: () => ({ key: short }), secrets: [short] },
];
const planted: readonly PlantedSecret[] = shapes.flatMap(({ name, secrets }) =>
  secrets.map((text) => ({ name, text })),
);

/** `responseStyles` are what a provider does that knows the secret; undefined hangs up. */
const responseStyles: readonly [
  name: string,
  answer: (secret: string) => CannedProvider["answer"],
][] = [
  [
    "refuses it",
    (secret) =>
      reported(
        401,
        JSON.stringify({ error: { message: `Incorrect API key: ${secret}`, code: secret } }),
      ),
  ],
  ["forbids it as text", (secret) => reported(403, `no such key: ${secret}`)],
  [
    "is broken",
    (secret) =>
      reported(
        500,
        JSON.stringify({ message: secret, error: { message: secret, status: secret } }),
      ),
  ],
  ["sends a page", (secret) => reported(502, `<html><title>${secret}</title></html>`)],
  ["sends what cannot be read", (secret) => whole(`{"key": "${secret}", `)],
  ["sends nothing", () => () => undefined],
  ["hangs up", () => (response) => void response.destroy()],
];

const reported =
  (status: number, body: string): CannedProvider["answer"] =>
  (response) => {
    response
      .writeHead(status, {
        "content-type": body.startsWith("{") ? "application/json" : "text/html",
      })
      .end(body);
  };

/** Failures before the provider's response. */
const unreachable = ["a name that does not exist", "an unreadable certificate"] as const;

describe("provider keys of every shape", () => {
  let upstream: CannedProvider;
  let noTls: Server;
  let mailbox: Mailbox;
  let world: TestGateway;
  /** Every response to a client. */
  const replies: { name: string; status: number; text: string }[] = [];
  const tests: string[] = [];

  beforeAll(async () => {
    [upstream, mailbox] = await Promise.all([startCannedProvider(), startMailbox()]);
    noTls = createServer((socket) =>
      socket.on("error", () => undefined).end("this is no handshake\r\n"),
    );
    await new Promise<void>((resolve) => noTls.listen(0, "127.0.0.1", resolve));
    const notTls = `https://127.0.0.1:${(noTls.address() as AddressInfo).port}`;
    world = await startTestGateway({
      upstreams: [upstream.url, notTls],
      env: {
        LOG_LEVEL: "trace",
        LOG_CALLS: "true",
        UPSTREAM_TIMEOUT_SECONDS: "1",
        SMTP_URL: mailbox.url,
      },
    });
    await world.api("PUT", "/api/option/", { key: "RetryTimes", value: "0" });
    const { key: token } = await world.given.token();

    const bases = { good: upstream.url, name: "https://nobody-has-this-name.invalid", tls: notTls };
    const channels: { id: number }[] = [];
    for (const { name, type, key } of shapes) {
      for (const [where, base_url] of Object.entries(bases)) {
        const models = `model-${name}-${where}`;
        channels.push(await world.given.channel({ type, base_url, ...key(bases.good), models }));
      }
    }
    const call = async (model: string, manner: string, stream: boolean) => {
      const response = await world.send(token, chatBody({ model, stream }));
      const text = JSON.stringify([...response.headers]) + (await response.text());
      replies.push({ name: `${model} ${manner}`, status: response.status, text });
    };
    for (const [manner, answer] of responseStyles) {
      upstream.answer = (response, request, body) => {
        if (request.url === "/token")
          return whole({ access_token: "ya29.token", expires_in: 3599 })(response);
        const shape = shapes.find(({ name }) =>
          `${request.url} ${body}`.includes(`model-${name}-`),
        );
        // A PEM has many lines; the last one is quoted.
        return answer(shape?.secrets.at(-1) ?? "unknown")(response, request, body);
      };
      await Promise.all(
        shapes.flatMap(({ name }) =>
          [false, true].map((stream) => call(`model-${name}-good`, manner, stream)),
        ),
      );
    }
    for (const where of ["name", "tls"])
      await Promise.all(shapes.map(({ name }) => call(`model-${name}-${where}`, where, false)));
    for (const { id } of channels) {
      const response = await world
        .api<unknown>("POST", `/api/channel/test/${id}`)
        .catch((error: Error) => error.message);
      tests.push(JSON.stringify(response ?? ""));
    }
    upstream.answer = whole(completion("hello", { prompt_tokens: 6, completion_tokens: 12 }));
    await call("model-sk-good", "answers", false);
    await world.settled();
  }, 120_000);
  afterAll(async () => {
    await world?.close();
    await upstream?.close();
    noTls?.close();
    await mailbox?.close();
  });

  test("all failed as they should, and the right key went to the provider", () => {
    expect(replies.filter(({ status }) => status === 200).map(({ name }) => name)).toEqual([
      "model-sk-good answers",
    ]);
    expect(replies).toHaveLength(
      shapes.length * (responseStyles.length * 2 + unreachable.length) + 1,
    );
    const sent = upstream.requests
      .map(({ headers, url }) => `${url} ${JSON.stringify(headers)}`)
      .join("\n");
    for (const secret of [plain, accessKey, tencentId, inAddress, short])
      expect(sent).toContain(secret);
  });

  test("F-100 no part of them is in any answer, log line, trace or log row", {
    tags: ["F-100"],
  }, async () => {
    for (const { name, text } of replies)
      expect([name, findSecrets(planted, text), text]).toEqual([name, [], text]);
    for (const text of tests) expect([findSecrets(planted, text), text]).toEqual([[], text]);
    const traces = await world.rows<{ data: string }>("select data from traces");
    expect(traces.length).toBeGreaterThanOrEqual(replies.length);
    expect(findSecrets(planted, JSON.stringify(traces))).toEqual([]);
    expect(JSON.stringify(traces)).toContain("[key]");
    expect(findSecrets(planted, JSON.stringify(await world.rows("select * from logs")))).toEqual(
      [],
    );
    expect(findSecrets(planted, world.process.output())).toEqual([]);
    for (const path of ["/api/channel/?size=100", "/api/log/?size=100", "/api/audit/?size=100"])
      expect([path, findSecrets(planted, JSON.stringify(await world.api("GET", path)))]).toEqual([
        path,
        [],
      ]);
  });

  test("F-100 nor in a mail with the reason why a channel was disabled", {
    tags: ["F-100"],
  }, async () => {
    const email = "root@example.org";
    await world.api("PUT", "/api/user/self", { email });
    await world.api("PUT", "/api/option/", {
      key: "AutomaticDisableChannelEnabled",
      value: "true",
    });
    const { key } = await world.given.token();
    upstream.answer = (response, _, body) => {
      const error = {
        message: `Incorrect API key provided: ${body.includes("model-short") ? short : plain}`,
        code: "invalid_api_key",
      };
      response
        .writeHead(401, { "content-type": "application/json" })
        .end(JSON.stringify({ error }));
    };
    for (const name of ["sk", "short"]) await world.chat(key, { model: `model-${name}-good` });
    const mails = [await mailbox.take(email, "Channel"), await mailbox.take(email, "Channel")];
    for (const { raw, text } of mails) {
      expect(text).toContain("was disabled automatically");
      expect([findSecrets(planted, raw + text), text]).toEqual([[], text]);
    }
    expect(
      findSecrets(planted, JSON.stringify(await world.api("GET", "/api/channel/?size=100"))),
    ).toEqual([]);
  });

  test("F-101 clients learn neither the provider's address nor the error of the connection", {
    tags: ["F-101"],
  }, () => {
    const hosts = [
      new URL(upstream.url).host,
      "nobody-has-this-name.invalid",
      "ENOTFOUND",
      "EAI_AGAIN",
      "SSL",
      "wrong version",
    ];
    for (const { name, text } of replies)
      for (const word of hosts)
        expect([name, text.includes(word), text]).toEqual([name, false, text]);
  });
});
