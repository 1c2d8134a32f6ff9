import { newAccessTokenByGet } from "@tollgate/contract/accounts/accounts.ts";
import { getRedemption } from "@tollgate/contract/accounts/redemptions.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { getToken, listTokens, updateToken } from "@tollgate/contract/accounts/tokens.ts";
import { getUser } from "@tollgate/contract/accounts/user-admin.ts";
import { listAvailableModels } from "@tollgate/contract/accounts/users.ts";
import { endpoint } from "@tollgate/contract/api/endpoint.ts";
import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import { testChannelsByGet } from "@tollgate/contract/catalogue/channel-jobs.ts";
import { getChannel } from "@tollgate/contract/catalogue/channels.ts";
import { getMcpServer } from "@tollgate/contract/catalogue/mcp-servers.ts";
import { getVirtualModel } from "@tollgate/contract/catalogue/virtual-models.ts";
import { listOwnLogs } from "@tollgate/contract/figures/logs.ts";
import { getTraceOfLog } from "@tollgate/contract/figures/traces.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { fitReply } from "./fit-reply.ts";

const reading = (data: z.ZodMiniType) =>
  endpoint("GET", "/api/thing", { access: "user", scope: "none", summary: "", data });
const changing = (data: z.ZodMiniType) =>
  endpoint("POST", "/api/thing", { access: "user", scope: "none", summary: "", data });
const thing = z.object({
  name: z.string(),
  size: z.int(),
  tags: z.array(z.string()),
  isHot: z.boolean(),
});
const fitOf = (spec: Parameters<typeof fitReply>[0], data: unknown, extras = {}) =>
  fitReply(spec, { data, extras });

test("a single thing that is null or of another kind is none", () => {
  for (const data of [null, undefined, [], "text", 7, true])
    expect(fitOf(reading(thing), data)).toBeUndefined();
  for (const data of [null, {}, [], 7]) expect(fitOf(reading(z.string()), data)).toBeUndefined();
  for (const data of [null, {}, "7"]) expect(fitOf(reading(z.int()), data)).toBeUndefined();
});

test("a thing without its id is none, on every page about one thing", () => {
  const pages = [
    getToken,
    getChannel,
    getUser,
    getRedemption,
    getVirtualModel,
    getMcpServer,
    getSelf,
  ];
  for (const page of pages) {
    for (const ids of [{}, { id: null }, { id: {} }, { uuid: "" }])
      expect(fitOf(page, { name: "a", ...ids })).toBeUndefined();
    for (const ids of [{ id: 7 }, { id: "7" }, { uuid: "u" }])
      expect(fitOf(page, ids)).toBeDefined();
  }
  // A change that succeeded needs no id.
  expect(fitOf(updateToken, {})).toBeDefined();
});

test("missing texts and lists are empty, missing numbers unknown, missing flags absent", () => {
  expect(fitOf(reading(thing), { extra: 1 })?.data).toEqual({
    name: "",
    size: Number.NaN,
    tags: [],
    extra: 1,
  });
  const odd = { name: 7, size: "12", tags: ["a", null, {}, "b"], isHot: "true" };
  expect(fitOf(reading(thing), odd)?.data).toEqual({
    name: "7",
    size: 12,
    tags: ["a", "b"],
    isHot: true,
  });
  expect(fitOf(reading(thing), { name: {}, size: "many", tags: {}, isHot: 3 })?.data).toEqual({
    name: "",
    size: Number.NaN,
    tags: [],
  });
});

test("a list that is null is empty, one of another kind is none, and null rows are left out", () => {
  expect(fitOf(listTokens, null)?.data).toEqual([]);
  expect(fitOf(listTokens, {})).toBeUndefined();
  expect(fitOf(listTokens, ["row"])).toBeUndefined();
  expect(fitOf(listAvailableModels, [{ id: "gpt-4o" }])).toBeUndefined();
  expect(fitOf(listTokens, [null, {}])?.data).toMatchObject([
    { name: "", key: "", remain_quota: Number.NaN },
  ]);
});

test("names that come as a list are joined, as the contract has them", () => {
  expect(fitOf(getToken, { id: 7, models: ["a", "b"] })?.data).toMatchObject({ models: "a,b" });
});

test("without a total the reply has none; a total of another kind is none", () => {
  expect(fitOf(listTokens, [], { total: 3 })).toEqual({ data: [], total: 3 });
  expect(fitOf(listTokens, [])).toEqual({ data: [] });
  expect(fitOf(listOwnLogs, [], { total: null, searched_back_to: 9 })).toEqual({
    data: [],
    searched_back_to: 9,
  });
});

test("a change that succeeded stays a success without its data", () => {
  expect(fitOf(changing(thing), null)?.data).toEqual({ name: "", size: Number.NaN, tags: [] });
  expect(fitOf(changing(z.int()), {})?.data).toBeNaN();
  expect(fitOf(changing(z.array(z.string())), null)?.data).toEqual([]);
  expect(fitOf(testChannelsByGet, null)?.data).toMatchObject({ id: Number.NaN, results: [] });
  // A new access token that did not arrive is a failure.
  expect(fitOf(newAccessTokenByGet, {})).toBeUndefined();
});

test("null means none where the contract says so, a missing number stays unknown", () => {
  const measured = z.object({ p95: z.nullable(z.number()), owner: z.nullable(z.string()) });
  expect(fitOf(reading(measured), { p95: null, owner: null })?.data).toEqual({
    p95: null,
    owner: null,
  });
  expect(fitOf(reading(measured), {})?.data).toEqual({ p95: Number.NaN, owner: null });
});

test("the moments of a trace are found with its log row", () => {
  const timestamps = { request_received: 5 };
  expect(fitOf(getTraceOfLog, { trace_id: "t", log: { timestamps } })?.data).toMatchObject({
    timestamps,
  });
  // A moment that is no time was not reached.
  const odd = fitOf(getTraceOfLog, { trace_id: "t", timestamps: { request_received: "many" } })
    ?.data as {
    timestamps: object;
  };
  expect(odd.timestamps).toEqual({});
});

test("what follows the contract stays as it is", () => {
  const self = {
    id: 1,
    uuid: "u",
    username: "mira",
    metadata: { password_locked: true },
    inviter_uuid: null,
  };
  expect(fitOf(getSelf, structuredClone(self))?.data).toMatchObject(self);
});

test("no answer of any server breaks the fitting of any reply, and what fits a list is a list", () => {
  fc.assert(
    fc.property(fc.constantFrom(...catalogue), fc.jsonValue(), ({ endpoint: spec }, data) => {
      const fitted = fitReply(spec, { data, extras: {} });
      const shape = spec.reply.data;
      if (fitted === undefined || shape === undefined || typeof shape === "string") return;
      if ("list" in shape) expect(Array.isArray(fitted.data)).toBe(true);
      if ("members" in shape)
        for (const name of Object.keys(shape.members))
          checkMember(shape.members[name], fitted, name);
    }),
    { numRuns: 500 },
  );
});

function checkMember(shape: unknown, { data }: { data: unknown }, name: string) {
  const member = (data as Record<string, unknown>)[name];
  if (shape === "text") expect(typeof member).toBe("string");
  if (shape === "number") expect(typeof member).toBe("number");
}
