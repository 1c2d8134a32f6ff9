/** Proof of work over the management API: who is asked for it, and what an answer is good for. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import { answerTo } from "../support/work-answer.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describe.each(ruleDatabases)("proof of work on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  const set = (value: string) =>
    root("PUT", "/api/option/", { body: { key: "ProofOfWorkBits", value } });
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    expect((await set("23")).body.success).toBe(false);
    expect((await set("8")).body.success).toBe(true);
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
  });

  const newcomer = (username: string) => ({ username, password: `a good password of ${username}` });

  test("a registration needs an answer, which works once and from its own network", async () => {
    const here = gateway.from("203.0.113.1");
    const register = (name: string, headers = {}, client = here) =>
      client("POST", "/api/user/register", { body: newcomer(name), headers });
    const asked = await register("ada");
    expect(asked.body).toMatchObject({
      success: false,
      code: "proof_of_work_required",
      data: { bits: 8 },
    });
    const headers = answerTo(asked.body.data);
    expect((await register("ada", headers, gateway.from("203.0.113.2"))).body.code).toBe(
      "proof_of_work_required",
    );
    expect((await register("ada", headers)).body.success).toBe(true);
    expect((await register("eve", headers)).body.code).toBe("proof_of_work_required");
  });

  test("an answer ends after five minutes, and is worth nothing for another purpose", async () => {
    const client = gateway.from("203.0.113.3");
    const reset = (headers = {}) =>
      client("POST", "/api/reset_password", { body: { email: "a@example.org" }, headers });
    const verify = (headers = {}) =>
      client("POST", "/api/verification", { body: { email: "a@example.org" }, headers });
    const headers = answerTo((await reset()).body.data);
    expect((await verify(headers)).body.code).toBe("proof_of_work_required");
    gateway.clock.now += 5 * 60_000;
    expect((await reset(headers)).body.code).toBe("proof_of_work_required");
    expect((await reset(answerTo((await reset()).body.data))).body.code).not.toBe(
      "proof_of_work_required",
    );
  });

  test("a sign-in needs it after two failures from one place, and the owner elsewhere does not", async () => {
    await gateway.addUser("olga");
    const signIn = (from: string, secret: string, headers = {}) =>
      gateway.from(from)("POST", "/api/user/login", {
        body: { username: "olga", password: secret },
        headers,
      });
    for (let round = 0; round < 2; round += 1)
      expect((await signIn("203.0.113.4", "wrong password")).body.code).toBe("wrong_credentials");
    const asked = await signIn("203.0.113.4", password);
    expect(asked.body.code).toBe("proof_of_work_required");
    expect((await signIn("203.0.113.5", password)).body.success).toBe(true);
    expect((await signIn("203.0.113.4", password, answerTo(asked.body.data))).body.success).toBe(
      true,
    );
  });

  test("an unknown name is asked for it as a known one is", async () => {
    const body = { username: "not-here", password };
    const signIn = () => gateway.from("203.0.113.6")("POST", "/api/user/login", { body });
    for (let round = 0; round < 2; round += 1)
      expect((await signIn()).body.code).toBe("wrong_credentials");
    expect((await signIn()).body.code).toBe("proof_of_work_required");
  });

  test("a user who is signed in is not asked, and no one where it is off", async () => {
    const mine = await gateway.signIn("root");
    const verified = await mine("POST", "/api/verification", { body: { email: "b@example.org" } });
    expect(verified.body.code).not.toBe("proof_of_work_required");
    await set("0");
    const registered = await gateway.from("203.0.113.8")("POST", "/api/user/register", {
      body: newcomer("finn"),
    });
    expect(registered.body.success).toBe(true);
  });
});
