/**
 * Sends mail after the response: few messages at once, with timeouts and retries, and a bounded
 * queue. Messages are composed here too, so that a call takes as long for a known address as for an
 * unknown one.
 */
import type { MailMessage } from "./mail-messages.ts";
import type { MailServer } from "./mail-server.ts";

const concurrencyMax = 2;
const waitingMax = 500;
const defaultRetriesMs: readonly number[] = [5_000, 30_000, 120_000];
const timeouts = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  dnsTimeout: 5_000,
};
/** A stopping gateway sends what is queued, but for no longer. */
const drainMs = 5_000;

/** Undefined when there is nothing to send. */
export type ComposeMail = () => Promise<MailMessage | undefined>;

export interface MailLog {
  info?(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

export interface Mailer {
  isConfigured(): boolean;
  /** False when the queue is full. `kind` names the message in the log. */
  enqueue(kind: string, compose: ComposeMail): boolean;
  /** Sends one message now, past the queue. Returns why it was not sent, or undefined. */
  deliver(message: MailMessage): Promise<string | undefined>;
  /** No message is being composed or sent. */
  isIdle(): boolean;
  /** Accepts no more messages and sends the queued ones; those that failed before are dropped. */
  stop(): Promise<void>;
}

interface MailJob {
  kind: string;
  compose: ComposeMail;
  failures: number;
}

export function createMailer(
  server: () => MailServer | undefined,
  log: MailLog,
  retryAfterMs: readonly number[] = defaultRetriesMs,
): Mailer {
  const waiting: MailJob[] = [];
  const running = new Set<Promise<void>>();
  const retries = new Set<NodeJS.Timeout>();
  let isStopping = false;

  function pump(): void {
    while (running.size < concurrencyMax) {
      const job = waiting.shift();
      if (!job) return;
      const done: Promise<void> = run(job).finally(() => {
        running.delete(done);
        pump();
      });
      running.add(done);
    }
  }

  async function run({ kind, compose, failures }: MailJob): Promise<void> {
    let message: MailMessage | undefined;
    try {
      message = await compose();
    } catch (error) {
      log.error({ event: "mail", kind, err: error }, "a mail could not be written");
      return;
    }
    if (!message) return;
    const composed = message;
    const to = server();
    try {
      if (!to) throw new Error("no mail server is configured");
      await send(to, composed);
      log.info?.({ event: "mail", kind, attempts: failures + 1 }, "mail sent");
    } catch (error) {
      // The error itself may quote credentials or the message, so it is not logged.
      const failure = describeFailure(error);
      const wait = failure.isFinal || isStopping ? undefined : retryAfterMs[failures];
      const event = {
        event: "mail",
        kind,
        attempts: failures + 1,
        ...failure,
        retried: wait !== undefined,
      };
      log.error(event, "a mail could not be sent");
      if (wait !== undefined)
        retryIn(wait, { kind, compose: async () => composed, failures: failures + 1 });
    }
  }

  function retryIn(ms: number, job: MailJob): void {
    const timer = setTimeout(() => {
      retries.delete(timer);
      waiting.push(job);
      pump();
    }, ms).unref();
    retries.add(timer);
  }

  return {
    isConfigured: () => server() !== undefined,

    enqueue(kind, compose) {
      if (isStopping || waiting.length + retries.size >= waitingMax) return false;
      waiting.push({ kind, compose, failures: 0 });
      pump();
      return true;
    },

    async deliver(message) {
      const to = server();
      if (!to) return "no mail server is configured";
      try {
        await send(to, message);
        return undefined;
      } catch (error) {
        const { reason, response } = describeFailure(error);
        return response === 0 ? reason : `${reason} ${response}`;
      }
    },

    isIdle: () => running.size === 0,

    async stop() {
      isStopping = true;
      for (const timer of retries) clearTimeout(timer);
      retries.clear();
      let timer: NodeJS.Timeout | undefined;
      const timeUp = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, drainMs);
      });
      await Promise.race([drained(), timeUp]);
      clearTimeout(timer);
      waiting.length = 0;
    },
  };

  async function drained(): Promise<void> {
    while (running.size > 0) await Promise.all(running);
  }
}

async function send(
  { from, ...server }: MailServer,
  { to, subject, text, html }: MailMessage,
): Promise<void> {
  // Loaded with the first mail: an idle gateway does without it.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    ...server,
    auth: server.auth,
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    // An object, so that no part of the address is read as a second recipient.
    await transport.sendMail({ from, to: { name: "", address: to }, subject, text, html });
  } finally {
    transport.close();
  }
}

/** A permanent refusal (5xx) would be repeated. */
function describeFailure(error: unknown): { reason: string; response: number; isFinal: boolean } {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown };
  const response = typeof responseCode === "number" ? responseCode : 0;
  return {
    reason: typeof code === "string" ? code : "unknown",
    response,
    isFinal: response >= 500,
  };
}
