import { endpoint } from "@tollgate/contract/api/endpoint.ts";
import { beforeEach, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { call, onSessionChange, readArrivedReply } from "./api-call.ts";
import { askWhilePressed } from "./ask-while-pressed.ts";
import { expectReply, firstRequests, takeEarlyReply, waitForEarlyReply } from "./early-replies.ts";
import { getSession, signIn, signOut } from "./session.ts";

vi.mock("./api-messages.ts", () => ({
  formatRefusalMessage: (_: string | undefined, message: string) => message,
  formatTimeoutMessage: (seconds: number) => `no answer in ${seconds} s`,
  formatUnexpectedDataMessage: () => "without data",
  formatUnreachableMessage: () => "unreachable",
  formatUnreadableMessage: (status: number) => `unreadable ${status}`,
}));

const named = z.object({ id: z.union([z.string(), z.number()]) });
const readThing = endpoint("GET", "/api/thing/:id", {
  access: "user",
  scope: "none",
  summary: "",
  params: named,
  data: z.string(),
});
const listThings = endpoint("GET", "/api/thing/", {
  access: "user",
  scope: "none",
  summary: "",
  query: z.object({ p: z.optional(z.number()), keyword: z.optional(z.string()) }),
  data: z.array(z.string()),
});
const makeThing = endpoint("POST", "/api/thing/", {
  access: "user",
  scope: "none",
  summary: "",
  body: z.object({ name: z.string() }),
});
const models = endpoint("GET", "/v1/models", { access: "user", scope: "none", summary: "" });

type Sent = { address: string; init: RequestInit; headers: Headers };
let sent: Sent[];

function answer(status: number, body: unknown, headers: Record<string, string> = {}) {
  answerEach(() => [status, body], headers);
}

function answerEach(
  answerTo: (address: string) => [number, unknown],
  headers: Record<string, string> = {},
) {
  vi.stubGlobal("fetch", async (address: string, init: RequestInit) => {
    sent.push({ address, init, headers: new Headers(init.headers) });
    const [status, body] = answerTo(address);
    return new Response(typeof body === "string" ? body : JSON.stringify(body), {
      status,
      headers,
    });
  });
}

beforeEach(() => {
  sent = [];
  globalThis.earlyReply = undefined;
  signIn({ username: "mira", role: 1 }, "sk-play");
  onSessionChange(() => {});
});

test("a call fills the path, writes the query and sends the same-origin header", async () => {
  answer(200, { success: true, message: "", data: "x" });
  expect((await call(readThing, { params: { id: "a/b" } })).data).toBe("x");
  answer(200, { success: true, message: "", data: ["x"], total: 1 });
  await call(listThings, { query: { p: 0, keyword: "" } });
  expect(sent.map((one) => one.address)).toEqual(["/api/thing/a%2Fb", "/api/thing/?p=0"]);
  expect(sent[0]?.headers.get("X-Tollgate-Console")).toBe("1");
  expect(sent[0]?.headers.has("Authorization")).toBe(false);
  expect(sent[0]?.init.credentials).toBe("include");
});

const replyOf = (status: number, body: unknown) =>
  Promise.resolve(new Response(JSON.stringify(body), { status }));

test("the first call of an address takes the reply of the request that the page's head began, the next one asks", async () => {
  const abort = new AbortController();
  const early = { success: true, message: "", data: ["early"], total: 1 };
  globalThis.earlyReply = { url: "/api/thing/?p=0", response: replyOf(200, early), abort };
  answer(200, { success: true, message: "", data: ["late"], total: 1 });
  const asked = async (p: number) => (await call(listThings, { query: { p } })).data;
  expect([await asked(1), await asked(0), await asked(0)]).toEqual([["late"], ["early"], ["late"]]);
});

test("the press of a link asks for the rows of its list, and what no page takes within a second is dropped", async () => {
  vi.useFakeTimers();
  vi.stubGlobal("location", { pathname: "/dashboard" });
  answer(200, { success: true, message: "", data: [], total: 0 });
  const [list] = Object.keys(firstRequests);
  if (list === undefined) throw new Error("no list is asked for early");
  askWhilePressed("/about");
  expect(globalThis.earlyReply).toBeUndefined();
  askWhilePressed(list);
  expect(sent.map(({ address }) => address)).toEqual([firstRequests[list]?.url]);
  expect(sent[0]?.headers.get("X-Tollgate-Console")).toBe("1");
  expect(globalThis.earlyReply?.url).toBe(firstRequests[list]?.url);
  const { signal } = globalThis.earlyReply?.abort ?? new AbortController();
  vi.advanceTimersByTime(1_000);
  expect([globalThis.earlyReply, signal.aborted]).toEqual([undefined, true]);
  vi.stubGlobal("location", { pathname: list });
  askWhilePressed(list);
  expect(sent).toHaveLength(1);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a reply that is there before its page is drawn is given at once and once; a refusal is left to the call", async () => {
  const expected = async (status: number, body: unknown) => {
    const asked = { url: "/api/thing/?p=2", response: replyOf(status, body) };
    expectReply({ ...asked, abort: new AbortController() });
    await globalThis.earlyReply?.arrival;
  };
  const readArrived = () => readArrivedReply(listThings, { query: { p: 2 } })?.data;
  const early = { success: true, message: "", data: ["early"], total: 1 };
  await expected(200, early);
  expect(readArrivedReply(listThings, { query: { p: 3 } })).toBeUndefined();
  expect([readArrived(), readArrived()]).toEqual([["early"], undefined]);

  await expected(200, early);
  expect((await call(listThings, { query: { p: 2 } })).data).toEqual(["early"]);
  for (const [status, body] of [
    [200, { success: false, message: "not logged in" }],
    [500, early],
    [200, "no list"],
  ] as const) {
    await expected(status, body);
    expect(readArrived()).toBeUndefined();
    await expect(call(listThings, { query: { p: 2 } })).rejects.toThrow();
  }
});

test("a page waits for the reply of its pressed link, a tenth of a second at most, and never for a list that it has shown", async () => {
  vi.useFakeTimers();
  const [path, { url }] = Object.entries(firstRequests).at(-1) ?? ["", { url: "" }];
  const wait = () => {
    let isOver = false;
    void waitForEarlyReply(path)?.then(() => (isOver = true));
    return async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return isOver;
    };
  };
  let reply = (_: Response): void => {};
  const press = () => {
    const response = new Promise<Response>((resolve) => (reply = resolve));
    expectReply({ url, response, abort: new AbortController() });
  };
  expect(waitForEarlyReply(path)).toBeUndefined();
  press();
  expect(waitForEarlyReply("/dashboard")).toBeUndefined();
  const late = wait();
  expect([await late(99), await late(1)]).toEqual([false, true]);
  const early = wait();
  expect(await early(50)).toBe(false);
  reply(new Response("{}"));
  expect(await early(0)).toBe(true);

  void takeEarlyReply("GET", url, new AbortController().signal);
  press();
  expect(waitForEarlyReply(path)).toBeUndefined();
  vi.useRealTimers();
});

