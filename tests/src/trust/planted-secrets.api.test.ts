// Plants and uses secrets, also in failing calls, and then searches for them everywhere else.
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiSession, requestSignIn, sendTo } from "../harness/api-session.ts";
import { rootPassword } from "../harness/database-templates.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { type IdentityProvider, startIdentityProvider } from "../harness/identity-provider.ts";
import { linkIn, type Mailbox, startMailbox } from "../harness/mailbox.ts";
import {
  chatBody,
  startTestGateway,
  type TestGateway,
  type TestUser,
} from "../harness/test-gateway.ts";
import {
  type CannedProvider,
  chunk,
  completion,
  event,
  startCannedProvider,
  streamed,
  whole,
} from "../relay/canned-provider.ts";
import { describeVariants } from "../support/variants.ts";
import { createBackup, readBackup } from "./backup-copy.ts";
import { findSecrets, type PlantedSecret } from "./secret-search.ts";

const made = (): string => randomBytes(18).toString("base64url");
const modelName = "sim-model";

/** Responses of a hostile provider that knows the key. */
const responseStyles: readonly [name: string, (key: string) => CannedProvider["answer"]][] = [
  ["refuses the key and quotes it", (key) => refusing(401, key)],
  ["takes the call for wrong and quotes the key", (key) => refusing(400, key)],
  ["is broken and quotes the key", (key) => refusing(500, key)],
  ["forbids, with the key in its code", (key) => refusing(403, key, { code: key, type: key })],
  [
    "sends a page with the key",
    (key) => (response) => void response.writeHead(502).end(`<html>${key}</html>`),
  ],
  ["sends no JSON but the key", (key) => whole(`{"key": "${key}", `)],
  [
    "sends an error with a good status",
    (key) => whole({ error: { message: `bad key ${key}`, type: "t", code: "c" } }),
  ],
  [
    "begins a stream with an error",
    (key) => streamed(event({ error: { message: `bad key ${key}`, code: key } })),
  ],
  [
    "ends a stream with an error",
    (key) => streamed(chunk("Hello"), event({ error: { message: `bad key ${key}` } })),
  ],
  [
    "quotes the key in other spellings",
    (key) => refusing(400, `${Buffer.from(key).toString("base64")} ${[...key].reverse().join("")}`),
  ],
  ["hangs up", () => (response) => void response.destroy()],
];

const refusing =
  (status: number, key: string, extra: object = {}) =>
  (response: ServerResponse): void => {
    const error = {
      message: `Incorrect API key provided: ${key}.`,
      type: "invalid_request_error",
      ...extra,
    };
    response
      .writeHead(status, { "content-type": "application/json" })
      .end(JSON.stringify({ error }));
  };

/** `secretsOfChannel` gives what a request to the provider holds, in all spellings. */
const secretsOfChannel = (planted: readonly PlantedSecret[]) =>
  planted.filter(({ name }) => /^(provider key|value)/.test(name));

