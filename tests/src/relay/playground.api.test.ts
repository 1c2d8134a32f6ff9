// The console's own key on a real call: charged like any other, and for one person alone.
import { afterAll, beforeAll, expect, test } from "vitest";
import { replyOf, startWorld, usualBody, usualCharge, type World } from "../world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.given.channel({ key: "sim-as-play" });
});
afterAll(() => world.close());

test("a call with it is answered and charged, one dearer than its cap is not, and after signing out none is", async () => {
  const { token } = await world.api<{ token: string }>("POST", "/api/user/playground_token");
  const ask = async (body = usualBody()) => replyOf(await world.send(token, body));
  expect((await ask()).status).toBe(200);
  await world.settled();
  expect((await world.logs()).map(({ token_name, quota }) => [token_name, quota])).toEqual([
    ["Playground", usualCharge],
  ]);
  const dear = await ask(usualBody({ max_tokens: 130_000 }));
  expect(dear.status).toBe(403);
  const management = await fetch(`${world.url}/api/user/self`, { headers: { authorization: `Bearer ${token}` } });
  expect(management.status).toBe(401);
  await management.text();
  await world.api("POST", "/api/user/logout");
  expect((await ask()).status).toBe(401);
});
