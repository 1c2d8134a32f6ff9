// Sends many generated requests to a running gateway: it neither crashes nor hangs, no response is
// an unexplained 5xx, and every response matches the contract.
import { Agent, request as httpRequest } from "node:http";
import type { Endpoint, EndpointSchema } from "@tollgate/contract/api/endpoint.ts";
import { consoleHeader, failure, success } from "@tollgate/contract/api/envelope.ts";
import { buildMeaning, isErrorCode } from "@tollgate/contract/api/errors.ts";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { startTestGateway, type TestGateway } from "@tollgate/tests/harness/test-gateway.ts";
import { randomFrom } from "@tollgate/tests/support/seeded-random.ts";
import * as z from "zod/mini";
import { type FuzzRequest, type FuzzTargets, requestFor } from "./fuzz-requests.ts";

export interface FuzzOptions {
  cases: number;
  seed: number;
  /** Requests in flight at once. */
  atOnce?: number;
  stop?: AbortSignal;
  onBatch?: (found: FuzzFigures) => void;
}

export interface FuzzFigures {
  cases: number;
  /** Number of responses by status. */
  statuses: Map<number, number>;
  /** Operations of the contract that were called, and those that succeeded at least once. */
  called: Set<string>;
  succeeded: Set<string>;
  slowestMs: number;
  problems: string[];
}

const hangMs = 5_000;
/** A new gateway after this many: with short lists the last request is as fast as the first. */
const perGateway = 40_000;
const perBatch = 4_000;
const problemsMax = 60;
const models = ["fuzz-chat", "fuzz-failing", "fuzz-cut", "whisper-1", "nobody-has-this"];

export async function runFuzz({
  cases,
  seed,
  atOnce = 16,
  stop,
  onBatch,
}: FuzzOptions): Promise<FuzzFigures> {
  const figures: FuzzFigures = {
    cases: 0,
    statuses: new Map(),
    called: new Set(),
    succeeded: new Set(),
    slowestMs: 0,
    problems: [],
  };
  const isOver = () => figures.problems.length >= problemsMax || stop?.aborted === true;
  while (figures.cases < cases && !isOver()) {
    const end = Math.min(cases, figures.cases + perGateway);
    const world = await startTestGateway({
      env: {
        // No request may reach a machine of another owner.
        GITHUB_URL: "http://127.0.0.1:9",
        GITHUB_API_URL: "http://127.0.0.1:9",
        LARK_URL: "http://127.0.0.1:9",
        SHUTDOWN_GRACE_SECONDS: "5",
        // Each request names its own client address, so that failed sign-ins of some do not lock
        // out all others.
        TRUSTED_PROXIES: "127.0.0.1",
      },
    });
    try {
      await world.given.channel({
        key: "sim-ok",
        models: models.slice(0, 1).concat("whisper-1").join(","),
      });
      await world.given.channel({ key: "sim-fail-503", models: "fuzz-failing" });
      await world.given.channel({ key: "sim-cut-3", models: "fuzz-cut" });
      const { pid } = world.process;
      const root = await world.api<string>("POST", "/api/user/token", {});
      while (figures.cases < end && !isOver()) {
        const size = Math.min(perBatch, end - figures.cases);
        await batch(world, root, seed + figures.cases, size, atOnce, figures);
        figures.cases += size;
        onBatch?.(figures);
      }
      figures.problems.push(...problemsInOutput(world));
      if (world.process.pid !== pid) figures.problems.push("the gateway was started again");
      const open = await eventually(() => world.settled({ timeoutMs: 20_000 })).catch(
        (cause: Error) => cause.message,
      );
      if (typeof open === "string") figures.problems.push(open);
      const reported = await world.audit();
      if (reported !== "The books agree.") figures.problems.push(reported);
    } finally {
      await world.close();
    }
  }
  return figures;
}

