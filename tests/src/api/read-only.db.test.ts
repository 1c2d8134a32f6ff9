/** A server that is read-only: what the contract calls a change is refused, and nothing else. */

import { type Endpoint, isRefusedInReadOnly } from "@tollgate/contract/api/endpoint.ts";
import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describe.each(ruleDatabases)("a read-only server on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    gateway.tests.isReadOnly = true;
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
  });

  test("every change is refused before its input is looked at, and no search, sign-in or sign-out is", async () => {
    const endpoints = catalogue.map(({ endpoint }): Endpoint => endpoint);
    const isSignOut = ({ path }: Endpoint): boolean => path.endsWith("/logout");
    // A sign-out ends the session that asks.
    const changes = endpoints
      .filter(({ reply }) => reply.isChange)
      .sort((one, other) => Number(isSignOut(one)) - Number(isSignOut(other)));
    expect(changes.length).toBeGreaterThan(150);
    const answered: string[] = [];
    for (const one of changes) {
      const { body, status } = await root(
        one.method,
        one.path.replaceAll(/:\w+/g, "1"),
        one.method === "GET" ? {} : { body: {} },
      );
      const isRefused = status === 503 && body.code === "read_only";
      expect(isRefused, `${one.method} ${one.path}`).toBe(isRefusedInReadOnly(one));
      if (!isRefused) answered.push(one.path);
    }
    expect(answered).toContain("/api/user/login");
    expect(answered).toContain("/api/token/find");
  });

  test("reading, and a sign-in, work", async () => {
    const again = await gateway.signIn("root");
    expect((await again("GET", "/api/user/self")).body.data.username).toBe("root");
    expect((await again("GET", "/api/status")).body.data.read_only).toBe(true);
    const { status, body } = await again("POST", "/api/token/", { body: { name: "new" } });
    expect({ status, code: body.code }).toEqual({ status: 503, code: "read_only" });
    gateway.tests.isReadOnly = false;
    expect((await again("POST", "/api/token/", { body: { name: "new" } })).body.success).toBe(true);
    gateway.tests.isReadOnly = true;
  });
});
