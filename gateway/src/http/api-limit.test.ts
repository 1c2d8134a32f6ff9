import { expect, test } from "vitest";
import { createMemoryCounters } from "../limits/counters.ts";
import { createApiLimit } from "./api-limit.ts";

const call = { address: "192.0.2.1", requestId: "r" };
const route = { method: "GET", path: "/api/channel/" } as const;

test("a management key has 120 calls a minute of its own, whatever its maker and the maker's other keys use", async () => {
  let now = 0;
  const limit = createApiLimit(
    createMemoryCounters(() => now),
    () => 480,
  );
  const key = (id: number) => ({
    id: 7,
    credential: {
      kind: "management_key",
      ...{ id, name: "ci", scopes: [], subnet: [], teamId: undefined },
    } as const,
  });
  const take = (principal: Parameters<typeof limit.take>[2]) => limit.take(call, route, principal);
  for (let n = 0; n < 120; n += 1) await take(key(1));
  await expect(take(key(1))).rejects.toMatchObject({ code: "too_many_requests" });
  await expect(take(key(2))).resolves.toBeUndefined();
  await expect(take({ id: 7, credential: { kind: "access_token" } })).resolves.toBeUndefined();
  now += 120_000;
  await expect(take(key(1))).resolves.toBeUndefined();
});
