import type { RelyingParty } from "@tollgate/gateway/http/relying-party.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createSoftwarePasskey,
  type PasskeyAnswer,
  type SoftwarePasskey,
} from "../support/software-passkey.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { type CookieBrowser, createCookieBrowser } from "./cookie-browser.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiReply,
} from "./management-gateway.ts";

const minute = 60_000;
const publicUrl = "http://localhost:3000";
const party: RelyingParty = { id: "localhost", origin: publicUrl };

describeVariants(testDatabases)("passkeys on $name", (database) => {
  let gateway: ManagementGateway;
  beforeAll(async () => {
    gateway = await startManagementGateway(database, undefined, undefined, publicUrl);
  });
  afterAll(() => gateway.close());

  const newBrowser = () => createCookieBrowser(gateway);

  interface PasskeyOwner {
    id: number;
    uuid: string;
    username: string;
    browser: CookieBrowser;
    device: SoftwarePasskey;
    userHandle: string;
  }

  const addPasskey = async ({ ask }: CookieBrowser, device: SoftwarePasskey, name = "laptop") => {
    const begun = await ask("POST", "/api/user/passkey/register/begin", { body: {} });
    if (!begun.body.success) return begun;
    const { challenge } = begun.body.data.publicKey;
    const path = `/api/user/passkey/register/finish?name=${encodeURIComponent(name)}`;
    return ask("POST", path, { body: device.created({ challenge, party }) });
  };

  const addOwner = async (username: string, role = 1): Promise<PasskeyOwner> => {
    const user = await gateway.addUser(username, { role });
    const browser = newBrowser();
    await browser.signIn(username, password);
    const device = createSoftwarePasskey();
    expect((await addPasskey(browser, device)).body).toMatchObject({ success: true });
    const begun = (await browser.ask("POST", "/api/user/passkey/register/begin", { body: {} })).body
      .data;
    return { ...user, browser, device, userHandle: begun.publicKey.user.id };
  };

  const challengeFor = async ({ ask }: CookieBrowser, kind = "login") =>
    String((await ask("POST", `/api/user/passkey/${kind}/begin`)).body.data.publicKey.challenge);

  const enter = async (
    browser: CookieBrowser,
    { device, userHandle }: Pick<PasskeyOwner, "device" | "userHandle">,
    answer: Partial<PasskeyAnswer> = {},
  ): Promise<TestApiReply> => {
    const challenge = answer.challenge ?? (await challengeFor(browser));
    const body = device.presented({ party, userHandle, ...answer, challenge });
    return browser.ask("POST", "/api/user/passkey/login/finish", { body });
  };

  const audited = async (target: string) => {
    const { sql, read } = gateway.db;
    const rows = await read(
      sql.selectFrom("audit_entries").selectAll().where("target", "=", target).orderBy("id"),
    );
    return rows.map(({ action }) => action);
  };

  test("a registered passkey signs in, also where passwords are off or a code is asked for", {
    tags: ["PK-01"],
  }, async () => {
    const mira = await addOwner("mira");
    const begun = (await mira.browser.ask("POST", "/api/user/passkey/register/begin", { body: {} }))
      .body.data.publicKey;
    expect(begun).toMatchObject({
      rp: { id: "localhost", name: "Tollgate" },
      user: { name: "mira" },
      excludeCredentials: [{ id: mira.device.id, type: "public-key", transports: ["internal"] }],
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      attestation: "none",
    });
    expect(Buffer.from(begun.user.id, "base64url")).toHaveLength(32);
    const root = await gateway.signIn("root");
    await root("PUT", "/api/option/", { body: { key: "PasswordLoginEnabled", value: "false" } });
    const browser = newBrowser();
    expect((await enter(browser, mira, { counter: 1 })).body).toMatchObject({
      success: true,
      data: { username: "mira", role: 1 },
    });
    expect((await browser.ask("GET", "/api/user/self")).body.data.username).toBe("mira");
    await root("PUT", "/api/option/", { body: { key: "PasswordLoginEnabled", value: "true" } });
    expect((await browser.ask("GET", "/api/user/passkey")).body.data).toEqual([
      {
        id: expect.any(Number),
        uuid: expect.any(String),
        user_uuid: mira.uuid,
        credential_name: "laptop",
        sign_count: 1,
        backed_up: false,
        created_at: gateway.clock.now,
        used_at: gateway.clock.now,
      },
    ]);
    expect((await gateway.visitor("GET", "/api/status")).body.data.passkey_login).toBe(true);
    expect(await audited(mira.uuid)).toEqual(["passkey.add"]);
  });

  test("a challenge is good for one answer, of its browser, for its purpose, within five minutes", {
    tags: ["PK-02"],
  }, async () => {
    const owner = await addOwner("once");
    const refused = { success: false, code: "passkey_challenge_invalid" };
    const browser = newBrowser();
    const challenge = await challengeFor(browser);
    expect((await enter(newBrowser(), owner, { challenge })).body).toMatchObject(refused);
    expect((await enter(browser, owner, { challenge })).body.success).toBe(true);
    expect((await enter(browser, owner, { challenge })).body).toMatchObject(refused);
    const late = await challengeFor(browser);
    gateway.clock.now += 5 * minute;
    expect((await enter(browser, owner, { challenge: late })).body).toMatchObject(refused);
    expect(
      (await enter(browser, owner, { challenge: Buffer.alloc(32).toString("base64url") })).body,
    ).toMatchObject(refused);
    const proof = await challengeFor(owner.browser, "proof");
    expect((await enter(owner.browser, owner, { challenge: proof })).body).toMatchObject(refused);
    // A wrong answer uses the challenge up as well.
    const spent = await challengeFor(browser);
    expect((await enter(browser, owner, { challenge: spent, flags: 0x01 })).body.code).toBe(
      "passkey_wrong",
    );
    expect((await enter(browser, owner, { challenge: spent })).body).toMatchObject(refused);
  });

  test("of two answers to one challenge at the same moment one signs in", {
    tags: ["PK-02"],
  }, async () => {
    const owner = await addOwner("twice");
    const browser = newBrowser();
    const challenge = await challengeFor(browser);
    const replies = await Promise.all([1, 2, 3, 4].map(() => enter(browser, owner, { challenge })));
    expect(replies.filter(({ body }) => body.success)).toHaveLength(1);
  });

  test("an unknown passkey is refused like a wrong one, and a deleted account's too", {
    tags: ["PK-03"],
  }, async () => {
    const gone = await addOwner("gone");
    const stranger = { device: createSoftwarePasskey(), userHandle: gone.userHandle };
    const { body: unknown } = await enter(newBrowser(), stranger);
    const { body: wrong } = await enter(newBrowser(), gone, {
      clientData: { origin: "https://evil.example" },
    });
    expect(unknown).toMatchObject({ success: false, code: "passkey_wrong" });
    await gateway.setStatus(gone.id, 3);
    const { body: deleted } = await enter(newBrowser(), gone);
    const withoutId = ({ request_id: _, ...rest }: TestApiReply["body"]) => rest;
    expect([withoutId(wrong), withoutId(deleted)]).toEqual([
      withoutId(unknown),
      withoutId(unknown),
    ]);
    await gateway.setStatus(gone.id, 2);
    expect((await enter(newBrowser(), gone)).body.code).toBe("account_disabled");
  });

  test("tries with wrong passkeys are limited like tries with passwords", {
    tags: ["PK-03"],
  }, async () => {
    gateway.clock.now += 30 * minute;
    const stranger = {
      device: createSoftwarePasskey(),
      userHandle: Buffer.alloc(32).toString("base64url"),
    };
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 21; attempt += 1)
      statuses.push((await enter(newBrowser(), stranger)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.at(-1)).toBe(429);
    gateway.clock.now += 30 * minute;
  });

  test("a counter that goes back is refused, and owner and record learn of it", {
    tags: ["PK-04"],
  }, async () => {
    const owner = await addOwner("cloned");
    expect((await enter(newBrowser(), owner, { counter: 7 })).body.success).toBe(true);
    for (const counter of [7, 3, 0])
      expect((await enter(newBrowser(), owner, { counter })).body.code).toBe("passkey_copied");
    expect(await audited(owner.uuid)).toEqual([
      "passkey.add",
      ...Array(3).fill("passkey.refuse_copy"),
    ]);
    expect((await enter(newBrowser(), owner, { counter: 8 })).body.success).toBe(true);
  });

  test("recent proof is asked for to add or remove one, and a passkey gives it", {
    tags: ["PK-05"],
  }, async () => {
    const owner = await addOwner("careful");
    const { ask } = owner.browser;
    const [passkey] = (await ask("GET", "/api/user/passkey")).body.data;
    gateway.clock.now += 11 * minute;
    const removal = () => ask("DELETE", `/api/user/passkey/${passkey.id}`);
    expect((await addPasskey(owner.browser, createSoftwarePasskey())).body.code).toBe(
      "reauth_required",
    );
    expect((await removal()).body.code).toBe("reauth_required");
    const other = await addOwner("bystander");
    const prove = async ({ device, userHandle }: PasskeyOwner) => {
      const challenge = await challengeFor(owner.browser, "proof");
      const body = device.presented({ party, challenge, userHandle });
      return ask("POST", "/api/user/passkey/proof/finish", { body });
    };
    expect((await prove(other)).body.code).toBe("passkey_wrong");
    expect((await removal()).body.code).toBe("reauth_required");
    expect((await prove(owner)).body).toMatchObject({ success: true });
    expect((await removal()).body).toMatchObject({ success: true });
    expect((await ask("GET", "/api/user/passkey")).body.data).toEqual([]);
    expect((await enter(newBrowser(), owner)).body.code).toBe("passkey_wrong");
    expect(await audited(owner.uuid)).toEqual(["passkey.add", "passkey.remove"]);
  });

  test("the last way to sign in stays, also when two are removed at once", {
    tags: ["PK-05"],
  }, async () => {
    const owner = await addOwner("keyonly");
    await addPasskey(owner.browser, createSoftwarePasskey(), "phone");
    const { sql } = gateway.db;
    const noPassword = sql
      .updateTable("users")
      .set({ password_hash: "" })
      .where("id", "=", owner.id);
    await gateway.db.write([{ query: noPassword }]);
    const { ask } = owner.browser;
    const list = async () =>
      (await ask("GET", "/api/user/passkey")).body.data as { uuid: string }[];
    const removed = await Promise.all(
      (await list()).map(({ uuid }) => ask("DELETE", `/api/user/passkey/${uuid}`)),
    );
    expect(removed.map(({ body }) => body.code ?? "removed").sort()).toEqual([
      "external_last_way",
      "removed",
    ]);
    expect(await list()).toHaveLength(1);
  });

  test("twenty are enough, each is registered once, and each has a name", async () => {
    const owner = await addOwner("collector");
    expect((await addPasskey(owner.browser, owner.device)).body.code).toBe("passkey_taken");
    for (let count = 1; count < 20; count += 1)
      expect((await addPasskey(owner.browser, createSoftwarePasskey(), " ")).body).toMatchObject({
        success: true,
        data: { credential_name: "Passkey" },
      });
    expect((await addPasskey(owner.browser, createSoftwarePasskey())).body.code).toBe(
      "passkey_limit",
    );
    const { ask } = owner.browser;
    const [passkey] = (await ask("GET", "/api/user/passkey")).body.data;
    const renamed = await ask("PUT", `/api/user/passkey/${passkey.uuid}`, {
      body: { name: "key in the safe" },
    });
    expect(renamed.body.success).toBe(true);
    expect((await ask("GET", "/api/user/passkey")).body.data[0].credential_name).toBe(
      "key in the safe",
    );
  });

  test("a challenge of one user registers no passkey for another", {
    tags: ["PK-02"],
  }, async () => {
    const [owner, other] = [await addOwner("first"), await addOwner("second")];
    const begun = await owner.browser.ask("POST", "/api/user/passkey/register/begin", { body: {} });
    const { challenge } = begun.body.data.publicKey;
    // The same browser, in which another user signed in meanwhile.
    await owner.browser.signIn(other.username, password);
    const body = createSoftwarePasskey().created({ challenge, party });
    const reply = await owner.browser.ask("POST", "/api/user/passkey/register/finish", { body });
    expect(reply.body.code).toBe("passkey_challenge_invalid");
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});

test("without an address over https there are no passkeys", async () => {
  const [database] = testDatabases;
  if (!database) throw new Error("there is no database to test with");
  const gateway = await startManagementGateway(database);
  expect((await gateway.visitor("GET", "/api/status")).body.data.passkey_login).toBe(false);
  expect(
    (await gateway.visitor("POST", "/api/user/passkey/login/begin", { body: {} })).body.code,
  ).toBe("passkeys_off");
  await gateway.close();
});