describeVariants(databaseKinds)("secrets on %s", (store) => {
  const masterKey = randomBytes(32);
  const providerKey = `sk-proj-${made()}`;
  const headerValue = `Bearer ${made()}`;
  const smtpPassword = made();
  const oauthSecret = made();
  const password = made();
  const planted: PlantedSecret[] = [
    { name: "master key", text: masterKey.toString("base64") },
    { name: "master key in bytes", text: masterKey.toString("latin1") },
    { name: "provider key", text: providerKey },
    {
      name: "provider key in base64",
      text: Buffer.from(providerKey).toString("base64").replace(/=+$/, ""),
    },
    { name: "provider key backwards", text: [...providerKey].reverse().join("") },
    { name: "value of a custom header", text: headerValue },
    { name: "SMTP password", text: smtpPassword },
    { name: "OAuth secret", text: oauthSecret },
    { name: "password", text: password },
  ];
  /** Secrets that only their owner may see. */
  const personal: PlantedSecret[] = [];
  let world: TestGateway;
  let upstream: CannedProvider;
  let mailbox: Mailbox;
  let provider: IdentityProvider;
  let owner: TestUser;
  let stranger: TestUser;
  let admin: TestUser;
  /** Every response to a call that failed at the provider. */
  const relayed: string[] = [];
  /** The response to a test of a channel whose provider answers with the secrets of the request. */
  let successfulTest = "";

  beforeAll(async () => {
    const account = { user: "mailer@example.org", pass: smtpPassword };
    [upstream, mailbox, provider] = await Promise.all([
      startCannedProvider(),
      startMailbox({ account }),
      startIdentityProvider(),
    ]);
    world = await startTestGateway({
      store,
      upstreams: [upstream.url, provider.url],
      env: {
        MASTER_KEY: masterKey.toString("base64"),
        LOG_LEVEL: "trace",
        LOG_CALLS: "true",
        GITHUB_URL: provider.url,
        GITHUB_API_URL: `${provider.url}/api/v3`,
      },
    });
    for (const [key, value] of [
      ["SMTPServer", "127.0.0.1"],
      ["SMTPPort", String(mailbox.port)],
      ["SMTPAccount", account.user],
      ["SMTPToken", account.pass],
      ["ServerAddress", "https://ai.example.org"],
      ["GitHubClientId", "client"],
      ["GitHubClientSecret", oauthSecret],
      ["GitHubOAuthEnabled", "true"],
      ["RetryTimes", "0"],
    ])
      await world.api("PUT", "/api/option/", { key, value });

    owner = await world.given.user("owner", { quota: 100_000_000, password });
    stranger = await world.given.user("stranger");
    admin = await world.given.user("assistant");
    await world.api("POST", "/api/user/manage", { username: "assistant", action: "promote" });
    Object.assign(admin, { request: (await world.signIn("assistant")).request });
    const email = "owner@example.org";
    await world.api("PUT", "/api/user/", { id: owner.id, email });

    const { key: tokenKey } = await owner.token();
    const accessToken = await owner.data<string>("POST", "/api/user/token", {
      current_password: password,
    });
    const { secret } = await owner.data<{ secret: string }>("GET", "/api/user/totp/setup");
    personal.push(
      { name: "token key", text: tokenKey.replace(/^sk-/, "") },
      { name: "access token", text: accessToken },
      { name: "TOTP secret", text: secret },
      { name: "TOTP secret in bytes", text: bytesOf(secret).toString("latin1") },
      { name: "session", text: owner.cookie.replace(/^[^=]*=|;.*$/g, "") },
    );

    await world.api("GET", `/api/reset_password?email=${email}`);
    const link = linkIn(await mailbox.take(email, ""));
    personal.push({ name: "reset token", text: link.searchParams.get("token") ?? "" });

    const config = JSON.stringify({
      custom_headers: { "cf-aig-authorization": headerValue, "x-copy": "{{key}}" },
    });
    const channel = await world.given.channel({ key: providerKey, base_url: upstream.url, config });
    for (const [, answers] of responseStyles) {
      upstream.answer = answers(providerKey);
      for (const stream of [false, true]) {
        const response = await world.send(tokenKey, chatBody({ model: modelName, stream }));
        relayed.push(await response.text(), JSON.stringify([...response.headers]));
      }
      const tested = await (await world.root()).request("POST", `/api/channel/test/${channel.id}`);
      relayed.push(tested.text);
    }
    const echo = secretsOfChannel(planted)
      .map(({ text }) => text)
      .join(" and ");
    upstream.answer = whole(completion(`2 ${echo}${"x".repeat(1_000)}`));
    successfulTest = (await (await world.root()).request("POST", `/api/channel/test/${channel.id}`))
      .text;
    upstream.answer = whole(completion("hello", { prompt_tokens: 6, completion_tokens: 12 }));
    expect((await world.send(tokenKey, chatBody())).status).toBe(200);

    const browser = createApiSession(sendTo(world.url)).request;
    const minted = await browser("GET", "/api/oauth/state");
    const state = encodeURIComponent(minted.body.data);
    await browser("GET", `/api/oauth/github?code=none&state=${state}`);
    await requestSignIn(world.url, "owner", `${password}!`);
    await world.settled();
  }, 60_000);
  afterAll(async () => {
    await world?.close();
    await Promise.all([upstream?.close(), mailbox?.close(), provider?.close()]);
  });

  test("were all used: the provider, the mail server and GitHub were shown theirs", () => {
    expect(upstream.requests.length).toBeGreaterThanOrEqual(responseStyles.length * 3);
    expect(upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${providerKey}`);
    expect(provider.exchanges.map(({ client_secret }) => client_secret)).toEqual([oauthSecret]);
    for (const { name, text } of [...planted, ...personal])
      expect([name, text.length]).toEqual([name, expect.any(Number)]);
    for (const { name, text } of personal) expect(text.length, name).toBeGreaterThanOrEqual(16);
  });

  test("are in no response to a client whose provider quotes them", {
    tags: ["F-32", "F-100", "F-101"],
  }, () => {
    expect(relayed.length).toBe(responseStyles.length * 5);
    for (const [place, text] of relayed.entries())
      expect([
        responseStyles[Math.floor(place / 5)]?.[0],
        text,
        findSecrets(planted, text),
      ]).toEqual([expect.any(String), text, []]);
  });

  test("are not in the answer of a tested channel, of which few characters are shown", {
    tags: ["S2-06", "S2-10"],
  }, () => {
    expect(findSecrets(secretsOfChannel(planted), successfulTest)).toEqual([]);
    const { success, message } = JSON.parse(successfulTest) as {
      success: boolean;
      message: string;
    };
    expect([success, message.startsWith("2 "), message.length <= 200]).toEqual([true, true, true]);
    expect(upstream.requests.at(-1)?.headers).toMatchObject({
      "cf-aig-authorization": headerValue,
      "x-copy": providerKey,
    });
  });

  test("are not in what the program printed, at its most talkative", { tags: ["F-100"] }, () => {
    const output = world.process.output();
    expect(output).toContain('"level":');
    expect(findSecrets([...planted, ...personal], output)).toEqual([]);
  });

  test("are in no file of the database, nor in a copy of it", { tags: ["F-103"] }, async () => {
    const all = [...planted, ...personal];
    const copy = await createBackup(world);
    try {
      const content = await readBackup(copy, store === "postgres");
      expect(content.includes("owner@example.org")).toBe(true);
      expect(findSecrets(all, content)).toEqual([]);
    } finally {
      await copy.remove();
    }
    // Includes deleted and overwritten data, and the write-ahead log.
    for (const name of await readdir(world.dataDir))
      expect([name, findSecrets(all, await readFile(join(world.dataDir, name)))]).toEqual([
        name,
        [],
      ]);
  });

  test("are in no trace", { tags: ["F-100"] }, async () => {
    const traces = await world.rows<{ data: string }>("select data from traces");
    expect(traces.length).toBeGreaterThanOrEqual(responseStyles.length * 2);
    expect(findSecrets([...planted, ...personal], JSON.stringify(traces))).toEqual([]);
    expect(JSON.stringify(traces)).toContain("Incorrect API key provided: [key]");
  });

  test("are in no response or export for visitors, other users, administrators and root", {
    tags: ["F-32"],
    timeout: 60_000,
  }, async () => {
    const others = [
      { who: "a visitor", cookie: "", seeks: personal },
      { who: "a stranger", cookie: stranger.cookie, seeks: personal },
      {
        who: "an administrator",
        cookie: (await world.signIn("assistant")).cookie,
        seeks: personal,
      },
      { who: "root", cookie: await rootCookie(world), seeks: personal },
      { who: "their owner", cookie: owner.cookie, seeks: [] },
    ];
    const [newest] = await world.rows<{ id: number }>("select max(id) as id from traces");
    const paths = readable(owner.id, newest?.id ?? 0);
    expect(paths.length).toBeGreaterThan(30);
    for (const { who, cookie, seeks } of others) {
      for (const path of paths) {
        const text = await read(world.url + path, cookie);
        expect([who, path, findSecrets([...planted, ...seeks], text)]).toEqual([who, path, []]);
      }
    }
    // The search would have found it: the owner is shown the key of the token.
    const own = await read(`${world.url}/api/token/`, owner.cookie);
    expect(findSecrets(personal, own)).toEqual(["token key"]);
  });
});

/** Every address that can be read without changing anything, with ids that exist. */
function readable(userId: number, logId: number): string[] {
  const ids: Record<string, number> = {
    "/api/user/:id": userId,
    "/api/trace/log/:id": logId,
    "/api/trace/:trace_id": logId,
  };
  const plain = catalogue
    .filter(({ endpoint }) => endpoint.method === "GET" && endpoint.proof === undefined)
    .map(({ endpoint: { path } }) => path.replace(/:\w+/g, String(ids[path] ?? 1)));
  const searches = [
    "/api/user/search?keyword=owner",
    "/api/channel/search?keyword=channel",
    "/api/token/search?keyword=",
  ];
  return [...new Set([...plain, ...searches, "/api/log/export?type=0", "/", "/v1/models"])];
}

/** `read` is for a response that never ends, its first part. */
async function read(url: string, cookie: string): Promise<string> {
  const response = await fetch(url, {
    redirect: "manual",
    headers: { cookie, [consoleHeader.name]: consoleHeader.value },
    signal: AbortSignal.timeout(20_000),
  });
  return JSON.stringify([...response.headers]) + (await response.text());
}

const rootCookie = async (world: TestGateway): Promise<string> =>
  (await world.signIn("root", rootPassword)).cookie;

function bytesOf(base32: string): Buffer {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...base32]
    .map((char) => alphabet.indexOf(char).toString(2).padStart(5, "0"))
    .join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