test("a request that began early ends like any other: by a refused session, and when its page is left", async () => {
  const refused = replyOf(401, { success: false, message: "no session" });
  globalThis.earlyReply = { url: "/api/thing/", response: refused, abort: new AbortController() };
  await expect(call(listThings)).rejects.toMatchObject({ status: 401 });
  expect(getSession().user).toBeNull();

  const abort = new AbortController();
  const response = new Promise<Response>((_, reject) => {
    abort.signal.addEventListener("abort", () => reject(abort.signal.reason));
  });
  globalThis.earlyReply = { url: "/api/thing/", response, abort };
  const page = new AbortController();
  const left = call(listThings, { signal: page.signal });
  page.abort();
  await expect(left).rejects.toMatchObject({ name: "AbortError" });
});

test("a refusal of a call, or of an early request, of the session before does not end the one that has begun since", async () => {
  let refuse = (_: Response): void => {};
  vi.stubGlobal("fetch", () => new Promise<Response>((resolve) => (refuse = resolve)));
  const late = call(listThings);
  signIn({ username: "mira", role: 1 });
  refuse(await replyOf(401, { success: false, message: "no session" }));
  await expect(late).rejects.toMatchObject({ status: 401 });
  expect(getSession().user).not.toBeNull();

  const early = replyOf(401, { success: false, message: "no session" });
  globalThis.earlyReply = { url: "/api/thing/", response: early, abort: new AbortController() };
  answer(401, { success: false, message: "no session" });
  await expect(call(readThing, { params: { id: 1 } })).rejects.toMatchObject({ status: 401 });
  expect(getSession().user).toBeNull();
  signIn({ username: "mira", role: 1 });
  answer(200, { success: true, message: "", data: [], total: 0 });
  expect((await call(listThings)).data).toEqual([]);
  expect(getSession().user).not.toBeNull();
});

test("a body travels as JSON, with its idempotency key", async () => {
  answer(200, { success: true, message: "done" });
  const reply = await call(makeThing, { body: { name: "x" }, idempotencyKey: "k-1" });
  expect(reply).toEqual({ data: null, message: "done" });
  expect(sent[0]?.init.body).toBe('{"name":"x"}');
  expect(sent[0]?.headers.get("Idempotency-Key")).toBe("k-1");
});

