// A third-party management server, as small as the console needs it and as strict as such servers
// are: it knows one form of ids, wants the slash after collections, sends null for empty lists,
// gives no error codes, and does not validate its input. It serves the console's own build.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { repositoryDir } from "./repository-dir.ts";

/** The older servers of the family speak integers, the newer ones nothing but uuids. */
export type IdForm = "integer" | "uuid";
type ForeignJson = Record<string, unknown>;
type ForeignEntity = ForeignJson & { n: number; uuid: string };
type ForeignReply = { status?: number; body: ForeignJson };

export type ForeignServerOptions = {
  ids: IdForm;
  role: number;
  /** `usage` is what a dashboard answers for a range: bare rows, or an object around them. */
  usage: ForeignJson[];
  isUsageBare?: boolean;
};

export const credentials = { username: "mira", password: "open sesame" };
/** `defaultRoot` is what every server of the family starts with. */
export const defaultRoot = { username: "root", password: "123456" };
/** Readable without a sign-in. */
const publicPaths = new Set(["status", "notice", "about", "home_page_content"]);
const build = join(repositoryDir, "console/dist");
const mediaTypes: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

const done = (data: unknown, more: ForeignJson = {}): ForeignReply => ({
  body: { success: true, message: "", data, ...more },
});
const refused = (message: string): ForeignReply => ({ body: { success: false, message } });
const unknownRoute: ForeignReply = {
  status: 404,
  body: { error: { message: "Invalid URL", type: "invalid_request_error", param: "", code: "" } },
};

export type ForeignServer = Awaited<ReturnType<typeof startForeignServer>>;