async function batch(
  world: TestGateway,
  root: string,
  seed: number,
  size: number,
  atOnce: number,
  figures: FuzzFigures,
): Promise<void> {
  const runGateway = await createFuzzTargets(world, root, seed);
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const random = randomFrom(seed);
  let left = size;
  const worker = async () => {
    while (left > 0 && figures.problems.length < problemsMax) {
      left -= 1;
      const requested = requestFor(random, runGateway);
      const problem = await tryRequest(world, agent, requested, figures);
      if (problem !== undefined)
        figures.problems.push(
          `seed ${seed}: ${requested.method} ${requested.path.slice(0, 300)} ${JSON.stringify(requested.headers).slice(0, 300)} ${requested.body?.slice(0, 1_000) ?? ""} → ${problem}`,
        );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  agent.destroy();
}

/** Settings that a request may have changed and that the next users need. */
const needed: readonly [key: string, value: string][] = [
  ["GroupRatio", '{"default":1,"vip":2}'],
  ["RetryTimes", "1"],
];

/** Creates new users: requests change passwords, remove roles and delete accounts. */
async function createFuzzTargets(
  world: TestGateway,
  root: string,
  seed: number,
): Promise<FuzzTargets> {
  for (const [key, value] of needed) await world.api("PUT", "/api/option/", { key, value });
  const named = async (name: string) => {
    const user = await world.given.user(`${name}-${seed}`, { quota: 1_000_000 });
    return { ...user, access: await user.data<string>("POST", "/api/user/token", {}) };
  };
  const [user, other, admin, disabled] = [
    await named("user"),
    await named("other"),
    await named("admin"),
    await named("gone"),
  ];
  await world.api("POST", "/api/user/manage", { username: admin.username, action: "promote" });
  const good = await user.token();
  const spent = await user.token({ unlimited_quota: false, remain_quota: 0 });
  const off = await other.token();
  await other.data("PUT", "/api/token/?status_only=1", { id: off.id, status: 2 });
  await world.api("PUT", "/api/user/?status_only=1", { id: disabled.id, status: 2 });
  const browser = (await world.signIn(other.username)).cookie;
  const userActors = [
    {},
    { authorization: user.access },
    { authorization: other.access },
    { authorization: disabled.access },
    { authorization: `Bearer ${good.key}` },
  ];
  const own = { [consoleHeader.name.toLowerCase()]: consoleHeader.value };
  return {
    userActors,
    actors: [
      ...userActors,
      { authorization: admin.access },
      { authorization: admin.access },
      { authorization: root },
      { authorization: root },
      { authorization: root },
      { cookie: browser, ...own },
      { cookie: browser },
    ],
    keys: [
      ...Array.from({ length: 12 }, () => good.key),
      spent.key,
      off.key,
      `${good.key}x`,
      "sk-",
      "",
    ],
    simulatorUrl: world.simulator.url,
    models,
  };
}

interface FuzzResponse {
  status: number;
  type: string;
  text: string;
}

async function tryRequest(
  world: TestGateway,
  agent: Agent,
  requested: FuzzRequest,
  figures: FuzzFigures,
): Promise<string | undefined> {
  const startedAt = performance.now();
  let answered: FuzzResponse;
  try {
    answered = await send(world.url, agent, requested);
  } catch (cause) {
    return (cause as Error).message;
  } finally {
    figures.slowestMs = Math.max(figures.slowestMs, performance.now() - startedAt);
  }
  const { status } = answered;
  figures.statuses.set(status, (figures.statuses.get(status) ?? 0) + 1);
  if (requested.operation) figures.called.add(requested.operation.name);
  if (requested.operation && status === 200 && answered.text.includes('"success":true'))
    figures.succeeded.add(requested.operation.name);
  const path = requested.path.split("?")[0] ?? "";
  // A response to HEAD has no body that gives a reason.
  if (requested.method === "HEAD")
    return status >= 500 && status !== 501 ? `status ${status}` : undefined;
  if (path.startsWith("/api")) return problemInReply(requested.operation?.endpoint, answered);
  return /^\/(v1|v1beta|dashboard)(\/|$)/.test(path)
    ? problemInRelay(answered)
    : status >= 500
      ? `${status}`
      : undefined;
}

/**
 * A response after 5 s counts as a hang. On a busy machine the request is sent again and must be
 * answered then.
 */
async function send(
  url: string,
  agent: Agent,
  requested: FuzzRequest,
  tries = 2,
): Promise<FuzzResponse> {
  try {
    return await sendOnce(url, agent, requested);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    // A server may close a connection between two requests.
    const isStale = code === "ECONNRESET" || code === "EPIPE";
    if (tries > 0 && (isStale || message.startsWith("no answer")))
      return await send(url, agent, requested, tries - 1);
    throw cause;
  }
}

const sendOnce = (
  url: string,
  agent: Agent,
  { method, path, headers, body }: FuzzRequest,
): Promise<FuzzResponse> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const request = httpRequest(
      new URL(url),
      { method, path, agent, headers: { ...headers, ...length } },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.once("error", reject);
        response.once("end", () => {
          clearTimeout(timer);
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers["content-type"] ?? "",
            text,
          });
        });
      },
    );
    const timer = setTimeout(
      () => request.destroy(new Error(`no answer within ${hangMs} ms`)),
      hangMs,
    );
    request.once("error", (cause) => {
      clearTimeout(timer);
      reject(cause);
    });
    request.end(body);
  });

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const replies = new WeakMap<Endpoint, EndpointSchema>();
function replyOf(endpoint: Endpoint): EndpointSchema {
  const known = replies.get(endpoint);
  if (known) return known;
  const data = endpoint.data ?? z.null();
  const schema = endpoint.bare ? data : success(data, endpoint.extras);
  replies.set(endpoint, schema);
  return schema;
}

