// The short form of `npm run trust -- sign-ins`.

import { runForgedSignIns } from "@tollgate/trust/runs/forged-sign-ins.ts";
import { expect, test } from "vitest";

const cases = 4_000;

test("forged id tokens, discovery documents and claims: no user is identified, and the client fails as it says", async () => {
  const { problems, genuine, refused } = await runForgedSignIns({ cases, seed: 20_261_123 });
  expect(problems).toEqual([]);
  // A client that refuses everything would prove nothing.
  expect(genuine).toBeGreaterThan(50);
  expect(refused.size).toBeGreaterThan(22);
}, 240_000);