export async function startForeignServer({
  ids,
  role,
  usage,
  isUsageBare = false,
}: ForeignServerOptions) {
  const isInteger = ids === "integer";
  /**
   * Newer servers date everything in milliseconds but for the few old names; older ones in seconds.
   */
  const seconds = () => Math.floor(Date.now() / 1000);
  const me: ForeignEntity = {
    n: 7,
    uuid: "0199aa10-0000-7000-8000-000000000007",
    username: credentials.username,
    role,
  };
  const tokens: ForeignEntity[] = [];
  const asked: string[] = [];
  const bodies: ForeignJson[] = [];
  let isLimited = false;
  let made = 0;
  const sessions = new Set<string>();

  const shown = ({ n, uuid, ...rest }: ForeignEntity): ForeignJson =>
    isInteger ? { id: n, ...rest } : { uuid, ...rest };
  /** A reference of the other form is none. */
  const isRef = (ref: unknown) => (isInteger ? /^\d+$/ : /^[\da-f]+-[\da-f-]+$/).test(String(ref));
  const find = (ref: unknown) =>
    tokens.find(({ n, uuid }) => String(isInteger ? n : uuid) === String(ref));

  const call: ForeignEntity = {
    n: 31,
    uuid: "0199aa10-2222-7000-8000-000000000031",
    created_at: seconds() - 60,
    type: 2,
    content: "",
    username: me.username,
    token_name: "ci",
    model_name: "gpt-4o-mini",
    ...(isInteger ? { channel: 3 } : { channel_uuid: null, channel_name: "", token_uuid: null }),
    quota: 1_234,
    prompt_tokens: 100,
    completion_tokens: 20,
    elapsed_time: 2_790,
    is_stream: true,
    trace_id: "4be1c0ffee",
  };
  const at = 1_795_100_000_100;
  const moments = {
    request_received: at,
    request_forwarded: at + 40,
    request_completed: at + 2_790,
  };
  const trace: ForeignJson = {
    ...(isInteger ? { id: 5 } : { uuid: randomUUID() }),
    trace_id: call.trace_id,
    url: "/v1/chat/completions",
    method: "POST",
    body_size: 412,
    status: 200,
    // The older ones keep the moments with the log.
    ...(isInteger ? {} : { timestamps: moments }),
    durations: { processing_time: 40, total_time: 2_790 },
    log: { ...shown(call), ...(isInteger ? { timestamps: moments } : {}) },
  };

  function addToken(fields: ForeignJson): ForeignEntity {
    made += 1;
    const key = `sk-${"k".repeat(44)}${made}000`;
    const dates = { created_time: seconds(), accessed_time: seconds(), expired_time: -1 };
    const newer = isInteger ? {} : { created_at: Date.now(), updated_at: Date.now() };
    const usual = {
      key,
      status: 1,
      remain_quota: 0,
      unlimited_quota: false,
      used_quota: 0,
      models: null,
      subnet: null,
    };
    const token = { ...usual, ...dates, ...newer, ...fields, n: made, uuid: randomUUID() };
    tokens.push(token);
    return token;
  }

  function answerToken(
    method: string,
    ref: string | undefined,
    query: URLSearchParams,
    body: ForeignJson,
  ): ForeignReply {
    if (method === "GET" && (ref === "" || ref === "search")) {
      const keyword = query.get("keyword") ?? "";
      const found = tokens.filter(({ name }) => String(name).startsWith(keyword)).reverse();
      const [p, size] = [Number(query.get("p") ?? 0), Number(query.get("size") ?? 10)];
      const page = found.slice(p * size, (p + 1) * size).map(shown);
      return done(page.length === 0 ? null : page, { total: found.length });
    }
    if (method === "POST" && ref === "") {
      if (isLimited) {
        const message = "Too many requests (request id: 2026)";
        return { status: 429, body: { error: { message, type: "one_api_error" } } };
      }
      return done(shown(addToken(body)));
    }
    const named = method === "PUT" ? body[isInteger ? "id" : "uuid"] : ref;
    if (!isRef(named)) return refused("invalid reference");
    const token = find(named);
    if (token === undefined) return refused("record not found");
    if (method === "DELETE") tokens.splice(tokens.indexOf(token), 1);
    if (method === "PUT" && query.has("status_only")) token.status = body.status;
    else if (method === "PUT") {
      // Whatever is missing becomes empty, and 0 is a time long past.
      const {
        name = "",
        remain_quota = 0,
        unlimited_quota = false,
        models = "",
        subnet = "",
        status,
      } = body;
      if (
        String(subnet)
          .split(",")
          .some((block) => block !== "" && !block.includes("/"))
      )
        return refused("invalid CIDR");
      Object.assign(token, { name, remain_quota, unlimited_quota, models, subnet, status });
      token.expired_time = body.expired_time ?? 0;
    }
    return done(method === "DELETE" ? undefined : shown(token));
  }

  function answerUser(method: string, name: string, query: URLSearchParams): ForeignReply {
    if (name === "self" && method === "PUT") return done(undefined);
    if (name === "self")
      return done(shown({ ...me, display_name: "Mira", quota: 750_000, used_quota: 250_000 }));
    if (name === "available_models") return done(["gpt-4o", "gpt-4o-mini"]);
    if (name === "dashboard/users") {
      if (role < 100) return refused("only the root user may list users");
      const all = isInteger ? { id: "all" } : { uuid: "all" };
      return done([{ ...all, username: "all", display_name: "All Users" }, shown(me)]);
    }
    if (name !== "dashboard") return unknownRoute;
    if (query.has("user_id") && role < 100)
      return refused("only the root user may see the usage of others");
    if (!query.has("from_date")) {
      return done({ logs: null, total_quota: 750_000, used_quota: 250_000, status: "Active" });
    }
    const rows = usage.filter(
      ({ Day }) =>
        String(Day) >= String(query.get("from_date")) &&
        String(Day) <= String(query.get("to_date")),
    );
    const list = rows.length === 0 ? null : rows;
    return done(
      isUsageBare
        ? list
        : { logs: list, total_quota: 750_000, used_quota: 250_000, status: "Active" },
    );
  }

  function answer(
    method: string,
    path: string,
    query: URLSearchParams,
    body: ForeignJson,
  ): ForeignReply {
    if (path === "status")
      return done({
        version: "0.6.0",
        system_name: "Elsewhere",
        quota_per_unit: 500_000,
        display_in_currency: true,
      });
    if (publicPaths.has(path)) return done("");
    const [group, ...rest] = path.split("/");
    const name = rest.join("/");
    if (group === "user") return answerUser(method, name, query);
    if (group === "token" && rest.length === 1) return answerToken(method, name, query, body);
    if (["log/", "log/self", "log/search", "log/self/search"].includes(path))
      return done([shown(call)], { total: 1 });
    if (path.startsWith("trace/log/")) {
      const ref = rest[1];
      if (!isRef(ref)) return { status: 400, ...refused("invalid reference") };
      return String(isInteger ? call.n : call.uuid) === ref
        ? done(trace)
        : { status: 404, ...refused("not found") };
    }
    if (path === "channel/" || path === "channel/search" || path === "group/")
      return done(null, { total: 0 });
    return unknownRoute;
  }

  async function answerApi(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ) {
    const method = request.method ?? "GET";
    const text = (await request.setEncoding("utf8").toArray()).join("");
    const body = text === "" ? {} : (JSON.parse(text) as ForeignJson);
    asked.push(`${method} /api/${path}${query.size === 0 ? "" : `?${query}`}`);
    bodies.push(body);
    const cookie = /session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
    let reply: ForeignReply;
    if (path === "user/login") {
      const account = [credentials, defaultRoot].find(({ username }) => username === body.username);
      const isRight = account !== undefined && account.password === body.password;
      me.username = account?.username ?? me.username;
      if (isRight) {
        const id = randomUUID();
        sessions.add(id);
        response.setHeader("Set-Cookie", `session=${id}; Path=/; HttpOnly; SameSite=Lax`);
      }
      // Quota, group and mail address are empty here.
      reply = isRight
        ? done(shown({ ...me, display_name: "", quota: 0 }))
        : refused("wrong user name or password");
    } else if (path === "user/logout") {
      sessions.delete(cookie);
      reply = done(undefined);
    } else if (!publicPaths.has(path) && !sessions.has(cookie)) {
      const message =
        "No permission to perform this operation, not logged in or no access token was given";
      reply = { status: 401, body: { success: false, message } };
    } else reply = answer(method, path, query, body);
    response
      .writeHead(reply.status ?? 200, { "content-type": "application/json" })
      .end(JSON.stringify(reply.body));
  }

  async function answerFile(response: ServerResponse, path: string) {
    const isFile = extname(path) !== "";
    const file = join(build, isFile ? normalize(path) : "index.html");
    const type = mediaTypes[extname(file)] ?? "application/octet-stream";
    const content = await readFile(file).catch(() => undefined);
    response.writeHead(content === undefined ? 404 : 200, { "content-type": type }).end(content);
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://here");
    const answered = pathname.startsWith("/api/")
      ? answerApi(request, response, pathname.slice("/api/".length), searchParams)
      : answerFile(response, pathname);
    answered.catch((cause: unknown) => response.writeHead(500).end(String(cause)));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The requests to the API so far, in order, with their bodies. */
    asked,
    bodies,
    tokens,
    addToken,
    limit(on: boolean) {
      isLimited = on;
    },
    endSessions: () => sessions.clear(),
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
