/** Long replies that are made batch by batch as the caller takes them: memory stays the same however much there is. */

import { refuse } from "./refusal.ts";
import type { AuthenticatedContext, Identify } from "./request-context.ts";

/** Each export keeps one small statement on the reader; these many leave room for the lists. */
const exportsMax = 4;
/** A caller who takes nothing for so long makes room for others. */
const silenceMs = 120_000;

/** `checkCaller` is asked before each batch, because an export may outlive its caller's sign-in; it throws where it has. */
export function createExportStreams() {
  const running = new Set<number>();

  return (
    callerId: number,
    batches: AsyncGenerator<Uint8Array>,
    checkCaller?: () => Promise<void>,
  ): ReadableStream<Uint8Array> => {
    if (running.has(callerId) || running.size >= exportsMax) throw refuse("log_export_running", { retryAfter: 5 });
    running.add(callerId);
    let silenceTimer: NodeJS.Timeout | undefined;
    const end = (): void => {
      clearTimeout(silenceTimer);
      running.delete(callerId);
    };
    return new ReadableStream(
      {
        async pull(controller) {
          clearTimeout(silenceTimer);
          try {
            await checkCaller?.();
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
            controller.error(new Error("nobody took the export any further"));
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

/** Whoever began may still read: signed in as the same person, with no lesser role. */
export const stillAllowed =
  (identify: Identify, clock: () => number, { principal, headers }: AuthenticatedContext) =>
  async (): Promise<void> => {
    const current = await identify(headers, clock());
    if (current?.id !== principal.id) throw refuse("not_logged_in");
    if (current.role < principal.role) throw refuse("insufficient_role");
  };
