/**
 * What the runs of broken networks share: the answer of their calls, what it costs, and how a
 * gateway ends after them.
 */
import { expect } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";

/** Words of each answer. */
export const answerTokens = 40;
export const wholeCharge = 6 + answerTokens * 4;

/**
 * Stops a gateway whose calls have ended: nothing broke inside, nothing stays held, and its books
 * agree.
 */
export async function closeSound(gateway: TestGateway): Promise<void> {
  expect(gateway.process.output()).not.toMatch(/unhandledRejection|uncaughtException|"level":60/);
  expect(await gateway.settled()).toMatchObject({ held: 0, reservations: 0 });
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
}
