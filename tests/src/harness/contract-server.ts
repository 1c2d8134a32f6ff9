// A server that answers every call of the console with an example made from the contract, and one
// of them as odd as a test wants. It serves the console's own build.
import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import {
  readKeyBudgets,
  readKeyLogs,
  readKeyUsage,
} from "@tollgate/contract/accounts/key-holder.ts";
import type { Endpoint, Method } from "@tollgate/contract/api/endpoint.ts";
import type { ReplyShape } from "@tollgate/contract/api/reply-shape.ts";
import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import { servedFeatures } from "@tollgate/contract/site/features.ts";
import { repositoryDir } from "./repository-dir.ts";

/**
 * `OddReply` is what the server sends: a status and a body, or a connection that breaks, or nothing
 * for a while.
 */
export type OddReply =
  | { status?: number; body: unknown }
  | { html: string }
  | { broken: true }
  | { delayMs: number };

const build = join(repositoryDir, "console/dist");
const mediaTypes: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** Members whose example must mean something; every other text is its own name. */
const meaningful: Readonly<Record<string, unknown>> = {
  // Without them, the console asks for nothing beyond what every server of the family has.
  features: servedFeatures,
  status_page: "public",
  uuid: "0199aa10-1111-7000-8000-0000000000aa",
  Day: new Date().toISOString().slice(0, 10),
  status: 1,
  role: 100,
  type: 1,
  total: 2,
  models: "gpt-4o",
  config: "{}",
  other: "",
  model_mapping: "{}",
  model_configs: "{}",
  inference_profile_arn_map: null,
  system_prompt: null,
  trace_id: "4be1c0ffee",
  state: "done",
  kind: "test",
  outcome: "passed",
  price: null,
  must_change_password: false,
  must_add_second_factor: false,
  read_only: false,
  managed_by: "",
  disabled: false,
  email: "ruth@example.com",
  url: "https://tools.example/mcp",
  oidc_authorize_url: "https://id.example/authorize",
  // Numbers and lists that forms send back.
  rpm_limit: 0,
  tpm_limit: 0,
  max_parallel_requests: 0,
  cache_seconds: 0,
  prompt_marks: "",
  timeout_ms: 30_000,
  weight: 1,
  tags: "",
  required_tags: "",
  footer_html: "",
  logo: "",
  chat_link: "",
  top_up_link: "",
  expired_time: -1,
  created_at: Math.floor(Date.now() / 1000) - 3_600,
};

/** `meaningfulAt` is what means something else in the replies of one path. */
const meaningfulAt: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  // Rows with which an administrator may do everything.
  "/api/user/": { role: 1, username: "ruth" },
  "/api/user/:id": { role: 1 },
  "/api/delivery/": { state: "failed" },
  "/api/destination/": { kind: "mail", severity: "warning", rules: [], language: "" },
  "/api/own_destination/": { kind: "mail", rules: [], language: "" },
  "/api/option/": { key: "RetryTimes", value: "3" },
};

export function exampleOf(shape: ReplyShape, name = "text", of = meaningful): unknown {
  if (Object.hasOwn(of, name)) return of[name];
  if (shape === "text") return name;
  if (shape === "number") return 1_795_100_000;
  if (shape === "flag") return true;
  if (shape === "any") return null;
  if ("list" in shape) return [exampleOf(shape.list, name, of)];
  if ("record" in shape) return { [name]: exampleOf(shape.record, name, of) };
  if ("members" in shape) {
    return Object.fromEntries(
      Object.entries(shape.members).map(([member, part]) => [member, exampleOf(part, member, of)]),
    );
  }
  return exampleOf("optional" in shape ? shape.optional : shape.nullable, name, of);
}

/**
 * `endpoints` hold those that an API key asks about itself are no operations of the management API.
 */
const endpoints: readonly Endpoint[] = [
  ...catalogue.map(({ endpoint }) => endpoint),
  ...[readKeyUsage, readKeyLogs, readKeyBudgets],
];
const patternOf = ({ path }: Endpoint) =>
  new RegExp(`^${path.replace(/\/$/, "").replace(/:[a-z_]+/g, "[^/]+")}/?$`);
