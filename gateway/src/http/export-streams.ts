/**
 * Streams long replies batch by batch at the pace of the client, so that memory stays constant
 * whatever their length.
 */

import { ShareLedger } from "../limits/share-ledger.ts";
import { refuse } from "./refusal.ts";
import type { AuthenticatedContext, Identify } from "./request-context.ts";

/**
 * Each export keeps one small statement on the reader; this many leave capacity for the lists. A
 * user's share is one of them.
 */
const exportsMax = 8;
/** A client that reads nothing for this long gives up its place. */
const silenceMs = 120_000;

/**
 * `checkAccess` runs before each batch, because an export may outlive the sign-in of its user, and
 * throws when it has.
 */
export function createExportStreams() {
  const running = new ShareLedger<number>(exportsMax);

  return (
    userId: number,
    batches: AsyncGenerator<Uint8Array>,
    checkAccess?: () => Promise<void>,
  ): ReadableStream<Uint8Array> => {
    if (running.take(userId)) throw refuse("log_export_running", { retryAfter: 5 });
    let silenceTimer: NodeJS.Timeout | undefined;
    let hasEnded = false;
    const end = (): void => {
      clearTimeout(silenceTimer);
      if (!hasEnded) running.give(userId);
      hasEnded = true;
    };
    return new ReadableStream(
      {
        async pull(controller) {
          clearTimeout(silenceTimer);
          try {
            await checkAccess?.();
            const { done, value } = await batches.next();
            if (done) {
              end();
              return controller.close();
            }
            controller.enqueue(value);
          } catch (error) {
            end();
            throw error;
          }
          silenceTimer = setTimeout(() => {
            end();
            controller.error(new Error("the client stopped reading the export"));
          }, silenceMs);
        },
        async cancel() {
          end();
          await batches.return(undefined);
        },
      },
      { highWaterMark: 0 },
    );
  };
}

/** The principal may still read: signed in as the same user, with no lower role. */
export const stillAllowed =
  (
    identify: Identify,
    clock: () => number,
    { principal, headers, proxyUser }: AuthenticatedContext,
  ) =>
  async (): Promise<void> => {
    const current = await identify(headers, clock(), proxyUser);
    if (current?.id !== principal.id) throw refuse("not_logged_in");
    if (current.role < principal.role) throw refuse("insufficient_role");
  };