test("a relay call carries the API key and no session header", { tags: ["F-92"] }, async () => {
  answerEach((address) =>
    address === "/v1/models"
      ? [401, { error: { message: "bad key" } }]
      : [200, { success: true, message: "", data: { token: "sk-new" } }],
  );
  await expect(call(models)).rejects.toMatchObject({ message: "bad key", status: 401 });
  await expect(call(models)).rejects.toMatchObject({ status: 401 });
  // Requested before the first call only, then reused for a while.
  expect(sent.map((one) => one.address)).toEqual([
    "/api/user/playground_token",
    "/v1/models",
    "/v1/models",
  ]);
  expect(sent[1]?.headers.get("Authorization")).toBe("Bearer sk-new");
  expect(sent[1]?.headers.has("X-Tollgate-Console")).toBe(false);
  expect(getSession().user?.username).toBe("mira");
});

test.each([
  ["has no such endpoint", 404, { success: false, message: "" }],
  ["returns an empty one", 200, { success: true, message: "", data: { token: "" } }],
  ["returns none", 200, { success: true, message: "", data: null }],
])("the stored key stays when the server %s", async (_, status, body) => {
  answerEach((address) => (address === "/v1/models" ? [200, { data: [] }] : [status, body]));
  const complaint = vi.spyOn(console, "error").mockImplementation(() => {});
  await call(models);
  expect(sent.at(-1)?.headers.get("Authorization")).toBe("Bearer sk-play");
  complaint.mockRestore();
});

test("a visitor's call requests no key", async () => {
  signOut();
  answer(200, { data: [] });
  await call(models);
  expect(sent.map((one) => one.address)).toEqual(["/v1/models"]);
});

test("a null list becomes an empty one, beside its total", async () => {
  answer(200, { success: true, message: "", data: null, total: 0 });
  expect(await call(listThings)).toEqual({ data: [], total: 0, message: "" });
});

test("a success without the data of its endpoint is an error", async () => {
  answer(200, { success: true, message: "", data: null }, { "X-Oneapi-Request-Id": "r-8" });
  await expect(call(readThing, { params: { id: 1 } })).rejects.toMatchObject({
    message: "without data",
    code: "unexpected_data",
    status: 200,
    requestId: "r-8",
  });
});

test("a number that the server did not send is not sent back", async () => {
  answer(200, { success: true, message: "" });
  await call(makeThing, { body: { name: "x", size: Number.NaN } as never });
  expect(sent[0]?.init.body).toBe('{"name":"x"}');
});

test("a refusal carries message, code and request id", async () => {
  answer(
    200,
    { success: false, message: "no such thing", code: "thing_not_found" },
    { "X-Oneapi-Request-Id": "r-7" },
  );
  await expect(call(readThing, { params: { id: 1 } })).rejects.toMatchObject({
    name: "ApiError",
    message: "no such thing",
    code: "thing_not_found",
    status: 200,
    requestId: "r-7",
  });
});

test("a rate limit carries the seconds to wait, from the body or the header", async () => {
  answer(429, { error: { message: "slow down" } }, { "Retry-After": "30" });
  await expect(call(listThings)).rejects.toMatchObject({
    message: "slow down",
    status: 429,
    retryAfterSeconds: 30,
  });
});

test("401 and 403 end the session and notify the shell", async () => {
  const onChange = vi.fn();
  onSessionChange(onChange);
  answer(401, { success: false, message: "not logged in" });
  await expect(call(listThings)).rejects.toMatchObject({ status: 401 });
  expect(getSession().user).toBeNull();
  expect(onChange).toHaveBeenCalledOnce();
});

test("a pending password change is stored and the shell is notified", async () => {
  const onChange = vi.fn();
  onSessionChange(onChange);
  answer(400, { success: false, message: "first", code: "password_change_required" });
  await expect(call(listThings)).rejects.toMatchObject({ code: "password_change_required" });
  expect(getSession().user?.must_change_password).toBe(true);
  expect(onChange).toHaveBeenCalledOnce();
});

test("timeout, connection failure and invalid JSON are different errors", async () => {
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    await new Promise((_, reject) =>
      init.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
    );
  });
  await expect(call(listThings, { timeoutMs: 20 })).rejects.toMatchObject({
    code: "timeout",
    message: "no answer in 0.02 s",
  });
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed to fetch")));
  await expect(call(listThings)).rejects.toMatchObject({ code: "unreachable", status: 0 });
  answer(502, "<html>bad gateway</html>");
  await expect(call(listThings)).rejects.toMatchObject({ code: "not_json", status: 502 });
});
