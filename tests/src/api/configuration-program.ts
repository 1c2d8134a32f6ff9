/**
 * A program that applies configuration documents with a management key, as `tollgate apply` does.
 */
import { expect } from "vitest";
import {
  type ManagementGateway,
  password,
  type TestApiClient,
  type TestApiReply,
} from "./management-gateway.ts";

export async function configurationProgram(
  gateway: ManagementGateway,
  root: TestApiClient,
): Promise<TestApiClient> {
  const body = {
    name: "ci",
    scopes: ["config:read", "config:write"],
    lifetime_days: 1,
    current_password: password,
  };
  const { key } = (await root("POST", "/api/management_key/", { body })).body.data;
  return (method, path, ask) =>
    gateway.visitor(method, path, { ...ask, headers: { authorization: `Bearer ${key}` } });
}

/** `more` are members of the request beside the document, such as `preview`. */
export async function applyDocument(
  client: TestApiClient,
  document: object,
  more: object = {},
): Promise<TestApiReply["body"]["data"]> {
  const body = { file: "site.yaml", document: { apiVersion: "tollgate/v1", ...document }, ...more };
  const reply = await client("POST", "/api/config/apply", { body });
  expect(reply.body, reply.body.message).toMatchObject({ success: true });
  return reply.body.data;
}