function problemInReply(
  endpoint: Endpoint | undefined,
  { status, type, text }: FuzzResponse,
): string | undefined {
  const summary = `${status} ${text.slice(0, 300)}`;
  if (status >= 500) return summary;
  if (endpoint?.stream && status === 200 && type.startsWith(endpoint.stream)) return undefined;
  // The HTTP layer itself refuses bytes that are not a request.
  if ([400, 431].includes(status) && text === "") return undefined;
  if (!type.startsWith("application/json")) return `${summary} as ${type}`;
  const reported = jsonOf(text);
  const refused = z.safeParse(failure, reported);
  if (refused.success) {
    const { code } = refused.data;
    if (!isErrorCode(code)) return `${summary}: a code that the contract does not have`;
    return buildMeaning(code).status === status
      ? undefined
      : `${summary}: the status of ${code} is another`;
  }
  // A generated path that was meant not to exist and does.
  if (!endpoint) return undefined;
  const parsed = z.safeParse(replyOf(endpoint), reported);
  return parsed.success
    ? undefined
    : `${summary}: ${JSON.stringify(parsed.error.issues.slice(0, 3))}`;
}

/** 501 means not offered, 502 to 504 come from providers, and each has the body of an error. */
function problemInRelay({ status, type, text }: FuzzResponse): string | undefined {
  if (status < 400) {
    const isReadable = !type.startsWith("application/json") || jsonOf(text) !== undefined;
    return isReadable ? undefined : `${status} with broken JSON ${text.slice(0, 200)}`;
  }
  const { error } = (jsonOf(text) ?? {}) as { error?: { message?: unknown; code?: unknown } };
  if (typeof error?.message !== "string") return `${status} without an error ${text.slice(0, 200)}`;
  if (status < 500 || [501, 502, 504].includes(status)) return undefined;
  return status === 503 && error.code !== "storage_unavailable"
    ? undefined
    : `${status} ${text.slice(0, 300)}`;
}

function problemsInOutput({ process: gateway }: TestGateway): string[] {
  const bugs = gateway
    .output()
    .split("\n")
    .filter((line) =>
      /unhandledRejection|uncaughtException|a management call failed|"level":60/.test(line),
    );
  return bugs.slice(0, 3).map((line) => line.slice(0, 600));
}