/** Words come before parameters: `/api/channel/jobs` is no channel. */
const routes = endpoints
  .map((endpoint) => ({ endpoint, pattern: patternOf(endpoint) }))
  .toSorted(
    (one, other) => one.endpoint.path.split(":").length - other.endpoint.path.split(":").length,
  );

const endpointAt = (method: Method, { pathname, searchParams }: URL): Endpoint | undefined => {
  const found = routes.filter(
    ({ endpoint, pattern }) => endpoint.method === method && pattern.test(pathname),
  );
  const isAsked = ({ variant }: Endpoint) => variant !== undefined && searchParams.has(variant);
  return (found.find(({ endpoint }) => isAsked(endpoint)) ?? found[0])?.endpoint;
};

/** `nameOfEndpoint` says how a table names an endpoint: `PUT /api/token/?status_only`. */
export const nameOfEndpoint = ({ method, path, variant }: Endpoint): string =>
  `${method} ${path}${variant === undefined ? "" : `?${variant}`}`;

/** `exampleReply` gives what a server of the contract answers. */
export function exampleReply({ path, reply, bare }: Endpoint): Record<string, unknown> {
  const of = { ...meaningful, ...meaningfulAt[path] };
  const extras = Object.entries(reply.extras ?? {}).map(([name, shape]) => [
    name,
    exampleOf(shape, name, of),
  ]);
  const data = reply.data === undefined ? null : exampleOf(reply.data, "text", of);
  if (bare === true) return data as Record<string, unknown>;
  return { success: true, message: "", data, ...Object.fromEntries(extras) };
}

export type ContractServer = Awaited<ReturnType<typeof startContractServer>>;

export async function startContractServer() {
  let odd: { endpoint: Endpoint; reply: OddReply } | undefined;
  const asked = new Set<Endpoint>();
  let pending = 0;

  function sendJson(response: ServerResponse, status: number, body: unknown) {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  function answerApi(response: ServerResponse, method: Method, url: URL) {
    const endpoint = endpointAt(method, url);
    if (endpoint === undefined)
      return sendJson(response, 404, { success: false, message: `no ${url.pathname}` });
    asked.add(endpoint);
    pending += 1;
    response.on("close", () => {
      pending -= 1;
    });
    if (odd?.endpoint !== endpoint) return sendJson(response, 200, exampleReply(endpoint));
    const { reply } = odd;
    if ("broken" in reply) return void response.destroy();
    if ("html" in reply)
      return void response.writeHead(200, { "content-type": "text/html" }).end(reply.html);
    if ("delayMs" in reply)
      return void setTimeout(() => sendJson(response, 200, exampleReply(endpoint)), reply.delayMs);
    sendJson(response, reply.status ?? 200, reply.body);
  }

  async function answerFile(response: ServerResponse, pathname: string) {
    const isFile = extname(pathname) !== "";
    const file = join(build, isFile ? normalize(pathname) : "index.html");
    const content = await readFile(file).catch(() => undefined);
    const type = mediaTypes[extname(file)] ?? "application/octet-stream";
    const headers = {
      "content-type": type,
      ...(isFile && { "cache-control": "public, max-age=3600, immutable" }),
    };
    response.writeHead(content === undefined ? 404 : 200, headers).end(content);
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://here");
    // What is sent counts for nothing, but a connection with unread bytes breaks.
    request.resume();
    if (/^\/(api|v1)\//.test(url.pathname)) answerApi(response, request.method as Method, url);
    else void answerFile(response, url.pathname);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What was called since a test last cleared the set. */
    asked,
    isAnswering: () => pending > 0,
    /** From now on, the calls of this endpoint get this reply; without one, all get examples. */
    answer(endpoint?: Endpoint, reply?: OddReply) {
      odd = endpoint === undefined || reply === undefined ? undefined : { endpoint, reply };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
