// A server that answers every read of the management API with an example made from the contract, and one of them as odd as
// a test wants. It serves the console's own build.
import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { catalogue } from "@tollgate/contract/catalogue.ts";
import type { Endpoint } from "@tollgate/contract/endpoint.ts";
import { servedFeatures } from "@tollgate/contract/features.ts";
import type { ReplyShape } from "@tollgate/contract/reply-shape.ts";
import { repositoryDir } from "./repository-dir.ts";

/** What the server sends: a status and a body, or a connection that breaks, or nothing for a while. */
export type OddReply = { status?: number; body: unknown } | { html: string } | { broken: true } | { delayMs: number };

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
  footer_html: "",
  logo: "",
  chat_link: "",
  top_up_link: "",
  expired_time: -1,
  created_at: Math.floor(Date.now() / 1000) - 3_600,
};

export function exampleOf(shape: ReplyShape, name = "text"): unknown {
  if (Object.hasOwn(meaningful, name)) return meaningful[name];
  if (shape === "text") return name;
  if (shape === "number") return 1_795_100_000;
  if (shape === "flag") return true;
  if (shape === "any") return null;
  if ("list" in shape) return [exampleOf(shape.list, name)];
  if ("record" in shape) return { [name]: exampleOf(shape.record, name) };
  if ("members" in shape) {
    return Object.fromEntries(Object.entries(shape.members).map(([member, of]) => [member, exampleOf(of, member)]));
  }
  return exampleOf("optional" in shape ? shape.optional : shape.nullable, name);
}

const reads = catalogue.map(({ endpoint }) => endpoint).filter(({ method }) => method === "GET");
const patternOf = ({ path }: Endpoint) => new RegExp(`^${path.replace(/\/$/, "").replace(/:[a-z_]+/g, "[^/]+")}/?$`);
/** Words come before parameters: `/api/channel/jobs` is no channel. */
const routes = reads
  .map((endpoint) => ({ endpoint, pattern: patternOf(endpoint) }))
  .toSorted((one, other) => one.endpoint.path.split(":").length - other.endpoint.path.split(":").length);

export const readAt = (pathname: string): Endpoint | undefined =>
  routes.find(({ pattern }) => pattern.test(pathname))?.endpoint;

/** What a server of the contract answers. */
export function exampleReply({ reply }: Endpoint): Record<string, unknown> {
  const extras = Object.entries(reply.extras ?? {}).map(([name, shape]) => [name, exampleOf(shape, name)]);
  const data = reply.data === undefined ? null : exampleOf(reply.data);
  return { success: true, message: "", data, ...Object.fromEntries(extras) };
}

export type ContractServer = Awaited<ReturnType<typeof startContractServer>>;

export async function startContractServer() {
  let odd: { path: string; reply: OddReply } | undefined;
  const asked = new Set<string>();
  let pending = 0;

  function sendJson(response: ServerResponse, status: number, body: unknown) {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  function answerApi(response: ServerResponse, pathname: string) {
    const endpoint = readAt(pathname);
    if (endpoint === undefined) return sendJson(response, 404, { success: false, message: `no ${pathname}` });
    asked.add(endpoint.path);
    pending += 1;
    response.on("close", () => {
      pending -= 1;
    });
    if (odd === undefined || odd.path !== endpoint.path) return sendJson(response, 200, exampleReply(endpoint));
    const { reply } = odd;
    if ("broken" in reply) return void response.destroy();
    if ("html" in reply) return void response.writeHead(200, { "content-type": "text/html" }).end(reply.html);
    if ("delayMs" in reply)
      return void setTimeout(() => sendJson(response, 200, exampleReply(endpoint)), reply.delayMs);
    sendJson(response, reply.status ?? 200, reply.body);
  }

  async function answerFile(response: ServerResponse, pathname: string) {
    const isFile = extname(pathname) !== "";
    const file = join(build, isFile ? normalize(pathname) : "index.html");
    const content = await readFile(file).catch(() => undefined);
    const type = mediaTypes[extname(file)] ?? "application/octet-stream";
    const headers = { "content-type": type, ...(isFile && { "cache-control": "public, max-age=3600, immutable" }) };
    response.writeHead(content === undefined ? 404 : 200, headers).end(content);
  }

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://here");
    if (pathname.startsWith("/api/")) answerApi(response, pathname);
    else void answerFile(response, pathname);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The paths of the contract that were read since a test last cleared the set. */
    asked,
    isAnswering: () => pending > 0,
    /** From now on, the reads of this path get this reply; without one, all get examples. */
    answer(path?: string, reply?: OddReply) {
      odd = path === undefined || reply === undefined ? undefined : { path, reply };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
